//! Numbers of a page: coordinates, and what ticks are called. Figures are written as in every other report.

pub(super) use crate::text::{bytes, digits, length, percent, short};

/// A coordinate in pixels, to a tenth.
pub(super) fn coordinate(pixels: f64) -> String {
    let tenths = (pixels * 10.0).round() / 10.0;
    // Neither -0 nor what no attribute may hold.
    if tenths == 0.0 || !tenths.is_finite() { "0".into() } else { tenths.to_string() }
}

/// A share as a tick of an axis says it.
pub(super) fn percent_tick(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent.abs() >= 0.999e-3 {
        format!("{} %", short(percent))
    } else {
        // 5e-4, but 1.5e-4.
        format!("{} %", format!("{percent:.1e}").replace(".0e", "e"))
    }
}

/// Seconds as a tick of an axis says them.
pub(super) fn seconds_tick(seconds: f64) -> String {
    format!("{} s", short(seconds))
}

/// Bytes as a tick of an axis says them: powers of two, in whole units.
pub(super) fn bytes_tick(count: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB"];
    let mut number = count;
    let mut unit = 0;
    while number >= 1024.0 && unit + 1 < units.len() {
        number /= 1024.0;
        unit += 1;
    }
    format!("{} {}", short(number), units[unit])
}

/// KiB as a tick of an axis says them.
pub(super) fn kibibytes_tick(count: f64) -> String {
    format!("{} KiB", short(count))
}

/// A length and its share of the model's size, where it has one.
pub(super) fn length_and_share(metres: f64, model_size_metres: f64) -> String {
    match model_size_metres > 0.0 {
        true => format!("{} ({})", length(metres), percent(metres / model_size_metres)),
        false => length(metres),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_always_numbers() {
        for (pixels, expected) in
            [(1.0, "1"), (1.26, "1.3"), (-0.01, "0"), (f64::NAN, "0"), (f64::INFINITY, "0"), (120.04, "120")]
        {
            assert_eq!(coordinate(pixels), expected);
        }
    }

    #[test]
    fn ticks_have_few_digits() {
        for (share, expected) in [
            (1.0, "100 %"),
            (0.1, "10 %"),
            (1e-3, "0.1 %"),
            (1e-5, "0.001 %"),
            (1e-7, "1e-5 %"),
            (1.5e-7, "1.5e-5 %"),
            (0.0, "0 %"),
        ] {
            assert_eq!(percent_tick(share), expected);
        }
        for (count, expected) in
            [(512.0, "512 B"), (1024.0, "1 KiB"), (65536.0, "64 KiB"), (4_194_304.0, "4 MiB")]
        {
            assert_eq!(bytes_tick(count), expected);
        }
        assert_eq!(seconds_tick(0.25), "0.25 s");
    }
}
