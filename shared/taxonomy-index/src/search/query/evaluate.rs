//! The execution of a query.

use std::collections::HashMap;
use std::ops::Range;

use crate::ordinal_set::OrdinalSet;
use crate::search::damage::{Damage, SearchError};
use crate::search::entry::{Kind, Node, Partition};
use crate::search::fold::{Text, literal};
use crate::search::key::Space;
use crate::search::layout::Index;
use crate::search::letters;
use crate::search::names::StoredName;
use crate::search::part::{PartId, SearchPart};
use crate::search::query::locate::IndexReader;
use crate::search::query::matching::{Candidate, Lists, PostingRange, WordLists, Words, matching, pages};
use crate::search::query::plan::Plan;
use crate::search::query::ranking::{Choice, Found};
use crate::search::query::sought::{Sought, Wants};
use crate::search::query::{Match, Query, SearchOptions, highlight};

/// The maximum number of bytes of postings that are read for the rarest word of a query, or for its only one.
const MAX_RAREST_BYTES: u64 = 512 << 10;
/// The maximum number of bytes of postings that are read for all other words together.
pub(crate) const MAX_OTHER_BYTES: u64 = 2 << 20;
/// The maximum number of bytes of postings of a word that ranks: a more frequent one tells little.
const MAX_RANKING_BYTES: u64 = 64 << 10;
/// The maximum number of names with the letters of a query that are compared with it.
const MAX_COMPARED: usize = 512;
/// Words inside words and typos are tried where the better classes have fewer terms.
pub(crate) const FEW: usize = 10;
/// The maximum number of times that a search stops for missing parts, if the caller keeps those that it read.
pub const MAX_ROUNDS: usize = 8;

/// A category or a term with its best name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The position of the node in the version.
    pub ordinal: u32,
    /// Whether it is a category or a term.
    pub node: Node,
    /// The id of the node.
    pub id: u64,
    /// The matching name, in its displayed form.
    pub name: String,
    /// The kind of the name.
    pub kind: Kind,
    /// Whether the node is deprecated.
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
    /// The number of nodes that were found.
    pub total: usize,
    /// Whether more nodes have the words, which were not counted.
    pub has_more: bool,
    /// Whether the query has more postings than a search reads, so that a better hit may be missing.
    pub truncated: bool,
}

/// The names that a query finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// The best name of each node, the best first: those before the page, the page, and one more ([`SearchOptions::page`]).
    pub names: Vec<Found>,
    /// All nodes that were found.
    pub nodes: OrdinalSet,
    /// Whether more nodes have the words, which were not counted.
    pub has_more: bool,
    /// Whether the query has more postings than a search reads, so that a better hit may be missing.
    pub truncated: bool,
}

impl Findings {
    /// Returns the nodes that were found without typos. These are tried where few others are found, and come last.
    pub fn without_typos(&self) -> OrdinalSet {
        let exact = self.names.iter().filter(|name| name.class < Match::Typo);
        match exact.clone().count() < FEW {
            true => exact.map(|name| name.ordinal).collect(),
            false => self.nodes.clone(),
        }
    }
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
        let found = self.find(query, options, parts)?;
        let (names, _) = options.page(found.names);
        Ok(SearchResult {
            hits: self.hits(query, &names, parts)?,
            total: found.nodes.count(),
            has_more: found.has_more,
            truncated: found.truncated,
        })
    }

    /// Finds names with the parts that are in memory.
    ///
    /// # Errors
    /// Parts are missing, or one is damaged.
    pub fn find(
        &self,
        query: &Query,
        options: &SearchOptions,
        parts: &HashMap<PartId, SearchPart>,
    ) -> Result<Findings, SearchError> {
        let plan = Plan::new(&query.text, self.language);
        if plan.words.is_empty() {
            return Ok(Findings::default());
        }
        let search = Search {
            reader: IndexReader { index: self, parts },
            query,
            plan: &plan,
            options,
            choice: Choice::new(self, options),
            has_more: false,
            truncated: false,
        };
        search.run()
    }

    /// Completes names that were found.
    ///
    /// # Errors
    /// Parts are missing, or one is damaged.
    pub fn hits(
        &self,
        query: &Query,
        found: &[Found],
        parts: &HashMap<PartId, SearchPart>,
    ) -> Result<Vec<Hit>, SearchError> {
        let reader = IndexReader { index: self, parts };
        let plan = Plan::new(&query.text, self.language);
        let names = reader.names(found.iter().map(|found| found.rank))?;
        let hit = |(found, (name, id)): (&Found, (StoredName<'_>, PartId))| {
            if name.ordinal != found.ordinal {
                return Err(Damage::in_part(id, "lacks a name").into());
            }
            let Partition {
                kind,
                deprecated,
                node,
            } = self.partition(found.rank);
            Ok(Hit {
                ordinal: name.ordinal,
                node,
                id: name.id,
                name: name.name.to_owned(),
                kind,
                deprecated,
                matched: found.class,
                ranges: highlight::ranges(name.name, kind, found.class, &plan, self.language),
            })
        };
        found.iter().zip(names).map(hit).collect()
    }
}

