//! The rates that a budget tries.

use anim_core::clip_time::Interpolation;

use crate::clip_plan::ClipPlan;

/// Highest rate that is tried, in Hz, unless a clip's own is higher.
pub(crate) const FASTEST_RATE_HZ: f64 = 240.0;

/// By how much a clip's own count of intervals is divided. Whole numbers leave frames on keys.
const DIVISORS: [f64; 22] = [
    64.0, 48.0, 32.0, 24.0, 20.0, 16.0, 12.0, 10.0, 8.0, 7.0, 6.0, 5.0, 4.5, 4.0, 3.5, 3.0, 2.5, 2.0, 1.75,
    1.5, 1.33, 1.16,
];
/// By how much it is multiplied: frames stay on keys.
const FACTORS: [u32; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 16];

/// Counts of intervals, ascending, each at least 1: the clip's own, fewer, and more up to [`FASTEST_RATE_HZ`].
///
/// A clip that steps keeps its own: at another rate its jumps would come at other times. One that jumps somewhere gets no
/// fewer, for the same reason.
pub(crate) fn interval_counts(plan: &ClipPlan) -> Vec<u32> {
    let own = plan.intervals;
    if own == 0 || plan.interpolation == Interpolation::Step {
        return vec![own];
    }
    let duration = f64::from(plan.duration_seconds);
    let mut counts = Vec::new();
    if plan.jumps.is_empty() {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below a count that fits"
        )]
        counts.extend(DIVISORS.iter().map(|divisor| libm::ceil(f64::from(own) / divisor) as u32));
    }
    let faster = FACTORS.iter().filter_map(|factor| own.checked_mul(*factor));
    counts.extend(
        faster.filter(|count| *count == own || f64::from(*count) / duration <= FASTEST_RATE_HZ + 1e-3),
    );
    counts.sort_unstable();
    counts.dedup();
    counts
}
