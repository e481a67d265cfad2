//! Names that contain every word of a query.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use crate::ordinal_set::{OrdinalSet, Places};
use crate::search::damage::{Damage, DamagedPart, SearchError};
use crate::search::part::PartId;
use crate::search::postings::{Bounds, Posting, decode, decode_ranks, decode_some};
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

/// Returns the names that contain every word; with a single word a name may occur several times.
pub(crate) fn matching(reader: &IndexReader<'_>, lists: &Lists<'_>) -> Result<Vec<Candidate>, SearchError> {
    let words = lists.words;
    if words.iter().any(WordLists::is_empty) {
        return Ok(Vec::new());
    }
    reader.require(&pages(reader, lists))?;
    if let [word] = words {
        return all(reader, &WordPostings::read(reader, word)?, lists.count);
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

/// The postings of a word, in memory.
#[derive(Debug)]
struct WordPostings<'a> {
    lists: Vec<(PostingRange, Cow<'a, [u8]>)>,
    found: Vec<Candidate>,
}

impl<'a> WordPostings<'a> {
    fn read(reader: &IndexReader<'a>, word: &WordLists) -> Result<Self, SearchError> {
        let read = |list: &PostingRange| Ok((list.clone(), reader.postings(&list.range)?));
        Ok(Self {
            lists: word.ranges.iter().map(read).collect::<Result<_, SearchError>>()?,
            found: word.found.clone(),
        })
    }

    /// Returns about how long it takes to read all postings.
    fn bytes(&self) -> usize {
        self.lists.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() + self.found.len()
    }

    /// Decodes each list.
    fn decode(&self, mut decode: impl FnMut(&PostingRange, &[u8]) -> Option<()>) -> Result<(), SearchError> {
        let decoded = self
            .lists
            .iter()
            .try_for_each(|(list, bytes)| decode(list, bytes));
        Ok(decoded.ok_or_else(|| Damage::new(DamagedPart::Postings, "do not parse"))?)
    }
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

fn all(
    reader: &IndexReader<'_>,
    word: &WordPostings<'_>,
    count: Option<u8>,
) -> Result<Vec<Candidate>, SearchError> {
    // A posting of a frequent word takes three bytes at least.
    let mut candidates = Vec::with_capacity(word.bytes() / 3);
    word.decode(|list, bytes| {
        decode(bytes, list.is_cut, reader.bounds(), |posting| {
            candidates.push(list.candidate(&posting, count));
        })
    })?;
    candidates.extend(&word.found);
    Ok(candidates)
}

/// The words of a query, with their postings in memory.
#[derive(Debug, Default)]
pub(crate) struct Words<'a>(Vec<Word<'a>>);

/// A word with its postings, whose ranks are decoded once.
#[derive(Debug, Clone)]
struct Word<'a> {
    postings: Vec<Rc<WordPostings<'a>>>,
    /// The ranks of the names that have it.
    ranks: OrdinalSet,
    /// Whether all names have it without typos, and with marks that agree.
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
        let bytes = |word: &Word<'_>| {
            word.postings
                .iter()
                .map(|postings| postings.bytes())
                .sum::<usize>()
        };
        let mut words: Vec<&Word<'_>> = self.0.iter().collect();
        words.sort_by_key(|word| bytes(word));
        let Some((shortest, more)) = words.split_first() else {
            return Ok(Vec::new());
        };
        // They name the nodes.
        let mut candidates = shortest.met(bounds, lists.count, &places, true)?;
        for word in more {
            let counts = candidates.iter().any(|candidate| candidate.is_complete);
            let met = match (word.is_exact, counts) {
                (true, false) => continue,
                (is_exact, _) => word.met(bounds, lists.count, &places, !is_exact)?,
            };
            for (candidate, met) in candidates.iter_mut().zip(met) {
                candidate.and(&met);
            }
        }
        for other in lists.others {
            lack(
                &WordPostings::read(reader, other)?,
                bounds,
                &places,
                &mut candidates,
            )?;
        }
        Ok(candidates)
    }
}

impl<'a> Word<'a> {
    fn read(reader: &IndexReader<'a>, word: &WordLists) -> Result<Self, SearchError> {
        let postings = WordPostings::read(reader, word)?;
        let bounds = reader.bounds();
        let mut ranks: OrdinalSet = postings.found.iter().map(|found| found.rank).collect();
        let mut is_exact = ranks.is_empty();
        postings.decode(|list, bytes| {
            is_exact &= list.edits == 0;
            decode_ranks(bytes, list.is_cut, bounds, |plain, rank| {
                is_exact &= list.is_exact(plain);
                ranks.insert(rank);
            })
        })?;
        Ok(Self {
            postings: vec![Rc::new(postings)],
            ranks,
            is_exact,
        })
    }

    fn with(&self, mut more: Self) -> Self {
        more.postings.extend(self.postings.iter().cloned());
        Self {
            postings: more.postings,
            ranks: self.ranks.or(&more.ranks),
            is_exact: self.is_exact && more.is_exact,
        }
    }

    /// Returns how each name has the word: by all postings, or by those of whole words, which count the words of their names.
    fn met(
        &self,
        bounds: Bounds,
        count: Option<u8>,
        places: &Places,
        by_all: bool,
    ) -> Result<Vec<Candidate>, SearchError> {
        let default = if by_all {
            Candidate::NOT_MET
        } else {
            Candidate::of(0, 0)
        };
        let mut met = vec![default; places.count()];
        for postings in &self.postings {
            postings.decode(|list, bytes| {
                if !by_all && !list.is_word {
                    return Some(());
                }
                let place = |rank| places.place(rank);
                decode_some(bytes, list.is_cut, bounds, place, |place, posting| {
                    met[place].or(&list.candidate(&posting, count));
                })
            })?;
            for found in &postings.found {
                if let Some(place) = places.place(found.rank) {
                    met[place].or(found);
                }
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
    word: &WordPostings<'_>,
    bounds: Bounds,
    places: &Places,
    candidates: &mut [Candidate],
) -> Result<(), SearchError> {
    let mut lacks = vec![1; places.count()];
    word.decode(|list, bytes| {
        decode_ranks(bytes, list.is_cut, bounds, |_, rank| {
            if let Some(place) = places.place(rank) {
                lacks[place] = 0;
            }
        })
    })?;
    for (candidate, lacks) in candidates.iter_mut().zip(lacks) {
        candidate.lacks += lacks;
    }
    Ok(())
}
