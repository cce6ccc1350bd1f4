//! Size against error: what a file's clips would be at other rates and in other encodings.

use anim_core::clip_time::Interpolation;
use anim_format::model::{AnimFile, Encoding};

use super::profile::MATRICES_RATE_HZ;
use super::{StopAbove, Trials, plans_of_file};
use crate::clip_plan::ClipPlan;
use crate::diagnostics::BakeError;
use crate::geometry::index;
use crate::parallel;
use crate::rate::{bake_rate, detect_rate};
use crate::source::SourceAsset;

/// The encodings that are tried, in order.
const ENCODINGS: [Encoding; 4] =
    [Encoding::Local8, Encoding::Local32, Encoding::Affine16, Encoding::Affine32];

/// The rates that are tried, what matters most first: a file that is too large for all of them gets the first ones.
const RATES: [TradeRate; 14] = [
    TradeRate::Own(1.0),
    TradeRate::Hz(MATRICES_RATE_HZ),
    TradeRate::Own(0.5),
    TradeRate::Own(0.25),
    TradeRate::Hz(15.0),
    TradeRate::Hz(60.0),
    TradeRate::Own(2.0),
    TradeRate::Hz(10.0),
    TradeRate::Hz(20.0),
    TradeRate::Own(0.125),
    TradeRate::Own(1.0 / 3.0),
    TradeRate::Hz(24.0),
    TradeRate::Hz(12.0),
    TradeRate::Own(1.0 / 6.0),
];
/// Rates that even the largest file gets.
const RATES_ALWAYS: usize = 2;
/// Distances of vertices that are measured in one encoding, about: some fifteen nanoseconds each.
const WORK_MAX: u64 = 1_000_000_000;
/// Vertices at which a measurement looks in every interval, about, and how many would take as long as to pose a bone.
const VERTICES_OF_SAMPLE: u64 = 128;
const VERTICES_OF_BONE: u64 = 20;
/// Times at which a measurement looks at the sample in an interval, and at every vertex of a clip, about.
const TIMES_OF_SAMPLE: u64 = 4;
const TIMES_OF_ALL: u64 = 4;

/// What a file could have been.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TradeOff {
    /// One for each encoding and rate that gives something new, by encoding, then by bytes.
    pub points: Vec<TradePoint>,
    /// The file itself, measured in the same way: one for each page set.
    pub chosen: Vec<TradePoint>,
    /// Finished matrices of 48 bytes a bone and frame at 30 Hz, all frames stored: what other tools keep.
    pub matrices: Option<TradePoint>,
    /// The file is too large for all rates to be tried.
    pub rates_left_out: bool,
}

/// All clips of a file at a rate and in an encoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TradePoint {
    /// The rate.
    pub rate: TradeRate,
    /// The encoding.
    pub encoding: Encoding,
    /// Frames of all clips.
    pub frames: u64,
    /// Bytes of all clips' texels, and of their own records and constants.
    pub bytes: u64,
    /// The largest distance of a vertex of any clip from the source, but next to a jump.
    pub max_metres: f64,
}

/// The rate of all clips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TradeRate {
    /// Each clip's rate in the file.
    OfFile,
    /// Each clip's own rate, times this.
    Own(f64),
    /// The same rate for all clips, in Hz.
    Hz(f64),
}

