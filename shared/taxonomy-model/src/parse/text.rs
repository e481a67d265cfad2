//! The rules of texts.

use std::borrow::Cow;

use super::json::FileReader;
use crate::appearance::{is_blank, is_invisible};
use crate::report::Code;

/// The kind of a text, which decides its longest length.
#[derive(Clone, Copy)]
pub(super) enum TextKind {
    Name,
    Path,
    Notation,
    SortKey,
    /// A definition or scope note, which keeps its line breaks.
    Note,
    Reason,
    Scheme,
    Concept,
}

impl TextKind {
    /// The limit of the kind. Names and notations are counted in characters; sort keys in bytes, since they become part of a key, and so are paths:
    /// percent-encoded, their bytes are the length of a URL.
    const fn limit(self) -> (usize, Unit, Code) {
        match self {
            Self::Name => (500, Unit::Characters, Code::NameTooLong),
            Self::Path => (2048, Unit::Bytes, Code::PathTooLong),
            Self::Notation => (200, Unit::Characters, Code::ValueTooLong),
            Self::SortKey => (200, Unit::Bytes, Code::ValueTooLong),
            Self::Note => (4000, Unit::Bytes, Code::ValueTooLong),
            Self::Reason => (500, Unit::Characters, Code::ValueTooLong),
            Self::Scheme => (100, Unit::Bytes, Code::ValueTooLong),
            Self::Concept => (500, Unit::Bytes, Code::ValueTooLong),
        }
    }
}

enum Unit {
    Characters,
    Bytes,
}

/// Returns the text in its stored form, and records every violation of the rules.
pub(super) fn checked<'t>(reader: &mut FileReader, kind: TextKind, text: &'t str) -> Cow<'t, str> {
    if text.len() <= kind.limit().0 && is_plain(text) {
        return Cow::Borrowed(text);
    }
    checked_closely(reader, kind, text)
}

/// Returns whether no rule but that of the length can apply to a text. One pass over its bytes without a branch, which the compiler makes one of
/// sixteen bytes at a time; nearly all texts are plain, and all others are checked closely.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // All control characters, spaces and invisible characters beyond ASCII begin with one of six bytes, as U+0080 to U+00BF, U+0600 to U+063F,
    // U+1000 to U+3FFF and U+F000 to U+FFFF do.
    let is_special =
        |byte: u8| (byte < b' ') | matches!(byte, 0x7f | b':' | 0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xe3 | 0xef);
    let has_special = bytes.iter().fold(false, |found, byte| found | is_special(*byte));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let has_double_space = pairs.fold(false, |found, (one, next)| {
        found | ((*one == b' ') & (*next == b' '))
    });
    let ends = [bytes.first(), bytes.last()];
    let ends_in_text = ends.into_iter().all(|end| end.is_some_and(|byte| *byte != b' '));
    ends_in_text & !has_special & !has_double_space
}

fn checked_closely<'t>(reader: &mut FileReader, kind: TextKind, text: &'t str) -> Cow<'t, str> {
    let folded = match kind {
        TextKind::Note => Cow::Borrowed(text),
        _ => fold_breaks(text),
    };
    if matches!(folded, Cow::Owned(_)) {
        reader.issue(Code::LineBreakFolded, "a TAB or line break became a space");
    }
    let is_break = |c| matches!(kind, TextKind::Note) && matches!(c, '\t' | '\n' | '\r');
    if let Some(control) = folded.chars().find(|c| c.is_control() && !is_break(*c)) {
        let message = format!("holds the control character U+{:04X}", u32::from(control));
        reader.issue(Code::ControlCharacter, message);
    }
    let (limit, unit, too_long) = kind.limit();
    // There are at least as many bytes as characters, so short texts need no counting.
    let too_many = folded.len() > limit && (matches!(unit, Unit::Bytes) || folded.chars().count() > limit);
    if too_many {
        let unit = if matches!(unit, Unit::Bytes) {
            "bytes"
        } else {
            "characters"
        };
        reader.issue(too_long, format!("has more than {limit} {unit}"));
    }
    if !matches!(kind, TextKind::Note | TextKind::Reason)
        && let Some(invisible) = folded.chars().find(|c| is_invisible(*c))
    {
        let message = format!("holds the invisible character U+{:04X}", u32::from(invisible));
        reader.issue(Code::InvisibleCharacter, message);
    }
    if matches!(kind, TextKind::Name) {
        check_spaces(reader, &folded);
    }
    folded
}

fn check_spaces(reader: &mut FileReader, name: &str) {
    if is_blank(name) {
        reader.issue(Code::EmptyName, "the name is empty");
        return;
    }
    if name.trim().len() != name.len() {
        reader.issue(Code::EdgeSpace, "begins or ends with a space");
    }
    if name.contains("  ") {
        reader.issue(Code::DoubleSpace, "holds several spaces in a row");
    }
    if name.contains(['\u{a0}', '\u{2007}', '\u{202f}']) {
        reader.issue(Code::NoBreakSpace, "holds a no-break space");
    }
    if name.contains(':') {
        reader.issue(Code::SeparatorInName, "holds a ':'");
    }
}

/// Replaces every run of TABs and line breaks by one space.
fn fold_breaks(text: &str) -> Cow<'_, str> {
    let is_break = |c| matches!(c, '\t' | '\n' | '\r');
    if !text.contains(is_break) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    let mut in_break = false;
    for c in text.chars() {
        if !is_break(c) {
            folded.push(c);
        } else if !in_break {
            folded.push(' ');
        }
        in_break = is_break(c);
    }
    Cow::Owned(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_has_no_issue_and_is_not_changed() {
        // All spaces, control and invisible characters lie below U+3200 or in U+F000 to U+FFFF; of the rest, some.
        let some = ('\u{3200}'..=char::MAX).step_by(97);
        let characters = ('\0'..'\u{3200}').chain(some).chain('\u{f000}'..='\u{ffff}');
        let around = ["a~b", "~a", "a~", "~", "a~ b"];
        let texts = characters.flat_map(|c| around.map(|text| text.replace('~', c.encode_utf8(&mut [0; 4]))));
        let mut plain = 0_u64;
        for text in texts.filter(|text| is_plain(text)) {
            for kind in [TextKind::Name, TextKind::Path, TextKind::Notation, TextKind::Note] {
                let mut reader = FileReader::new(1);
                let closely = checked_closely(&mut reader, kind, &text);
                assert!(matches!(closely, Cow::Borrowed(same) if same == text), "{text:?}");
                let report = &reader.report;
                assert_eq!((report.errors, report.warnings), (0, 0), "{text:?}");
            }
            plain += 1;
        }
        assert!(plain > 50_000, "{plain} of some 120,000 are plain");
        assert!(is_plain("Garden Tools, électriques - 電気"));
        assert!(!is_plain("") && !is_plain("a  b") && !is_plain("a:b") && !is_plain("a\u{a0}b"));
    }

    #[test]
    fn a_run_of_breaks_becomes_one_space() {
        for text in ["a b", "a\tb", "a\r\n\tb"] {
            assert_eq!(fold_breaks(text), "a b");
        }
        assert_eq!(fold_breaks("\ta \n b\n"), " a   b ");
    }
}
