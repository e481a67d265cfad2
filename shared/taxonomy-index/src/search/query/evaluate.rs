//! The execution of a query.

use std::collections::HashMap;
use std::ops::Range;

use crate::search::damage::{Damage, SearchError};
use crate::search::entry::{Kind, of_partition};
use crate::search::key::{Space, key};
use crate::search::layout::Index;
use crate::search::names::name_at;
use crate::search::part::{PartId, SearchPart};
use crate::search::query::locate::{IndexReader, Span};
use crate::search::query::matching::{PostingRange, matching};
use crate::search::query::ranking::Choice;
use crate::search::query::{Match, Phrase, Query, SearchOptions, highlight, typo};

/// The maximum number of bytes of postings that are read for the rarest word of a query, or for its only one.
const MAX_RAREST_BYTES: u64 = 512 << 10;
/// The maximum number of bytes of postings that are read for all other words together.
const MAX_OTHER_BYTES: u64 = 2 << 20;
/// The maximum number of times that a search stops for missing parts, if the caller keeps those that it read.
pub const MAX_ROUNDS: usize = 8;

/// A term with its best name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The position of the term in the version.
    pub ordinal: u32,
    /// The id of the term.
    pub id: u64,
    /// The matching name, in its displayed form.
    pub name: String,
    /// The kind of the name.
    pub kind: Kind,
    /// Whether the term is deprecated.
    pub deprecated: bool,
    /// The class of the match.
    pub matched: Match,
    /// The positions of the query in the name, in UTF-16 code units.
    pub ranges: Vec<Range<u32>>,
}

/// The best hits of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The hits, the best first.
    pub hits: Vec<Hit>,
    /// Whether the query has more postings than a search reads, so that a better hit may be missing.
    pub truncated: bool,
}

impl Index {
    /// Searches with the parts that are in memory.
    ///
    /// # Errors
    /// Parts are missing, or one is damaged.
    pub fn search(
        &self,
        query: &Query,
        options: &SearchOptions,
        parts: &HashMap<PartId, SearchPart>,
    ) -> Result<SearchResult, SearchError> {
        if query.words.is_empty() {
            return Ok(SearchResult {
                hits: Vec::new(),
                truncated: false,
            });
        }
        let search = Search {
            reader: IndexReader { index: self, parts },
            query,
            options,
            choice: Choice::new(self, options),
            truncated: false,
        };
        search.run()
    }
}

struct Search<'a> {
    reader: IndexReader<'a>,
    query: &'a Query,
    options: &'a SearchOptions,
    choice: Choice<'a>,
    truncated: bool,
}

/// The keys with a prefix, and the positions of their postings.
struct Sought {
    prefix: Vec<u8>,
    /// As [`PostingRange::exact_from`].
    exact_from: Option<u32>,
    span: Span,
}

impl Sought {
    /// The position is not known yet.
    fn new(space: Space, text: &str, exact_from: Option<u32>) -> Self {
        Self {
            prefix: key(space, text),
            exact_from,
            span: Span::default(),
        }
    }

    fn phrase(phrase: &Phrase, folded: Space, surface: Space) -> Vec<Self> {
        if phrase.is_plain() {
            return vec![Self::new(folded, &phrase.folded, Some(phrase.letters()))];
        }
        vec![
            Self::new(folded, &phrase.folded, None),
            Self::new(surface, &phrase.surface, Some(0)),
        ]
    }

    fn start(name: &Phrase, notation: &Phrase) -> Vec<Self> {
        let mut sought = Self::phrase(name, Space::Name, Space::NameSurface);
        sought.push(Self::new(Space::Notation, &notation.folded, Some(0)));
        sought
    }

    fn word(word: &Phrase) -> Vec<Self> {
        Self::phrase(word, Space::Word, Space::WordSurface)
    }
}

