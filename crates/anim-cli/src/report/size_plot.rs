//! Size against error: every rate in every encoding, what was chosen, and what other tools store.

use anim_bake::measure::{TradeOff, TradePoint, TradeRate};
use anim_format::model::Encoding;

use super::axis::Axis;
use super::escape::escape;
use super::number::{bytes, bytes_tick, length_and_share, percent_tick, short};
use super::svg::{Anchor, Frame, Mark, Svg};
use crate::tables::encoding_name;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
/// Powers of ten that the axis of errors has at most.
const DECADES: i32 = 8;
/// Height of a label.
const LINE: f64 = 14.0;

/// The encodings, each with its mark; its name is the class that colours it.
const ENCODINGS: [(Encoding, Mark); 4] = [
    (Encoding::Local8, Mark::Circle(4.5)),
    (Encoding::Local32, Mark::Square),
    (Encoding::Affine16, Mark::Triangle),
    (Encoding::Affine32, Mark::Diamond),
];

/// The plot with its legend and what it means.
pub(super) fn plot(found: &TradeOff, model_size_metres: f64) -> String {
    let all = || found.points.iter().chain(&found.chosen).chain(&found.matrices);
    let measured = all().any(|point| point.max_metres > 0.0);
    if !measured || !(model_size_metres > 0.0) {
        return "<p>Nothing moves or there is no vertex: every rate and encoding is exact.</p>\n".into();
    }
    #[expect(clippy::cast_precision_loss, reason = "a place on an axis")]
    let x_of = |point: &TradePoint| point.bytes as f64;
    let y_of = |point: &TradePoint| point.max_metres / model_size_metres;
    let (left, top) = (66.0, 28.0);
    let frame = Frame {
        left,
        top,
        width: WIDTH - left - 84.0,
        height: HEIGHT - top - 52.0,
        x: Axis::octaves(all().map(x_of)),
        y: Axis::decades(all().map(y_of), DECADES),
    };
    let at = |point: &TradePoint| frame.at(x_of(point), y_of(point));
    let mut svg = Svg::new(WIDTH, HEIGHT, "large", "Size of all clips against their largest error");
    frame.draw(&mut svg, bytes_tick, percent_tick);
    let middle = frame.left + frame.width / 2.0;
    svg.text("title", (middle, frame.bottom() + 36.0), Anchor::Middle, "bytes of all clips");
    svg.text("title", (4.0, 11.0), Anchor::Start, "largest error, of model size");
    let mut labels = Labels { points: all().map(at).collect(), ..Labels::default() };
    for (encoding, mark) in ENCODINGS {
        let class = encoding_name(encoding);
        let of_encoding = || found.points.iter().filter(move |point| point.encoding == encoding);
        let own: Vec<(f64, f64)> =
            of_encoding().filter(|point| matches!(point.rate, TradeRate::Own(_))).map(at).collect();
        svg.path(&format!("line {class}"), &own);
        for point in of_encoding() {
            let kind = if matches!(point.rate, TradeRate::Own(_)) { "own" } else { "fixed" };
            svg.mark(&format!("{kind} {class}"), mark, at(point), &title(point, model_size_metres));
        }
        if let Some(last) = own.last() {
            labels.add(*last, format!("label {class}"), class.into());
        }
    }
    for point in &found.chosen {
        let text = match found.chosen.len() {
            1 => "this file".into(),
            _ => format!("this file, {}", encoding_name(point.encoding)),
        };
        let (x, y) = at(point);
        svg.mark("chosen", Mark::Circle(9.0), (x, y), &title(point, model_size_metres));
        labels.add((x, y), "label".into(), text);
    }
    if let Some(point) = &found.matrices {
        let (x, y) = at(point);
        let title = format!(
            "matrices at 30 Hz, 48 bytes a bone and frame: {}, {}",
            bytes(point.bytes),
            length_and_share(point.max_metres, model_size_metres)
        );
        svg.mark("rival", Mark::Cross, (x, y), &escape(&title));
        labels.add((x, y), "label".into(), "30 Hz matrices".into());
    }
    labels.draw(&mut svg);
    format!("{}<div class=\"scroll\">{}</div>\n{}", legend(), svg.finish(), notes(found))
}

