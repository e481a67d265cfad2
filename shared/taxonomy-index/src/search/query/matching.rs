//! Names that contain every word of a query.

use std::ops::Range;

use crate::search::damage::{Damage, DamagedPart, SearchError};
use crate::search::part::PartId;
use crate::search::postings::{Bounds, Posting, decode};
use crate::search::query::locate::IndexReader;

/// Postings of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostingRange {
    pub(crate) range: Range<u64>,
    /// Whether the range ends inside a list.
    pub(crate) is_cut: bool,
    /// The number of leading plain letters from which on the marks of a name agree with those of the query; none if they never do.
    pub(crate) exact_from: Option<u32>,
    /// The number of typos between the word and the keys.
    pub(crate) edits: u8,
}

/// A name that contains every word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) rank: u32,
    pub(crate) ordinal: u32,
    pub(crate) is_exact: bool,
    pub(crate) edits: u8,
}

/// Returns the names that contain every word; with a single word a name may occur several times.
pub(crate) fn matching(
    reader: &IndexReader<'_>,
    words: &[Vec<PostingRange>],
) -> Result<Vec<Candidate>, SearchError> {
    if words
        .iter()
        .any(|word| word.iter().all(|list| list.range.is_empty()))
    {
        return Ok(Vec::new());
    }
    let lists = words.iter().flatten();
    let pages: Vec<PartId> = lists
        .flat_map(|list| reader.pages(&list.range))
        .copied()
        .collect();
    reader.require(&pages)?;
    let words = words.iter().map(|word| WordPostings::read(reader, word));
    let words: Vec<WordPostings<'_>> = words.collect::<Result<_, _>>()?;
    match words.as_slice() {
        [word] => all(reader, word),
        words => in_all(reader, words),
    }
}

/// The postings of a word, in memory.
struct WordPostings<'a>(Vec<(&'a PostingRange, Vec<u8>)>);

impl<'a> WordPostings<'a> {
    fn read(reader: &IndexReader<'_>, word: &'a [PostingRange]) -> Result<Self, SearchError> {
        let read = |list: &'a PostingRange| Ok((list, reader.postings(&list.range)?));
        Ok(Self(word.iter().map(read).collect::<Result<_, SearchError>>()?))
    }

    fn bytes(&self) -> usize {
        self.0.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    fn for_each(&self, bounds: Bounds, mut take: impl FnMut(Posting, bool, u8)) -> Result<(), SearchError> {
        for (list, bytes) in &self.0 {
            let read = decode(bytes, list.is_cut, bounds, |posting| {
                let is_exact = list.exact_from.is_some_and(|letters| posting.plain >= letters);
                take(posting, is_exact, list.edits);
            });
            read.ok_or_else(|| Damage::new(DamagedPart::Postings, "do not parse"))?;
        }
        Ok(())
    }
}

fn all(reader: &IndexReader<'_>, word: &WordPostings<'_>) -> Result<Vec<Candidate>, SearchError> {
    let mut candidates = Vec::new();
    word.for_each(reader.bounds(), |posting, is_exact, edits| {
        candidates.push(Candidate {
            rank: posting.rank,
            ordinal: posting.ordinal,
            is_exact,
            edits,
        });
    })?;
    Ok(candidates)
}

/// Intersects the ranks of the words first: sorting the postings of frequent words would take several times as long.
fn in_all(reader: &IndexReader<'_>, words: &[WordPostings<'_>]) -> Result<Vec<Candidate>, SearchError> {
    let bounds = reader.bounds();
    let ranks_alone = Bounds {
        ordinals: None,
        ..bounds
    };
    let mut common = vec![u64::MAX; bounds.names as usize / 64 + 1];
    let mut costs = Vec::with_capacity(words.len());
    for word in words {
        let mut bits = vec![0u64; common.len()];
        let mut costs_something = false;
        word.for_each(ranks_alone, |Posting { rank, .. }, is_exact, edits| {
            bits[(rank / 64) as usize] |= 1 << (rank % 64);
            costs_something |= !is_exact || edits > 0;
        })?;
        common
            .iter_mut()
            .zip(&bits)
            .for_each(|(common, bits)| *common &= bits);
        costs.push(costs_something);
    }
    let ranks = Ranks::new(common);
    let best = Candidate {
        rank: 0,
        ordinal: 0,
        is_exact: true,
        edits: 0,
    };
    let mut candidates = vec![best; ranks.count];
    let rarest = (0..words.len()).min_by_key(|word| words[*word].bytes());
    for (number, word) in words.iter().enumerate() {
        if Some(number) == rarest {
            word.for_each(bounds, |posting, _, _| {
                if let Some(place) = ranks.place(posting.rank) {
                    candidates[place].rank = posting.rank;
                    candidates[place].ordinal = posting.ordinal;
                }
            })?;
        }
        if costs[number] {
            add_cost(word, ranks_alone, &ranks, &mut candidates)?;
        }
    }
    Ok(candidates)
}

/// Adds the cost of a word to names: its marks, or its typos.
fn add_cost(
    word: &WordPostings<'_>,
    ranks_alone: Bounds,
    ranks: &Ranks,
    candidates: &mut [Candidate],
) -> Result<(), SearchError> {
    let mut found = vec![(false, u8::MAX); ranks.count];
    word.for_each(ranks_alone, |Posting { rank, .. }, is_exact, edits| {
        if let Some(place) = ranks.place(rank) {
            found[place].0 |= is_exact;
            found[place].1 = found[place].1.min(edits);
        }
    })?;
    for (candidate, (is_exact, edits)) in candidates.iter_mut().zip(found) {
        candidate.is_exact &= is_exact;
        candidate.edits = candidate.edits.saturating_add(edits);
    }
    Ok(())
}

/// A set of ranks with the position of each in it.
struct Ranks {
    bits: Vec<u64>,
    /// The number of ranks before each word of bits.
    before: Vec<u32>,
    count: usize,
}

impl Ranks {
    fn new(bits: Vec<u64>) -> Self {
        let mut count = 0;
        let before = bits.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        let before: Vec<u32> = before.collect();
        Self {
            bits,
            before,
            count: count as usize,
        }
    }

    fn place(&self, rank: u32) -> Option<usize> {
        let at = (rank / 64) as usize;
        let (word, bit) = (self.bits[at], 1u64 << (rank % 64));
        let below = (word & (bit - 1)).count_ones();
        (word & bit != 0).then(|| (self.before[at] + below) as usize)
    }
}