impl Search<'_> {
    fn run(mut self) -> Result<SearchResult, SearchError> {
        let Query {
            words,
            name,
            notation,
        } = self.query;
        let mut whole = Sought::start(&name.whole(), &notation.whole());
        let mut start = Sought::start(name, notation);
        let mut words: Vec<Vec<Sought>> = words.iter().map(Sought::word).collect();
        let all = whole.iter_mut().chain(&mut start);
        self.locate(all.chain(words.iter_mut().flatten()).collect())?;
        for (matched, sought) in [(Match::Whole, &whole), (Match::Start, &start)] {
            if !self.choice.is_full() {
                let lists = self.lists(sought, true, MAX_RAREST_BYTES)?;
                self.take(&[lists], matched)?;
            }
        }
        if !self.choice.is_full() {
            let lists = self.lists_of_words(&words)?;
            self.take(&lists, Match::Word)?;
        }
        if !self.choice.is_full() {
            self.forgive(&words)?;
        }
        self.answer()
    }

    /// Locates all keys at once, which takes one round of reads.
    fn locate(&self, all: Vec<&mut Sought>) -> Result<(), SearchError> {
        let with_hot = self.options.within.is_none();
        let blocks = all
            .iter()
            .flat_map(|sought| self.reader.blocks(&sought.prefix, with_hot));
        self.reader.require(&blocks.collect::<Vec<PartId>>())?;
        for sought in all {
            sought.span = self.reader.span(&sought.prefix)?;
        }
        Ok(())
    }

    fn take(&mut self, words: &[Vec<PostingRange>], matched: Match) -> Result<(), SearchError> {
        let candidates = matching(&self.reader, words)?;
        self.choice.take(&candidates, matched);
        Ok(())
    }

    /// Returns the postings of each word, the rarest word first: it is read first, with the smaller bound.
    fn lists_of_words(&mut self, words: &[Vec<Sought>]) -> Result<Vec<Vec<PostingRange>>, SearchError> {
        let length = |word: &[Sought]| word.iter().map(|sought| sought.span.length()).sum::<u64>();
        let is_one = words.len() == 1;
        let mut words: Vec<&Vec<Sought>> = words.iter().collect();
        words.sort_by_key(|word| length(word));
        let mut lists = Vec::with_capacity(words.len());
        let mut left = MAX_OTHER_BYTES;
        for (number, word) in words.into_iter().enumerate() {
            let most = if number == 0 { MAX_RAREST_BYTES } else { left };
            lists.push(self.lists(word, is_one, most)?);
            if number > 0 {
                left = left.saturating_sub(length(word));
            }
        }
        Ok(lists)
    }

    /// Returns the lists to read for keys: the short list if it suffices, otherwise all postings up to a bound.
    fn lists(
        &mut self,
        sought: &[Sought],
        is_one: bool,
        most: u64,
    ) -> Result<Vec<PostingRange>, SearchError> {
        let mut lists = Vec::new();
        for Sought {
            prefix,
            exact_from,
            span,
        } in sought
        {
            let list = |range: Range<u64>, is_cut| PostingRange {
                range,
                is_cut,
                exact_from: *exact_from,
                edits: 0,
            };
            let is_enough = is_one && self.options.within.is_none();
            if span.is_hot() && is_enough {
                lists.push(list(self.reader.hot(prefix)?, false));
            } else if span.length() <= most {
                lists.push(list(span.bytes(), false));
            } else {
                self.truncated = true;
                lists.push(list(span.start.bytes..span.start.bytes + most, true));
                // Only frequent prefixes have lists beyond every bound.
                lists.push(list(self.reader.hot(prefix)?, false));
            }
        }
        lists.retain(|list| !list.range.is_empty());
        Ok(lists)
    }

    /// Adds names with typos, if a word is long enough for one.
    fn forgive(&mut self, sought: &[Vec<Sought>]) -> Result<(), SearchError> {
        let words = &self.query.words;
        let most = typo::MAX_BLOCKS / words.len();
        let blocks = |word: &Phrase| (word.typos() > 0).then(|| typo::blocks(&self.reader, word, most));
        let near: Vec<Option<typo::Near>> = words.iter().map(blocks).collect();
        if near.iter().all(Option::is_none) {
            return Ok(());
        }
        let ids = near.iter().flatten().flat_map(|near| near.ids.clone());
        self.reader.require(&ids.collect::<Vec<PartId>>())?;
        let share = MAX_OTHER_BYTES / words.len() as u64;
        let mut lists = Vec::with_capacity(words.len());
        for ((word, near), sought) in words.iter().zip(&near).zip(sought) {
            let Some(near) = near else {
                lists.push(self.lists(sought, false, share)?);
                continue;
            };
            let (found, is_cut) = typo::lists(&self.reader, word, near, share)?;
            self.truncated |= is_cut || near.is_cut;
            lists.push(found);
        }
        self.take(&lists, Match::Typo)
    }

    fn answer(self) -> Result<SearchResult, SearchError> {
        let pages = &self.reader.index.names;
        let page_of = |rank: u32| {
            let behind = pages.partition_point(|(first, _)| *first <= rank);
            pages.get(behind.saturating_sub(1)).copied()
        };
        let chosen = &self.choice.names;
        let pages: Vec<(u32, PartId)> = chosen.iter().filter_map(|name| page_of(name.rank)).collect();
        let ids: Vec<PartId> = pages.iter().map(|(_, id)| *id).collect();
        self.reader.require(&ids)?;
        let mut hits = Vec::with_capacity(pages.len());
        for (chosen, (first, id)) in chosen.iter().zip(pages) {
            let found = name_at(self.reader.payload(id)?, chosen.rank - first);
            let found = found.filter(|found| found.ordinal == chosen.ordinal);
            let found = found.ok_or(Damage::in_part(id, "lacks a name"))?;
            let (kind, deprecated) = of_partition(self.reader.index.partition(chosen.rank));
            hits.push(Hit {
                ordinal: found.ordinal,
                id: found.id,
                name: found.name.to_owned(),
                kind,
                deprecated,
                matched: chosen.matched,
                ranges: highlight::ranges(found.name, kind, chosen.matched, self.query),
            });
        }
        Ok(SearchResult {
            hits,
            truncated: self.truncated,
        })
    }
}
