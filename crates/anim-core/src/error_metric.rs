//! How far a played-back vertex is from the true one, and the statistics of many such distances.

use alloc::vec;
use alloc::vec::Vec;

/// Angle between two directions, in degrees, in `[0, 180]`; 0 if either has no length.
///
/// Source: W. Kahan, "Computing Cross-Products and Rotations in 2- and 3-Dimensional Euclidean Spaces": the arc tangent
/// of |a x b| / a . b keeps its precision at small angles, where an arc cosine has none.
#[must_use]
pub fn angle_degrees(a: [f64; 3], b: [f64; 3]) -> f64 {
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let sine = libm::sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    if sine == 0.0 && cosine == 0.0 { 0.0 } else { libm::atan2(sine, cosine).to_degrees() }
}

/// Buckets of the histogram: the sign-free exponent of an `f32` and the upper seven bits of its mantissa, so that a
/// bucket is less than 0.8 % wide.
const BUCKETS: usize = 1 << 15;

/// Counts of distances, in metres, in buckets less than 0.8 % wide.
///
/// Only integers and a sum in a fixed order: the same distances give the same figures whatever the thread count, as
/// long as partial histograms are merged in one order.
#[derive(Clone, Debug)]
pub struct ErrorHistogram {
    counts: Vec<u64>,
    count: u64,
    sum: f64,
    sum_of_squares: f64,
}

impl Default for ErrorHistogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], count: 0, sum: 0.0, sum_of_squares: 0.0 }
    }
}

impl ErrorHistogram {
    /// Adds one distance. Negative numbers count as 0; what is not a number counts as infinite.
    pub fn add(&mut self, distance_metres: f64) {
        let distance = if distance_metres.is_nan() { f64::INFINITY } else { distance_metres.max(0.0) };
        #[expect(clippy::cast_possible_truncation, reason = "buckets have f32 precision at most")]
        let bucket = (distance as f32).to_bits() >> 16;
        self.counts[bucket as usize] += 1;
        self.count += 1;
        self.sum += distance;
        self.sum_of_squares += distance * distance;
    }

    /// Adds all distances of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.sum_of_squares += other.sum_of_squares;
    }

    /// Distances added.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Mean distance in metres; 0 of none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits of a count")]
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Root of the mean of the squares, in metres; 0 of none.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits of a count")]
    pub fn rms(&self) -> f64 {
        if self.count == 0 { 0.0 } else { libm::sqrt(self.sum_of_squares / self.count as f64) }
    }

    /// The distance in metres that a share of all distances does not exceed, rounded up to its bucket's upper edge (at
    /// most 0.8 % too large). `share` in `[0, 1]`, clamped; 0 of none.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank among counts, clamped to their number"
    )]
    pub fn percentile(&self, share: f64) -> f64 {
        let rank = (libm::ceil(share.clamp(0.0, 1.0) * self.count as f64) as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return if bucket == 0 {
                    0.0
                } else {
                    f64::from(f32::from_bits(((bucket + 1) << 16) as u32))
                };
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_a_bucket() {
        let mut histogram = ErrorHistogram::default();
        for i in 1..=1000 {
            histogram.add(f64::from(i) * 1e-5);
        }
        for (share, expected) in [(0.5, 5e-3), (0.999, 9.99e-3), (1.0, 1e-2), (0.0, 1e-5)] {
            let found = histogram.percentile(share);
            assert!(found >= expected && found < expected * 1.01, "{share}: {found}");
        }
        assert!((histogram.mean() - 5.005e-3).abs() < 1e-9);
        assert!((histogram.rms() - 5.777e-3).abs() < 1e-5, "{}", histogram.rms());
        assert_eq!(ErrorHistogram::default().percentile(0.999), 0.0);
    }

    #[test]
    fn small_angles_keep_their_precision() {
        let tilt = 1e-7f64;
        let found = angle_degrees([1.0, 0.0, 0.0], [1.0, tilt, 0.0]);
        assert!((found - tilt.to_degrees()).abs() < 1e-12);
        assert_eq!(angle_degrees([1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]), 180.0);
        assert_eq!(angle_degrees([0.0; 3], [1.0, 0.0, 0.0]), 0.0);
    }
}
