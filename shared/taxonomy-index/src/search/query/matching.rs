//! Names that contain every word of a query.

use std::borrow::Cow;
use std::ops::Range;

use crate::search::damage::{Damage, DamagedPart, SearchError};
use crate::search::key::ALL;
use crate::search::part::PartId;
use crate::search::postings::{Bounds, MANY_WORDS, Posting, decode};
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
    /// Whether the keys are the word, and not longer ones.
    pub(crate) is_word: bool,
}

/// A name that contains every word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) rank: u32,
    pub(crate) ordinal: u32,
    pub(crate) is_exact: bool,
    pub(crate) edits: u8,
    /// Whether it has no other words.
    pub(crate) is_complete: bool,
    /// The number of words that it lacks of those that rank.
    pub(crate) lacks: u8,
}

/// The postings of a word.
#[derive(Debug, Clone, Default)]
pub(crate) struct WordLists {
    pub(crate) ranges: Vec<PostingRange>,
    /// Names that were found already.
    pub(crate) found: Vec<Candidate>,
}

impl From<Vec<PostingRange>> for WordLists {
    fn from(ranges: Vec<PostingRange>) -> Self {
        Self {
            ranges,
            found: Vec::new(),
        }
    }
}

/// The words of a query, each with its postings.
#[derive(Debug)]
pub(crate) struct Lists<'a> {
    /// The words that must be met.
    pub(crate) words: &'a [WordLists],
    /// The words that rank.
    pub(crate) others: &'a [WordLists],
    /// The number of words of a name without other words.
    pub(crate) count: Option<u8>,
}

/// Returns the names that contain every word; with a single word a name may occur several times.
pub(crate) fn matching(reader: &IndexReader<'_>, lists: &Lists<'_>) -> Result<Vec<Candidate>, SearchError> {
    let words = lists.words;
    let is_empty = |word: &WordLists| word.ranges.is_empty() && word.found.is_empty();
    if words.iter().any(is_empty) {
        return Ok(Vec::new());
    }
    reader.require(&pages(reader, lists))?;
    if let [word] = words {
        return all(reader, &WordPostings::read(reader, word)?, lists.count);
    }
    let read = |word| WordPostings::read(reader, word);
    let words: Vec<WordPostings<'_>> = words.iter().map(read).collect::<Result<_, _>>()?;
    let others: Vec<WordPostings<'_>> = lists.others.iter().map(read).collect::<Result<_, _>>()?;
    in_all(reader, &words, &others, lists.count)
}

/// Returns the pages of all postings.
pub(crate) fn pages(reader: &IndexReader<'_>, lists: &Lists<'_>) -> Vec<PartId> {
    let lists = lists.words.iter().chain(lists.others);
    lists
        .flat_map(|word| &word.ranges)
        .flat_map(|list| reader.pages(&list.range))
        .copied()
        .collect()
}

/// The postings of a word, in memory.
struct WordPostings<'a> {
    lists: Vec<(&'a PostingRange, Cow<'a, [u8]>)>,
    found: &'a [Candidate],
}

/// The range of names that were found already.
const FOUND: PostingRange = PostingRange {
    range: 0..0,
    is_cut: false,
    exact_from: None,
    edits: 0,
    is_word: false,
};

impl<'a> WordPostings<'a> {
    fn read(reader: &IndexReader<'a>, word: &'a WordLists) -> Result<Self, SearchError> {
        let read = |list: &'a PostingRange| Ok((list, reader.postings(&list.range)?));
        Ok(Self {
            lists: word.ranges.iter().map(read).collect::<Result<_, SearchError>>()?,
            found: &word.found,
        })
    }

    /// Returns about how long it takes to read all postings.
    fn bytes(&self) -> usize {
        self.lists.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() + self.found.len()
    }

    fn for_each(
        &self,
        bounds: Bounds,
        of: impl Fn(&PostingRange) -> bool,
        mut take: impl FnMut(Posting, &PostingRange),
    ) -> Result<(), SearchError> {
        for (list, bytes) in self.lists.iter().filter(|(list, _)| of(list)) {
            let read = decode(bytes, list.is_cut, bounds, |posting| take(posting, list));
            read.ok_or_else(|| Damage::new(DamagedPart::Postings, "do not parse"))?;
        }
        for found in self.found.iter().filter(|_| of(&FOUND)) {
            let posting = Posting {
                plain: ALL,
                rank: found.rank,
                ordinal: found.ordinal,
                words: MANY_WORDS,
            };
            take(posting, &FOUND);
        }
        Ok(())
    }
}

impl PostingRange {
    fn is_exact(&self, posting: &Posting) -> bool {
        self.exact_from.is_some_and(|letters| posting.plain >= letters)
    }
}

fn all(
    reader: &IndexReader<'_>,
    word: &WordPostings<'_>,
    count: Option<u8>,
) -> Result<Vec<Candidate>, SearchError> {
    // A posting of a frequent word takes three bytes at least.
    let mut candidates = Vec::with_capacity(word.bytes() / 3);
    word.for_each(
        reader.bounds(),
        |_| true,
        |posting, list| {
            candidates.push(Candidate {
                rank: posting.rank,
                ordinal: posting.ordinal,
                is_exact: list.is_exact(&posting),
                edits: list.edits,
                is_complete: list.is_word && Some(posting.words) == count,
                lacks: 0,
            });
        },
    )?;
    Ok(candidates)
}

