//! Words inside others: parts of compounds, and two words of a name that the query writes as one.

use memchr::memmem::Finder;

use crate::search::alphabet::is_unspaced;
use crate::search::damage::SearchError;
use crate::search::key::{Space, after, key};
use crate::search::language::Language;
use crate::search::part::PartId;
use crate::search::query::Phrase;
use crate::search::query::locate::{IndexReader, Span};
use crate::search::query::matching::PostingRange;
use crate::search::query::sought::Sought;
use crate::search::query::typo::{Nearness, Spans};

/// The minimum number of letters of the second of two words that are written as one.
const MIN_SECOND: usize = 2;
/// The maximum number of places where the words of a query are split.
pub(crate) const MAX_SPLITS: usize = 48;

/// The blocks that may contain words with a word inside.
#[derive(Debug)]
pub(crate) struct Compounds {
    part: String,
    /// The minimum number of letters before the part.
    before: usize,
    pub(crate) ids: Vec<PartId>,
    pub(crate) is_cut: bool,
}

impl Compounds {
    /// Returns the blocks to search for a word; none if the language does not write words together, or the word is too short.
    pub(crate) fn new(reader: &IndexReader<'_>, word: &Phrase, most: usize) -> Option<Self> {
        let (least, before) = reader.index.language.compounds()?;
        if (word.letters() as usize) < least {
            return None;
        }
        let words = key(Space::Word, "");
        let all = reader.blocks_between(&words, &after(&words), |_, _| true);
        Some(Self {
            part: word.folded.clone(),
            before,
            is_cut: all.len() > most,
            ids: all.into_iter().take(most).collect(),
        })
    }

    /// Returns the postings of the words that contain the part, and whether there are more than a search reads.
    pub(crate) fn lists(
        &self,
        reader: &IndexReader<'_>,
        most: u64,
    ) -> Result<(Vec<PostingRange>, bool), SearchError> {
        reader.require(&self.ids)?;
        let (words, part) = (key(Space::Word, ""), Finder::new(&self.part));
        let mut found = Spans::default();
        for id in &self.ids {
            let mut keys = reader.keys(*id)?;
            let mut has_key = keys.seek(&words)?;
            while has_key && let Some(word) = keys.key.strip_prefix(words.as_slice()) {
                if place(word, &part, self.before).is_some() {
                    found.add(Nearness::INSIDE, Span::of(&keys));
                }
                has_key = keys.next()?;
            }
            reader.check(*id, &keys)?;
        }
        Ok(found.within_bounds(reader, most))
    }
}

/// Returns the number of letters before a part inside a word, where there are enough.
fn place(word: &[u8], part: &Finder<'_>, before: usize) -> Option<usize> {
    let starts_letter = |byte: &u8| byte & 0xc0 != 0x80;
    let mut letters = (0..word.len()).filter(|at| starts_letter(&word[*at]));
    let from = letters.nth(before)?;
    let at = from + part.find(&word[from..])?;
    Some(word[..at].iter().filter(|byte| starts_letter(byte)).count())
}

/// Returns the letters of a word inside another.
pub(crate) fn letters_inside(
    word: &str,
    part: &Phrase,
    language: Language,
) -> Option<std::ops::Range<usize>> {
    let (least, before) = language.compounds()?;
    let letters = part.letters() as usize;
    let finder = Finder::new(&part.folded);
    let at = place(word.as_bytes(), &finder, before).filter(|_| letters >= least)?;
    Some(at..at + letters)
}

/// Returns the two words that a word may be, for each place where it may be split: one that a name has, and the beginning of another.
pub(crate) fn splits(word: &Phrase) -> impl Iterator<Item = (&str, &str)> {
    let is_unspaced = word.folded.chars().any(is_unspaced);
    let letters = word.folded.char_indices().skip(1).filter(move |_| !is_unspaced);
    let halves = letters.map(|(at, _)| word.folded.split_at(at));
    halves.filter(|(_, second)| second.chars().nth(MIN_SECOND - 1).is_some())
}

/// Seeks the two words that a word may be.
pub(crate) fn sought(word: &Phrase) -> Vec<[Sought; 2]> {
    let seek = |(first, second)| {
        [
            Sought::key(Space::Word, first, None),
            Sought::prefix(Space::Word, second, None),
        ]
    };
    splits(word).map(seek).collect()
}
