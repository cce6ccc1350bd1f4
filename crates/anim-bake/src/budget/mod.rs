//! The error budget: for every clip the lowest rate, and for every page set the cheapest encoding, that stay inside.

mod candidates;
mod search;

use anim_format::model::{Content, Encoding, Worst};

use crate::bake::Prepared;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::{BakeError, Diagnostic};
use crate::ids;
use crate::measure::Trials;
use crate::settings::{BakeSettings, content_of, encoding_name, encodings_of};
use crate::source::{Channel, KeyInterpolation, Property, SourceAsset};

use search::{ClipResult, Limits, search_clip};

/// What playback may be off by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorBudget {
    /// The largest distance between a played-back and the true place of a vertex, at any time but next to a jump.
    pub max_error: Option<ErrorLimit>,
    /// The largest angle between a played-back and the true normal, in degrees, above 0 and at most 180.
    pub max_normal_degrees: Option<f64>,
    /// Each page set gets the cheapest encoding of its content that stays inside; otherwise that of the settings.
    pub any_encoding: bool,
}

/// A distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ErrorLimit {
    /// A share of the model's size, above 0: 0.005 for half a percent.
    OfModelSize(f64),
    /// Metres, above 0.
    Metres(f64),
}

impl ErrorLimit {
    /// The limit in metres for a model of a given size.
    #[must_use]
    pub fn metres(self, model_size_metres: f64) -> f64 {
        match self {
            Self::OfModelSize(share) => share * model_size_metres,
            Self::Metres(metres) => metres,
        }
    }
}

/// What local tracks of clips without a detected rate, and of CUBICSPLINE, may be off by unless a rate or a budget is
/// asked for.
pub const DEFAULT_LIMIT: ErrorLimit = ErrorLimit::OfModelSize(0.001);

/// The rate that a clip got, and why not the next lower one.
#[derive(Clone, Debug, PartialEq)]
pub struct RateChoice {
    /// Number of the page set.
    pub page_set: u32,
    /// Number of the clip.
    pub clip: u32,
    /// Frames a second; 0 for a clip without duration.
    pub rate_hz: f64,
    /// Largest distance from the source at this rate, in metres.
    pub max_metres: f64,
    /// What the next lower rate that was tried would have been off by, and where it was found to be too much.
    pub bound: Option<RateBound>,
}

/// Why a rate is too low.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateBound {
    /// The rate, in Hz.
    pub rate_hz: f64,
    /// A distance that is more than allowed, in metres, or the largest one if the normals are what is off.
    pub metres: f64,
    /// An angle between normals, in degrees: more than allowed, or the largest one.
    pub normal_degrees: f64,
    /// Where the distance is.
    pub worst: Option<Worst>,
}

/// How a page set is baked.
#[derive(Clone, Debug)]
pub(crate) struct SetPlan {
    pub(crate) encoding: Encoding,
    /// One for each clip, in order.
    pub(crate) clips: Vec<ClipPlan>,
}

/// What the budget made of a bake's page sets.
pub(crate) struct Chosen {
    pub(crate) sets: Vec<SetPlan>,
    pub(crate) choices: Vec<RateChoice>,
}

/// Plans every page set of a bake: as the settings say, within the budget where there is one, and within
/// [`DEFAULT_LIMIT`] for clips whose own rate says nothing.
///
/// # Errors
///
/// A budget that cannot be met, with what could.
pub(crate) fn choose(
    asset: &SourceAsset,
    settings: &BakeSettings,
    prepared: &Prepared,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Chosen, BakeError> {
    let mut chosen = Chosen { sets: Vec::new(), choices: Vec::new() };
    let mut problems = Vec::new();
    for (page_set, encoding) in (0..).zip(settings.encodings_in_order()) {
        let searched: Vec<bool> =
            prepared.clips.iter().map(|clip| is_searched(asset, settings, encoding, clip)).collect();
        if !searched.contains(&true) {
            chosen.sets.push(SetPlan { encoding, clips: prepared.clips.clone() });
            continue;
        }
        let encodings = match settings.budget {
            Some(ErrorBudget { any_encoding: true, .. }) => encodings_of(content_of(encoding)),
            _ => vec![encoding],
        };
        let limits = Limits::of(settings, f64::from(prepared.file.extent.model_size_metres));
        let trials = Trials::of(asset, settings, prepared);
        let tried: Vec<SetResult> = first_that_fits(&trials, prepared, &encodings, &searched, &limits)?;
        let best = tried.last().expect("at least one encoding");
        let missed: Vec<&ClipResult> = best.missed(&limits).collect();
        if !missed.is_empty() && settings.budget.is_some() {
            problems.push(missed_budget(prepared, &tried, &limits, settings));
            continue;
        }
        for result in missed {
            warnings.push(missed_default(prepared, result, &limits));
        }
        chosen.choices.extend(best.clips.iter().enumerate().filter_map(|(clip, result)| {
            let result = result.as_ref()?;
            Some(RateChoice {
                page_set,
                clip: crate::geometry::index(clip),
                rate_hz: result.rate_hz,
                max_metres: result.trial.playback.max_metres,
                bound: result.bound,
            })
        }));
        let clips = best.clips.iter().zip(&prepared.clips);
        chosen.sets.push(SetPlan {
            encoding: best.encoding,
            clips: clips.map(|(result, plan)| result.as_ref().map_or(plan, |r| &r.plan).clone()).collect(),
        });
    }
    if problems.is_empty() { Ok(chosen) } else { Err(BakeError::Problems(problems)) }
}

/// The clips of a page set in one encoding; `None` for those that keep their plan.
struct SetResult {
    encoding: Encoding,
    clips: Vec<Option<ClipResult>>,
}

impl SetResult {
    fn missed<'r>(&'r self, limits: &Limits) -> impl Iterator<Item = &'r ClipResult> {
        let limits = *limits;
        self.clips.iter().flatten().filter(move |result| !limits.hold(&result.trial))
    }

    fn bytes(&self) -> u64 {
        self.clips.iter().flatten().map(|result| result.trial.bytes).sum()
    }
}

