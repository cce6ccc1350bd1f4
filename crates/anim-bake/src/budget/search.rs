//! The lowest rate of one clip in one encoding.

use anim_format::model::Encoding;

use super::candidates::interval_counts;
use super::{DEFAULT_LIMIT, RateBound, digits};
use crate::bake::Prepared;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::BakeError;
use crate::measure::{StopAbove, Trial, Trials};
use crate::settings::BakeSettings;

/// What a clip may be off by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    metres: f64,
    normal_degrees: f64,
    /// They are a budget of the settings, not the default.
    requested: bool,
}

impl Limits {
    pub(super) fn of(settings: &BakeSettings, model_size_metres: f64) -> Self {
        let Some(budget) = settings.budget else {
            let metres = DEFAULT_LIMIT.metres(model_size_metres);
            return Self { metres, normal_degrees: f64::INFINITY, requested: false };
        };
        Self {
            metres: budget.max_error.map_or(f64::INFINITY, |limit| limit.metres(model_size_metres)),
            normal_degrees: budget.max_normal_degrees.unwrap_or(f64::INFINITY),
            requested: true,
        }
    }

    pub(super) fn hold(&self, trial: &Trial) -> bool {
        self.excess(trial) <= 1.0
    }

    /// By how many times a clip is outside; at most 1 inside.
    pub(super) fn excess(&self, trial: &Trial) -> f64 {
        let share = |found: f64, limit: f64| if found <= limit { 0.0 } else { found / limit };
        let distance = share(trial.playback.max_metres, self.metres);
        distance.max(share(trial.playback.normal_max_degrees, self.normal_degrees))
    }

    /// The limits in words.
    pub(super) fn expected(&self, model_size_metres: f64) -> String {
        let mut words = Vec::new();
        if self.metres.is_finite() {
            words.push(format!("at most {}", distance(self.metres, model_size_metres)));
        }
        if self.normal_degrees.is_finite() {
            words.push(format!("normals at most {} degrees", digits(self.normal_degrees)));
        }
        words.join(", ")
    }

    /// What was found of what is limited.
    pub(super) fn found(&self, trial: &Trial, model_size_metres: f64) -> String {
        let mut words = Vec::new();
        if self.metres.is_finite() {
            words.push(distance(trial.playback.max_metres, model_size_metres));
        }
        if self.normal_degrees.is_finite() {
            words.push(format!("normals {} degrees", digits(trial.playback.normal_max_degrees)));
        }
        words.join(", ")
    }
}

fn distance(metres: f64, model_size_metres: f64) -> String {
    let percent = if model_size_metres > 0.0 { metres / model_size_metres * 100.0 } else { 0.0 };
    let percent = if percent < 0.01 { format!("{percent:.1e}") } else { digits(percent) };
    format!("{metres:.3e} m ({percent} % of model size)")
}

/// Intervals of a clip up to which its rate is raised to hold the default limit: five minutes at 60 Hz.
const INTERVALS_UNASKED: u32 = 18_000;

/// What was found for one clip.
#[derive(Clone, Debug)]
pub(super) struct ClipResult {
    pub(super) clip: usize,
    pub(super) plan: ClipPlan,
    pub(super) rate_hz: f64,
    pub(super) trial: Trial,
    pub(super) bound: Option<RateBound>,
}

/// The lowest rate that stays inside; without one, the rate that is least outside.
///
/// Rates are tried upwards, and a trial ends where it is outside: a rate that is much too low costs little.
pub(super) fn search_clip(
    trials: &Trials<'_>,
    prepared: &Prepared,
    clip: usize,
    encoding: Encoding,
    limits: &Limits,
) -> Result<ClipResult, BakeError> {
    let own = &prepared.clips[clip];
    let rate_of = |count: u32| match count {
        0 => 0.0,
        count => f64::from(count) / f64::from(own.duration_seconds),
    };
    let stop = StopAbove { metres: limits.metres, normal_degrees: limits.normal_degrees };
    let mut bound = None;
    let mut too_large = None;
    let mut counts = interval_counts(own);
    if !limits.requested {
        // What nobody asked for is not bought with hundreds of megabytes.
        counts.retain(|count| *count <= own.intervals.max(INTERVALS_UNASKED));
    }
    for &count in &counts {
        let plan = trials.plan(clip, count)?;
        match trials.measure_plan(&plan, encoding, Some(stop)) {
            Ok(trial) if limits.hold(&trial) => {
                return Ok(ClipResult { clip, plan, rate_hz: rate_of(count), trial, bound });
            }
            Ok(trial) => {
                bound = Some(RateBound {
                    rate_hz: rate_of(count),
                    metres: trial.playback.max_metres,
                    normal_degrees: trial.playback.normal_max_degrees,
                    worst: trial.playback.worst,
                });
            }
            // What fits no page is no candidate, and nothing above it either.
            Err(error) => {
                too_large = Some(error);
                break;
            }
        }
    }
    let mut best: Option<ClipResult> = None;
    let own_or_more = counts.iter().filter(|count| **count >= own.intervals);
    for &count in own_or_more {
        let plan = trials.plan(clip, count)?;
        let Ok(trial) = trials.measure_plan(&plan, encoding, None) else { break };
        if best.as_ref().is_none_or(|best| limits.excess(&trial) < limits.excess(&best.trial)) {
            best = Some(ClipResult { clip, plan, rate_hz: rate_of(count), trial, bound: None });
        }
    }
    best.ok_or_else(|| too_large.expect("nothing fits only if a trial failed"))
}
