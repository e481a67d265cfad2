//! Folding: a text becomes words of folded letters, each with its position in the text.
//!
//! The *surface* of a letter is its case-folded compatibility decomposition with the marks that folding drops, these before their base:
//! so one surface is a prefix of another exactly if the marks agree as well.

use std::borrow::Cow;
use std::ops::Range;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{DecomposingNormalizer, DecomposingNormalizerBorrowed};

use crate::search::alphabet::{combining_class, is_unspaced, plain_letters, stays, vanishes};

const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();
const DECOMPOSITION: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfkd();
/// The maximum number of marks of a letter that are kept; the rest are ignored.
const MAX_MARKS: usize = 4;

/// A folded letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) folded: char,
    /// Whether the surface is the folded letter.
    pub(crate) is_plain: bool,
    /// A mark that is kept: no word starts with it.
    is_mark: bool,
    /// The end of its surface in [`Text::surface`].
    surface_end: u32,
    /// Its position in the text, in UTF-16 code units, with the marks that follow it.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A folded text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) letters: Vec<Letter>,
    surface: String,
    /// The words, as ranges of letters, separated by anything that is not alphanumeric.
    pub(crate) runs: Vec<Range<usize>>,
}

impl Text {
    /// Folds a text.
    pub(crate) fn fold(text: &str) -> Self {
        let mut folder = Folder::default();
        folder.text.letters.reserve(text.len());
        folder.text.surface.reserve(text.len());
        for character in text.chars() {
            folder.push(character);
        }
        folder.end_run();
        folder.text
    }

    /// Returns what a search may start with: the words, and in scripts without spaces the rest of the word from each character.
    pub(crate) fn starts(&self) -> impl Iterator<Item = Range<usize>> {
        self.runs.iter().flat_map(move |run| {
            let is_start = move |&at: &usize| at == run.start || self.starts_inside(at);
            run.clone().filter(is_start).map(|at| at..run.end)
        })
    }

    fn starts_inside(&self, at: usize) -> bool {
        let [before, letter] = [self.letters[at - 1], self.letters[at]];
        !letter.is_mark && (is_unspaced(letter.folded) || is_unspaced(before.folded))
    }

    /// Returns the folded letters of a range.
    pub(crate) fn folded(&self, range: Range<usize>) -> Cow<'_, str> {
        let letters = &self.letters[range.clone()];
        match letters.iter().all(|letter| letter.is_plain) {
            true => self.surface(range).into(),
            false => letters
                .iter()
                .map(|letter| letter.folded)
                .collect::<String>()
                .into(),
        }
    }

    /// Returns the surface of a range.
    pub(crate) fn surface(&self, range: Range<usize>) -> &str {
        let end_before = |at: usize| at.checked_sub(1).map_or(0, |at| self.letters[at].surface_end) as usize;
        &self.surface[end_before(range.start)..end_before(range.end)]
    }
}

#[derive(Debug, Default)]
struct Folder {
    text: Text,
    run_start: usize,
    /// In UTF-16 code units.
    position: u32,
    base: Option<Base>,
}

/// A letter whose marks may follow.
#[derive(Debug)]
struct Base {
    letter: char,
    marks: Vec<(u8, char)>,
    start: u32,
    end: u32,
}

impl Folder {
    fn push(&mut self, character: char) {
        let start = self.position;
        self.position += if character.len_utf16() == 1 { 1 } else { 2 };
        if character.is_ascii() {
            match character.is_ascii_alphanumeric() {
                true => self.begin(character.to_ascii_lowercase(), start),
                false => self.end_run(),
            }
        } else if vanishes(character) {
            self.extend();
        } else if character.is_alphanumeric() || combining_class(character) != 0 {
            let mut buffer = [0; 4];
            for decomposed in DECOMPOSITION.normalize_iter(std::iter::once(character)) {
                let folded = CASES.fold_string(decomposed.encode_utf8(&mut buffer));
                DECOMPOSITION
                    .normalize_iter(folded.chars())
                    .for_each(|part| self.push_part(part, start));
            }
        } else {
            self.end_run();
        }
    }

    fn push_part(&mut self, part: char, start: u32) {
        let class = combining_class(part);
        if class != 0 && !stays(class) {
            if let Some(base) = &mut self.base
                && base.marks.len() < MAX_MARKS
            {
                base.marks.push((class, part));
            }
            self.extend();
        } else if class != 0 {
            self.end_base();
            if self.run_start < self.text.letters.len() {
                let letter = self.letter(part, start, self.position);
                self.text.letters.push(Letter {
                    is_mark: true,
                    ..letter
                });
            }
        } else if part.is_alphanumeric() {
            self.begin(part, start);
        } else {
            self.end_run();
        }
    }

    /// Begins a letter; its marks may follow.
    fn begin(&mut self, letter: char, start: u32) {
        self.end_base();
        self.base = Some(Base {
            letter,
            marks: Vec::new(),
            start,
            end: self.position,
        });
    }

    /// Counts the character at the position as a part of the letter before it.
    fn extend(&mut self) {
        let position = self.position;
        if let Some(base) = &mut self.base {
            base.end = position;
        } else if self.run_start < self.text.letters.len()
            && let Some(letter) = self.text.letters.last_mut()
        {
            letter.end = position;
        }
    }

    fn end_base(&mut self) {
        let Some(mut base) = self.base.take() else { return };
        base.marks.sort_by_key(|(class, _)| *class);
        let folded = if base.letter.is_ascii() {
            None
        } else {
            plain_letters(base.letter)
        };
        let is_plain = base.marks.is_empty() && folded.is_none();
        self.text.surface.extend(base.marks.iter().map(|(_, mark)| *mark));
        let letter = self.letter(base.letter, base.start, base.end);
        match folded {
            // Each of several letters has the surface of all, so that no range of letters splits it.
            Some(folded) => self.text.letters.extend(folded.chars().map(|folded| Letter {
                folded,
                is_plain,
                ..letter
            })),
            None => self.text.letters.push(Letter { is_plain, ..letter }),
        }
    }

    /// Makes a letter with its own character as its surface.
    fn letter(&mut self, letter: char, start: u32, end: u32) -> Letter {
        self.text.surface.push(letter);
        Letter {
            folded: letter,
            is_plain: true,
            is_mark: false,
            surface_end: u32::try_from(self.text.surface.len()).unwrap_or(u32::MAX),
            start,
            end,
        }
    }

    fn end_run(&mut self) {
        self.end_base();
        let end = self.text.letters.len();
        if self.run_start < end {
            self.text.runs.push(self.run_start..end);
            self.run_start = end;
        }
    }
}

#[cfg(test)]
mod tests;
