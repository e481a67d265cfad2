//! The words of a text or of a name, what stands between them, and how a piece of a text has a name.

use std::borrow::Cow;
use std::ops::Range;

use crate::search::alphabet::{is_unspaced, joint, sign};
use crate::search::fold::{Letter, Text, literal};
use crate::search::language::Language;
use crate::search::mention::MAX_WORDS;

/// The most letters of a short name, which is a mention in its own capitals and marks alone: `IT` is not `it`.
const SHORT: usize = 3;

/// The word for *and* in keys.
pub(super) const AND: &str = "&";

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing: in scripts without spaces each character is a word.
    Adjacent,
    /// One sign that other spellings leave out: `wi-fi`, `wifi`. Every hyphen is `-`, every apostrophe `'`.
    Joined(char),
    /// Spaces, and signs that end nothing.
    Open,
    /// The end of a sentence, of a line of a list or of a part of an enumeration, or of the text.
    Break,
}

/// A word: in scripts without spaces one character.
#[derive(Debug, Clone)]
struct Word {
    /// Its letters in the folded text.
    letters: Range<usize>,
    /// Its bytes in the text.
    bytes: Range<usize>,
    /// The gap before it.
    before: Gap,
    /// Which of its letters are capitals, the first one in the lowest bit; of a longer word than a short name none.
    capitals: u8,
}

/// The words of a text.
#[derive(Debug)]
pub(super) struct Words<'t> {
    raw: &'t str,
    text: Text,
    words: Vec<Word>,
}

/// The capitals and the letters with their marks of a short name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spelling<'a> {
    pub(super) capitals: u8,
    pub(super) surface: Cow<'a, str>,
}

impl Spelling<'_> {
    pub(super) fn into_owned(self) -> Spelling<'static> {
        Spelling {
            capitals: self.capitals,
            surface: self.surface.into_owned().into(),
        }
    }

    /// Whether a text that is written so has the name: a small letter of the name may be a capital of the text.
    pub(super) fn is_of(&self, text: &Spelling<'_>) -> bool {
        self.surface == text.surface && self.capitals & !text.capitals == 0
    }
}

/// How a piece of a text has a name, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It is the name; case, spaces and forms of quotes and dashes do not count.
    Whole,
    /// In its letters and signs: with other marks, joined, split, or with another word for *and*.
    Folded,
    /// With a word in another number, singular or plural.
    Plural,
}

/// Returns how a piece of a text has a name of a language; none where it has another.
pub fn class(language: Language, piece: &str, name: &str) -> Option<Class> {
    if literal(piece) == literal(name) {
        return Some(Class::Whole);
    }
    let (piece, name) = (Words::new(piece), Words::new(name));
    let pieces = piece.keys(|words| piece.base(words));
    let names = name.keys(|words| name.key_word(language, words));
    let has = |met: &dyn Fn(&str, &str) -> bool| {
        let is_of = |piece: &[Cow<'_, str>], name: &[Cow<'_, str>]| {
            piece.len() == name.len() && piece.iter().zip(name).all(|(word, of_name)| met(word, of_name))
        };
        pieces
            .iter()
            .any(|piece| names.iter().any(|name| is_of(piece, name)))
    };
    let is_same = |word: &str, of_name: &str| word == of_name || of_name == AND && language.is_and(word);
    let is_form = |word: &str, of_name: &str| others(language, word).iter().any(|other| other == of_name);
    match () {
        () if has(&is_same) => Some(Class::Folded),
        () if has(&|word, of_name| is_same(word, of_name) || is_form(word, of_name)) => Some(Class::Plural),
        () => None,
    }
}

/// Returns the words of keys that a word is another form of, where there are any: that for *and*, and for one of letters its singulars and plurals.
pub(super) fn others(language: Language, word: &str) -> Vec<String> {
    let is_and = word != AND && language.is_and(word);
    let and = is_and.then(|| AND.to_owned());
    let forms = if is_of_letters(word) {
        language.forms(word)
    } else {
        Vec::new()
    };
    and.into_iter().chain(forms).collect()
}

/// Returns the letters with which all other forms of a word begin, but for that for *and*.
pub(super) fn stem(language: Language, word: &str) -> &str {
    let end = word.char_indices().rev().take(language.longest_ending()).last();
    end.map_or(word, |(end, _)| &word[..end])
}

fn is_of_letters(word: &str) -> bool {
    word.chars()
        .all(|letter| letter.is_alphanumeric() && !letter.is_numeric())
}

