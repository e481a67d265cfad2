//! The execution of a query.

use std::ops::Range;

use crate::search::damage::Damage;
use crate::search::entry::{Kind, of_partition};
use crate::search::key::{Space, key};
use crate::search::layout::Index;
use crate::search::names::name_at;
use crate::search::part::Parts;
use crate::search::part_id::PartId;
use crate::search::query::highlight;
use crate::search::query::locate::{Reader, Span};
use crate::search::query::match_class::Match;
use crate::search::query::matching::{Exact, List, WordLists, matching};
use crate::search::query::ranking::Choice;
use crate::search::query::typo;
use crate::search::query::{Phrase, Query, SearchOptions, Word};
use crate::search::search_error::SearchError;

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
        parts: &impl Parts,
    ) -> Result<SearchResult, SearchError> {
        if query.words.is_empty() {
            return Ok(SearchResult {
                hits: Vec::new(),
                truncated: false,
            });
        }
        let search = Search {
            reader: Reader { index: self, parts },
            query,
            options,
            choice: Choice::new(self, options),
            truncated: false,
        };
        search.run()
    }
}

struct Search<'a, P> {
    reader: Reader<'a, P>,
    query: &'a Query,
    options: &'a SearchOptions,
    choice: Choice<'a>,
    truncated: bool,
}

/// The keys with a prefix, and the condition under which their marks agree with the query.
struct Sought {
    prefix: Vec<u8>,
    exact: Exact,
}

impl Sought {
    fn conditions(phrase: &Phrase, folded: Space, surface: Space) -> Vec<Self> {
        let plain = Self {
            prefix: key(folded, &phrase.folded),
            exact: if phrase.is_plain {
                Exact::Plain(phrase.letters)
            } else {
                Exact::Never
            },
        };
        let marked = (!phrase.is_plain).then(|| Self {
            prefix: key(surface, &phrase.surface),
            exact: Exact::Always,
        });
        std::iter::once(plain).chain(marked).collect()
    }

    fn start(name: &Phrase, notation: &Phrase) -> Vec<Self> {
        let mut sought = Self::conditions(name, Space::Name, Space::NameSurface);
        sought.push(Self {
            prefix: key(Space::Notation, &notation.folded),
            exact: Exact::Always,
        });
        sought
    }

    fn word(word: &Word) -> Vec<Self> {
        Self::conditions(&word.phrase, Space::Word, Space::WordSurface)
    }
}

impl<P: Parts> Search<'_, P> {
    fn run(mut self) -> Result<SearchResult, SearchError> {
        let Query {
            words,
            name,
            notation,
        } = self.query;
        let whole = Sought::start(&name.whole(), &notation.whole());
        let start = Sought::start(name, notation);
        let words: Vec<Vec<Sought>> = words.iter().map(Sought::word).collect();
        let is_one = words.len() == 1;
        // Locates all keys at once, which takes one round of reads.
        let all = [&whole, &start].into_iter().chain(&words).flatten();
        let prefixes: Vec<Vec<u8>> = all.map(|sought| sought.prefix.clone()).collect();
        let spans = self.reader.locate(&prefixes, self.options.within.is_none())?;
        let mut spans = spans.into_iter();
        let mut with_spans = |sought: &[Sought]| -> Vec<(Vec<u8>, Exact, Span)> {
            let pairs = sought.iter().zip(spans.by_ref());
            pairs
                .map(|(sought, span)| (sought.prefix.clone(), sought.exact, span))
                .collect()
        };
        let (whole, start) = (with_spans(&whole), with_spans(&start));
        let words: Vec<_> = words.iter().map(|word| with_spans(word)).collect();

        for (matched, located) in [(Match::Whole, &whole), (Match::Start, &start)] {
            if !self.choice.is_full() {
                let lists = self.lists(located, true, MAX_RAREST_BYTES)?;
                self.take(&[lists], matched)?;
            }
        }
        if !self.choice.is_full() {
            let lists = self.lists_of_words(&words, is_one)?;
            self.take(&lists, Match::Word)?;
        }
        if !self.choice.is_full() {
            self.forgive(&words)?;
        }
        self.answer()
    }

    fn take(&mut self, words: &[WordLists], matched: Match) -> Result<(), SearchError> {
        let candidates = matching(&self.reader, words)?;
        self.choice.take(&candidates, matched);
        Ok(())
    }

    /// Returns the postings of each word, the rarest word first: it is read first, with the smaller bound.
    fn lists_of_words(
        &mut self,
        words: &[Vec<(Vec<u8>, Exact, Span)>],
        is_one: bool,
    ) -> Result<Vec<WordLists>, SearchError> {
        let length =
            |word: &Vec<(Vec<u8>, Exact, Span)>| word.iter().map(|(_, _, span)| span.length()).sum::<u64>();
        let mut words: Vec<_> = words.iter().collect();
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
        located: &[(Vec<u8>, Exact, Span)],
        is_one: bool,
        most: u64,
    ) -> Result<WordLists, SearchError> {
        let mut lists = Vec::new();
        for (prefix, exact, span) in located {
            let list = |range: Range<u64>, is_cut| List {
                range,
                is_cut,
                exact: *exact,
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
        lists.retain(|list| list.range.start < list.range.end);
        Ok(WordLists(lists))
    }

    /// Adds names with typos, if a word is long enough for one.
    fn forgive(&mut self, located: &[Vec<(Vec<u8>, Exact, Span)>]) -> Result<(), SearchError> {
        let words = &self.query.words;
        if words.iter().all(|word| word.typos == 0) {
            return Ok(());
        }
        let near: Vec<typo::Near> = words
            .iter()
            .map(|word| typo::blocks(&self.reader, word, typo::MAX_BLOCKS / words.len()))
            .collect();
        let forgiving = || words.iter().zip(&near).filter(|(word, _)| word.typos > 0);
        let ids: Vec<PartId> = forgiving().flat_map(|(_, near)| near.ids.clone()).collect();
        self.reader.require(&ids)?;
        let share = MAX_OTHER_BYTES / words.len() as u64;
        let mut lists = Vec::with_capacity(words.len());
        for ((word, near), located) in words.iter().zip(&near).zip(located) {
            if word.typos == 0 {
                lists.push(self.lists(located, false, share)?);
                continue;
            }
            let (found, is_cut) = typo::lists(&self.reader, word, near, share)?;
            self.truncated |= is_cut || near.is_cut;
            lists.push(found);
        }
        self.take(&lists, Match::Typo)
    }

    fn answer(self) -> Result<SearchResult, SearchError> {
        let pages = &self.reader.index.names;
        let page_of = |rank: u32| {
            pages
                .partition_point(|(first, _)| *first <= rank)
                .saturating_sub(1)
        };
        let ids = self
            .choice
            .names
            .iter()
            .filter_map(|chosen| pages.get(page_of(chosen.rank)));
        let ids: Vec<PartId> = ids.map(|(_, id)| *id).collect();
        let parts = self.reader.require(&ids)?;
        let mut hits = Vec::with_capacity(parts.len());
        for ((chosen, part), id) in self.choice.names.iter().zip(&parts).zip(&ids) {
            let (first, _) = pages[page_of(chosen.rank)];
            let found = name_at(part.payload(), chosen.rank - first);
            let found = found.filter(|found| found.ordinal == chosen.ordinal);
            let found = found.ok_or(Damage::new(id.place(), "lacks a name"))?;
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
