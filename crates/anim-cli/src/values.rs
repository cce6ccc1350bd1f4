//! Values of options as text: what is accepted, and what the message says about what is not.

use std::str::FromStr;

use anim_bake::{ErrorLimit, MaskSetting};

/// Which vertices of a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VertexChoice {
    /// Every vertex.
    All,
    /// Vertices 0, N, 2 N and so on; N is at least 1.
    Every(u32),
    /// These, in this order, where a primitive has them.
    List(Vec<u32>),
}

impl VertexChoice {
    /// The chosen vertices of a primitive with `vertex_count` vertices.
    #[must_use]
    pub fn of(&self, vertex_count: u32) -> Vec<u32> {
        match self {
            Self::All => (0..vertex_count).collect(),
            Self::Every(step) => (0..vertex_count).step_by(*step as usize).collect(),
            Self::List(list) => list.iter().copied().filter(|vertex| *vertex < vertex_count).collect(),
        }
    }
}

/// Width and height of a picture, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize(pub (u32, u32));

/// `NAME=NODE[,NODE..]`: commas inside `{}` and `[]` are parts of a glob.
pub(crate) fn parse_mask(text: &str) -> Result<MaskSetting, String> {
    const EXPECTED: &str = "expected a name and nodes, such as upper=spine or upper=spine,-head";
    let (name, list) = text.split_once('=').ok_or(EXPECTED)?;
    let mut depth = 0i32;
    let nodes: Vec<String> = list
        .split(|c: char| {
            depth += i32::from(c == '{' || c == '[') - i32::from(c == '}' || c == ']');
            c == ',' && depth <= 0
        })
        .map(str::to_owned)
        .collect();
    if name.is_empty() || nodes.iter().any(|node| node.is_empty() || node == "-") {
        return Err(EXPECTED.into());
    }
    Ok(MaskSetting { name: name.to_owned(), nodes })
}

/// Frames a second: above 0 and at most 1000.
pub(crate) fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = number(text)?;
    if rate > 0.0 && rate <= 1000.0 {
        Ok(rate)
    } else {
        Err("expected frames a second, above 0 and at most 1000".into())
    }
}

/// A time in seconds: any finite number.
pub(crate) fn parse_time(text: &str) -> Result<f64, String> {
    number(text)
}

/// `0.5%`, `2mm`, `1cm` or `0.01m`.
pub(crate) fn parse_max_error(text: &str) -> Result<ErrorLimit, String> {
    const EXPECTED: &str =
        "expected a share of the model's size such as 0.5%, or a length such as 2mm, 1cm or 0.01m";
    let text = text.trim();
    let units = [
        ("%", ErrorLimit::OfModelSize as fn(f64) -> ErrorLimit, 100.0),
        ("mm", ErrorLimit::Metres, 1000.0),
        ("cm", ErrorLimit::Metres, 100.0),
        ("m", ErrorLimit::Metres, 1.0),
    ];
    for (unit, limit, divisor) in units {
        if let Some(digits) = text.strip_suffix(unit) {
            let value = number(digits.trim_end()).map_err(|_| EXPECTED)?;
            return if value >= 0.0 { Ok(limit(value / divisor)) } else { Err(EXPECTED.into()) };
        }
    }
    Err(format!("{EXPECTED} (the unit is missing)"))
}

/// A budget: an error that is not 0.
pub(crate) fn parse_error_budget(text: &str) -> Result<ErrorLimit, String> {
    let limit = parse_max_error(text)?;
    let (ErrorLimit::OfModelSize(number) | ErrorLimit::Metres(number)) = limit;
    if number > 0.0 {
        Ok(limit)
    } else {
        Err("expected more than 0; --lossless is as near as it gets".into())
    }
}

/// `5deg` or `5`: degrees, above 0 and at most 180.
pub(crate) fn parse_degrees(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let value = number(text.strip_suffix("deg").unwrap_or(text).trim_end());
    match value {
        Ok(degrees) if degrees > 0.0 && degrees <= 180.0 => Ok(degrees),
        _ => Err("expected degrees, above 0 and at most 180, such as 5deg".into()),
    }
}

/// `all`, `every:N` or `i,j,k`.
pub(crate) fn parse_vertices(text: &str) -> Result<VertexChoice, String> {
    if text == "all" {
        return Ok(VertexChoice::All);
    }
    if let Some(step) = text.strip_prefix("every:") {
        return match u32::from_str(step) {
            Ok(step) if step > 0 => Ok(VertexChoice::Every(step)),
            _ => Err("expected a number of at least 1 after every:".into()),
        };
    }
    text.split(',')
        .map(|item| u32::from_str(item.trim()))
        .collect::<Result<Vec<u32>, _>>()
        .map(VertexChoice::List)
        .map_err(|_| "expected all, every:N, or vertex numbers with commas between them".into())
}

/// A number of instances: `1` to `1m`; `k` is a thousand and `m` a million.
pub(crate) fn parse_count(text: &str) -> Result<u32, String> {
    const MAX: u32 = 1_000_000;
    let text = text.trim();
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1_000),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let count = u32::from_str(digits).ok().filter(|_| is_number).and_then(|count| count.checked_mul(unit));
    match count {
        Some(count) if (1..=MAX).contains(&count) => Ok(count),
        _ => Err("expected a number of instances from 1 to 1000000, such as 500, 10k or 1m".into()),
    }
}

