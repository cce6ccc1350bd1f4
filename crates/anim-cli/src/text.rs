//! Numbers and names as people read them, and tables.

use std::borrow::Cow;

use clap::builder::styling::Style;
use comfy_table::Table;

/// A name that cannot harm a terminal: control characters, and those that turn the direction of text, are escaped.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmful(c) { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// A length with three digits and a unit that suits it.
pub(crate) fn length(metres: f64) -> String {
    let size = metres.abs();
    if size == 0.0 {
        "0 m".into()
    } else if size < 1e-6 {
        format!("{metres:.1e} m")
    } else if size < 1e-3 {
        format!("{} µm", digits(metres * 1e6))
    } else if size < 1.0 {
        format!("{} mm", digits(metres * 1e3))
    } else {
        format!("{} m", digits(metres))
    }
}

/// A share in per cent.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 {
        "0 %".into()
    } else if percent.abs() < 1e-3 {
        format!("{percent:.1e} %")
    } else {
        format!("{} %", digits(percent))
    }
}

/// Bytes with a unit that suits them.
pub(crate) fn bytes(count: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let count_f64 = count as f64;
    match count {
        0..10_000 => format!("{count} B"),
        10_000..10_000_000 => format!("{} KiB", digits(count_f64 / 1024.0)),
        _ => format!("{} MiB", digits(count_f64 / (1024.0 * 1024.0))),
    }
}

/// Three significant digits.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    let places = if size >= 100.0 || size == 0.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else if size >= 0.1 {
        3
    } else if size >= 0.01 {
        4
    } else {
        5
    };
    format!("{value:.places$}")
}

/// At most three significant digits, without zeros at the end.
pub(crate) fn short(value: f64) -> String {
    let text = digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `1 clip`, `2 clips`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A heading of a report.
pub(crate) fn heading(text: &str) -> String {
    let bold = Style::new().bold();
    format!("{bold}{text}{bold:#}\n")
}

/// A table without lines around it, its cells made safe for terminals.
pub(crate) struct Rows {
    table: Table,
    rows: usize,
    limit: usize,
}

impl Rows {
    /// A table with these column names. Without `whole`, it shows at most `limit` rows.
    pub(crate) fn new(columns: &[&str], whole: bool, limit: usize) -> Self {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(columns.iter().copied());
        Self { table, rows: 0, limit: if whole { usize::MAX } else { limit } }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, cells: impl IntoIterator<Item = String>) {
        if self.rows < self.limit {
            self.table.add_row(cells.into_iter().map(|cell| printable(&cell).into_owned()));
        }
        self.rows += 1;
    }

    /// The table, indented, and how many rows it leaves out.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for line in self.table.to_string().lines() {
            text.push(' ');
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if self.rows > self.limit {
            text.push_str(&format!("  … and {} more (-v shows them all)\n", self.rows - self.limit));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_move_the_cursor() {
        assert_eq!(printable("Läuft|走る"), "Läuft|走る");
        assert_eq!(printable("a\u{1b}[2J\nb\u{202e}"), "a\\u{1b}[2J\\nb\\u{202e}");
    }

    #[test]
    fn lengths_have_the_unit_that_suits_them() {
        for (metres, expected) in [
            (0.0, "0 m"),
            (1.5e-7, "1.5e-7 m"),
            (2.5e-5, "25.0 µm"),
            (0.001_234, "1.23 mm"),
            (0.25, "250 mm"),
            (1.8, "1.80 m"),
            (175.55, "176 m"),
        ] {
            assert_eq!(length(metres), expected);
        }
        assert_eq!(percent(0.005), "0.500 %");
        assert_eq!(percent(1e-6), "1.0e-4 %");
        for (value, expected) in
            [(0.049_999_997, "0.05"), (20.0, "20"), (0.0, "0"), (200.0, "200"), (1.0, "1")]
        {
            assert_eq!(short(value), expected);
        }
        assert_eq!(bytes(9_999), "9999 B");
        assert_eq!(bytes(20_480), "20.0 KiB");
    }

    #[test]
    fn long_tables_say_what_they_leave_out() {
        let mut rows = Rows::new(&["n"], false, 2);
        for i in 0..5 {
            rows.add([i.to_string()]);
        }
        assert!(rows.to_text().ends_with("… and 3 more (-v shows them all)\n"), "{}", rows.to_text());
    }
}