pub(crate) struct Search<'a> {
    pub(crate) reader: IndexReader<'a>,
    query: &'a Query,
    pub(crate) plan: &'a Plan,
    options: &'a SearchOptions,
    pub(crate) choice: Choice<'a>,
    has_more: bool,
    pub(crate) truncated: bool,
}

impl Search<'_> {
    fn run(mut self) -> Result<Findings, SearchError> {
        let mut wants = Wants::new(self.plan);
        let names = self.locate(&mut wants)?;
        let start = [self.lists(&wants.start, Form::Short, MAX_RAREST_BYTES)?.into()];
        let others = self.lists_of_others(&wants.others)?;
        let words = self.lists_of_words(&wants.words, others.is_empty())?;
        let start = Lists {
            words: &start,
            others: &[],
            count: None,
        };
        let lists = Lists {
            words: &words,
            others: &others,
            count: self.plan.count,
        };
        let mut ids = pages(&self.reader, &start);
        ids.extend(pages(&self.reader, &lists));
        ids.extend(
            names
                .iter()
                .filter_map(|rank| self.reader.page_of(*rank))
                .map(|(_, id)| id),
        );
        self.reader.require(&ids)?;
        self.take_named(&names)?;
        self.take(&start, Match::Start)?;
        // Of several words the postings are decoded once for all classes.
        let (mut own, mut known) = (Words::default(), OrdinalSet::default());
        if let [_] = words.as_slice() {
            self.take(&lists, Match::Word)?;
        } else {
            own = Words::read(&self.reader, &words)?;
            known = own.common();
            let candidates = own.candidates(&self.reader, known.clone(), &lists)?;
            self.choice.take(&candidates, Match::Word);
        }
        if self.choice.count < FEW {
            self.forgive(&own, known, &others)?;
        }
        Ok(Findings {
            names: self.choice.names,
            nodes: self.choice.nodes,
            has_more: self.has_more || self.truncated,
            truncated: self.truncated,
        })
    }

    /// Locates all keys at once, which takes one round of reads. Returns the ranks of the names that may have the letters of the query.
    fn locate(&mut self, wants: &mut Wants) -> Result<Vec<u32>, SearchError> {
        let reader = &self.reader;
        let block = |space| {
            let prefixes = wants.all().filter_map(|sought| sought.prefix.as_ref());
            prefixes.filter_map(move |prefix| reader.block_beside(space, prefix))
        };
        let bucket = self.reader.bucket(self.plan.hash);
        let mut ids: Vec<PartId> = block(Space::Hot).chain(bucket).collect();
        if wants.words.len() > 1 {
            ids.extend(block(Space::Map));
        }
        let keys = wants
            .all()
            .flat_map(|sought| [sought.start.as_slice(), &sought.end]);
        ids.extend(keys.filter_map(|key| self.reader.id_of(key)));
        self.reader.require(&ids)?;
        let spans = self.reader.spans(&wants.all().collect::<Vec<_>>())?;
        for (sought, span) in wants.all_mut().zip(spans) {
            sought.span = span;
        }
        let Some(id) = bucket else { return Ok(Vec::new()) };
        let ranks = letters::ranks(self.reader.payload(id)?, self.plan.hash);
        let mut ranks = ranks.ok_or_else(|| Damage::in_part(id, "does not parse"))?;
        self.truncated |= ranks.len() > MAX_COMPARED;
        ranks.truncate(MAX_COMPARED);
        Ok(ranks)
    }

    /// Adds the names that have the letters of the query, those that are the query first.
    fn take_named(&mut self, ranks: &[u32]) -> Result<(), SearchError> {
        let names = self.reader.names(ranks.iter().copied())?;
        let (mut identical, mut whole, mut folded) = (Vec::new(), Vec::new(), Vec::new());
        for (rank, (name, _)) in ranks.iter().zip(names) {
            let candidate = Candidate::of(*rank, name.ordinal);
            if name.name.trim() == self.query.typed {
                identical.push(candidate);
            } else if literal(name.name) == self.query.literal {
                whole.push(candidate);
            } else if Text::fold(name.name).all_letters(self.reader.index.language) == self.plan.letters {
                folded.push(candidate);
            }
        }
        self.choice.take(&identical, Match::Whole);
        self.choice.take(&whole, Match::Whole);
        self.choice.take(&folded, Match::Folded);
        Ok(())
    }

    pub(crate) fn take(&mut self, lists: &Lists<'_>, class: Match) -> Result<(), SearchError> {
        let candidates = matching(&self.reader, lists)?;
        self.choice.take(&candidates, class);
        Ok(())
    }

    /// Returns the postings of each word. The rarest one has a bound of its own, the others share one, the rarer ones first.
    fn lists_of_words(
        &mut self,
        words: &[Vec<Sought>],
        is_without_others: bool,
    ) -> Result<Vec<WordLists>, SearchError> {
        // With a word that ranks beside it the first names of a short list are not the best.
        let is_one = words.len() == 1 && is_without_others;
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|word| length(&words[*word]));
        let mut lists = vec![WordLists::default(); words.len()];
        let mut left = MAX_OTHER_BYTES;
        for (number, word) in order.into_iter().enumerate() {
            let (form, most) = match number {
                0 if is_one => (Form::Short, MAX_RAREST_BYTES),
                0 => (Form::Whole, MAX_RAREST_BYTES),
                _ => (Form::Map, left),
            };
            lists[word] = self.lists(&words[word], form, most)?.into();
            if number > 0 {
                left = left.saturating_sub(length(&words[word]));
            }
        }
        Ok(lists)
    }

    /// Returns the postings of the words that rank.
    fn lists_of_others(&mut self, words: &[Vec<Sought>]) -> Result<Vec<WordLists>, SearchError> {
        let words = words.iter().filter(|word| length(word) <= MAX_RANKING_BYTES);
        words
            .map(|word| Ok(self.lists(word, Form::Whole, MAX_RANKING_BYTES)?.into()))
            .collect()
    }

    /// Returns the lists to read for keys: a short form if there is one that does, otherwise all postings up to a bound.
    pub(crate) fn lists(
        &mut self,
        sought: &[Sought],
        form: Form,
        most: u64,
    ) -> Result<Vec<PostingRange>, SearchError> {
        let mut lists = Vec::new();
        for sought in sought {
            let span = sought.span;
            let list = |range: Range<u64>, is_cut| PostingRange {
                range,
                is_cut,
                is_map: false,
                exact_from: sought.exact_from,
                edits: 0,
                is_word: sought.is_word,
            };
            let is_enough = form == Form::Short && self.options.is_short();
            // Words alone have maps, and their bits are of names with plain letters.
            let is_word = sought.start.first() == Some(&(Space::Word as u8));
            let is_mapped = form == Form::Map && is_word && span.is_mapped() && sought.exact_from.is_some();
            let hot = sought.prefix.as_ref().filter(|_| span.is_hot());
            match hot {
                Some(prefix) if is_enough => {
                    self.has_more = true;
                    lists.push(list(self.reader.beside(Space::Hot, prefix)?, false));
                }
                Some(prefix) if is_mapped => lists.push(PostingRange {
                    is_map: true,
                    ..list(self.reader.beside(Space::Map, prefix)?, false)
                }),
                _ if span.length() <= most => lists.push(list(span.bytes(), false)),
                _ => {
                    self.truncated = true;
                    lists.push(list(span.start.bytes..span.start.bytes + most, true));
                    if let Some(prefix) = hot {
                        lists.push(list(self.reader.beside(Space::Hot, prefix)?, false));
                    }
                }
            }
        }
        lists.retain(|list| !list.range.is_empty());
        Ok(lists)
    }
}

/// The form in which the postings of a word are read, where it is frequent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The short list: of the only word of a query.
    Short,
    /// The map: of a word beside a rarer one.
    Map,
    /// All postings.
    Whole,
}

fn length(word: &[Sought]) -> u64 {
    word.iter().map(|sought| sought.span.length()).sum()
}
