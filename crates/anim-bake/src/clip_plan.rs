//! Which clips are baked, under which name and mode, and at which times their frames are.

use std::collections::BTreeSet;

use anim_core::clip_time::{ClipMode, Interpolation, frame_time, interval_count};

use anim_format::model::{AnimFile, Clip};

use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::jumps::{Jump, STEP_LOOK_AHEAD_INTERVALS, find_jumps};
use crate::names::Numbering;
use crate::patterns::Patterns;
use crate::rate::{bake_rate, detect_rate};
use crate::settings::BakeSettings;
use crate::source::{KeyInterpolation, Property, SourceAsset, SourceClip};

/// Name of the one-frame clip of a model without clips.
const REST_POSE_NAME: &str = "rest_pose";

/// A clip that will be baked.
#[derive(Clone, Debug)]
pub(crate) struct ClipPlan {
    /// Clip number in the source; `None` is the rest pose.
    pub(crate) source: Option<usize>,
    /// Name in the file: not empty, unique.
    pub(crate) name: String,
    pub(crate) mode: ClipMode,
    /// Time in the source of frame 0.
    pub(crate) start_seconds: f32,
    pub(crate) duration_seconds: f32,
    pub(crate) intervals: u32,
    pub(crate) source_rate_hz: Option<f32>,
    pub(crate) interpolation: Interpolation,
    /// Moments at which something in the clip jumps.
    pub(crate) jumps: Vec<Jump>,
}

impl ClipPlan {
    /// Frames of the clip.
    pub(crate) fn frames(&self) -> u32 {
        self.intervals + 1
    }

    /// The same clip at another rate, in Hz.
    pub(crate) fn at_rate(&self, asset: &SourceAsset, rate_hz: f64) -> Result<Self, Diagnostic> {
        let Some(source) = self.source else { return Ok(self.clone()) };
        let path = format!("animations[{source}]");
        let again = plan_from(&asset.clips[source], &path, self.start_seconds, Some(rate_hz))
            .map_err(|problem| problem.in_clip(&self.name))?;
        Ok(Self { intervals: again.intervals, jumps: again.jumps, ..self.clone() })
    }

    /// The time in the source of a frame, and the time at which its STEP channels are read: half an interval later, so
    /// that a jump goes to the nearest frame.
    pub(crate) fn frame_seconds(&self, frame: u32) -> (f64, f64) {
        let duration = f64::from(self.duration_seconds);
        let seconds = f64::from(self.start_seconds) + frame_time(frame, duration, self.intervals);
        let look_ahead = match self.intervals {
            0 => 0.0,
            intervals => STEP_LOOK_AHEAD_INTERVALS * duration / f64::from(intervals),
        };
        (seconds, seconds + look_ahead)
    }
}

