//! Names that contain every word of a query.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::ordinal_set::{OrdinalSet, Places};
use crate::search::damage::{Damage, DamagedPart, SearchError};
use crate::search::map;
use crate::search::part::PartId;
use crate::search::postings::{Bounds, Posting, decode, decode_ranks, decode_some};
use crate::search::query::locate::IndexReader;

/// Postings of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostingRange {
    pub(crate) range: Range<u64>,
    /// Whether the range ends inside a list.
    pub(crate) is_cut: bool,
    /// Whether it is a map, and not a list.
    pub(crate) is_map: bool,
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

impl WordLists {
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.found.is_empty()
    }
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

/// Returns the names that contain every word; with a single word, and none that ranks, a name may occur several times.
pub(crate) fn matching(reader: &IndexReader<'_>, lists: &Lists<'_>) -> Result<Vec<Candidate>, SearchError> {
    let words = lists.words;
    if words.iter().any(WordLists::is_empty) {
        return Ok(Vec::new());
    }
    reader.require(&pages(reader, lists))?;
    if let ([word], []) = (words, lists.others) {
        return all(reader, word, lists.count);
    }
    let words = Words::read(reader, words)?;
    words.candidates(reader, words.common(), lists)
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

impl PostingRange {
    fn is_exact(&self, plain: u32) -> bool {
        self.exact_from.is_some_and(|letters| plain >= letters)
    }

    fn candidate(&self, posting: &Posting, count: Option<u8>) -> Candidate {
        Candidate {
            rank: posting.rank,
            ordinal: posting.ordinal,
            is_exact: self.is_exact(posting.plain),
            edits: self.edits,
            is_complete: self.is_word && Some(posting.words) == count,
            lacks: 0,
        }
    }
}

fn all(reader: &IndexReader<'_>, word: &WordLists, count: Option<u8>) -> Result<Vec<Candidate>, SearchError> {
    let mut candidates = word.found.clone();
    for list in &word.ranges {
        let bytes = reader.postings(&list.range)?;
        // A posting of a frequent word takes three bytes at least.
        candidates.reserve(bytes.len() / 3);
        let take = |posting| candidates.push(list.candidate(&posting, count));
        decode(&bytes, list.is_cut, reader.bounds(), take).ok_or_else(damage)?;
    }
    Ok(candidates)
}

fn damage() -> Damage {
    Damage::new(DamagedPart::Postings, "do not parse")
}

/// The words of a query, with their postings in memory.
#[derive(Debug, Default)]
pub(crate) struct Words<'a>(Vec<Word<'a>>);

/// A word with its postings, whose ranks are decoded once.
#[derive(Debug, Clone)]
struct Word<'a> {
    lists: Vec<Rc<List<'a>>>,
    /// Names that were found already.
    found: Vec<Candidate>,
    /// The ranks of the names that have it without typos, and with marks that agree.
    exact: OrdinalSet,
    /// The ranks of all names that have it.
    ranks: OrdinalSet,
}

/// Postings in memory.
#[derive(Debug)]
struct List<'a> {
    range: PostingRange,
    bytes: Cow<'a, [u8]>,
    /// Where the postings begin: behind the bits of a map.
    start: usize,
    /// Whether its names are all among the exact ones.
    is_exact: bool,
}