/// `WIDTHxHEIGHT` in pixels.
pub(crate) fn parse_size(text: &str) -> Result<PictureSize, String> {
    const RANGE: std::ops::RangeInclusive<u32> = 16..=8192;
    let side = |text: &str| text.trim().parse().ok().filter(|side| RANGE.contains(side));
    match text.split_once(['x', 'X']).map(|(width, height)| (side(width), side(height))) {
        Some((Some(width), Some(height))) => Ok(PictureSize((width, height))),
        _ => Err("expected width and height in pixels, 16 to 8192 each, such as 1280x720".into()),
    }
}

fn number(text: &str) -> Result<f64, String> {
    match f64::from_str(text) {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("expected a finite number".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_a_name_and_nodes_between_commas_that_are_no_part_of_a_glob() {
        type Parsed<'a> = Option<(&'a str, &'a [&'a str])>;
        let table: [(&str, Parsed<'_>); 10] = [
            ("upper=spine", Some(("upper", &["spine"]))),
            ("upper=spine,-head,arm *", Some(("upper", &["spine", "-head", "arm *"]))),
            ("arms={arm_l,arm_r},x[a,]y", Some(("arms", &["{arm_l,arm_r}", "x[a,]y"]))),
            ("a=b=c", Some(("a", &["b=c"]))),
            ("a=x],y", Some(("a", &["x]", "y"]))),
            ("upper", None),
            ("=spine", None),
            ("upper=", None),
            ("upper=spine,", None),
            ("upper=spine,-", None),
        ];
        for (text, expected) in table {
            let found = parse_mask(text).ok();
            let found =
                found.as_ref().map(|mask| (&*mask.name, mask.nodes.iter().map(|n| &**n).collect::<Vec<_>>()));
            assert_eq!(found, expected.map(|(name, nodes)| (name, nodes.to_vec())), "{text}");
        }
    }

    #[test]
    fn rates_are_above_zero_and_at_most_a_thousand() {
        for (text, expected) in [
            ("24", Some(24.0)),
            ("0.5", Some(0.5)),
            ("1000", Some(1000.0)),
            ("1000.1", None),
            ("0", None),
            ("-1", None),
            ("nan", None),
            ("inf", None),
            ("", None),
            ("24hz", None),
        ] {
            assert_eq!(parse_rate(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn errors_need_a_unit() {
        for (text, expected) in [
            ("0.5%", Some(ErrorLimit::OfModelSize(0.005))),
            ("2mm", Some(ErrorLimit::Metres(0.002))),
            ("2 mm", Some(ErrorLimit::Metres(0.002))),
            ("1cm", Some(ErrorLimit::Metres(0.01))),
            ("0.01m", Some(ErrorLimit::Metres(0.01))),
            ("0%", Some(ErrorLimit::OfModelSize(0.0))),
            ("0.5", None),
            ("%", None),
            ("-1mm", None),
            ("nanm", None),
            ("infm", None),
            ("2km", None),
            ("", None),
        ] {
            assert_eq!(parse_max_error(text).ok(), expected, "{text:?}");
        }
        assert_eq!(ErrorLimit::OfModelSize(0.005).metres(2.0), 0.01);
    }

    #[test]
    fn counts_may_be_in_thousands_and_millions() {
        for (text, expected) in [
            ("1", Some(1)),
            ("500", Some(500)),
            ("10k", Some(10_000)),
            ("1m", Some(1_000_000)),
            ("1M", Some(1_000_000)),
            ("1000k", Some(1_000_000)),
            ("1001k", None),
            ("2m", None),
            ("0", None),
            ("-1", None),
            ("+1", None),
            ("k", None),
            ("1.5k", None),
            ("99999999999999", None),
            ("", None),
        ] {
            assert_eq!(parse_count(text).ok(), expected, "{text:?}");
        }
    }

    #[test]
    fn sizes_have_a_width_and_a_height() {
        for (text, expected) in [
            ("1280x720", Some((1280, 720))),
            ("16X8192", Some((16, 8192))),
            ("15x720", None),
            ("1280x8193", None),
            ("1280", None),
            ("1280x", None),
            ("-1280x720", None),
            ("1280x720x3", None),
            ("", None),
        ] {
            assert_eq!(parse_size(text).ok().map(|size| size.0), expected, "{text:?}");
        }
    }

    #[test]
    fn vertex_choices_leave_out_what_is_not_there() {
        for (text, expected) in [
            ("all", Some(vec![0, 1, 2, 3, 4])),
            ("every:2", Some(vec![0, 2, 4])),
            ("every:100", Some(vec![0])),
            ("3,1,9,3", Some(vec![3, 1, 3])),
            ("9", Some(vec![])),
            ("every:0", None),
            ("every:", None),
            ("1,,2", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(parse_vertices(text).ok().map(|choice| choice.of(5)), expected, "{text:?}");
        }
    }
}
