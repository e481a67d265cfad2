//! Folding: a text becomes words of folded letters, each with its position in the text.
//!
//! The *surface* of a letter is its case-folded compatibility decomposition with the marks that folding drops, these before their base:
//! so one surface is a prefix of another exactly if the marks agree as well. Signs that distinguish words, such as those of `C++`, `C#` and
//! `.NET`, are part of the surface of the letter that they touch; signs that touch no letter are a word.

use std::borrow::Cow;
use std::ops::Range;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use icu_normalizer::{DecomposingNormalizer, DecomposingNormalizerBorrowed};

use crate::search::alphabet::{
    combining_class, is_pictograph, is_unspaced, joint, one_form, plain_letters, sign, stays, typewritten,
    vanishes,
};

const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();
const DECOMPOSITION: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizer::new_nfkd();
/// The maximum number of marks of a letter that are kept, and of signs on each of its sides; the rest are ignored.
const MAX_MARKS: usize = 4;

/// A folded letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) folded: char,
    /// Whether the surface is the folded letter.
    pub(crate) is_plain: bool,
    /// Whether it is written in another form, as katakana.
    pub(crate) is_other_form: bool,
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
    /// For each word the sign that joins it to the word before, as in `Node.js`; none where more stands between them.
    pub(crate) joints: Vec<Option<char>>,
}

impl Text {
    /// Folds a text.
    pub(crate) fn fold(text: &str) -> Self {
        let mut folder = Folder::default();
        folder.text.letters.reserve(text.len());
        folder.text.surface.reserve(text.len());
        let mut characters = text.chars();
        let is_letter = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
        while let Some(character) = characters.next() {
            let mut signs: Vec<char> = sign(character).into_iter().collect();
            while let Some(sign) = characters
                .clone()
                .next()
                .and_then(sign)
                .filter(|_| !signs.is_empty())
            {
                signs.push(sign);
                characters.next();
            }
            let is_before_letter = is_letter(characters.clone().next());
            match character {
                '.' if is_before_letter && !folder.is_open() => folder.signs(vec!['.'], true),
                _ if signs.is_empty() => folder.push(character),
                _ => folder.signs(signs, is_before_letter),
            }
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

    /// Returns whether a sign stands after the last letter of a word.
    pub(crate) fn ends_with_sign(&self, word: Range<usize>) -> bool {
        let last = word.end - 1;
        // Of several letters of one character the first has the surface.
        let surface = self.surface(word).chars().next_back();
        !self.letters[last].is_plain && surface.and_then(sign).is_some()
    }

    /// Returns the surface of a range.
    pub(crate) fn surface(&self, range: Range<usize>) -> &str {
        let end_before = |at: usize| at.checked_sub(1).map_or(0, |at| self.letters[at].surface_end) as usize;
        &self.surface[end_before(range.start)..end_before(range.end)]
    }
}

/// Returns a text for the comparison of whole texts: without case, width, forms of quotes and dashes, and with single spaces.
pub(crate) fn literal(text: &str) -> String {
    let folded = CASES.fold_string(&DECOMPOSITION.normalize(text)).into_owned();
    let decomposed = DECOMPOSITION.normalize(&folded);
    let mut literal = String::with_capacity(decomposed.len());
    for character in decomposed.chars().filter(|character| !vanishes(*character)) {
        if !character.is_whitespace() {
            literal.push(typewritten(character));
        } else if !literal.is_empty() && !literal.ends_with(' ') {
            literal.push(' ');
        }
    }
    literal.truncate(literal.trim_end().len());
    literal
}

#[derive(Debug, Default)]
struct Folder {
    text: Text,
    run_start: usize,
    /// In UTF-16 code units.
    position: u32,
    base: Option<Base>,
    /// The signs before the next letter, and their position.
    before: Option<(Vec<char>, u32)>,
    between: Between,
    /// The joint before the open word.
    joint: Option<char>,
    /// Whether the open word consists of pictographs.
    is_pictured: bool,
}

/// A letter whose marks may follow.
#[derive(Debug)]
struct Base {
    letter: char,
    is_other_form: bool,
    marks: Vec<(u8, char)>,
    signs_before: Vec<char>,
    signs_after: Vec<char>,
    start: u32,
    end: u32,
}

/// What stands between the last word and the next one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Between {
    #[default]
    Nothing,
    Joint(char),
    More,
}

impl Folder {
    fn push(&mut self, character: char) {
        let start = self.position;
        self.position += if character.len_utf16() == 1 { 1 } else { 2 };
        if character.is_ascii_alphanumeric() {
            self.begin(character.to_ascii_lowercase(), start);
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
        } else if is_pictograph(character) {
            if !self.is_pictured {
                self.end_run();
            }
            self.begin_any(character, start);
            self.is_pictured = true;
        } else {
            self.separate(character);
        }
    }

