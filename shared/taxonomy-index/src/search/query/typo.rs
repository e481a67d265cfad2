//! Typos: the smallest number of inserted, omitted, replaced or swapped letters that turns a word into the beginning of another. The first
//! letters must agree, which bounds the keys that are read.

use crate::search::damage::{Damage, SearchError};
use crate::search::dictionary::common;
use crate::search::key::{Space, WORD_LETTERS, after, key};
use crate::search::part::PartId;
use crate::search::query::Phrase;
use crate::search::query::locate::{IndexReader, Span};
use crate::search::query::matching::PostingRange;

/// The maximum number of blocks of the dictionary that are searched for all words of a query together.
pub(crate) const MAX_BLOCKS: usize = 96;
/// The maximum number of pages of postings that are read for a word.
const MAX_PAGES: usize = 64;
/// More edits than any word may have.
const FAR: u8 = 100;

/// Compares a word with texts in their order, and reuses the common prefix of neighbours.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// The letters after the first.
    letters: Vec<char>,
    typos: u8,
    rows: Vec<AutomatonRow>,
}

/// The state after some letters of a text.
#[derive(Debug, Clone)]
struct AutomatonRow {
    letter: char,
    /// The end of the letter, in bytes.
    end: usize,
    /// The edits from each beginning of the word to the letters so far.
    cells: [u8; WORD_LETTERS],
    /// The fewest edits from the word to any beginning of the letters so far.
    best: u8,
    is_dead: bool,
}

impl Automaton {
    pub(crate) fn new(word: &Phrase) -> Self {
        let typos = word.typos();
        let letters: Vec<char> = word.folded.chars().skip(1).take(WORD_LETTERS - 1).collect();
        let mut cells = [FAR; WORD_LETTERS];
        for (cell, edits) in cells.iter_mut().zip(0..=typos) {
            *cell = edits;
        }
        let root = AutomatonRow {
            letter: '\0',
            end: 0,
            best: cells[letters.len()],
            cells,
            is_dead: false,
        };
        Self {
            letters,
            typos,
            rows: vec![root],
        }
    }

    /// Returns the edits to the nearest beginning of a text, if they are few enough. The text shares a prefix with the previous one.
    pub(crate) fn edits(&mut self, text: &[u8], shared: usize) -> Option<u8> {
        while self.rows.len() > 1 && self.last().end > shared {
            self.rows.pop();
        }
        while !self.last().is_dead
            && let Some(letter) = letter_at(text, self.last().end)
        {
            self.push(letter);
        }
        Some(self.last().best).filter(|best| *best <= self.typos)
    }

    /// Returns whether no text with the beginning of the last one is near enough.
    fn is_lost(&self) -> bool {
        self.last().is_dead && self.last().best > self.typos
    }

    /// Returns the number of letters of the nearest beginning of the last text, the longest of several.
    pub(crate) fn nearest(&self) -> usize {
        let word = self.letters.len();
        let least = self.last().best;
        self.rows
            .iter()
            .rposition(|row| row.cells[word] == least)
            .unwrap_or(0)
    }

    fn last(&self) -> &AutomatonRow {
        &self.rows[self.rows.len() - 1]
    }

    fn push(&mut self, letter: char) {
        let depth = self.rows.len();
        let before = self.last();
        let two_before = depth.checked_sub(2).map(|row| &self.rows[row]);
        let typos = usize::from(self.typos);
        let mut cells = [FAR; WORD_LETTERS];
        if depth <= typos {
            cells[0] = u8::try_from(depth).unwrap_or(FAR);
        }
        for at in depth.saturating_sub(typos).max(1)..=(depth + typos).min(self.letters.len()) {
            let is_other = u8::from(self.letters[at - 1] != letter);
            let mut least = (before.cells[at - 1] + is_other)
                .min(before.cells[at] + 1)
                .min(cells[at - 1] + 1);
            if let Some(two_before) = two_before
                && at > 1
                && self.letters[at - 1] == before.letter
                && self.letters[at - 2] == letter
            {
                least = least.min(two_before.cells[at - 2] + 1);
            }
            cells[at] = least.min(FAR);
        }
        let row = AutomatonRow {
            letter,
            end: before.end + letter.len_utf8(),
            best: before.best.min(cells[self.letters.len()]),
            is_dead: cells.iter().all(|edits| *edits > self.typos),
            cells,
        };
        self.rows.push(row);
    }
}

/// Returns the complete letter at a position.
fn letter_at(text: &[u8], at: usize) -> Option<char> {
    let longest = text.get(at..text.len().min(at + 4))?;
    longest.utf8_chunks().next()?.valid().chars().next()
}

