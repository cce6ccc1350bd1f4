//! Error over time: a small plot for each clip, all with one axis of errors.

use anim_bake::measure::{ErrorMoment, ErrorProfile};
use anim_format::model::{Accuracy, AnimFile};

use super::axis::Axis;
use super::escape::{escape, name, plain_name};
use super::number::{digits, length_and_share, percent_tick, seconds_tick};
use super::svg::{Anchor, Frame, Mark, Svg};

/// Clips that have a plot: those with the largest errors.
const PLOTS: usize = 120;
/// Points of a line. Each is the largest error of a stretch of the clip.
const STRETCHES: usize = 96;
/// Powers of ten that the axis of errors has at most.
const DECADES: i32 = 7;
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 158.0;

/// The plots of a page set. `profiles` has one entry a clip.
pub(super) fn plots(file: &AnimFile<'_>, set: usize, report: &Accuracy, profiles: &[ErrorProfile]) -> String {
    let size = report.model_size_metres;
    let mut shown: Vec<usize> = (0..profiles.len().min(file.clips.len()))
        .filter(|clip| !profiles[*clip].moments.is_empty())
        .collect();
    let left_out = shown.len().saturating_sub(PLOTS);
    if shown.is_empty() || !(size > 0.0) {
        return "<p>There is no vertex to measure.</p>\n".into();
    }
    if left_out > 0 {
        shown.sort_by(|a, b| largest(&profiles[*b]).total_cmp(&largest(&profiles[*a])));
        shown.truncate(PLOTS);
        shown.sort_unstable();
    }
    let moments = || shown.iter().flat_map(|clip| &profiles[*clip].moments);
    let peaks = shown.iter().flat_map(|clip| {
        let stretches = stretches(&profiles[*clip].moments, |moment| moment.max_metres);
        stretches.into_iter().flatten().map(|(_, metres)| metres).collect::<Vec<f64>>()
    });
    let matrices = moments().filter_map(|moment| moment.matrices_metres).fold(0.0, f64::max);
    let peaks: Vec<f64> = peaks.chain([matrices]).map(|metres| metres / size).collect();
    if !peaks.iter().any(|share| *share > 0.0) {
        return "<p>Nothing is off at any moment.</p>\n".into();
    }
    let axis = Axis::decades(peaks.into_iter(), DECADES);
    let mut html = String::from(LEGEND);
    html.push_str("<div class=\"grid\">\n");
    for clip in shown {
        let clip_name = &*file.clips[clip].name;
        html.push_str(&format!(
            "<figure id=\"clip-{set}-{clip}\"><figcaption>{clip} {}</figcaption>{}</figure>\n",
            name(clip_name),
            plot(clip_name, &profiles[clip].moments, size, axis.clone())
        ));
    }
    html.push_str("</div>\n");
    if left_out > 0 {
        html.push_str(&format!("<p>{left_out} more clips, all with smaller errors, have no plot.</p>\n"));
    }
    html
}

const LEGEND: &str = "<ul class=\"legend\">\
<li><svg class=\"key\" viewBox=\"0 0 26 12\"><path class=\"played\" d=\"M1 8L25 4\"/></svg>this file</li>\
<li><svg class=\"key\" viewBox=\"0 0 26 12\"><path class=\"matrices\" d=\"M1 8L25 4\"/></svg>\
matrices at 30 Hz in 32-bit floating point</li>\
<li><svg class=\"key\" viewBox=\"0 0 26 12\"><circle class=\"peak\" cx=\"13\" cy=\"6\" r=\"3.5\"/></svg>largest</li>\
</ul>\n";

