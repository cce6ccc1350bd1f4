//! Text of files in a page: nothing in a name is markup, turns the direction of text, or fills the page.

use std::fmt::Write as _;

/// Letters of a name that a table or a heading shows.
const NAME_LETTERS: usize = 80;
/// Letters of a name that is shown when the pointer rests on something.
const TITLE_LETTERS: usize = 300;

/// Text without markup, for elements and for attributes in double quotes.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if is_invisible(c) => {
                // A string can always be written to.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

/// A name as an element, apart from the direction of the text around it.
pub(super) fn name(text: &str) -> String {
    format!("<bdi>{}</bdi>", escape(&shortened(text, NAME_LETTERS)))
}

/// A name where no element can be: in `<title>` of a shape or of the page.
pub(super) fn plain_name(text: &str) -> String {
    escape(&shortened(text, TITLE_LETTERS))
}

/// A name that is at most so wide in a font of this size, in pixels. Of a longer one both ends are kept, since names of one
/// file often begin alike.
pub(super) fn fitted_name(text: &str, width: f64, font: f64) -> String {
    // What is escaped becomes longer, and is not worth more than a glance.
    let visible: Vec<char> = text.chars().map(|c| if is_invisible(c) { '\u{fffd}' } else { c }).collect();
    let room = width / font;
    if visible.iter().copied().map(width_of).sum::<f64>() <= room {
        return escape(&visible.iter().collect::<String>());
    }
    let half = (room - width_of('…')) / 2.0;
    let end: Vec<char> = that_fit(visible.iter().rev(), half).into_iter().rev().collect();
    let start = that_fit(visible.iter(), half);
    escape(&start.into_iter().chain(['…']).chain(end).collect::<String>())
}

/// The first letters that have room.
fn that_fit<'c>(letters: impl Iterator<Item = &'c char>, mut room: f64) -> Vec<char> {
    let fits = |c: &&char| {
        room -= width_of(**c);
        room >= 0.0
    };
    letters.take_while(fits).copied().collect()
}

/// At most so many letters.
fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Characters that show nothing, or that turn or hide what is around them. Joiners, which letters of some scripts need, are
/// none of them.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
        || (u32::from(c) & 0xfffe) == 0xfffe
}

/// About how wide a letter is, of the font's size.
fn width_of(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' | '(' | ')'
        | 'I' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'A'..='Z' => 0.75,
        c if c.is_ascii() => 0.63,
        _ => 1.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape("<script>alert('1')</script>"), "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;");
        assert_eq!(escape("a\" onload=\"b & c"), "a&quot; onload=&quot;b &amp; c");
        assert_eq!(escape("Läuft 走る 👩\u{200d}👧"), "Läuft 走る 👩\u{200d}👧");
    }

    #[test]
    fn names_turn_nothing_and_hide_nothing() {
        assert_eq!(escape("a\u{202e}b\u{2066}\u{200f}\0\n"), "a\\u{202e}b\\u{2066}\\u{200f}\\u{0}\\u{a}");
        assert_eq!(escape("\u{feff}\u{ffff}\u{e0041}"), "\\u{feff}\\u{ffff}\\u{e0041}");
        assert_eq!(fitted_name("a\u{202e}b", 200.0, 11.0), "a\u{fffd}b");
    }

    #[test]
    fn long_names_are_cut() {
        let long = "ä".repeat(10_000);
        assert_eq!(name(&long).chars().filter(|c| *c == 'ä').count(), NAME_LETTERS);
        assert!(name(&long).ends_with("…</bdi>"));
        assert_eq!(plain_name(&long).chars().count(), TITLE_LETTERS + 1);
        assert_eq!(fitted_name("hand", 100.0, 11.0), "hand");
        let fitted = fitted_name(&"走".repeat(100), 116.0, 11.0);
        assert_eq!(fitted, "走走走走…走走走走");
        assert_eq!(fitted_name("<<<<<<<<<", 26.0, 11.0), "&lt;…&lt;");
    }
}
