//! The path of a foot: on the ground at constant speed, then through the air.

/// Where a foot is in its step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Footfall {
    /// On the ground; 0 where it comes down, 1 where it leaves.
    Stance(f64),
    /// In the air; 0 where it left, 1 where it comes down.
    Swing(f64),
}

/// Splits the phase since touch-down (any number; whole numbers are touch-downs) by the share spent on the ground.
pub(super) fn footfall(phase: f64, duty: f64) -> Footfall {
    let phase = phase - phase.floor();
    if phase < duty { Footfall::Stance(phase / duty) } else { Footfall::Swing((phase - duty) / (1.0 - duty)) }
}

/// A smooth way from `from` to `to`, leaving and arriving at the given slopes; `s` from 0 to 1.
pub(super) fn hermite(s: f64, from: f64, to: f64, slope_from: f64, slope_to: f64) -> f64 {
    let (s2, s3) = (s * s, s * s * s);
    from * (2.0 * s3 - 3.0 * s2 + 1.0)
        + to * (3.0 * s2 - 2.0 * s3)
        + slope_from * (s3 - 2.0 * s2 + s)
        + slope_to * (s3 - s2)
}

/// A hill of height 1 over 0 to 1, with level ends; it is highest at `top`.
pub(super) fn hill(s: f64, top: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    let rising = if s < top { s / top } else { (1.0 - s) / (1.0 - top) };
    ease(rising)
}

/// From 0 to 1 with level ends; constant outside.
pub(super) fn ease(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

/// Eased lines through points of (s, value), s rising; constant outside.
pub(super) fn through(points: &[(f64, f64)], s: f64) -> f64 {
    let mut before = points[0];
    for &point in points {
        if s < point.0 {
            let span = point.0 - before.0;
            let share = if span > 0.0 { (s - before.0) / span } else { 1.0 };
            return before.1 + (point.1 - before.1) * ease(share);
        }
        before = point;
    }
    before.1
}
