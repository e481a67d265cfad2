//! The keys of the dictionary: a space, then folded text.

use std::borrow::Cow;
use std::ops::Range;

use crate::search::entry::Kind;
use crate::search::fold::Text;

/// The maximum number of letters of a name in its key.
pub(crate) const NAME_LETTERS: usize = 256;
/// The maximum number of letters of a word in its key.
pub(crate) const WORD_LETTERS: usize = 32;
/// Ends a key that contains all of its name. No text contains it, since it is not a letter.
pub(crate) const END: char = '\0';
/// All letters of a key are plain.
pub(crate) const ALL: u32 = u32::MAX;

/// The kind of a key. The numbers are stored, and are the order of the spaces in the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// The surfaces of names that are not plain.
    NameSurface = 1,
    /// The surfaces of words that are not plain.
    WordSurface = 2,
    /// Notations, without separators.
    Notation = 3,
    /// Names other than notations.
    Name = 4,
    /// Words of all names.
    Word = 5,
    /// Prefixes with many postings.
    Hot = 6,
}

/// The spaces of names, in the order of the dictionary.
pub(crate) const SPACES: [Space; 5] = [
    Space::NameSurface,
    Space::WordSurface,
    Space::Notation,
    Space::Name,
    Space::Word,
];

/// Returns a key.
pub(crate) fn key(space: Space, text: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(text.len() + 1);
    key.push(space as u8);
    key.extend_from_slice(text.as_bytes());
    key
}

/// Returns the key of the short list for a key.
pub(crate) fn hot(key: &[u8]) -> Vec<u8> {
    [&[Space::Hot as u8], key].concat()
}

/// Returns the first key after all keys with this prefix. The last byte of a key is never the highest: it ends UTF-8 or is a space.
pub(crate) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut after = prefix.to_vec();
    if let Some(last) = after.last_mut() {
        *last = last.saturating_add(1);
    }
    after
}

/// Calls `emit` with each key of a name in a space, without the space, and with the number of its leading plain letters.
pub(crate) fn keys_of(space: Space, kind: Kind, name: &str, mut emit: impl FnMut(&str, u32)) {
    let is_notation = kind == Kind::Notation;
    let may_have_keys = match space {
        Space::NameSurface => !is_notation && !name.is_ascii(),
        Space::WordSurface => !name.is_ascii(),
        Space::Notation => is_notation,
        Space::Name => !is_notation,
        Space::Word => true,
        Space::Hot => false,
    };
    // Folding takes most of the time.
    let text = if may_have_keys {
        Text::fold(name)
    } else {
        Text::default()
    };
    if text.runs.is_empty() {
        return;
    }
    let is_plain = |range: &Range<usize>| text.letters[range.clone()].iter().all(|letter| letter.is_plain);
    match space {
        Space::Notation => emit(&joined(&text, "", Text::folded), ALL),
        Space::Name => emit(&joined(&text, " ", Text::folded), leading_of_name(&text)),
        Space::NameSurface if text.runs.iter().all(is_plain) => {}
        Space::NameSurface => emit(&joined(&text, " ", surface_of), ALL),
        Space::Word => {
            for word in text.starts().map(cut) {
                emit(&text.folded(word.clone()), leading(&text, word));
            }
        }
        Space::WordSurface => {
            for word in text.starts().map(cut).filter(|word| !is_plain(word)) {
                emit(text.surface(word), ALL);
            }
        }
        Space::Hot => {}
    }
}

/// Returns the part of a word that is compared.
pub(crate) fn cut(word: Range<usize>) -> Range<usize> {
    word.start..word.end.min(word.start + WORD_LETTERS)
}

/// Returns the words of a name, joined by a separator and ended; of a name that is too long, one letter more than a query can have.
fn joined(text: &Text, separator: &str, part: fn(&Text, Range<usize>) -> Cow<'_, str>) -> String {
    let mut key = String::with_capacity(text.letters.len() + text.runs.len());
    let mut room = NAME_LETTERS + 1;
    for (number, run) in text.runs.iter().enumerate() {
        if number > 0 {
            key.push_str(separator);
            room = room.saturating_sub(separator.len());
        }
        let length = run.len().min(room);
        key.push_str(&part(text, run.start..run.start + length));
        room -= length;
        if room == 0 {
            return key;
        }
    }
    key.push(END);
    key
}

fn leading(text: &Text, word: Range<usize>) -> u32 {
    let accent = text.letters[word].iter().position(|letter| !letter.is_plain);
    accent.map_or(ALL, |at| u32::try_from(at).unwrap_or(ALL))
}

/// Returns the number of leading plain letters, spaces included.
fn leading_of_name(text: &Text) -> u32 {
    let mut before = 0;
    for run in &text.runs {
        match leading(text, run.clone()) {
            ALL => before += u32::try_from(run.len()).unwrap_or(ALL).saturating_add(1),
            in_run => return before.saturating_add(in_run),
        }
    }
    ALL
}

fn surface_of(text: &Text, range: Range<usize>) -> Cow<'_, str> {
    text.surface(range).into()
}