impl<'t> Words<'t> {
    pub(super) fn new(raw: &'t str) -> Self {
        let text = Text::fold(raw);
        let mut words: Vec<Word> = Vec::new();
        let (mut starts, mut ends) = (Places::new(raw), Places::new(raw));
        for letters in segments(&text) {
            let (first, last) = (text.letters[letters.start], text.letters[letters.end - 1]);
            let bytes = starts.byte_of(first.start)..ends.byte_of(last.end);
            // Two words may come from one character, such as ½.
            let before = match words.last() {
                Some(word) => gap(raw.get(word.bytes.end..bytes.start).unwrap_or_default()),
                None => Gap::Break,
            };
            words.push(Word {
                capitals: capitals(&raw[bytes.clone()], &text.letters[letters.clone()]),
                letters,
                bytes,
                before,
            });
        }
        Self { raw, text, words }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Returns the gap before a word; that after the last word is a break.
    pub(super) fn gap(&self, word: usize) -> Gap {
        self.words.get(word).map_or(Gap::Break, |word| word.before)
    }

    /// Returns words, at least one, as one word: its folded letters, then its signs.
    pub(super) fn base(&self, words: Range<usize>) -> Cow<'_, str> {
        let letters = self.range(words);
        let mut base = self.text.folded(letters.clone());
        if self.text.letters[letters.clone()]
            .iter()
            .any(|letter| !letter.is_plain)
        {
            let signs = self.text.surface(letters).chars().filter(|sign| is_sign(*sign));
            base.to_mut().extend(signs);
        }
        base
    }

    /// Returns words as one word of a key of a name: one for *and* has one form, between others.
    pub(super) fn key_word(&self, language: Language, words: Range<usize>) -> Cow<'_, str> {
        let is_between = words.start > 0 && words.end < self.len();
        match self.base(words) {
            word if is_between && language.is_and(&word) => AND.into(),
            word => word,
        }
    }

    /// Returns each word by itself.
    pub(super) fn singles(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        (0..self.len()).map(|word| word..word + 1)
    }

    /// Returns the words that are one where the signs that join are left out.
    pub(super) fn chunks(&self) -> Vec<Range<usize>> {
        let mut chunks: Vec<Range<usize>> = Vec::new();
        for word in self.singles() {
            match chunks.last_mut() {
                Some(chunk) if self.is_joined(word.start) => chunk.end = word.end,
                _ => chunks.push(word),
            }
        }
        chunks
    }

    /// Returns its words, split and joined.
    fn keys<'w>(&'w self, word: impl Fn(Range<usize>) -> Cow<'w, str>) -> [Vec<Cow<'w, str>>; 2] {
        let (singles, chunks) = (self.singles(), self.chunks().into_iter());
        [singles.map(&word).collect(), chunks.map(&word).collect()]
    }

    /// Whether a word is written in capitals, as acronyms are.
    pub(super) fn is_acronym(&self, word: usize) -> bool {
        let letters = self.raw[self.words[word].bytes.clone()]
            .chars()
            .filter(|letter| letter.is_alphabetic());
        let mut cases = letters.map(char::is_uppercase);
        cases.next() == Some(true) && cases.next() == Some(true) && cases.all(|is_capital| is_capital)
    }

    /// Whether a word is joined to the one before it. Characters of scripts without spaces are words with a sign between them and without.
    fn is_joined(&self, word: usize) -> bool {
        let is_unspaced = |word: &Word| is_unspaced(self.text.letters[word.letters.start].folded);
        matches!(self.gap(word), Gap::Joined(_)) && !self.words[word - 1..=word].iter().any(is_unspaced)
    }

    fn range(&self, words: Range<usize>) -> Range<usize> {
        self.words[words.start].letters.start..self.words[words.end - 1].letters.end
    }

    /// Returns words as the text has them.
    pub(super) fn raw(&self, words: Range<usize>) -> &'t str {
        &self.raw[self.words[words.start].bytes.start..self.words[words.end - 1].bytes.end]
    }

    /// Returns the place of words in the text, in UTF-16 code units.
    pub(super) fn place(&self, words: Range<usize>) -> Range<u32> {
        let letters = &self.text.letters[self.range(words)];
        letters[0].start..letters[letters.len() - 1].end
    }

    /// Returns the first word that begins at or after a place in UTF-16 code units.
    pub(super) fn first_from(&self, place: u32) -> usize {
        let start = |word: &Word| self.text.letters[word.letters.start].start;
        self.words.partition_point(|word| start(word) < place)
    }

    /// Returns how words are written, if they are a short name: one of few letters without signs.
    pub(super) fn spelling(&self, words: Range<usize>) -> Option<Spelling<'_>> {
        let letters = self.range(words.clone());
        let has_signs = || self.text.surface(letters.clone()).contains(is_sign);
        if letters.len() > SHORT || has_signs() {
            return None;
        }
        let add = |capitals, word: &Word| (capitals << word.letters.len()) | word.capitals;
        let capitals = self.words[words.clone()].iter().fold(0, add);
        let mut surface = Cow::Borrowed(self.text.surface(self.words[words.start].letters.clone()));
        for number in words.start + 1..words.end {
            let word = &self.words[number];
            let sign = match word.before {
                Gap::Joined(sign) if self.is_joined(number) => sign,
                _ => ' ',
            };
            surface.to_mut().push(sign);
            surface.to_mut().push_str(self.text.surface(word.letters.clone()));
        }
        Some(Spelling { capitals, surface })
    }

    /// Whether words are a part of a character, as of `½`; or one letter, and a part of what stands around it: a character of a script without
    /// spaces beside others, or a letter that a sign joins to another, as in `R&D`.
    pub(super) fn are_inside(&self, words: Range<usize>) -> bool {
        if [words.start, words.end]
            .iter()
            .any(|word| self.is_within_character(*word))
        {
            return true;
        }
        let letters = &self.text.letters[self.range(words.clone())];
        self.spelling(words.clone()).is_some_and(|_| letters.len() == 1)
            && [words.start, words.end].iter().any(|word| match self.gap(*word) {
                Gap::Adjacent => is_unspaced(letters[0].folded),
                Gap::Joined(sign) => sign != '/',
                Gap::Open | Gap::Break => false,
            })
    }

    /// Whether a word begins in the character with which the one before it ends.
    fn is_within_character(&self, word: usize) -> bool {
        let before = word.checked_sub(1).and_then(|before| self.words.get(before));
        let pair = before.zip(self.words.get(word));
        pair.is_some_and(|(before, word)| before.bytes.end > word.bytes.start)
    }

    /// Whether the words are looked for: they have a letter, and are not too many.
    pub(super) fn are_a_name(&self) -> bool {
        let mut letters = self.text.letters.iter();
        self.len() <= MAX_WORDS && letters.any(|letter| letter.folded.is_alphabetic())
    }
}