fn plot(clip: &str, moments: &[ErrorMoment], size: f64, y: Axis) -> String {
    let duration = moments.last().map_or(0.0, |moment| moment.seconds);
    let (left, top) = (50.0, 8.0);
    let (width, height) = (WIDTH - left - 14.0, HEIGHT - top - 22.0);
    let mut x = Axis::exact(duration, 4);
    if duration == 0.0 {
        // One frame: there is no other time.
        x.ticks.truncate(1);
    }
    let frame = Frame { left, top, width, height, x, y };
    let peak = moments
        .iter()
        .filter_map(|moment| Some((moment.seconds, moment.max_metres?)))
        .reduce(|a, b| if b.1 > a.1 { b } else { a });
    let label = match peak {
        Some((_, metres)) => format!("Error over time, at most {}", length_and_share(metres, size)),
        None => "Every interval has a jump, and is not measured".into(),
    };
    let mut svg = Svg::new(WIDTH, HEIGHT, "small", &label);
    frame.draw(&mut svg, seconds_tick, percent_tick);
    let points = |stretch: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let mut points: Vec<(f64, f64)> =
            stretch.iter().map(|(seconds, metres)| frame.at(*seconds, metres / size)).collect();
        if duration == 0.0 {
            // One frame is shown all the time.
            points.extend(points.last().map(|(_, y)| (frame.right(), *y)));
        }
        points
    };
    for stretch in stretches(moments, |moment| moment.max_metres) {
        let points = points(&stretch);
        svg.area("under", &points, frame.bottom());
        svg.path("played", &points);
    }
    for stretch in stretches(moments, |moment| moment.matrices_metres) {
        svg.path("matrices", &points(&stretch));
    }
    if moments.iter().all(|moment| moment.max_metres.is_none()) {
        let middle = (frame.left + frame.width / 2.0, frame.top + frame.height / 2.0);
        svg.text("tick", middle, Anchor::Middle, "every interval has a jump");
    }
    if let Some((seconds, metres)) = peak.filter(|(_, metres)| *metres > 0.0) {
        let at = escape(&digits(seconds));
        let title = format!("{}: {} at {at} s", plain_name(clip), length_and_share(metres, size));
        svg.mark("peak", Mark::Circle(3.5), frame.at(seconds, metres / size), &title);
    }
    svg.finish()
}

fn largest(profile: &ErrorProfile) -> f64 {
    profile.moments.iter().filter_map(|moment| moment.max_metres).fold(0.0, f64::max)
}

/// Lines of at most [`STRETCHES`] points, each the largest error of some moments, at its time. A line ends where moments
/// are left out.
fn stretches(moments: &[ErrorMoment], of: fn(&ErrorMoment) -> Option<f64>) -> Vec<Vec<(f64, f64)>> {
    let mut lines: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    // Stretches of one length, so that the last one, too, has moments between frames.
    let count = moments.len().min(STRETCHES);
    for number in 0..count {
        let start = |number: usize| number * moments.len() / count;
        let some = &moments[start(number)..start(number + 1)];
        let mut peak: Option<(f64, f64)> = None;
        for moment in some {
            match of(moment) {
                Some(metres) if peak.is_none_or(|(_, largest)| metres > largest) => {
                    peak = Some((moment.seconds, metres));
                }
                Some(_) => {}
                None => {
                    lines.last_mut().into_iter().for_each(|line| line.extend(peak));
                    peak = None;
                    lines.push(Vec::new());
                }
            }
        }
        lines.last_mut().into_iter().for_each(|line| line.extend(peak));
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_every_peak_and_end_at_jumps() {
        let moments: Vec<ErrorMoment> = (0..400u32)
            .map(|i| ErrorMoment {
                seconds: f64::from(i),
                max_metres: (!(100..=110).contains(&i)).then_some(if i == 257 { 9.0 } else { 1.0 }),
                matrices_metres: None,
            })
            .collect();
        let lines = stretches(&moments, |moment| moment.max_metres);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().map(Vec::len).sum::<usize>() <= STRETCHES + 1);
        assert!(lines[1].contains(&(257.0, 9.0)));
        assert!(lines[0].iter().all(|(seconds, _)| *seconds < 100.0));
        assert_eq!(stretches(&moments, |moment| moment.matrices_metres), Vec::<Vec<(f64, f64)>>::new());
        assert_eq!(stretches(&[], |moment| moment.max_metres), Vec::<Vec<(f64, f64)>>::new());
    }
}
