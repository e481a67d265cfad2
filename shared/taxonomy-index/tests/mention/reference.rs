//! The reference: it tries every name at every place of a text. It shares no code with the crate: texts and names are made of letters and gaps
//! whose folding and meaning are written down here by hand.

use taxonomy_index::search::Kind;
use taxonomy_index::search::mention::Class;

use crate::letters::{Between, Gap, Letter, is_plural};
use crate::names::{Found, OwnName};

/// A text in words, each with the gap before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) words: Vec<(Gap, Vec<Letter>)>,
}

/// A word of a text as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    before: Between,
    gap: &'static str,
    letters: Vec<Letter>,
    start: u32,
    end: u32,
}

impl Text {
    pub(crate) fn written(&self) -> String {
        let mut text = String::new();
        for (number, ((gap, ..), letters)) in self.words.iter().enumerate() {
            text += if number == 0 { "" } else { gap };
            letters.iter().for_each(|letter| text += letter.written);
        }
        text
    }

    fn units(text: &str) -> u32 {
        text.encode_utf16().count() as u32
    }

    fn compared(&self) -> Vec<Word> {
        let (mut words, mut at): (Vec<Word>, u32) = (Vec::new(), 0);
        for (number, ((gap, usual, between), letters)) in self.words.iter().enumerate() {
            let mut before = *between;
            match number {
                0 => before = Between::End,
                _ => at += Self::units(gap),
            }
            for (place, letter) in letters.iter().enumerate() {
                let end = at + Self::units(letter.written);
                let last = place.checked_sub(1).map(|last| letters[last]);
                match last {
                    Some(last) if !last.is_single && !letter.is_single => {
                        let word: &mut Word = words.last_mut().unwrap();
                        word.letters.push(*letter);
                        word.end = end;
                    }
                    last => words.push(Word {
                        before: last.map_or(before, |_| Between::Nothing),
                        gap: if last.is_some() || number == 0 { "" } else { usual },
                        letters: vec![*letter],
                        start: at,
                        end,
                    }),
                }
                at = end;
            }
        }
        words
    }
}

/// The folded letters, then the signs.
fn folded(letters: &[Letter]) -> String {
    let folded = letters.iter().map(|letter| letter.folded);
    folded.chain(letters.iter().map(|letter| letter.signs)).collect()
}

fn has_single(word: &Word) -> bool {
    word.letters.iter().any(|letter| letter.is_single)
}

/// Whether a sign that may be left out stands before a word.
fn is_joined(words: &[Word], at: usize) -> bool {
    let joins = at > 0 && at < words.len() && matches!(words[at].before, Between::Sign(_));
    joins && !has_single(&words[at - 1]) && !has_single(&words[at])
}

/// A word of a reading.
struct Read {
    letters: Vec<Letter>,
    /// Whether an end stands before it.
    is_after_end: bool,
    /// Whether a part of it is written in capitals.
    has_capitals: bool,
}

/// Reads each word; of `is_left_out` with the signs left out.
fn reading(words: &[Word], is_left_out: bool) -> Vec<Read> {
    let mut read: Vec<Read> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let letters = word
            .letters
            .iter()
            .filter(|letter| letter.folded.chars().all(char::is_alphabetic));
        let cases: Vec<bool> = letters.map(|letter| letter.is_capital).collect();
        let has_capitals = cases.len() > 1 && cases.iter().all(|is_capital| *is_capital);
        if is_left_out && is_joined(words, at) {
            let last = read.last_mut().unwrap();
            last.letters.extend(&word.letters);
            last.has_capitals |= has_capitals;
        } else {
            read.push(Read {
                letters: word.letters.clone(),
                is_after_end: at > 0 && word.before == Between::End,
                has_capitals,
            });
        }
    }
    read
}

/// How the words of a text are those of a name, by the worst of them.
fn meeting(text: &[Read], name: &[Read]) -> Option<Class> {
    if text.len() != name.len()
        || text
            .iter()
            .zip(name)
            .any(|(text, name)| text.is_after_end && !name.is_after_end)
    {
        return None;
    }
    let (mut worst, count) = (Class::Folded, name.len());
    for (at, (text, name)) in text.iter().zip(name).enumerate() {
        let (one, other) = (folded(&text.letters), folded(&name.letters));
        let is_and = |word: &str| ["and", "&", "+"].contains(&word);
        let is_between = at > 0 && at + 1 < count;
        if one == other || is_between && is_and(&one) && is_and(&other) {
            continue;
        }
        // The word for and has no plural.
        if is_between && is_and(&other)
            || name.has_capitals
            || !(is_plural(&one, &other) || is_plural(&other, &one))
        {
            return None;
        }
        worst = Class::Plural;
    }
    Some(worst)
}

fn letters(words: &[Word]) -> Vec<Letter> {
    words.iter().flat_map(|word| word.letters.clone()).collect()
}

