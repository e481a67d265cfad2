//! Names that have every word of a query: the postings of the rarest word, then those of the others to strike names out.

use std::ops::Range;

use crate::damage::{Damage, Place};
use crate::key::ALL;
use crate::locate::Reader;
use crate::part::{PartId, Parts};
use crate::postings::{Posting, decode};
use crate::search::Stop;

/// When the marks of a name agree with those of the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exact {
    Always,
    Never,
    /// Where this many letters are plain.
    Plain(u32),
}

impl Exact {
    fn holds(self, plain: u32) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Plain(letters) => plain == ALL || plain >= letters,
        }
    }
}

/// Postings of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) range: Range<u64>,
    /// Whether the range ends inside a list.
    pub(crate) is_cut: bool,
    pub(crate) exact: Exact,
    /// How many typos separate the word from the keys.
    pub(crate) edits: u8,
}

/// All postings of a word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WordLists(pub(crate) Vec<List>);

impl WordLists {
    fn bytes(&self) -> u64 {
        self.0.iter().map(|list| list.range.end - list.range.start).sum()
    }
}

/// A name that has every word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) rank: u32,
    pub(crate) ordinal: u32,
    pub(crate) is_exact: bool,
    pub(crate) edits: u8,
}

/// Returns the names that have every word; one may be there several times where there is one word.
pub(crate) fn matching<P: Parts>(
    reader: &Reader<'_, P>,
    words: &[WordLists],
) -> Result<Vec<Candidate>, Stop> {
    let Some(rarest) = (0..words.len()).min_by_key(|word| words[*word].bytes()) else {
        return Ok(Vec::new());
    };
    if words[rarest].bytes() == 0 {
        return Ok(Vec::new());
    }
    let mut pages: Vec<PartId> = Vec::new();
    for list in words.iter().flat_map(|word| &word.0) {
        pages.extend(reader.pages(&list.range));
    }
    pages.dedup();
    reader.require(&pages)?;
    let mut candidates = Vec::new();
    for_each(reader, &words[rarest], |posting, is_exact, edits| {
        candidates.push(Candidate {
            rank: posting.rank,
            ordinal: posting.ordinal,
            is_exact,
            edits,
        });
    })?;
    if words.len() > 1 {
        merge(&mut candidates);
        for (_, word) in words.iter().enumerate().filter(|(word, _)| *word != rarest) {
            strike_out(reader, word, &mut candidates)?;
        }
    }
    Ok(candidates)
}

fn for_each<P: Parts>(
    reader: &Reader<'_, P>,
    word: &WordLists,
    mut take: impl FnMut(Posting, bool, u8),
) -> Result<(), Stop> {
    for list in &word.0 {
        let bytes = reader.postings(&list.range)?;
        let read = decode(&bytes, list.is_cut, reader.bounds(), |posting| {
            take(posting, list.exact.holds(posting.plain), list.edits);
        });
        read.ok_or_else(|| Damage::new(Place::Postings, "do not parse"))?;
    }
    Ok(())
}

/// Sorts names by rank and leaves one candidate of each.
fn merge(candidates: &mut Vec<Candidate>) {
    // Lists are sorted: a stable sort merges them.
    candidates.sort_by_key(|candidate| candidate.rank);
    candidates.dedup_by(|next, kept| {
        let is_same = next.rank == kept.rank;
        if is_same {
            kept.is_exact |= next.is_exact;
            kept.edits = kept.edits.min(next.edits);
        }
        is_same
    });
}

/// Removes the names that have no posting of a word, and adds what the word costs to the others.
fn strike_out<P: Parts>(
    reader: &Reader<'_, P>,
    word: &WordLists,
    candidates: &mut Vec<Candidate>,
) -> Result<(), Stop> {
    let (Some(first), Some(last)) = (candidates.first(), candidates.last()) else {
        return Ok(());
    };
    let (first, last) = (first.rank, last.rank);
    // A bit a rank: most postings of a frequent word are no candidates.
    let mut bits = vec![0u64; ((last - first) / 64 + 1) as usize];
    for candidate in &*candidates {
        bits[((candidate.rank - first) / 64) as usize] |= 1 << ((candidate.rank - first) % 64);
    }
    let mut found: Vec<Option<(bool, u8)>> = vec![None; candidates.len()];
    for_each(reader, word, |posting, is_exact, edits| {
        if !(first..=last).contains(&posting.rank) {
            return;
        }
        let bit = posting.rank - first;
        if bits[(bit / 64) as usize] & (1 << (bit % 64)) == 0 {
            return;
        }
        if let Ok(at) = candidates.binary_search_by_key(&posting.rank, |candidate| candidate.rank) {
            let (was_exact, least) = found[at].unwrap_or((false, u8::MAX));
            found[at] = Some((was_exact || is_exact, least.min(edits)));
        }
    })?;
    let mut found = found.into_iter();
    candidates.retain_mut(|candidate| match found.next().flatten() {
        Some((is_exact, edits)) => {
            candidate.is_exact &= is_exact;
            candidate.edits += edits;
            true
        }
        None => false,
    });
    Ok(())
}