/// Takes the names of the rarest word, and keeps those that every other word has: these are decoded once, and of most postings the rank alone.
fn in_all(
    reader: &IndexReader<'_>,
    words: &[WordPostings<'_>],
    others: &[WordPostings<'_>],
    count: Option<u8>,
) -> Result<Vec<Candidate>, SearchError> {
    let bounds = reader.bounds();
    let ranks_alone = Bounds {
        ordinals: None,
        ..bounds
    };
    let Some((rarest, more)) = by_length(words) else {
        return Ok(Vec::new());
    };
    let mut bits = vec![0u64; bounds.names as usize / 64 + 1];
    rarest.for_each(
        ranks_alone,
        |_| true,
        |posting, _| {
            bits[(posting.rank / 64) as usize] |= 1 << (posting.rank % 64);
        },
    )?;
    let mut ranks = Ranks::new(bits);
    let mut candidates = vec![
        Candidate {
            is_complete: true,
            ..Candidate::of(0, 0)
        };
        ranks.count
    ];
    for word in more {
        // A name with further words needs no number of words.
        let counts = candidates.iter().any(|candidate| candidate.is_complete);
        let met = met_by(word, if counts { bounds } else { ranks_alone }, count, &ranks)?;
        take(&mut candidates, &met);
        ranks = ranks.keep(|place| met[place].edits < NOT_MET);
        candidates.retain(|candidate| candidate.edits < NOT_MET);
    }
    rarest.for_each(
        bounds,
        |_| true,
        |posting, _| {
            if let Some(place) = ranks.place(posting.rank) {
                candidates[place].rank = posting.rank;
                candidates[place].ordinal = posting.ordinal;
            }
        },
    )?;
    let met = met_by(rarest, bounds, count, &ranks)?;
    take(&mut candidates, &met);
    for other in others {
        lack(other, ranks_alone, &ranks, &mut candidates)?;
    }
    Ok(candidates)
}

/// Returns how names meet a word. Of postings that are no words of their own the rank suffices.
fn met_by(
    word: &WordPostings<'_>,
    bounds: Bounds,
    count: Option<u8>,
    ranks: &Ranks,
) -> Result<Vec<Met>, SearchError> {
    let ranks_alone = Bounds {
        ordinals: None,
        ..bounds
    };
    let mut met = vec![Met::default(); ranks.count];
    for of_words in [true, false] {
        word.for_each(
            if of_words { bounds } else { ranks_alone },
            |list| list.is_word == of_words,
            |posting, list| {
                if let Some(place) = ranks.place(posting.rank) {
                    let is_complete = of_words && Some(posting.words) == count;
                    met[place].add(list.is_exact(&posting), list.edits, is_complete);
                }
            },
        )?;
    }
    Ok(met)
}

/// Returns the word with the shortest postings, and the others, the shorter ones first.
fn by_length<'w, 'a>(
    words: &'w [WordPostings<'a>],
) -> Option<(&'w WordPostings<'a>, Vec<&'w WordPostings<'a>>)> {
    let mut words: Vec<&WordPostings<'_>> = words.iter().collect();
    words.sort_by_key(|word| word.bytes());
    let (rarest, more) = words.split_first()?;
    Some((rarest, more.to_vec()))
}

/// More edits than any name has that is met.
const NOT_MET: u8 = u8::MAX;

/// How a name meets a word, by the best of its words.
#[derive(Debug, Clone, Copy)]
struct Met {
    edits: u8,
    is_exact: bool,
    is_complete: bool,
}

impl Default for Met {
    fn default() -> Self {
        Self {
            edits: NOT_MET,
            is_exact: false,
            is_complete: false,
        }
    }
}

impl Met {
    fn add(&mut self, is_exact: bool, edits: u8, is_complete: bool) {
        self.edits = self.edits.min(edits);
        self.is_exact |= is_exact;
        self.is_complete |= is_complete;
    }
}

/// Adds to candidates how they meet a word.
fn take(candidates: &mut [Candidate], met: &[Met]) {
    for (candidate, met) in candidates.iter_mut().zip(met) {
        candidate.edits = candidate.edits.saturating_add(met.edits);
        candidate.is_exact &= met.is_exact;
        candidate.is_complete &= met.is_complete;
    }
}

impl Candidate {
    pub(crate) fn of(rank: u32, ordinal: u32) -> Self {
        Self {
            rank,
            ordinal,
            is_exact: true,
            edits: 0,
            is_complete: false,
            lacks: 0,
        }
    }
}

/// Counts a word that ranks where names lack it.
fn lack(
    word: &WordPostings<'_>,
    ranks_alone: Bounds,
    ranks: &Ranks,
    candidates: &mut [Candidate],
) -> Result<(), SearchError> {
    let mut lacks = vec![1; ranks.count];
    word.for_each(
        ranks_alone,
        |_| true,
        |posting, _| {
            if let Some(place) = ranks.place(posting.rank) {
                lacks[place] = 0;
            }
        },
    )?;
    for (candidate, lacks) in candidates.iter_mut().zip(lacks) {
        candidate.lacks += lacks;
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

    /// Returns the ranks whose places are kept.
    fn keep(&self, keeps: impl Fn(usize) -> bool) -> Self {
        let mut bits = self.bits.clone();
        let mut place = 0;
        for word in &mut bits {
            let mut left = *word;
            while left != 0 {
                let bit = left & left.wrapping_neg();
                if !keeps(place) {
                    *word &= !bit;
                }
                left &= !bit;
                place += 1;
            }
        }
        Self::new(bits)
    }

    fn place(&self, rank: u32) -> Option<usize> {
        let at = (rank / 64) as usize;
        let (word, bit) = (self.bits[at], 1u64 << (rank % 64));
        let below = (word & (bit - 1)).count_ones();
        (word & bit != 0).then(|| (self.before[at] + below) as usize)
    }
}
