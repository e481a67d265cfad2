//! Texts as the input format takes them.

use std::borrow::Cow;

use taxonomy_model::is_blank;

use super::node::Issues;
use crate::report::Code;

/// Characters of a preferred or alternative name.
pub(super) const NAME: usize = 500;
/// Bytes of a definition or scope note.
const NOTE: usize = 4_000;

/// A name: control characters are left out, runs of TABs and line breaks are a space. None for a blank one.
pub(super) fn name<'a>(text: &'a str, issues: &mut Issues) -> Option<Cow<'a, str>> {
    let cleaned = clean(text, true, issues);
    not_blank(cleaned, issues)
}

/// A definition or scope note, which keeps its line breaks.
pub(super) fn note(text: &str, issues: &mut Issues) -> Option<String> {
    let cleaned = clean(text, false, issues);
    let cleaned = not_blank(cleaned, issues)?;
    if cleaned.len() <= NOTE {
        return Some(cleaned.into_owned());
    }
    issues.push((Code::TextCut, format!("a note has {} bytes", cleaned.len())));
    let end = cleaned.floor_char_boundary(NOTE - '…'.len_utf8());
    Some([&cleaned[..end], "…"].concat())
}

pub(super) fn characters(text: &str) -> usize {
    text.chars().count()
}

fn not_blank<'a>(text: Cow<'a, str>, issues: &mut Issues) -> Option<Cow<'a, str>> {
    if is_blank(&text) {
        issues.push((Code::EmptyText, "a text is blank".to_owned()));
        return None;
    }
    Some(text)
}

fn clean<'a>(text: &'a str, folds_breaks: bool, issues: &mut Issues) -> Cow<'a, str> {
    let is_break = |c| matches!(c, '\t' | '\n' | '\r');
    let wrong = |c: char| c.is_control() && (folds_breaks || !is_break(c));
    let Some(first) = text.chars().find(|c| wrong(*c)) else {
        return text.into();
    };
    issues.push((
        Code::ControlCharacter,
        format!("a text holds U+{:04X}", u32::from(first)),
    ));
    let mut cleaned = String::with_capacity(text.len());
    let mut in_break = false;
    for c in text.chars() {
        let breaks = folds_breaks && is_break(c);
        if breaks && !in_break {
            cleaned.push(' ');
        } else if !wrong(c) {
            cleaned.push(c);
        }
        in_break = breaks;
    }
    cleaned.into()
}
