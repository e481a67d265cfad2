//! Texts of cells without white space and invisible characters at their ends.

/// A text without white space and invisible characters at its ends.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c))
}

/// Characters without a width, as exports of ESCO have them: soft hyphens, joiners, marks of direction, byte order marks.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}