fn title(point: &TradePoint, model_size_metres: f64) -> String {
    let encoding = encoding_name(point.encoding);
    let rate = match point.rate {
        TradeRate::OfFile => "as in this file".into(),
        TradeRate::Own(1.0) => "at the clips' own rates".into(),
        TradeRate::Own(factor) if factor < 1.0 => {
            format!("at 1/{} of the clips' own rates", short(1.0 / factor))
        }
        TradeRate::Own(factor) => format!("at {} times the clips' own rates", short(factor)),
        TradeRate::Hz(rate) => format!("at {} Hz", short(rate)),
    };
    let (size, error) = (bytes(point.bytes), length_and_share(point.max_metres, model_size_metres));
    escape(&format!("{encoding} {rate}: {size}, {} frames, {error}", point.frames))
}

fn legend() -> String {
    let mut html = String::from("<ul class=\"legend\">");
    for (encoding, mark) in ENCODINGS {
        let class = encoding_name(encoding);
        let mut key = Svg::new(14.0, 14.0, "key square", class);
        key.mark(&format!("own {class}"), mark, (7.0, 7.0), class);
        html.push_str(&format!("<li>{}{class}</li>", key.finish()));
    }
    let others = [
        ("filled, joined: a part or a multiple of each clip's own rate", "own plain", Mark::Circle(4.5)),
        ("hollow: the same rate for all clips", "fixed plain", Mark::Circle(4.5)),
        ("this file", "chosen", Mark::Circle(5.5)),
        ("matrices at 30 Hz, 48 bytes a bone and frame", "rival", Mark::Cross),
    ];
    for (text, class, mark) in others {
        let mut key = Svg::new(14.0, 14.0, "key square", text);
        key.mark(class, mark, (7.0, 7.0), text);
        html.push_str(&format!("<li>{}{text}</li>", key.finish()));
    }
    html.push_str("</ul>\n");
    html
}

fn notes(found: &TradeOff) -> String {
    let mut html = String::from(
        "<p class=\"note\">Each point is all clips, baked and measured at a rate in an encoding; lower and further left is \
         better. Clips that step or jump keep their own rate where another would move the jumps. Rest the pointer on a point \
         for its numbers.</p>\n",
    );
    if found.rates_left_out {
        html.push_str("<p class=\"note\">The clips are too long for all rates to be tried.</p>\n");
    }
    html
}

/// Labels that make room for each other and for the points.
#[derive(Debug, Default)]
struct Labels {
    points: Vec<(f64, f64)>,
    wanted: Vec<Label>,
}

#[derive(Debug)]
struct Label {
    /// The point that it belongs to.
    at: (f64, f64),
    class: String,
    text: String,
}

impl Labels {
    fn add(&mut self, at: (f64, f64), class: String, text: String) {
        self.wanted.push(Label { at, class, text });
    }

    fn draw(self, svg: &mut Svg) {
        /// Width of a letter, about.
        const LETTER: f64 = 7.4;
        /// Between a point and its label.
        const GAP: f64 = 13.0;
        /// How far apart the middles of a point and a line of text are at least.
        const APART: f64 = 10.0;
        let mut placed: Vec<(f64, f64, f64)> = Vec::new();
        for Label { at, class, text } in self.wanted {
            let width = text.chars().map(|_| LETTER).sum::<f64>();
            // Above what is hidden: labels more than points.
            let hidden = |(x, y): (f64, f64)| -> u32 {
                let on_labels = placed.iter().filter(|(left, line, wide)| {
                    x < left + wide && *left < x + width && (line - y).abs() < LINE
                });
                let on_points = self.points.iter().filter(|(left, middle)| {
                    x - 7.0 < *left && *left < x + width + 7.0 && (middle - (y - 4.0)).abs() < APART
                });
                on_labels.map(|_| 100).sum::<u32>() + on_points.map(|_| 1).sum::<u32>()
            };
            let heights =
                (0..6u32).flat_map(|i| [-f64::from(i), f64::from(i)]).map(|i| at.1 + 4.0 + i * LINE);
            let places = heights.flat_map(|y| [(at.0 + GAP, y), (at.0 - GAP - width, y)]);
            let inside = places.filter(|(x, y)| {
                (70.0..WIDTH - width).contains(x) && (LINE * 3.0..HEIGHT - 58.0).contains(y)
            });
            // The first of the best, which is the nearest.
            let best = inside.min_by_key(|place| hidden(*place));
            let (x, y) = best.unwrap_or((at.0 + GAP, at.1 + 4.0));
            placed.push((x, y, width));
            svg.text(&class, (x, y), Anchor::Start, &escape(&text));
        }
    }
}