    fn has_run(&self) -> bool {
        self.base.is_some() || self.run_start < self.text.letters.len()
    }

    /// Whether the last character belongs to a word of letters.
    fn is_open(&self) -> bool {
        self.has_run() && !self.is_pictured
    }

    /// Ends the word at a character that belongs to none.
    fn separate(&mut self, character: char) {
        self.end_run();
        self.between = match (self.between, joint(character)) {
            (Between::Nothing, Some(joint)) => Between::Joint(joint),
            _ => Between::More,
        };
    }

    /// Adds signs: to the letter before them or after them, or as a word.
    fn signs(&mut self, signs: Vec<char>, is_before_letter: bool) {
        let (first, start) = (signs[0], self.position);
        self.position += u32::try_from(signs.len()).unwrap_or(u32::MAX);
        let follows = self.is_open();
        let joins = is_before_letter && matches!(signs[..], ['&' | '+' | '@']);
        if follows && (joins || first != '&') {
            if !joins {
                self.attach(&signs);
            }
            self.end_run();
            if is_before_letter {
                self.between = Between::Joint(first);
            }
        } else if is_before_letter && first != '&' {
            self.separate(' ');
            self.before = Some((signs, start));
        } else {
            self.word_of(&signs, start);
        }
    }

    /// Adds signs to the last letter.
    fn attach(&mut self, signs: &[char]) {
        let position = self.position;
        let signs = signs.iter().take(MAX_MARKS);
        if let Some(base) = &mut self.base {
            base.signs_after.extend(signs);
            base.end = position;
        } else if let Some(letter) = self.text.letters.last_mut() {
            self.text.surface.extend(signs);
            letter.surface_end = u32::try_from(self.text.surface.len()).unwrap_or(u32::MAX);
            letter.is_plain = false;
            letter.end = position;
        }
    }

    /// Makes signs a word.
    fn word_of(&mut self, signs: &[char], start: u32) {
        self.separate(' ');
        let end = self.position;
        for (sign, start) in signs.iter().take(MAX_MARKS).zip(start..) {
            self.position = start + 1;
            self.begin_any(*sign, start);
        }
        self.position = end;
        self.separate(' ');
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
            let form = one_form(part);
            self.begin(form, start);
            if let Some(base) = &mut self.base {
                base.is_other_form = form != part;
            }
        } else {
            self.separate(' ');
        }
    }

    /// Begins a letter; its marks may follow.
    fn begin(&mut self, letter: char, start: u32) {
        if self.is_pictured {
            self.end_run();
        }
        self.begin_any(letter, start);
    }

    fn begin_any(&mut self, letter: char, start: u32) {
        if !self.has_run() {
            self.joint = match std::mem::take(&mut self.between) {
                Between::Joint(joint) if !self.text.runs.is_empty() => Some(joint),
                _ => None,
            };
        }
        self.end_base();
        let (signs_before, start) = self.before.take().unwrap_or((Vec::new(), start));
        self.base = Some(Base {
            letter,
            is_other_form: false,
            marks: Vec::new(),
            signs_before,
            signs_after: Vec::new(),
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
        let has_signs = !base.signs_before.is_empty() || !base.signs_after.is_empty();
        let is_plain = base.marks.is_empty() && folded.is_none() && !has_signs;
        self.text.surface.extend(base.signs_before.iter().take(MAX_MARKS));
        self.text.surface.extend(base.marks.iter().map(|(_, mark)| *mark));
        let mut letter = self.letter(base.letter, base.start, base.end);
        letter.is_other_form = base.is_other_form;
        self.text.surface.extend(&base.signs_after);
        letter.surface_end = u32::try_from(self.text.surface.len()).unwrap_or(u32::MAX);
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
            is_other_form: false,
            is_mark: false,
            surface_end: u32::try_from(self.text.surface.len()).unwrap_or(u32::MAX),
            start,
            end,
        }
    }

    fn end_run(&mut self) {
        self.end_base();
        let end = self.text.letters.len();
        self.is_pictured = false;
        if self.run_start < end {
            self.text.runs.push(self.run_start..end);
            self.text.joints.push(self.joint.take());
            self.run_start = end;
        }
    }
}

#[cfg(test)]
mod tests;
