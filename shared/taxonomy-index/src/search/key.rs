//! The keys of the dictionary: a space, then folded text.

use std::borrow::Cow;
use std::ops::Range;

use crate::search::entry::Kind;
use crate::search::fold::Text;
use crate::search::language::Language;
use crate::search::postings::MANY_WORDS;

/// The maximum number of letters of a name in its key.
pub(crate) const NAME_LETTERS: usize = 256;
/// The maximum number of letters of a word in its key.
pub(crate) const WORD_LETTERS: usize = 32;
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
    /// Prefixes with many postings: their short lists.
    Hot = 6,
    /// Prefixes of words with very many postings: their maps.
    Map = 7,
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

/// Returns the key of the short list or the map for a key.
pub(crate) fn beside(space: Space, key: &[u8]) -> Vec<u8> {
    [&[space as u8], key].concat()
}

/// Returns the first key after a key itself. No letter is less than the one that is added.
pub(crate) fn next(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

/// Returns the first key after all keys with this prefix. The last byte of a key is never the highest: it ends UTF-8 or is a space.
pub(crate) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut after = prefix.to_vec();
    if let Some(last) = after.last_mut() {
        *last = last.saturating_add(1);
    }
    after
}

/// A key of a name, without its space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameKey<'a> {
    pub(crate) text: &'a str,
    /// The number of its leading plain letters.
    pub(crate) plain: u32,
    /// As [`Posting::words`](crate::search::postings::Posting::words).
    pub(crate) words: u8,
}

/// Calls `emit` with each key of a folded name in a space.
pub(crate) fn keys_of(
    space: Space,
    language: Language,
    kind: Kind,
    text: &Text,
    mut emit: impl FnMut(NameKey<'_>),
) {
    let has_keys = match space {
        Space::NameSurface | Space::Name => kind != Kind::Notation,
        Space::Notation => kind == Kind::Notation,
        Space::WordSurface | Space::Word => true,
        Space::Hot | Space::Map => false,
    };
    if !has_keys || text.runs.is_empty() {
        return;
    }
    let is_plain = |range: &Range<usize>| text.letters[range.clone()].iter().all(|letter| letter.is_plain);
    let mut emit_whole = |text: String, plain| {
        emit(NameKey {
            text: &text,
            plain,
            words: MANY_WORDS,
        });
    };
    match space {
        Space::Notation => emit_whole(joined(text, &text.runs, "", Text::folded), ALL),
        Space::Name | Space::NameSurface => {
            let content = text.content(language).into_iter();
            let words: Vec<Range<usize>> = content.map(|run| text.runs[run].clone()).collect();
            if space == Space::Name {
                emit_whole(
                    joined(text, &words, " ", Text::folded),
                    leading_of_name(text, &words),
                );
            } else if !words.iter().all(is_plain) {
                emit_whole(joined(text, &words, " ", surface_of), ALL);
            }
        }
        Space::Word => words(text, language, |word, words| {
            emit(NameKey {
                text: &text.folded(word.clone()),
                plain: leading(text, word),
                words,
            });
        }),
        Space::WordSurface => words(text, language, |word, words| {
            if !is_plain(&word) {
                emit(NameKey {
                    text: text.surface(word),
                    plain: ALL,
                    words,
                });
            }
        }),
        Space::Hot | Space::Map => {}
    }
}

/// Calls `emit` with the part of each word that is compared, and of each joined word, with the number of words of the text where it is one of them.
fn words(text: &Text, language: Language, mut emit: impl FnMut(Range<usize>, u8)) {
    let count = u8::try_from(text.content(language).len()).unwrap_or(MANY_WORDS);
    for word in text.starts() {
        let is_word = text.runs.contains(&word);
        emit(
            cut(word),
            if is_word {
                count.min(MANY_WORDS)
            } else {
                MANY_WORDS
            },
        );
    }
    for word in text.joined() {
        emit(cut(word), MANY_WORDS);
    }
}

/// Returns the part of a word that is compared.
pub(crate) fn cut(word: Range<usize>) -> Range<usize> {
    word.start..word.end.min(word.start + WORD_LETTERS)
}

/// Returns words, joined by a separator: the first letters of a name that is too long.
pub(crate) fn joined(
    text: &Text,
    words: &[Range<usize>],
    separator: &str,
    part: fn(&Text, Range<usize>) -> Cow<'_, str>,
) -> String {
    let mut key = String::with_capacity(text.letters.len() + words.len());
    let mut room = NAME_LETTERS;
    for (number, run) in words.iter().enumerate() {
        if number > 0 {
            key.push_str(separator);
            room = room.saturating_sub(separator.len());
        }
        let length = run.len().min(room);
        key.push_str(&part(text, run.start..run.start + length));
        room -= length;
        if room == 0 {
            break;
        }
    }
    key
}

/// Returns the number of letters of a word up to the first one that is not plain, and with it where signs alone follow it: `c` begins `C++`.
fn leading(text: &Text, word: Range<usize>) -> u32 {
    let start = word.start;
    let Some(marked) = word.into_iter().find(|at| !text.letters[*at].is_plain) else {
        return ALL;
    };
    let follow = text
        .surface(marked..marked + 1)
        .starts_with(text.letters[marked].folded);
    u32::try_from(marked - start + usize::from(follow)).unwrap_or(ALL)
}

/// Returns the number of leading plain letters, spaces included.
fn leading_of_name(text: &Text, words: &[Range<usize>]) -> u32 {
    let mut before = 0;
    for run in words {
        match leading(text, run.clone()) {
            ALL => before += u32::try_from(run.len()).unwrap_or(ALL).saturating_add(1),
            in_run => return before.saturating_add(in_run),
        }
    }
    ALL
}

pub(crate) fn surface_of(text: &Text, range: Range<usize>) -> Cow<'_, str> {
    text.surface(range).into()
}
