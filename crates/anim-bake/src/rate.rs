//! The rate at which a clip's keys were made, and the rate at which it is baked.

use crate::source::SourceClip;

/// Rate in Hz where no grid is found.
pub const FALLBACK_RATE_HZ: f64 = 30.0;

/// A detected rate is multiplied until it is at least this, in Hz: keys one second apart are not an animation of one
/// frame a second, what happens between them is a curve.
pub const SLOWEST_RATE_HZ: u32 = 24;

/// The smallest of 1 to 240 Hz for which every key of all channels lies within 1e-3 of an interval of `k / rate` from
/// `start_seconds` on, and within what `f32` keeps of its time: after minutes that is more. `None` where there is none, or no
/// key.
#[must_use]
pub fn detect_rate(clip: &SourceClip, start_seconds: f64) -> Option<u32> {
    let times = key_times(clip);
    if times.is_empty() {
        return None;
    }
    let on_grid = |rate: u32| {
        times.iter().all(|seconds| {
            let place = (seconds - start_seconds) * f64::from(rate);
            // Half a unit in the last place of the key's time. Where that is many frames there is no grid to find.
            let rounding = (seconds.abs() * f64::from(rate) * f64::from(f32::EPSILON) * 0.5).min(0.05);
            (place - libm::round(place)).abs() <= 1e-3 + rounding
        })
    };
    (1..=240).find(|&rate| on_grid(rate))
}

/// The rate in Hz at which a clip with this detected rate is baked.
#[must_use]
pub fn bake_rate(detected: Option<u32>) -> f64 {
    match detected {
        Some(rate) => f64::from(rate * SLOWEST_RATE_HZ.div_ceil(rate)),
        None => FALLBACK_RATE_HZ,
    }
}

/// The times of all keys of a clip in seconds, ascending, each once.
#[must_use]
pub fn key_times(clip: &SourceClip) -> Vec<f64> {
    // Channels usually share a few time lists; each list is read once.
    let mut lists: Vec<&std::sync::Arc<[f32]>> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for channel in &clip.channels {
        if seen.insert((channel.times_seconds.as_ptr() as usize, channel.times_seconds.len())) {
            lists.push(&channel.times_seconds);
        }
    }
    let mut times: Vec<f64> = lists.iter().flat_map(|list| list.iter()).map(|t| f64::from(*t)).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Channel, KeyInterpolation, Property};

    fn clip(times: &[f32]) -> SourceClip {
        let channel = Channel {
            node: 0,
            property: Property::Translation,
            interpolation: KeyInterpolation::Linear,
            times_seconds: times.into(),
            values: vec![0.0; times.len() * 3].into(),
            components: 3,
        };
        SourceClip { name: None, channels: vec![channel] }
    }

    #[test]
    fn the_detected_rate_is_the_coarsest_grid_and_the_bake_rate_a_multiple_of_it() {
        let thirtieths: Vec<f32> = (0u8..40).map(|i| f32::from(i) / 30.0).collect();
        let table: [(&[f32], f64, Option<u32>, f64); 7] = [
            (&thirtieths, 0.0, Some(30), 30.0),
            (&[0.0, 1.0, 2.0], 0.0, Some(1), 24.0),
            (&[0.0, 0.1, 0.3], 0.0, Some(10), 30.0),
            (&[0.0, 0.041_666_67], 0.0, Some(24), 24.0),
            (&[0.5, 1.5], 0.5, Some(1), 24.0),
            (&[0.0, std::f32::consts::FRAC_1_SQRT_2], 0.0, None, 30.0),
            (&[0.0], 0.0, Some(1), 24.0),
        ];
        for (times, start, detected, baked) in table {
            let found = detect_rate(&clip(times), start);
            assert_eq!(found, detected, "{times:?}");
            assert_eq!(bake_rate(found), baked, "{times:?}");
        }
        assert_eq!(detect_rate(&SourceClip { name: None, channels: Vec::new() }, 0.0), None);
        // Half an hour of keys at 60 Hz, rounded to f32.
        #[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what is tested")]
        let long: Vec<f32> = (0..108_000).map(|i| (f64::from(i) / 60.0) as f32).collect();
        assert_eq!(detect_rate(&clip(&long), 0.0), Some(60));
    }
}
