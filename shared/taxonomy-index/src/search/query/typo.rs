//! Typos: the smallest number of inserted, omitted, replaced or swapped letters that turns a word into the beginning of another. The first
//! letters must agree, which bounds the keys that are read. The longer of the word and that beginning decides how many are allowed.

use crate::search::alphabet::is_unspaced;
use crate::search::damage::SearchError;
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
/// The maximum number of typos of a word.
const MAX_TYPOS: usize = 2;

/// The typos that a word may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allowance {
    /// One from five letters on, two from nine.
    Usual,
    /// One from four letters on.
    Last,
}

impl Allowance {
    /// Returns the number of typos of a word of this many letters, in a script without spaces or another.
    fn typos(self, letters: usize, is_unspaced: bool) -> u8 {
        match letters {
            3 | 4 if is_unspaced => 1,
            4 if self == Self::Last => 1,
            0..=4 => 0,
            5..=8 => 1,
            _ => 2,
        }
    }
}

/// Compares a word with texts in their order, and reuses the common prefix of neighbours.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// The letters after the first.
    letters: Vec<char>,
    /// The number of typos that are allowed between the word and a beginning, by the number of letters of the beginning.
    allowed: Vec<u8>,
    /// The largest of them.
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
    /// The fewest allowed edits from the word to any beginning of the letters so far.
    best: u8,
    is_dead: bool,
}

/// How near a text is to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nearness {
    /// The edits to its nearest beginning.
    pub(crate) edits: u8,
    /// Whether more of the text is as near as its nearest beginning: not the whole of it.
    pub(crate) is_longer: bool,
}

impl Nearness {
    /// A text that contains the word.
    pub(crate) const INSIDE: Self = Self {
        edits: 0,
        is_longer: true,
    };
}

impl Automaton {
    /// Makes the automaton of a word; none if it may have no typos: one of too few letters, or with a digit, where another digit has another meaning.
    pub(crate) fn new(word: &Phrase, allowance: Allowance) -> Option<Self> {
        let letters: Vec<char> = word.folded.chars().take(WORD_LETTERS).collect();
        let is_unspaced = letters.iter().any(|letter| is_unspaced(*letter));
        let longest = 0..=letters.len() + MAX_TYPOS;
        let allowed = longest.map(|beginning| allowance.typos(beginning.max(letters.len()), is_unspaced));
        let allowed: Vec<u8> = allowed.collect();
        let typos = allowed.last().copied().unwrap_or(0);
        if typos == 0 || letters.iter().any(|letter| letter.is_numeric()) {
            return None;
        }
        let letters = letters[1..].to_vec();
        let mut cells = [FAR; WORD_LETTERS];
        for (cell, edits) in cells.iter_mut().zip(0..=typos) {
            *cell = edits;
        }
        let mut automaton = Self {
            letters,
            allowed,
            typos,
            rows: Vec::new(),
        };
        automaton.rows.push(AutomatonRow {
            letter: '\0',
            end: 0,
            best: automaton.accepted(1, &cells),
            cells,
            is_dead: false,
        });
        Some(automaton)
    }

    /// Returns the edits to a beginning of this many letters, or [`FAR`].
    fn accepted(&self, letters: usize, cells: &[u8; WORD_LETTERS]) -> u8 {
        let edits = cells[self.letters.len()];
        let allowed = self.allowed.get(letters).is_some_and(|allowed| edits <= *allowed);
        if allowed { edits } else { FAR }
    }

    /// Returns how near a text is, if it is near enough. The text shares a prefix with the previous one.
    pub(crate) fn nearness(&mut self, text: &[u8], shared: usize) -> Option<Nearness> {
        while self.rows.len() > 1 && self.last().end > shared {
            self.rows.pop();
        }
        while !self.last().is_dead
            && let Some(letter) = letter_at(text, self.last().end)
        {
            self.push(letter);
        }
        let last = self.last();
        (last.best != FAR).then(|| Nearness {
            edits: last.best,
            is_longer: last.end < text.len() || self.accepted(self.rows.len(), &last.cells) != last.best,
        })
    }