/// The blocks that may contain words near a word.
#[derive(Debug)]
pub(crate) struct Near {
    first: Vec<u8>,
    pub(crate) ids: Vec<PartId>,
    pub(crate) is_cut: bool,
}

/// Returns the blocks to search for a word.
pub(crate) fn blocks(reader: &IndexReader<'_>, word: &Phrase, most: usize) -> Near {
    let letter: String = word.folded.chars().take(1).collect();
    let first = key(Space::Word, &letter);
    let from = reader.block_of(&first).unwrap_or(0);
    let to = reader.block_of(&after(&first)).map_or(0, |last| last + 1);
    let mut automaton = Automaton::new(word);
    let all = &reader.index.blocks;
    let is_near = |&at: &usize| {
        let Some([(separator, _), (next, _)]) = all.get(at..at + 2) else {
            return true;
        };
        let shared = &separator[..common(separator, next)];
        let Some(text) = shared.strip_prefix(first.as_slice()) else {
            return true;
        };
        automaton.edits(text, 0);
        !automaton.is_lost()
    };
    let near: Vec<usize> = (from..to.max(from)).filter(is_near).collect();
    let ids: Vec<PartId> = near.iter().take(most).map(|at| all[*at].1).collect();
    Near {
        first,
        is_cut: near.len() > ids.len(),
        ids,
    }
}

/// Returns the postings of the words near a word, and whether there are more than a search reads.
pub(crate) fn lists(
    reader: &IndexReader<'_>,
    word: &Phrase,
    near: &Near,
    most: u64,
) -> Result<(Vec<PostingRange>, bool), SearchError> {
    reader.require(&near.ids)?;
    let mut automaton = Automaton::new(word);
    let mut found: Vec<(u8, Span)> = Vec::new();
    for id in &near.ids {
        let mut keys = reader.keys(*id)?;
        // The first key of a block shares no prefix with the previous block.
        let mut shared = 0;
        while keys.next()? {
            let Some(text) = keys.key.strip_prefix(near.first.as_slice()) else {
                shared = 0;
                continue;
            };
            shared = shared.min(keys.shared.saturating_sub(near.first.len()));
            let edits = automaton.edits(text, shared);
            shared = usize::MAX;
            let Some(edits) = edits else { continue };
            let span = Span {
                start: keys.start,
                end: keys.end,
            };
            match found.last_mut() {
                Some((same, last)) if *same == edits && last.end == span.start => last.end = span.end,
                _ => found.push((edits, span)),
            }
        }
        if keys.end.bytes > reader.index.posting_bytes {
            return Err(Damage::in_part(*id, "has positions out of order").into());
        }
    }
    Ok(within_bounds(reader, found, most))
}

/// Keeps the nearest words whose postings are read.
fn within_bounds(
    reader: &IndexReader<'_>,
    mut found: Vec<(u8, Span)>,
    most: u64,
) -> (Vec<PostingRange>, bool) {
    found.sort_by_key(|(edits, _)| *edits);
    let mut lists = Vec::new();
    let mut bytes = 0;
    let mut pages: Vec<PartId> = Vec::new();
    for (edits, span) in found {
        bytes += span.length();
        pages.extend(reader.pages(&span.bytes()));
        pages.sort_unstable();
        pages.dedup();
        if bytes > most || pages.len() > MAX_PAGES {
            return (lists, true);
        }
        lists.push(PostingRange {
            range: span.bytes(),
            is_cut: false,
            exact_from: Some(0),
            edits,
        });
    }
    (lists, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_neighbours_have_in_common_changes_no_distance() {
        let mut rng = fastrand::Rng::with_seed(11);
        let word = |rng: &mut fastrand::Rng| -> String {
            let letter = |rng: &mut fastrand::Rng| ['a', 'b', 'é', '手'][rng.usize(..4)];
            (0..rng.usize(1..10)).map(|_| letter(rng)).collect()
        };
        let mut texts: Vec<String> = (0..2000).map(|_| word(&mut rng)).collect();
        texts.sort_unstable();
        for (query, typos) in [("xababa", 1), ("xabéab手aa", 2), ("x手手aébbab", 2)] {
            let word = Phrase {
                folded: query.to_owned(),
                surface: query.to_owned(),
            };
            assert_eq!(word.typos(), typos);
            let mut automaton = Automaton::new(&word);
            let mut last = "";
            let mut near = 0;
            for text in &texts {
                let shared = common(last.as_bytes(), text.as_bytes());
                let alone = Automaton::new(&word).edits(text.as_bytes(), 0);
                assert_eq!(
                    automaton.edits(text.as_bytes(), shared),
                    alone,
                    "{query} {text} after {last}"
                );
                near += usize::from(alone.is_some());
                last = text;
            }
            assert!(near > 3, "{query}");
        }
    }
}
