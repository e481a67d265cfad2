//! Queries and their bounds.

pub(crate) mod evaluate;
pub(crate) mod forgive;
pub(crate) mod highlight;
pub(crate) mod inside;
pub(crate) mod locate;
pub(crate) mod matching;
pub(crate) mod plan;
pub(crate) mod ranking;
pub(crate) mod sought;
pub(crate) mod typo;

use std::ops::Range;

use crate::ordinal_set::OrdinalSet;
use crate::search::entry::Node;
use crate::search::fold::{Text, literal};
use crate::search::hot::HOT_NODES;

/// The maximum number of characters of a query.
pub const MAX_CHARACTERS: usize = 500;
/// The maximum number of hits of a search.
pub const MAX_LIMIT: usize = 50;
/// The maximum number of hits before those that a search returns.
pub const MAX_SKIPPED: usize = 1000;

/// A query is outside the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The text is too long.
    #[error("the query has more than {MAX_CHARACTERS} characters")]
    TooLong,
    /// The number of hits is out of range.
    #[error("the limit is not between 1 and {MAX_LIMIT}")]
    Limit,
}

/// The class of a match, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// The query is the name, with its marks and signs.
    Whole,
    /// The letters of the query are those of the name.
    Folded,
    /// The name begins with the query.
    Start,
    /// Every word of the query is the beginning of a word of the name, a joined word, or another form of one.
    Word,
    /// The same, where a word of the query may be inside a word of the name, or two words of it written as one.
    Inside,
    /// The beginnings of words, with typos.
    Typo,
}

/// A folded query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub(crate) text: Text,
    pub(crate) literal: String,
    /// The text as it was typed, without spaces around it.
    pub(crate) typed: String,
}

/// The folded letters that a key begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) folded: String,
    pub(crate) surface: String,
}

impl Query {
    /// Folds a text. A text without letters, digits and signs that distinguish is a query without hits.
    ///
    /// # Errors
    /// The text has more than [`MAX_CHARACTERS`].
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.chars().nth(MAX_CHARACTERS).is_some() {
            return Err(QueryError::TooLong);
        }
        Ok(Self {
            text: Text::fold(text),
            literal: literal(text),
            typed: text.trim().to_owned(),
        })
    }
}

impl Phrase {
    pub(crate) fn new(text: &Text, range: Range<usize>) -> Self {
        Self {
            folded: text.folded(range.clone()).into_owned(),
            surface: text.surface(range).to_owned(),
        }
    }

    /// Returns the number of its letters.
    pub(crate) fn letters(&self) -> u32 {
        u32::try_from(self.folded.chars().count()).unwrap_or(u32::MAX)
    }

    /// Returns whether all its letters are plain.
    pub(crate) fn is_plain(&self) -> bool {
        self.folded == self.surface
    }
}

/// The filter of terms by their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deprecated {
    /// Live and deprecated terms.
    #[default]
    Include,
    /// Live terms only.
    Exclude,
    /// Deprecated terms only.
    Only,
}

/// The nodes that may be hits; all by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// The ordinals of the nodes, of a category or of subtrees, ascending and apart; none for all nodes.
    pub within: Option<Vec<Range<u32>>>,
    /// The nodes that are left out.
    pub without: Option<OrdinalSet>,
    /// Categories or terms; none for both.
    pub node: Option<Node>,
    /// The maximum depth: 0 for categories alone.
    pub depth: Option<u8>,
    /// The state of the nodes.
    pub deprecated: Deprecated,
}

impl Filter {
    /// Returns whether a node may be a hit, its depth aside.
    pub fn admits(&self, ordinal: u32, is_deprecated: bool, node: Node) -> bool {
        let in_state = match self.deprecated {
            Deprecated::Include => true,
            Deprecated::Exclude => !is_deprecated,
            Deprecated::Only => is_deprecated,
        };
        let contains = |within: &Vec<Range<u32>>| {
            let before = within.partition_point(|range| range.end <= ordinal);
            within.get(before).is_some_and(|range| range.start <= ordinal)
        };
        let leaves_out = |without: &OrdinalSet| without.contains(ordinal);
        in_state
            && self.node.is_none_or(|wanted| wanted == node)
            && self.within.as_ref().is_none_or(contains)
            && !self.without.as_ref().is_some_and(leaves_out)
    }
}

/// The hits to return.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    limit: usize,
    /// The number of hits before those that are returned, at most [`MAX_SKIPPED`]; beyond it there are none.
    pub skip: usize,
    /// Whether all nodes are counted, also where a short list has enough hits.
    pub counts_all: bool,
    /// The nodes that may be hits.
    pub filter: Filter,
}

impl SearchOptions {
    /// Creates options for at most `limit` hits, the first of all nodes.
    ///
    /// # Errors
    /// The limit is not between 1 and [`MAX_LIMIT`].
    pub fn new(limit: usize) -> Result<Self, QueryError> {
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(QueryError::Limit);
        }
        Ok(Self {
            limit,
            skip: 0,
            counts_all: false,
            filter: Filter::default(),
        })
    }

    /// Returns the number of hits that a search finds: those before, those that are returned, and one more, which says whether more follow.
    pub(crate) fn wanted(&self) -> usize {
        self.skip.min(MAX_SKIPPED) + self.limit + 1
    }

    /// Returns whether short lists answer: they have the first nodes of each partition by depth, so a subset is not in them.
    pub(crate) fn is_short(&self) -> bool {
        let has_enough = self.wanted() <= HOT_NODES && !self.counts_all;
        has_enough && self.filter.within.is_none() && self.filter.without.is_none()
    }

    /// Returns the part of all hits that is returned, and whether more follow.
    pub fn page<T>(&self, hits: Vec<T>) -> (Vec<T>, bool) {
        let skip = self.skip.min(MAX_SKIPPED);
        let has_next = hits.len() > skip + self.limit && skip + self.limit <= MAX_SKIPPED;
        (hits.into_iter().skip(skip).take(self.limit).collect(), has_next)
    }
}
