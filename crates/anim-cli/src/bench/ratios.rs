//! What the figures say: ratios of frames drawn in turn, and the fastest path of the device.

use serde_json::{Value, json};

use super::cases::path_name;
use super::measure::{Sample, median};
use super::row::Row;
use super::stage::Triangles;
use crate::args::CaseArg;
use crate::gpu::frame_timer::Pass;

/// A ratio of two cases.
#[derive(Clone, Debug)]
pub(crate) struct Ratio {
    /// What is divided by what.
    pub(crate) what: &'static str,
    pub(crate) instances: u32,
    pub(crate) triangles: Triangles,
    /// Median over frames.
    pub(crate) value: f64,
    pub(crate) frames: usize,
}

/// How a ratio is made: a case and its passes, over another case and its passes.
struct Recipe {
    what: &'static str,
    over: (CaseArg, &'static [usize]),
    under: (CaseArg, &'static [usize]),
    triangles: Triangles,
}

const DRAW: &[usize] = &[Pass::Draw as usize];
const ALL: &[usize] = &[Pass::Palette as usize, Pass::Draw as usize];

const RECIPES: &[Recipe] = &[
    Recipe {
        what: "our draw / rigid draw",
        over: (CaseArg::Untouched, DRAW),
        under: (CaseArg::Rigid, DRAW),
        triangles: Triangles::Visible,
    },
    Recipe {
        what: "our draw / rigid draw",
        over: (CaseArg::Untouched, DRAW),
        under: (CaseArg::Rigid, DRAW),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "rgba16f texture / ours (palette + draw)",
        over: (CaseArg::Texture16, DRAW),
        under: (CaseArg::Untouched, ALL),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "our direct path / palette path (palette + draw)",
        over: (CaseArg::Direct, DRAW),
        under: (CaseArg::Untouched, ALL),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "our direct path / palette path, fading (palette + draw)",
        over: (CaseArg::DirectFading, DRAW),
        under: (CaseArg::Fading, ALL),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "rgba32f texture / ours (palette + draw)",
        over: (CaseArg::Texture32, DRAW),
        under: (CaseArg::Untouched, ALL),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "rgba16f texture / ours, fading (palette + draw)",
        over: (CaseArg::Texture16Fading, DRAW),
        under: (CaseArg::Fading, ALL),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "rgba32f texture / ours, fading (palette + draw)",
        over: (CaseArg::Texture32Fading, DRAW),
        under: (CaseArg::Fading, ALL),
        triangles: Triangles::Culled,
    },
    Recipe {
        what: "rgba16f texture / ours (palette + draw)",
        over: (CaseArg::Texture16, DRAW),
        under: (CaseArg::Untouched, ALL),
        triangles: Triangles::Visible,
    },
    Recipe {
        what: "rgba16f texture / ours, fading (palette + draw)",
        over: (CaseArg::Texture16Fading, DRAW),
        under: (CaseArg::Fading, ALL),
        triangles: Triangles::Visible,
    },
];

/// All ratios that these rows allow, by number of instances.
pub(crate) fn ratios(rows: &[Row]) -> Vec<Ratio> {
    let mut counts: Vec<u32> = rows.iter().map(|row| row.instances).collect();
    counts.dedup();
    let mut found = Vec::new();
    for recipe in RECIPES {
        for instances in counts.iter().copied() {
            let samples = |case: CaseArg| -> Option<&[Sample]> {
                let is_it = |row: &&Row| {
                    row.case == case && row.triangles == recipe.triangles && row.instances == instances
                };
                rows.iter().find(is_it).map(|row| &row.samples[..])
            };
            let (Some(over), Some(under)) = (samples(recipe.over.0), samples(recipe.under.0)) else {
                continue;
            };
            // Frame by frame: the two were drawn one after the other.
            let pairs = over.iter().zip(under);
            let value = median(
                pairs
                    .map(|(a, b)| a.of_passes(recipe.over.1) / b.of_passes(recipe.under.1))
                    .filter(|ratio| ratio.is_finite()),
            );
            if let Some(value) = value {
                let frames = over.len().min(under.len());
                found.push(Ratio {
                    what: recipe.what,
                    instances,
                    triangles: recipe.triangles,
                    value,
                    frames,
                });
            }
        }
    }
    found
}

/// The fastest way to draw an animated crowd on this device, at the largest size at which more than one was measured.
pub(crate) fn fastest(rows: &[Row]) -> Option<(&'static str, u32, f64)> {
    let is_candidate = |row: &&Row| {
        let animated = matches!(
            row.case,
            CaseArg::Untouched
                | CaseArg::Texture16
                | CaseArg::Texture32
                | CaseArg::CpuPalettes
                | CaseArg::DrawEach
                | CaseArg::Half
                | CaseArg::Direct
        );
        animated && row.triangles == Triangles::Culled && row.frame_ms().is_some()
    };
    let candidates: Vec<&Row> = rows.iter().filter(is_candidate).collect();
    let instances = candidates
        .iter()
        .map(|row| row.instances)
        .filter(|count| candidates.iter().filter(|row| row.instances == *count).count() > 1)
        .max()?;
    candidates
        .iter()
        .filter(|row| row.instances == instances)
        .filter_map(|row| {
            let name = if row.case == CaseArg::Half { "palette (half)" } else { path_name(row.case) };
            Some((name, instances, row.frame_ms()?))
        })
        .min_by(|a, b| a.2.total_cmp(&b.2))
}

impl Ratio {
    /// The ratio as JSON.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "what": self.what,
            "instances": self.instances,
            "triangles": self.triangles.name(),
            "value": self.value,
            "frames": self.frames,
        })
    }
}
