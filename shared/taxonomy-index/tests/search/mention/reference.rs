//! The reference: it tries every name at every place of a text. It shares no code with the crate: texts and names are made of symbols and gaps
//! whose folding and meaning are written down by hand.

use taxonomy_index::search::Kind;
use taxonomy_index::search::mention::Class;

use crate::mention::gaps::{Between, Gap};
use crate::mention::names::Found;
use crate::object::OwnEntry;
use crate::reading::Language;
use crate::symbols::Symbol;

/// A text in words, each with the gap before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) words: Vec<(Gap, Vec<Symbol>)>,
}

/// A word of a text as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    before: Between,
    gap: &'static str,
    letters: Vec<Symbol>,
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
                    Some(last) if !last.is_unspaced() && !letter.is_unspaced() => {
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
fn folded(letters: &[Symbol]) -> String {
    let folded = letters.iter().map(|letter| letter.folded);
    let signs = letters.iter().map(|letter| letter.signs());
    folded.chain(signs).collect()
}

fn has_single(word: &Word) -> bool {
    word.letters.iter().any(|letter| letter.is_unspaced())
}

/// Whether a sign that may be left out stands before a word.
fn is_joined(words: &[Word], at: usize) -> bool {
    let joins = at > 0 && at < words.len() && matches!(words[at].before, Between::Sign(_));
    joins && !has_single(&words[at - 1]) && !has_single(&words[at])
}

/// A word of a reading.
struct Read {
    letters: Vec<Symbol>,
    /// Whether an end stands before it.
    is_after_end: bool,
    /// Whether a part of it is written in capitals.
    has_capitals: bool,
}

/// Reads each word; of `is_left_out` with the signs left out.
fn reading(words: &[Word], is_left_out: bool) -> Vec<Read> {
    let mut read: Vec<Read> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let letters = word.letters.iter();
        let letters = letters.filter(|letter| letter.folded.chars().all(char::is_alphabetic));
        let cases: Vec<bool> = letters.map(Symbol::is_capital).collect();
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
    let mut both = text.iter().zip(name);
    if text.len() != name.len() || both.any(|(text, name)| text.is_after_end && !name.is_after_end) {
        return None;
    }
    let (mut worst, count) = (Class::Folded, name.len());
    for (at, (text, name)) in text.iter().zip(name).enumerate() {
        let (one, other) = (folded(&text.letters), folded(&name.letters));
        let is_and = |word: &str| Language::English.is_and(word);
        let is_between = at > 0 && at + 1 < count;
        if one == other || is_between && is_and(&one) && is_and(&other) {
            continue;
        }
        // The word for and has no plural, nor has anything but letters.
        let is_form = one.chars().all(char::is_alphabetic) && Language::English.is_form(&one, &other);
        if is_between && is_and(&other) || name.has_capitals || !is_form {
            return None;
        }
        worst = Class::Plural;
    }
    Some(worst)
}

fn letters(words: &[Word]) -> Vec<Symbol> {
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
        let words = words.iter().enumerate();
        words.map(|(at, word)| (surface(word), sign(at))).collect()
    };
    let capitals = |words: &[Word]| -> Vec<bool> {
        let of = |letter: Symbol| letter.folded.chars().map(move |_| letter.is_capital());
        letters(words).into_iter().flat_map(of).collect()
    };
    let mut capitals = capitals(name).into_iter().zip(capitals(piece));
    let has_capitals = capitals.all(|(name, text)| text || !name);
    surface(piece) == surface(name) && has_capitals
}

/// Returns how the words of a text from `start` to `end` are a mention of a name.
fn mention(words: &[Word], start: usize, end: usize, name: &[Word]) -> Option<Class> {
    let piece = &words[start..end];
    let all = letters(name);
    let count: usize = all.iter().map(|letter| letter.folded.chars().count()).sum();
    let is_short = count <= 3 && all.iter().all(|letter| letter.signs().is_empty());
    if is_short && count == 1 {
        let ends = [start, end]
            .into_iter()
            .filter(|at| (1..words.len()).contains(at));
        let mut beside = ends.map(|at| words[at].before);
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
        let (piece_read, name_read) = (reading(piece, false), reading(name, false));
        let folded = |read: &[Read]| read.iter().map(|word| folded(&word.letters)).collect::<Vec<_>>();
        let is_same = folded(&piece_read) == folded(&name_read) && is_written_so(piece, name);
        return meeting(&piece_read, &name_read).filter(|_| is_same);
    }
    // Signs are left out together: all of words that they join.
    let is_whole = !is_joined(words, start) && !is_joined(words, end);
    let ways = [(false, false), (false, true), (true, false), (true, true)];
    let ways = ways.into_iter().filter(|(of_piece, _)| !of_piece || is_whole);
    let met =
        ways.filter_map(|(of_piece, of_name)| meeting(&reading(piece, of_piece), &reading(name, of_name)));
    met.min()
}

/// Returns the mentions of the names of several cultures in a text.
pub(crate) fn mentions(
    text: &Text,
    cultures: &[Vec<(OwnEntry, Text)>],
    admits: impl Fn(u32, bool) -> bool,
) -> Vec<Found> {
    let words = text.compared();
    let names = cultures.iter().enumerate().flat_map(|(culture, names)| {
        let names = names.iter();
        names.map(move |(own, name)| (culture, own, name.compared()))
    });
    let is_admitted = |(_, own, name): &(usize, &OwnEntry, Vec<Word>)| {
        let is_a_term_s = own.kind != Kind::Notation && own.depth > 0;
        is_a_term_s && is_looked_for(name) && admits(own.ordinal, own.deprecated)
    };
    let admitted: Vec<_> = names.filter(is_admitted).collect();
    let mut mentions = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let longest = (start + 1..=words.len()).rev().find_map(|end| {
            let mentioned = |name: &[Word]| mention(&words, start, end, name).is_some();
            let found = admitted.iter().filter(|(.., name)| mentioned(name));
            let order = |own: &OwnEntry| (own.kind != Kind::Preferred, own.deprecated, own.ordinal);
            let names: Vec<_> = found.map(|(culture, own, _)| (*culture, order(own))).collect();
            (!names.is_empty()).then_some((end, names))
        });
        let Some((end, mut names)) = longest else {
            start += 1;
            continue;
        };
        names.sort();
        let mut candidates: Vec<(usize, u32)> = Vec::new();
        for (culture, (.., ordinal)) in names {
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
        let letters = |word: &Word| word.letters.iter().map(|letter| letter.literal).collect();
        words.iter().map(|word| (word.gap, letters(word))).collect()
    };
    match literal(&text) == literal(&name) {
        true => Class::Whole,
        false => mention(&text, 0, text.len(), &name).unwrap(),
    }
}