/// Whether a name is looked for.
fn is_looked_for(name: &[Word]) -> bool {
    let letters = folded(&letters(name));
    name.len() <= 64 && letters.chars().any(char::is_alphabetic)
}

fn is_written_so(piece: &[Word], name: &[Word]) -> bool {
    let surface = |words: &[Word]| -> Vec<(String, Option<char>)> {
        let sign = |at: usize| match words[at].before {
            Between::Sign(sign) if is_joined(words, at) => Some(sign),
            _ => None,
        };
        let surface = |word: &Word| word.letters.iter().map(|letter| letter.surface).collect();
        words
            .iter()
            .enumerate()
            .map(|(at, word)| (surface(word), sign(at)))
            .collect()
    };
    let capitals = |words: &[Word]| -> Vec<bool> {
        let letters = letters(words);
        letters
            .iter()
            .flat_map(|letter| letter.folded.chars().map(|_| letter.is_capital))
            .collect()
    };
    let has_capitals = capitals(name)
        .into_iter()
        .zip(capitals(piece))
        .all(|(name, text)| text || !name);
    surface(piece) == surface(name) && has_capitals
}

/// Returns how the words of a text from `start` to `end` are a mention of a name.
fn mention(words: &[Word], start: usize, end: usize, name: &[Word]) -> Option<Class> {
    let piece = &words[start..end];
    let all = letters(name);
    let count: usize = all.iter().map(|letter| letter.folded.chars().count()).sum();
    let is_short = count <= 3 && all.iter().all(|letter| letter.signs.is_empty());
    if is_short && count == 1 {
        let beside = [Some(start), Some(end).filter(|end| *end < words.len())]
            .into_iter()
            .flatten();
        let mut beside = beside.filter(|at| *at > 0).map(|at| words[at].before);
        let is_part = |between| match between {
            Between::Nothing => has_single(&piece[0]),
            Between::Sign(sign) => sign != '/',
            _ => false,
        };
        if beside.any(is_part) {
            return None;
        }
    }
    if is_short {
        let is_same = reading(piece, false)
            .iter()
            .map(|word| folded(&word.letters))
            .eq(reading(name, false).iter().map(|word| folded(&word.letters)));
        return meeting(&reading(piece, false), &reading(name, false))
            .filter(|_| is_same && is_written_so(piece, name));
    }
    // Signs are left out together: all of words that they join.
    let is_whole = !is_joined(words, start) && !is_joined(words, end);
    let pieces = [false, true]
        .into_iter()
        .filter(|is_left_out| !is_left_out || is_whole);
    let met = pieces.flat_map(|piece_without| {
        let piece = reading(piece, piece_without);
        [false, true]
            .into_iter()
            .filter_map(move |name_without| meeting(&piece, &reading(name, name_without)))
    });
    met.min()
}

/// Returns the mentions of the names of several cultures in a text.
pub(crate) fn mentions(
    text: &Text,
    cultures: &[Vec<(OwnName, Text)>],
    admits: impl Fn(u32, bool) -> bool,
) -> Vec<Found> {
    let words = text.compared();
    let mut mentions = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let longest = (start + 1..=words.len()).rev().find_map(|end| {
            let mut names = Vec::new();
            for (culture, of_culture) in cultures.iter().enumerate() {
                for (own, name) in of_culture {
                    let name = name.compared();
                    let is_admitted = own.kind != Kind::Notation
                        && is_looked_for(&name)
                        && admits(own.ordinal, own.deprecated);
                    if is_admitted && mention(&words, start, end, &name).is_some() {
                        names.push((culture, own.kind != Kind::Preferred, own.deprecated, own.ordinal));
                    }
                }
            }
            (!names.is_empty()).then_some((end, names))
        });
        let Some((end, mut names)) = longest else {
            start += 1;
            continue;
        };
        names.sort();
        let mut candidates: Vec<(usize, u32)> = Vec::new();
        for (culture, _, _, ordinal) in names {
            if !candidates.contains(&(culture, ordinal)) {
                candidates.push((culture, ordinal));
            }
        }
        candidates.truncate(20);
        mentions.push((words[start].start..words[end - 1].end, candidates));
        start = end;
    }
    mentions
}

/// Returns how a text has a name that it mentions.
pub(crate) fn class(text: &Text, name: &Text) -> Class {
    let (text, name) = (text.compared(), name.compared());
    let literal = |words: &[Word]| -> Vec<(&str, String)> {
        let letters = |word: &Word| {
            word.letters
                .iter()
                .map(|letter| letter.literal.unwrap_or(letter.surface))
                .collect()
        };
        words.iter().map(|word| (word.gap, letters(word))).collect()
    };
    match literal(&text) == literal(&name) {
        true => Class::Whole,
        false => mention(&text, 0, text.len(), &name).unwrap(),
    }
}