/// Chooses and plans the clips of a model.
pub(crate) fn plan_clips(
    asset: &SourceAsset,
    settings: &BakeSettings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<ClipPlan>, Vec<Diagnostic>> {
    let names = unique_names(asset, warnings);
    let chosen = choose(&names, settings)?;
    let modes = Modes::new(settings)?;
    let mut plans = Vec::with_capacity(chosen.len().max(1));
    let mut problems = Vec::new();
    for index in chosen {
        let path = format!("animations[{index}]");
        match plan_clip(&asset.clips[index], &path, settings) {
            Ok(plan) => {
                let name = names[index].clone();
                plans.push(ClipPlan { source: Some(index), mode: modes.of(&name), name, ..plan });
            }
            Err(problem) => problems.push(problem.in_clip(&names[index])),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if plans.is_empty() {
        plans.push(rest_pose());
    }
    modes.warn_unused(&plans, warnings);
    Ok(plans)
}

/// The plans that a page set of a file was baked from, found again by name.
///
/// # Errors
///
/// The name of the first clip that the source lacks.
pub(crate) fn replan_clips(
    asset: &SourceAsset,
    file: &AnimFile<'_>,
    page_set: u32,
) -> Result<Vec<ClipPlan>, String> {
    let names = unique_names(asset, &mut Vec::new());
    let replan = |clip: &Clip<'_>| {
        let source = names.iter().position(|name| *name == clip.name);
        if source.is_none() && !(asset.clips.is_empty() && clip.name == REST_POSE_NAME) {
            return Err(clip.name.to_string());
        }
        let track = clip.tracks.iter().find(|track| track.page_set == page_set);
        let intervals = track.map_or(0, |track| track.intervals);
        let (start, duration) = (f64::from(clip.start_seconds), f64::from(clip.duration_seconds));
        Ok(ClipPlan {
            source,
            name: clip.name.to_string(),
            mode: clip.mode,
            start_seconds: clip.start_seconds,
            duration_seconds: clip.duration_seconds,
            intervals,
            source_rate_hz: clip.source_rate_hz,
            interpolation: track.map_or(Interpolation::Linear, |track| track.interpolation),
            jumps: source.map_or_else(Vec::new, |s| find_jumps(&asset.clips[s], start, duration, intervals)),
        })
    };
    file.clips.iter().map(replan).collect()
}

fn plan_clip(clip: &SourceClip, path: &str, settings: &BakeSettings) -> Result<ClipPlan, Diagnostic> {
    let start_seconds = if settings.trim { clip.start_seconds() } else { 0.0 };
    plan_from(clip, path, start_seconds, settings.rate_hz)
}

/// Plans a clip from a time of the source on, at a rate or at its own.
fn plan_from(
    clip: &SourceClip,
    path: &str,
    start_seconds: f32,
    rate_hz: Option<f64>,
) -> Result<ClipPlan, Diagnostic> {
    let duration_seconds = clip.end_seconds() - start_seconds;
    let detected = detect_rate(clip, f64::from(start_seconds));
    let rate_hz = rate_hz.unwrap_or_else(|| bake_rate(detected));
    let intervals = interval_count(f64::from(duration_seconds), rate_hz)
        .filter(|intervals| *intervals < u32::MAX)
        .ok_or_else(|| {
            Diagnostic::error(ids::CLIP_TOO_LONG, path, "the clip has more frames than a file can number")
                .expected_found(
                    "fewer than 4,294,967,295 frames",
                    format!("{duration_seconds} s at {rate_hz} Hz"),
                )
                .help("check the key times, which are in seconds, or choose a lower --rate")
        })?;
    let moving = || clip.channels.iter().filter(|c| c.property != Property::Weights);
    let all_step = moving().next().is_some() && moving().all(|c| c.interpolation == KeyInterpolation::Step);
    Ok(ClipPlan {
        source: None,
        name: String::new(),
        mode: ClipMode::Loop,
        start_seconds,
        duration_seconds,
        intervals,
        #[expect(clippy::cast_precision_loss, reason = "at most 240")]
        source_rate_hz: detected.filter(|_| duration_seconds > 0.0).map(|rate| rate as f32),
        interpolation: if all_step { Interpolation::Step } else { Interpolation::Linear },
        jumps: find_jumps(clip, f64::from(start_seconds), f64::from(duration_seconds), intervals),
    })
}

fn rest_pose() -> ClipPlan {
    ClipPlan {
        source: None,
        name: REST_POSE_NAME.into(),
        mode: ClipMode::Loop,
        start_seconds: 0.0,
        duration_seconds: 0.0,
        intervals: 0,
        source_rate_hz: None,
        interpolation: Interpolation::Linear,
        jumps: Vec::new(),
    }
}

/// A name for every clip: its own where it has one that no earlier clip has.
fn unique_names(asset: &SourceAsset, warnings: &mut Vec<Diagnostic>) -> Vec<String> {
    let own: BTreeSet<&str> = asset.clips.iter().filter_map(|clip| clip.name.as_deref()).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut numbering = Numbering::default();
    let mut names = Vec::with_capacity(asset.clips.len());
    for (index, clip) in asset.clips.iter().enumerate() {
        let wanted = clip.name.as_deref().filter(|name| !name.is_empty());
        let name = match wanted {
            Some(name) if !taken.contains(name) => name.to_owned(),
            _ => {
                let base = wanted.map_or_else(|| format!("clip_{index}"), ToOwned::to_owned);
                let free = |name: &str| !taken.contains(name) && !own.contains(name);
                let first = (wanted.is_none() && free(&base)).then(|| base.clone());
                let name = first.unwrap_or_else(|| numbering.free(&base, free));
                let (id, what) = match wanted {
                    Some(_) => (ids::CLIP_NAME_REPEATED, "an earlier clip has the same name"),
                    None => (ids::CLIP_UNNAMED, "the clip has no name"),
                };
                warnings.push(
                    Diagnostic::warning(id, format!("animations[{index}].name"), what)
                        .expected_found(
                            "a name of its own",
                            format!("{:?}", clip.name.as_deref().unwrap_or("")),
                        )
                        .help(format!("it is baked as {name:?}; name it in the source to choose the name")),
                );
                name
            }
        };
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

fn choose(names: &[String], settings: &BakeSettings) -> Result<Vec<usize>, Vec<Diagnostic>> {
    if settings.clips.is_empty() {
        return Ok((0..names.len()).collect());
    }
    let patterns = Patterns::new(&settings.clips, "--clip").map_err(|problem| vec![problem])?;
    let chosen: Vec<usize> = (0..names.len()).filter(|&i| patterns.matches(&names[i])).collect();
    let unused = patterns.unused(names.iter().map(String::as_str));
    if unused.is_empty() {
        return Ok(chosen);
    }
    Err(unused
        .into_iter()
        .map(|pattern| {
            Diagnostic::error(
                ids::CLIP_NOT_FOUND,
                "animations",
                format!("no clip matches --clip {pattern:?}"),
            )
            .expected_found(format!("one of {}", crate::patterns::list_of(names)), "none of them")
            .help("upper and lower case count; `anim inspect` lists all clips of a model")
        })
        .collect())
}

struct Modes<'s> {
    lists: [(&'static str, ClipMode, Patterns<'s>); 3],
}

impl<'s> Modes<'s> {
    fn new(settings: &'s BakeSettings) -> Result<Self, Vec<Diagnostic>> {
        let list = |option, mode, patterns: &'s [String]| {
            Patterns::new(patterns, option).map(|p| (option, mode, p)).map_err(|problem| vec![problem])
        };
        Ok(Self {
            lists: [
                list("--once", ClipMode::Once, &settings.once_clips)?,
                list("--ping-pong", ClipMode::PingPong, &settings.ping_pong_clips)?,
                list("--loop", ClipMode::Loop, &settings.loop_clips)?,
            ],
        })
    }

    /// The mode of a clip: a pattern that is its exact name counts more than a glob; else once, ping-pong, loop.
    fn of(&self, name: &str) -> ClipMode {
        let exact = self.lists.iter().find(|(_, _, patterns)| patterns.names(name));
        let found = exact.or_else(|| self.lists.iter().find(|(_, _, patterns)| patterns.matches(name)));
        found.map_or(ClipMode::Loop, |(_, mode, _)| *mode)
    }

    fn warn_unused(&self, plans: &[ClipPlan], warnings: &mut Vec<Diagnostic>) {
        for (option, _, patterns) in &self.lists {
            for pattern in patterns.unused(plans.iter().map(|plan| plan.name.as_str())) {
                let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
                warnings.push(
                    Diagnostic::warning(
                        ids::PATTERN_WITHOUT_MATCH,
                        "animations",
                        format!("no baked clip matches {option} {pattern:?}"),
                    )
                    .expected_found(format!("one of {}", crate::patterns::list_of(&names)), "none of them")
                    .help("upper and lower case count; leave the option out if it means nothing here"),
                );
            }
        }
    }
}
