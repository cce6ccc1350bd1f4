//! Which rate each clip got, and what a lower one would have been off by.

use anim_bake::budget::{RateBound, RateChoice};
use anim_bake::settings::encoding_name;
use anim_format::model::AnimFile;
use serde_json::{Value, json};

use crate::text::{Rows, length, percent, short};

/// Clips that are shown unless all are asked for.
const SHOWN: usize = 12;

/// A clip whose rate was searched.
#[derive(Clone, Debug)]
pub(super) struct ClipRate {
    clip: String,
    encoding: &'static str,
    rate_hz: f64,
    max_metres: f64,
    model_size_metres: f64,
    bound: Option<Bound>,
}

/// Why it is not lower.
#[derive(Clone, Debug)]
struct Bound {
    figures: RateBound,
    node: String,
}

impl ClipRate {
    /// The choices of a bake, in the words of its file.
    pub(super) fn of(file: &AnimFile<'_>, choices: &[RateChoice]) -> Vec<Self> {
        let node_of = |bone: u32| {
            let node = file.bones.get(bone as usize).and_then(|bone| bone.node);
            let node = node.and_then(|node| file.nodes.get(node as usize));
            node.map_or_else(|| format!("bone {bone}"), |node| node.name.to_string())
        };
        let rate = |choice: &RateChoice| Self {
            clip: file.clips[choice.clip as usize].name.to_string(),
            encoding: encoding_name(file.page_sets[choice.page_set as usize].encoding),
            rate_hz: choice.rate_hz,
            max_metres: choice.max_metres,
            model_size_metres: f64::from(file.extent.model_size_metres),
            bound: choice.bound.map(|figures| Bound {
                figures,
                node: figures.worst.map_or_else(String::new, |worst| node_of(worst.bone)),
            }),
        };
        choices.iter().map(rate).collect()
    }

    fn share(&self, metres: f64) -> f64 {
        if self.model_size_metres > 0.0 { metres / self.model_size_metres } else { 0.0 }
    }

    /// As `--json` has it.
    pub(super) fn to_json(&self) -> Value {
        let bound = self.bound.as_ref().map(|Bound { figures, node }| {
            json!({
                "rate_hz": figures.rate_hz,
                "metres": figures.metres,
                "of_model_size": self.share(figures.metres),
                "normal_degrees": figures.normal_degrees,
                "node": node,
                "part": figures.worst.map(|worst| worst.part),
                "vertex": figures.worst.map(|worst| worst.vertex),
                "time_seconds": figures.worst.map(|worst| worst.time_seconds),
            })
        });
        json!({
            "clip": self.clip,
            "encoding": self.encoding,
            "rate_hz": self.rate_hz,
            "metres": self.max_metres,
            "of_model_size": self.share(self.max_metres),
            "next_lower_rate": bound,
        })
    }
}

/// The table of one model; empty without searched clips.
pub(super) fn table(name: &str, rates: &[ClipRate], whole: bool) -> String {
    if rates.is_empty() {
        return String::new();
    }
    let columns = [
        "clip",
        "stored as",
        "rate",
        "largest error",
        "of model size",
        "lower rate",
        "is off by",
        "at node",
        "vertex",
        "time",
    ];
    let mut rows = Rows::new(&columns, whole, SHOWN);
    for rate in rates {
        let mut cells = vec![
            rate.clip.clone(),
            rate.encoding.to_owned(),
            format!("{} Hz", short(rate.rate_hz)),
            length(rate.max_metres),
            percent(rate.share(rate.max_metres)),
        ];
        match &rate.bound {
            Some(Bound { figures, node }) => cells.extend([
                format!("{} Hz", short(figures.rate_hz)),
                percent(rate.share(figures.metres)),
                node.clone(),
                figures.worst.map_or_else(String::new, |worst| worst.vertex.to_string()),
                figures.worst.map_or_else(String::new, |worst| format!("{} s", short(worst.time_seconds))),
            ]),
            None => cells.extend(["none tried", "", "", "", ""].map(String::from)),
        }
        rows.add(cells);
    }
    format!("\nRates of {name}\n{}", rows.to_text())
}
