//! Words inside others: parts of compounds, and two words of a name that the query writes as one.

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
        let mut found = Spans::default();
        for id in &self.ids {
            let mut keys = reader.keys(*id)?;
            while keys.next()? {
                if self.is_inside(&keys.key) {
                    found.add(Nearness::INSIDE, Span::of(&keys));
                }
            }
            reader.check(*id, &keys)?;
        }
        Ok(found.within_bounds(reader, most))
    }

    fn is_inside(&self, key: &[u8]) -> bool {
        let Some((space, word)) = key.split_first() else {
            return false;
        };
        if *space != Space::Word as u8 || word.len() <= self.part.len() {
            return false;
        }
        let inside = |word: &str| place(word, &self.part, self.before).is_some();
        std::str::from_utf8(word).is_ok_and(inside)
    }
}

/// Returns the number of letters before a part inside a word, where there are enough.
fn place(word: &str, part: &str, before: usize) -> Option<usize> {
    let (from, _) = word.char_indices().nth(before)?;
    let at = from + word[from..].find(part)?;
    Some(word[..at].chars().count())
}

/// Returns the letters of a word inside another.
pub(crate) fn letters_inside(
    word: &str,
    part: &Phrase,
    language: Language,
) -> Option<std::ops::Range<usize>> {
    let (least, before) = language.compounds()?;
    let letters = part.letters() as usize;
    let at = place(word, &part.folded, before).filter(|_| letters >= least)?;
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