impl<'a> Words<'a> {
    pub(crate) fn read(reader: &IndexReader<'a>, words: &[WordLists]) -> Result<Self, SearchError> {
        let read = |word| Word::read(reader, word);
        Ok(Self(words.iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Returns the words with more postings of each.
    pub(crate) fn with(&self, more: Self) -> Self {
        let words = self.0.iter().zip(more.0);
        Self(words.map(|(word, more)| word.with(more)).collect())
    }

    /// Returns the ranks of the names that have every word.
    pub(crate) fn common(&self) -> OrdinalSet {
        let sets = self.0.iter().map(|word| &word.ranks);
        let common = sets.fold(None, |common: Option<OrdinalSet>, ranks| {
            Some(common.map_or_else(|| ranks.clone(), |common| common.and(ranks)))
        });
        common.unwrap_or_default()
    }

    /// Returns how names that have every word have them. Of the other postings of the words the ranks alone are read again.
    pub(crate) fn candidates(
        &self,
        reader: &IndexReader<'_>,
        ranks: OrdinalSet,
        lists: &Lists<'_>,
    ) -> Result<Vec<Candidate>, SearchError> {
        if ranks.is_empty() {
            return Ok(Vec::new());
        }
        let bounds = reader.bounds();
        let places: Places = ranks.into();
        let mut words: Vec<&Word<'_>> = self.0.iter().collect();
        words.sort_by_key(|word| word.length());
        let Some((shortest, more)) = words.split_first() else {
            return Ok(Vec::new());
        };
        // They name the nodes.
        let mut candidates = shortest.met(bounds, lists.count, &places, |_| true)?;
        for word in more {
            let counts = candidates.iter().any(|candidate| candidate.is_complete);
            let is_needed = |list: &List<'_>| !list.is_exact || (counts && list.range.is_word);
            let met = word.met(bounds, lists.count, &places, is_needed)?;
            for (candidate, met) in candidates.iter_mut().zip(met) {
                candidate.and(&met);
            }
        }
        for other in lists.others {
            lack(reader, other, &places, &mut candidates)?;
        }
        Ok(candidates)
    }
}

impl<'a> Word<'a> {
    fn read(reader: &IndexReader<'a>, word: &WordLists) -> Result<Self, SearchError> {
        let (bounds, mut exact) = (reader.bounds(), OrdinalSet::default());
        let mut others: OrdinalSet = word.found.iter().map(|found| found.rank).collect();
        let mut lists = Vec::with_capacity(word.ranges.len());
        for range in &word.ranges {
            let bytes = reader.postings(&range.range)?;
            let start = if range.is_map {
                map::length(bounds.names as usize)
            } else {
                0
            };
            let (bits, postings) = bytes.split_at_checked(start).ok_or_else(damage)?;
            exact = exact.or(&OrdinalSet::from_bytes(bits));
            let mut is_exact = true;
            let take = |plain, rank| match range.edits == 0 && range.is_exact(plain) {
                true => drop(exact.insert(rank)),
                false => {
                    is_exact = false;
                    others.insert(rank);
                }
            };
            decode_ranks(postings, range.is_cut, bounds, take).ok_or_else(damage)?;
            lists.push(Rc::new(List {
                range: range.clone(),
                bytes,
                start,
                is_exact,
            }));
        }
        Ok(Self {
            lists,
            found: word.found.clone(),
            ranks: exact.or(&others),
            exact,
        })
    }

    /// Returns the word with more postings.
    fn with(&self, more: Self) -> Self {
        Self {
            lists: self.lists.iter().cloned().chain(more.lists).collect(),
            found: [&*self.found, &*more.found].concat(),
            ranks: self.ranks.or(&more.ranks),
            exact: self.exact.or(&more.exact),
        }
    }

    /// Returns about how long it takes to read all postings; those with a map, which name no node, last.
    fn length(&self) -> (bool, usize) {
        let bytes = self.lists.iter().map(|list| list.bytes.len());
        let has_map = self.lists.iter().any(|list| list.range.is_map);
        (has_map, bytes.sum::<usize>() + self.found.len())
    }

    /// Returns how each name has the word, by the lists that are needed: those of exact names add whole words and ordinals.
    fn met(
        &self,
        bounds: Bounds,
        count: Option<u8>,
        places: &Places,
        is_needed: impl Fn(&List<'_>) -> bool,
    ) -> Result<Vec<Candidate>, SearchError> {
        let default = |rank| match self.exact.contains(rank) {
            true => Candidate::of(0, 0),
            false => Candidate::NOT_MET,
        };
        let mut met: Vec<Candidate> = places.set().iter().map(default).collect();
        for list in self.lists.iter().filter(|list| is_needed(list)) {
            let List {
                range, bytes, start, ..
            } = &**list;
            let take = |place: usize, posting| met[place].or(&range.candidate(&posting, count));
            let place = |rank| places.place(rank);
            decode_some(&bytes[*start..], range.is_cut, bounds, place, take).ok_or_else(damage)?;
        }
        for found in &self.found {
            if let Some(place) = places.place(found.rank) {
                met[place].or(found);
            }
        }
        Ok(met)
    }
}

impl Candidate {
    /// How a name meets a word that it does not have.
    const NOT_MET: Self = Self {
        edits: u8::MAX,
        is_exact: false,
        ..Self::of(0, 0)
    };

    pub(crate) const fn of(rank: u32, ordinal: u32) -> Self {
        Self {
            rank,
            ordinal,
            is_exact: true,
            edits: 0,
            is_complete: false,
            lacks: 0,
        }
    }

    /// Adds another word of the name that meets the same word of the query: the better one counts.
    fn or(&mut self, other: &Self) {
        (self.rank, self.ordinal) = (other.rank, other.ordinal);
        self.edits = self.edits.min(other.edits);
        self.is_exact |= other.is_exact;
        self.is_complete |= other.is_complete;
    }

    /// Adds how the name meets another word of the query.
    fn and(&mut self, other: &Self) {
        self.edits = self.edits.saturating_add(other.edits);
        self.is_exact &= other.is_exact;
        self.is_complete &= other.is_complete;
    }
}

/// Counts a word that ranks where names lack it.
fn lack(
    reader: &IndexReader<'_>,
    word: &WordLists,
    places: &Places,
    candidates: &mut [Candidate],
) -> Result<(), SearchError> {
    let mut lacks = vec![1; places.count()];
    for list in &word.ranges {
        let has = |_, rank| {
            if let Some(place) = places.place(rank) {
                lacks[place] = 0;
            }
        };
        let bytes = reader.postings(&list.range)?;
        decode_ranks(&bytes, list.is_cut, reader.bounds(), has).ok_or_else(damage)?;
    }
    for (candidate, lacks) in candidates.iter_mut().zip(lacks) {
        candidate.lacks += lacks;
    }
    Ok(())
}
