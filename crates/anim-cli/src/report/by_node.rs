//! Error by node: the largest error of the vertices that follow a node most.

use anim_bake::measure::ErrorProfile;
use anim_format::model::{Accuracy, AnimFile};

use super::bars::{self, Bar};
use super::escape::plain_name;
use super::number::{length, percent, percent_tick};
use crate::inspect::clip_accuracy::node_name;

/// Nodes that are shown.
const NODES: usize = 30;

/// The chart of a page set, over all its clips.
pub(super) fn chart(file: &AnimFile<'_>, report: &Accuracy, profiles: &[ErrorProfile]) -> String {
    let size = report.model_size_metres;
    let worst = |node: usize| {
        let of_clip = |(clip, profile): (usize, &ErrorProfile)| Some((clip, (*profile.by_node.get(node)?)?));
        let found = profiles.iter().enumerate().filter_map(of_clip);
        found.reduce(|a, b| if b.1 > a.1 { b } else { a })
    };
    let bars: Vec<Bar> = (0..file.nodes.len())
        .filter_map(|node| {
            let (clip, metres) = worst(node).filter(|_| size > 0.0)?;
            let clip = file.clips.get(clip).map_or("", |clip| &*clip.name);
            let text = percent(metres / size);
            let more = format!(", {} in {}", length(metres), plain_name(clip));
            Some(Bar { name: node_name(file, node)?, value: metres / size, text, more })
        })
        .collect();
    let count = bars.len();
    let chart = bars::chart("Largest error by node, of model size", bars, NODES, percent_tick);
    if chart.is_empty() {
        return "<p>No vertex follows a node.</p>\n".into();
    }
    let which = match count > NODES {
        true => format!("the {NODES} largest of {count} nodes"),
        false => "all nodes that vertices follow".into(),
    };
    format!(
        "<p class=\"note\">The largest error in any clip, of model size, of the vertices that follow a node most; {which}.\
         </p>\n{chart}\n"
    )
}
