//! Axes: which numbers they reach over, where these lie, and which are written beside them.

/// An axis from its lowest to its highest number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
    /// The numbers that are marked, ascending, all on the axis.
    pub(super) ticks: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Log,
}

impl Axis {
    /// From 0 to at least `to`, with about `ticks` steps.
    pub(super) fn linear(to: f64, ticks: u32) -> Self {
        let step = nice_step(to, ticks);
        let steps = (to / step).ceil().clamp(1.0, 100.0);
        Self { to: step * steps, ..Self::exact(to, ticks) }.with_ticks(step)
    }

    /// From 0 to exactly `to`, with about `ticks` steps.
    pub(super) fn exact(to: f64, ticks: u32) -> Self {
        let to = if to > 0.0 && to.is_finite() { to } else { 1.0 };
        let axis = Self { scale: Scale::Linear, from: 0.0, to, ticks: Vec::new() };
        axis.with_ticks(nice_step(to, ticks))
    }

    /// Whole powers of ten around the positive numbers, at most `decades` below the largest.
    pub(super) fn decades(numbers: impl Iterator<Item = f64>, decades: i32) -> Self {
        Self::powers(10.0, numbers, decades)
    }

    /// Whole powers of two around the positive numbers, with at most nine ticks.
    pub(super) fn octaves(numbers: impl Iterator<Item = f64>) -> Self {
        Self::powers(2.0, numbers, 60)
    }

    /// Where a number lies, 0 at the lowest and 1 at the highest; numbers beyond the ends are put there.
    pub(super) fn place(&self, number: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (number - self.from) / (self.to - self.from),
            Scale::Log if number > 0.0 => libm::log(number / self.from) / libm::log(self.to / self.from),
            Scale::Log => 0.0,
        };
        if place.is_nan() { 0.0 } else { place.clamp(0.0, 1.0) }
    }

    fn with_ticks(mut self, step: f64) -> Self {
        // An end that rounding puts beside a tick has one.
        let reach = self.to + step * 1e-6;
        self.ticks = (0..=100u32).map(|i| f64::from(i) * step).take_while(|tick| *tick <= reach).collect();
        self
    }

    fn powers(base: f64, numbers: impl Iterator<Item = f64>, most: i32) -> Self {
        /// Ticks that have room.
        const TICKS: i32 = 9;
        let ends = numbers.filter(|number| *number > 0.0 && number.is_finite()).fold(None, |ends, number| {
            let (low, high) = ends.unwrap_or((number, number));
            Some((f64::min(low, number), f64::max(high, number)))
        });
        let (low, high) = ends.unwrap_or((1.0, 1.0));
        #[expect(clippy::cast_possible_truncation, reason = "an exponent of a finite f64")]
        let exponent = |number: f64, round: fn(f64) -> f64| round(libm::log(number) / libm::log(base)) as i32;
        // A power of the base itself may come out beside a whole number.
        let highest = exponent(high * (1.0 - 1e-9), f64::ceil);
        let lowest = exponent(low * (1.0 + 1e-9), f64::floor).max(highest - most).min(highest - 1);
        let step = ((highest - lowest) / TICKS) + 1;
        // Labels stand at multiples of the step, so that they do not move with the data.
        let ticks = (lowest..=highest).filter(|exponent| exponent.rem_euclid(step) == 0);
        let power = |exponent: i32| libm::pow(base, f64::from(exponent));
        Self { scale: Scale::Log, from: power(lowest), to: power(highest), ticks: ticks.map(power).collect() }
    }
}

/// 1, 2 or 5 times a power of ten, so that `to` has about so many steps.
fn nice_step(to: f64, ticks: u32) -> f64 {
    let rough = to / f64::from(ticks.max(1));
    if !(rough > 0.0 && rough.is_finite()) {
        return 1.0;
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * power >= rough * 0.999);
    let step = step.unwrap_or(10.0) * power;
    if step > 0.0 { step } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_axes_have_round_ticks() {
        let check = |to: f64, ticks: u32, expected: &[f64]| {
            let axis = Axis::linear(to, ticks);
            assert_eq!(axis.ticks.len(), expected.len(), "{to}: {axis:?}");
            for (tick, expected) in axis.ticks.iter().zip(expected) {
                assert!((tick - expected).abs() <= 1e-9 * to.abs(), "{to}: {axis:?}");
            }
            assert_eq!(axis.place(axis.ticks[expected.len() - 1]), 1.0);
        };
        check(1.0, 4, &[0.0, 0.5, 1.0]);
        check(0.9, 5, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        check(7.3, 4, &[0.0, 2.0, 4.0, 6.0, 8.0]);
        check(3e-9, 3, &[0.0, 1e-9, 2e-9, 3e-9]);
        let exact = Axis::exact(1.3, 3);
        assert_eq!((exact.ticks.clone(), exact.place(1.3)), (vec![0.0, 0.5, 1.0], 1.0));
    }

    #[test]
    fn decades_hold_all_numbers_but_those_too_small() {
        let axis = Axis::decades([2e-5, 0.0, 3e-2].into_iter(), 8);
        assert_eq!(axis.ticks.len(), 5, "{axis:?}");
        assert!((axis.place(1e-3) - 0.5).abs() < 1e-9);
        assert_eq!((axis.place(0.0), axis.place(-1.0), axis.place(1.0)), (0.0, 0.0, 1.0));
        let axis = Axis::decades([1e-30, 1.0].into_iter(), 4);
        assert_eq!(axis.ticks.len(), 5, "{axis:?}");
        assert_eq!(Axis::decades([1.0].into_iter(), 4).ticks, [0.1, 1.0]);
    }

    #[test]
    fn octaves_have_few_ticks() {
        let axis = Axis::octaves([1000.0, 3000.0].into_iter());
        assert_eq!(axis.ticks, [512.0, 1024.0, 2048.0, 4096.0]);
        let axis = Axis::octaves([100.0, 1e9].into_iter());
        assert!(axis.ticks.len() <= 10, "{axis:?}");
    }

    #[test]
    fn no_number_breaks_an_axis() {
        for numbers in
            [&[][..], &[0.0], &[f64::NAN], &[f64::INFINITY], &[f64::MIN_POSITIVE, f64::MAX], &[5e-324]]
        {
            for axis in [
                Axis::decades(numbers.iter().copied(), 8),
                Axis::octaves(numbers.iter().copied()),
                Axis::linear(numbers.first().copied().unwrap_or(0.0), 4),
                Axis::exact(numbers.first().copied().unwrap_or(0.0), 4),
            ] {
                assert!(axis.ticks.len() <= 101, "{axis:?}");
                for number in [0.0, 1.0, f64::NAN, f64::MAX, -1.0] {
                    assert!((0.0..=1.0).contains(&axis.place(number)), "{axis:?} {number}");
                }
            }
        }
    }
}