    /// Returns whether no text with the beginning of the last one is near enough.
    fn is_lost(&self) -> bool {
        self.last().is_dead && self.last().best == FAR
    }

    /// Returns the number of letters of the nearest beginning of the last text after its first letter, the longest of several.
    pub(crate) fn nearest(&self) -> usize {
        let least = self.last().best;
        let accepted = |row: usize| self.accepted(row + 1, &self.rows[row].cells);
        (0..self.rows.len())
            .rfind(|row| accepted(*row) == least)
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
            best: before.best.min(self.accepted(depth + 1, &cells)),
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

/// Returns the blocks to search for a word; none if it may have no typos.
pub(crate) fn blocks(reader: &IndexReader<'_>, word: &Phrase, most: usize) -> Option<Near> {
    let mut automaton = Automaton::new(word, Allowance::Last)?;
    let letter: String = word.folded.chars().take(1).collect();
    let first = key(Space::Word, &letter);
    let is_near = |separator: &[u8], next: &[u8]| {
        let shared = &separator[..common(separator, next)];
        let Some(text) = shared.strip_prefix(first.as_slice()) else {
            return true;
        };
        automaton.nearness(text, 0);
        !automaton.is_lost()
    };
    let near = reader.blocks_between(&first, &after(&first), is_near);
    let ids: Vec<PartId> = near.iter().copied().take(most).collect();
    Some(Near {
        first,
        is_cut: near.len() > ids.len(),
        ids,
    })
}

/// Returns the postings of the words near a word, and whether there are more than a search reads.
pub(crate) fn lists(
    reader: &IndexReader<'_>,
    word: &Phrase,
    near: &Near,
    allowance: Allowance,
    most: u64,
) -> Result<(Vec<PostingRange>, bool), SearchError> {
    reader.require(&near.ids)?;
    let Some(mut automaton) = Automaton::new(word, allowance) else {
        return Ok((Vec::new(), false));
    };
    let mut found = Spans::default();
    for id in &near.ids {
        let mut keys = reader.keys(*id)?;
        let mut has_key = keys.seek(&near.first)?;
        // What the first key shares with the one before it says nothing of the last word that was compared.
        let mut shared = 0;
        while has_key && let Some(text) = keys.key.strip_prefix(near.first.as_slice()) {
            shared = shared.min(keys.shared.saturating_sub(near.first.len()));
            let nearness = automaton.nearness(text, shared);
            shared = usize::MAX;
            // Words without typos are in the word's own postings.
            if let Some(nearness) = nearness.filter(|nearness| nearness.edits > 0) {
                found.add(nearness, Span::of(&keys));
            }
            has_key = keys.next()?;
        }
        reader.check(*id, &keys)?;
    }
    Ok(found.within_bounds(reader, most))
}

/// Keys whose postings are read, those that follow each other as one.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<(Nearness, Span)>);

impl Spans {
    pub(crate) fn add(&mut self, nearness: Nearness, span: Span) {
        match self.0.last_mut() {
            Some((same, last)) if *same == nearness && last.end == span.start => last.end = span.end,
            _ => self.0.push((nearness, span)),
        }
    }

    /// Keeps the nearest words whose postings are read. Returns whether there are more.
    pub(crate) fn within_bounds(mut self, reader: &IndexReader<'_>, most: u64) -> (Vec<PostingRange>, bool) {
        self.0.sort_by_key(|(nearness, _)| *nearness);
        let mut lists = Vec::new();
        let mut bytes = 0;
        let mut pages: Vec<PartId> = Vec::new();
        for (nearness, span) in self.0 {
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
                is_map: false,
                exact_from: None,
                edits: nearness.edits,
                is_word: !nearness.is_longer,
            });
        }
        (lists, false)
    }
}
