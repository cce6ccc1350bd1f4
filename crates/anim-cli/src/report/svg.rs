//! Shapes of a picture, and the frame with two axes that plots lie in.

use std::fmt::Write as _;

use super::axis::Axis;
use super::escape::escape;
use super::number::coordinate;

/// A picture that grows.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
}

/// Where a text stands, seen from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A picture of so many pixels. `label` says to those who do not see it what it shows; `class` gives its size.
    pub(super) fn new(width: f64, height: f64, class: &str, label: &str) -> Self {
        let (w, h, label) = (coordinate(width), coordinate(height), escape(label));
        Self {
            text: format!(
                "<svg class=\"{class}\" viewBox=\"0 0 {w} {h}\" role=\"img\" aria-label=\"{label}\">"
            ),
        }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(coordinate);
        self.push(format_args!("<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"));
    }

    /// `content` is escaped already.
    pub(super) fn text(&mut self, class: &str, at: (f64, f64), anchor: Anchor, content: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let [x, y] = [at.0, at.1].map(coordinate);
        let class = format!("{class} {anchor}");
        self.push(format_args!("<text class=\"{}\" x=\"{x}\" y=\"{y}\">{content}</text>", class.trim()));
    }

    /// A box with what the pointer is told; `title` is escaped already.
    pub(super) fn bar(&mut self, class: &str, corner: (f64, f64), size: (f64, f64), title: &str) {
        let [x, y, w, h] = [corner.0, corner.1, size.0, size.1].map(coordinate);
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"><title>{title}</title></rect>"
        ));
    }

    /// A line through points; nothing for none.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        if !points.is_empty() {
            self.push(format_args!("<path class=\"{class}\" d=\"{}\"/>", steps(points)));
        }
    }

    /// What lies between points and a height.
    pub(super) fn area(&mut self, class: &str, points: &[(f64, f64)], down_to: f64) {
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            let [first, last, y] = [first.0, last.0, down_to].map(coordinate);
            let steps = steps(points);
            self.push(format_args!("<path class=\"{class}\" d=\"{steps}L{last} {y}L{first} {y}Z\"/>"));
        }
    }

    /// A mark with what the pointer is told; `title` is escaped already.
    pub(super) fn mark(&mut self, class: &str, mark: Mark, at: (f64, f64), title: &str) {
        let (x, y) = at;
        let around = |corners: &[(f64, f64)]| -> String {
            let corners: Vec<(f64, f64)> = corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
            steps(&corners) + "Z"
        };
        let shape = match mark {
            Mark::Circle(radius) => {
                let [x, y, r] = [x, y, radius].map(coordinate);
                let title = format!("<title>{title}</title>");
                self.push(format_args!(
                    "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\">{title}</circle>"
                ));
                return;
            }
            Mark::Square => around(&[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)]),
            Mark::Triangle => around(&[(0.0, -5.5), (5.0, 4.0), (-5.0, 4.0)]),
            Mark::Diamond => around(&[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]),
            Mark::Cross => around(&[
                (-6.0, -4.0),
                (-4.0, -6.0),
                (0.0, -2.0),
                (4.0, -6.0),
                (6.0, -4.0),
                (2.0, 0.0),
                (6.0, 4.0),
                (4.0, 6.0),
                (0.0, 2.0),
                (-4.0, 6.0),
                (-6.0, 4.0),
                (-2.0, 0.0),
            ]),
        };
        self.push(format_args!("<path class=\"{class}\" d=\"{shape}\"><title>{title}</title></path>"));
    }

    pub(super) fn finish(mut self) -> String {
        self.text.push_str("</svg>");
        self.text
    }

    fn push(&mut self, shape: std::fmt::Arguments<'_>) {
        // A string can always be written to.
        let _ = self.text.write_fmt(shape);
    }
}

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mark {
    /// With its radius.
    Circle(f64),
    Square,
    Triangle,
    Diamond,
    Cross,
}

/// The part of a picture in which data lie, and what its sides mean.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Axis,
    pub(super) y: Axis,
}

impl Frame {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Where a point of the data lies.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + self.x.place(x) * self.width, self.bottom() - self.y.place(y) * self.height)
    }

    /// Lines at all ticks, and their numbers.
    pub(super) fn draw(&self, svg: &mut Svg, x_label: fn(f64) -> String, y_label: fn(f64) -> String) {
        for tick in &self.y.ticks {
            let (_, y) = self.at(0.0, *tick);
            svg.line("grid", (self.left, y), (self.right(), y));
            svg.text("tick", (self.left - 4.0, y + 3.5), Anchor::End, &escape(&y_label(*tick)));
        }
        for tick in &self.x.ticks {
            let (x, _) = self.at(*tick, 0.0);
            svg.line("grid", (x, self.top), (x, self.bottom()));
            svg.text("tick", (x, self.bottom() + 13.0), Anchor::Middle, &escape(&x_label(*tick)));
        }
        svg.line("axis", (self.left, self.bottom()), (self.right(), self.bottom()));
        svg.line("axis", (self.left, self.top), (self.left, self.bottom()));
    }
}

fn steps(points: &[(f64, f64)]) -> String {
    let mut text = String::new();
    for (number, (x, y)) in points.iter().enumerate() {
        let letter = if number == 0 { 'M' } else { 'L' };
        let _ = write!(text, "{letter}{} {}", coordinate(*x), coordinate(*y));
    }
    text
}
