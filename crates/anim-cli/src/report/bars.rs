//! Bar charts: one number a name, the largest first.

use super::axis::Axis;
use super::escape::{fitted_name, plain_name};
use super::svg::{Anchor, Svg};

/// A bar.
#[derive(Clone, Debug)]
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) value: f64,
    /// The value as it is written beside the bar.
    pub(super) text: String,
    /// More that the pointer is told.
    pub(super) more: String,
}

const WIDTH: f64 = 500.0;
const ROW: f64 = 19.0;
const NAMES: f64 = 190.0;
const VALUES: f64 = 92.0;
const FONT: f64 = 12.0;

/// The `most` largest bars; without any, nothing.
pub(super) fn chart(label: &str, mut bars: Vec<Bar>, most: usize, tick: fn(f64) -> String) -> String {
    bars.retain(|bar| bar.value.is_finite());
    // Equal ones stay in the order of the file.
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    bars.truncate(most);
    let Some(largest) = bars.first().map(|bar| bar.value) else { return String::new() };
    let axis = Axis::linear(largest, 3);
    let count = bars.iter().map(|_| 1.0).sum::<f64>();
    let (top, width) = (6.0, WIDTH - NAMES - VALUES);
    let bottom = top + ROW * count + 2.0;
    let mut svg = Svg::new(WIDTH, bottom + 20.0, "bars", label);
    let x = |value: f64| NAMES + axis.place(value) * width;
    for number in &axis.ticks {
        svg.line("grid", (x(*number), top), (x(*number), bottom));
        svg.text("tick", (x(*number), bottom + 14.0), Anchor::Middle, &tick(*number));
    }
    let mut y = top;
    for bar in &bars {
        let title = format!("{}: {}{}", plain_name(&bar.name), bar.text, bar.more);
        svg.text("name", (NAMES - 6.0, y + 14.0), Anchor::End, &fitted_name(&bar.name, NAMES - 8.0, FONT));
        // A bar of next to nothing is still something to see and to point at.
        svg.bar("bar", (NAMES, y + 3.0), ((x(bar.value) - NAMES).max(1.0), ROW - 6.0), &title);
        svg.text("value", (x(bar.value) + 5.0, y + 14.0), Anchor::Start, &bar.text);
        y += ROW;
    }
    svg.line("axis", (NAMES, top), (NAMES, bottom));
    svg.finish()
}
