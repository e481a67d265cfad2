//! Cuts the part of a line around a place, because a file without line breaks is one long line.

use taxonomy_model::is_invisible;

/// The largest number of characters shown before a place, and from it on.
const SHOWN: usize = 60;
const CUT: &str = "...";

/// The part of a line around a place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The characters, with spaces instead of control characters and a replacement character instead of each invisible one.
    pub(super) text: String,
    /// The number of characters before the place.
    pub(super) before: usize,
}

impl Excerpt {
    /// Cuts a line, given as the parts before and after the place.
    pub(super) fn new(before: &str, behind: &str) -> Self {
        let start = before.char_indices().rev().nth(SHOWN - 1).map_or(0, |(at, _)| at);
        let end = behind
            .char_indices()
            .nth(SHOWN)
            .map_or(behind.len(), |(at, _)| at);
        let cut = |is_cut| if is_cut { CUT } else { "" };
        let (front, back) = (cut(start > 0), cut(end < behind.len()));
        let shown = |text: &str| -> String {
            let shown = text.chars().map(|c| match c {
                c if c.is_control() => ' ',
                c if is_invisible(c) => char::REPLACEMENT_CHARACTER,
                c => c,
            });
            shown.collect()
        };
        let first = [front, &shown(&before[start..])].concat();
        Self {
            before: first.chars().count(),
            text: [&first, &shown(&behind[..end]), back].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let whole = Excerpt::new("{\"id\": ", "1}");
        assert_eq!((&*whole.text, whole.before), ("{\"id\": 1}", 7));
        let excerpt = Excerpt::new(&"é".repeat(300), &["x", &"ü".repeat(300)].concat());
        assert_eq!(excerpt.text.chars().nth(excerpt.before), Some('x'));
        assert_eq!(excerpt.text.chars().count(), 3 + SHOWN + SHOWN + 3);
        let exact = Excerpt::new(&"é".repeat(SHOWN), &"ü".repeat(SHOWN));
        assert_eq!((exact.text.chars().count(), exact.before), (2 * SHOWN, SHOWN));
        assert_eq!(Excerpt::new("ab\t", "c\u{202e}d").text, "ab c\u{fffd}d");
        let none = Excerpt::new("", "");
        assert_eq!((&*none.text, none.before), ("", 0));
    }
}