/// Tries encodings, cheapest first, until all clips are inside. An encoding of twice the bytes is less only at less than
/// half the rate, and its smaller rounding does not buy that: so the first that fits is the cheapest.
fn first_that_fits(
    trials: &Trials<'_>,
    prepared: &Prepared,
    encodings: &[Encoding],
    searched: &[bool],
    limits: &Limits,
) -> Result<Vec<SetResult>, BakeError> {
    let mut tried: Vec<SetResult> = Vec::new();
    for &encoding in encodings {
        let clips: Vec<usize> = (0..prepared.clips.len()).collect();
        let results = crate::parallel::map(clips, |clip| {
            searched[clip].then(|| search_clip(trials, prepared, clip, encoding, limits)).transpose()
        });
        let result = SetResult { encoding, clips: results.into_iter().collect::<Result<_, _>>()? };
        let fits = result.missed(limits).next().is_none();
        tried.push(result);
        if fits {
            break;
        }
    }
    Ok(tried)
}

/// Whether a clip's rate is searched, or is what its keys or the settings say.
fn is_searched(asset: &SourceAsset, settings: &BakeSettings, encoding: Encoding, clip: &ClipPlan) -> bool {
    if settings.rate_hz.is_some() || clip.source.is_none() || clip.intervals == 0 {
        return settings.budget.is_some();
    }
    if settings.budget.is_some() {
        return true;
    }
    let bends = |channel: &Channel| {
        channel.property != Property::Weights
            && channel.interpolation == KeyInterpolation::CubicSpline
            && channel
                .values
                .chunks_exact(channel.components)
                .any(|key| key != &channel.values[..channel.components])
    };
    let source = clip.source.map(|source| &asset.clips[source]);
    let says_nothing =
        clip.source_rate_hz.is_none() || source.is_some_and(|source| source.channels.iter().any(bends));
    content_of(encoding) == Content::Local && says_nothing
}

/// A requested budget that no rate and encoding meets.
fn missed_budget(
    prepared: &Prepared,
    tried: &[SetResult],
    limits: &Limits,
    settings: &BakeSettings,
) -> Diagnostic {
    let best = tried
        .iter()
        .min_by(|a, b| a.excess(limits).total_cmp(&b.excess(limits)))
        .expect("at least one encoding");
    let worst = best
        .missed(limits)
        .max_by(|a, b| limits.excess(&a.trial).total_cmp(&limits.excess(&b.trial)))
        .expect("it is missed");
    let size = f64::from(prepared.file.extent.model_size_metres);
    let count = best.missed(limits).count();
    let what = match count {
        1 => "one clip cannot be baked within the requested error".to_owned(),
        _ => format!("{count} clips cannot be baked within the requested error"),
    };
    let found = format!(
        "{} at {} Hz in {}, with {} bytes for all clips",
        limits.found(&worst.trial, size),
        digits(worst.rate_hz),
        encoding_name(best.encoding),
        best.bytes()
    );
    let mut problem = Diagnostic::error(ids::BUDGET_MISSED, "animations", what)
        .expected_found(limits.expected(size), found)
        .in_clip(&*prepared.clips[worst.clip].name);
    if let Some(place) = worst.trial.playback.worst {
        problem = problem.at_bone(bone_name(prepared, place.bone));
    }
    let help = match settings.budget {
        Some(ErrorBudget { any_encoding: false, .. }) => {
            "allow more, leave --encoding out so that the budget chooses, or change the clip"
        }
        _ => "allow more, or change the clip: what cannot be met at 240 Hz jumps or turns too fast",
    };
    problem.help(help)
}

/// A clip that is not within the default limit at any rate.
fn missed_default(prepared: &Prepared, result: &ClipResult, limits: &Limits) -> Diagnostic {
    let size = f64::from(prepared.file.extent.model_size_metres);
    let what = "no rate plays the clip back within the default limit; the nearest is baked";
    Diagnostic::warning(ids::DEFAULT_LIMIT_MISSED, "animations", what)
        .expected_found(
            limits.expected(size),
            format!("{} at {} Hz", limits.found(&result.trial, size), digits(result.rate_hz)),
        )
        .in_clip(&*prepared.clips[result.clip].name)
        .help("choose the rate with --rate, or what is allowed with --max-error")
}

impl SetResult {
    /// By how many times the most wrong clip is outside.
    fn excess(&self, limits: &Limits) -> f64 {
        self.clips.iter().flatten().map(|result| limits.excess(&result.trial)).fold(0.0, f64::max)
    }
}

fn bone_name(prepared: &Prepared, bone: u32) -> String {
    let node = prepared.file.bones.get(bone as usize).and_then(|bone| bone.node);
    match node.and_then(|node| prepared.file.nodes.get(node as usize)) {
        Some(node) => node.name.to_string(),
        None => format!("bone {bone}"),
    }
}

/// Three significant digits, or two and an exponent below 0.01.
fn digits(number: f64) -> String {
    if number > 0.0 && number < 0.01 {
        return format!("{number:.1e}");
    }
    let decimals: usize = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}