/// Returns the words of a folded text, as ranges of its letters.
fn segments(text: &Text) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut starts = text.starts().peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        let next = starts.peek().map_or(start.end, |next| next.start);
        Some(start.start..start.end.min(next))
    })
}

/// Returns which letters of a word are capitals, the first in the lowest bit; none of a word that is no short name.
fn capitals(raw: &str, letters: &[Letter]) -> u8 {
    if letters.len() > SHORT {
        return 0;
    }
    let mut places = Places::new(raw);
    let is_capital = letters.iter().map(|letter| {
        let at = places.byte_of(letter.start - letters[0].start);
        // A sign may stand before the letter.
        let mut letters = raw[at..].chars().filter(|letter| letter.is_alphanumeric());
        letters.next().is_some_and(char::is_uppercase)
    });
    (0..).zip(is_capital).map(|(bit, is)| u8::from(is) << bit).sum()
}

/// Classifies what stands between two words.
fn gap(between: &str) -> Gap {
    let mut signs = between.chars();
    let joint = match (signs.next(), signs.next()) {
        (None, _) => return Gap::Adjacent,
        (Some(sign), None) => joint(sign),
        _ => None,
    };
    match joint {
        Some(sign) => Gap::Joined(sign),
        None if is_break(between) => Gap::Break,
        None => Gap::Open,
    }
}

/// Whether a character is a sign that distinguishes words.
fn is_sign(character: char) -> bool {
    character == '.' || sign(character).is_some()
}

/// Whether words on both sides belong to no common name, but to one that has such signs at the same place.
fn is_break(between: &str) -> bool {
    let lines = between.matches('\n').count();
    let has_space = between.contains(char::is_whitespace);
    let has_sign = between.contains(|sign: char| !sign.is_whitespace());
    let ends = |sign: char| match sign {
        ',' | ';' | '!' | '?' | '|' | '\u{2026}' => true,
        // Of Arabic, Devanagari, Chinese and Japanese.
        '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{964}' | '\u{3001}' | '\u{3002}' | '\u{ff01}' | '\u{ff0c}'
        | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' => true,
        // Bullets.
        '\u{2022}' | '\u{2023}' | '\u{25aa}' | '\u{25cf}' | '\u{25e6}' => true,
        '.' | ':' | '\u{b7}' | '-' | '\u{2013}' | '\u{2014}' => has_space,
        _ => false,
    };
    lines > 1 || (lines == 1 && has_sign) || between.contains(ends)
}

/// Finds the bytes of places in a text that are given in UTF-16 code units, one after the other.
struct Places<'t> {
    rest: std::str::Chars<'t>,
    length: usize,
    /// In UTF-16 code units.
    place: u32,
}

impl<'t> Places<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            rest: text.chars(),
            length: text.len(),
            place: 0,
        }
    }

    /// Returns the byte of a place, which is not before the last one.
    fn byte_of(&mut self, place: u32) -> usize {
        while self.place < place {
            let Some(character) = self.rest.next() else { break };
            self.place += if character.len_utf16() == 1 { 1 } else { 2 };
        }
        self.length - self.rest.as_str().len()
    }
}