/// Bakes and measures all clips of a file at other rates and in other encodings. `progress` is told how many of how many
/// trials are done, from any thread.
///
/// A clip whose keys all step keeps its rate, and one that jumps somewhere gets no lower one than its own: see
/// [`crate::budget`]. What does not fit is left out.
///
/// # Errors
///
/// If the file was not made from this source.
pub fn trade_off(
    asset: &SourceAsset,
    file: &AnimFile<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<TradeOff, BakeError> {
    let trials = Trials::of_file(asset, file)?;
    let ladder = Ladder::new(asset, plans_of_file(asset, file, 0)?)?;
    let bones = file.bones.len() as u64;
    let vertices = file.parts.iter().map(|part| u64::from(part.vertex_count)).sum();
    let rates = &ladder.rates[..affordable(ladder.work(bones, vertices))];
    let mut wanted: Vec<Wanted> = Vec::new();
    for encoding in ENCODINGS {
        wanted.extend(rates.iter().map(|(rate, plans)| Wanted {
            rate: *rate,
            encoding,
            plans: plans.clone(),
        }));
    }
    let points = wanted.len();
    for (page_set, set) in (0..index(file.page_sets.len())).zip(&file.page_sets) {
        let plans = plans_of_file(asset, file, page_set)?;
        wanted.push(Wanted { rate: TradeRate::OfFile, encoding: set.encoding, plans });
    }
    let done = std::sync::atomic::AtomicUsize::new(0);
    let total: usize = wanted.iter().map(|wanted| wanted.plans.len()).sum();
    let jobs: Vec<(usize, usize)> = wanted
        .iter()
        .enumerate()
        .flat_map(|(i, wanted)| (0..wanted.plans.len()).map(move |clip| (i, clip)))
        .collect();
    let mut found = parallel::map(jobs, |(i, clip)| {
        let Wanted { encoding, plans, .. } = &wanted[i];
        // Nothing is above this, and neither losses nor normals have to be known.
        let all = StopAbove { metres: f64::INFINITY, normal_degrees: f64::INFINITY };
        let trial = trials.measure_plan(&plans[clip], *encoding, Some(all)).ok();
        progress(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, total);
        trial
    })
    .into_iter();
    let mut out = TradeOff { rates_left_out: rates.len() < ladder.rates.len(), ..TradeOff::default() };
    for (i, Wanted { rate, encoding, plans }) in wanted.iter().enumerate() {
        let trials: Vec<_> = found.by_ref().take(plans.len()).collect();
        let Some(trials) = trials.into_iter().collect::<Option<Vec<_>>>() else { continue };
        let point = TradePoint {
            rate: *rate,
            encoding: *encoding,
            frames: trials.iter().map(|trial| u64::from(trial.frames)).sum(),
            bytes: trials.iter().map(|trial| trial.bytes).sum(),
            max_metres: trials.iter().map(|trial| trial.playback.max_metres).fold(0.0, f64::max),
        };
        if i < points { out.points.push(point) } else { out.chosen.push(point) }
    }
    let thirty = |point: &&TradePoint| point.encoding == Encoding::Affine32 && point.rate == ladder.thirty;
    out.matrices = out.points.iter().find(thirty).map(|point| TradePoint {
        rate: MATRICES,
        bytes: 48 * bones * point.frames,
        ..*point
    });
    let place = |encoding: Encoding| ENCODINGS.iter().position(|other| *other == encoding);
    out.points.sort_by_key(|point| (place(point.encoding), point.bytes, point.frames));
    Ok(out)
}

const MATRICES: TradeRate = TradeRate::Hz(MATRICES_RATE_HZ);

/// All clips at a rate.
struct Wanted {
    rate: TradeRate,
    encoding: Encoding,
    plans: Vec<ClipPlan>,
}

/// The rates that differ in the frames of any clip.
struct Ladder {
    rates: Vec<(TradeRate, Vec<ClipPlan>)>,
    /// The rate that is also 30 Hz.
    thirty: TradeRate,
}

impl Ladder {
    fn new(asset: &SourceAsset, plans: Vec<ClipPlan>) -> Result<Self, BakeError> {
        let own = plans.iter().map(|plan| own_rate(asset, plan)).collect::<Result<Vec<_>, BakeError>>()?;
        let mut ladder = Self { rates: Vec::new(), thirty: MATRICES };
        for rate in RATES {
            let at_rate = own.iter().map(|own| at_rate(asset, own, rate));
            let plans = at_rate.collect::<Result<Vec<ClipPlan>, BakeError>>()?;
            let frames =
                |plans: &[ClipPlan]| -> Vec<u32> { plans.iter().map(|plan| plan.intervals).collect() };
            let same = ladder.rates.iter().position(|(_, earlier)| frames(earlier) == frames(&plans));
            let Some(same) = same else {
                ladder.rates.push((rate, plans));
                continue;
            };
            // A share of the clips' own rates says more than a rate that happens to be one.
            let earlier = &mut ladder.rates[same].0;
            if matches!((&*earlier, rate), (TradeRate::Hz(_), TradeRate::Own(_))) {
                if *earlier == MATRICES {
                    ladder.thirty = rate;
                }
                *earlier = rate;
            } else if rate == MATRICES {
                ladder.thirty = *earlier;
            }
        }
        Ok(ladder)
    }

    /// What measuring each rate takes, in distances.
    fn work(&self, bones: u64, vertices: u64) -> impl ExactSizeIterator<Item = u64> + '_ {
        let in_frame = TIMES_OF_SAMPLE * (vertices.min(VERTICES_OF_SAMPLE) + VERTICES_OF_BONE * bones);
        let in_clip = TIMES_OF_ALL * vertices;
        self.rates.iter().map(move |(_, plans)| {
            let of_clip = |plan: &ClipPlan| in_frame.saturating_mul(u64::from(plan.frames())) + in_clip;
            plans.iter().map(of_clip).fold(0, u64::saturating_add)
        })
    }
}

/// For how many of the rates there is time.
fn affordable(work: impl ExactSizeIterator<Item = u64>) -> usize {
    let rates = work.len();
    let mut sum = 0u64;
    let fits = work.take_while(|work| {
        sum = sum.saturating_add(*work);
        sum <= WORK_MAX
    });
    fits.count().max(RATES_ALWAYS).min(rates)
}

/// A clip at the rate that a bake without settings gives it.
fn own_rate(asset: &SourceAsset, plan: &ClipPlan) -> Result<ClipPlan, BakeError> {
    let Some(source) = plan.source.filter(|_| keeps_rate(plan)) else { return Ok(plan.clone()) };
    let rate = bake_rate(detect_rate(&asset.clips[source], f64::from(plan.start_seconds)));
    Ok(plan.at_rate(asset, rate)?)
}

fn at_rate(asset: &SourceAsset, own: &ClipPlan, rate: TradeRate) -> Result<ClipPlan, BakeError> {
    let intervals = f64::from(own.intervals);
    let duration = f64::from(own.duration_seconds);
    if keeps_rate(own) {
        return Ok(own.clone());
    }
    let plan = match rate {
        TradeRate::OfFile => own.clone(),
        TradeRate::Own(factor) => own.at_rate(asset, libm::ceil(intervals * factor) / duration)?,
        TradeRate::Hz(rate) => own.at_rate(asset, rate)?,
    };
    let jumps_elsewhere = !own.jumps.is_empty() && plan.intervals < own.intervals;
    Ok(if jumps_elsewhere { own.clone() } else { plan })
}

/// Whether another rate would move what a clip shows.
fn keeps_rate(plan: &ClipPlan) -> bool {
    plan.intervals == 0 || plan.interpolation == Interpolation::Step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_get_fewer_rates_but_never_none() {
        for (work, expected) in [
            (&[][..], 0),
            (&[u64::MAX], 1),
            (&[u64::MAX, 1, 1], 2),
            (&[1, 1, 1], 3),
            (&[WORK_MAX / 2, WORK_MAX / 4, WORK_MAX / 4, 1, 0], 3),
        ] {
            assert_eq!(affordable(work.iter().copied()), expected, "{work:?}");
        }
    }
}
