//! Queries and their bounds.

pub(crate) mod evaluate;
pub(crate) mod highlight;
pub(crate) mod locate;
pub(crate) mod matching;
pub(crate) mod ranking;
pub(crate) mod typo;

use std::ops::Range;

use crate::search::fold::Text;
use crate::search::key::{END, NAME_LETTERS, cut};

/// The maximum number of characters of a query.
pub const MAX_CHARACTERS: usize = 200;
/// The maximum number of words of a query.
pub const MAX_WORDS: usize = 8;
/// The maximum number of hits of a search.
pub const MAX_LIMIT: usize = 50;

/// A query is outside the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The text is too long.
    #[error("the query has more than {MAX_CHARACTERS} characters, or {NAME_LETTERS} folded letters")]
    TooLong,
    /// The text has too many words.
    #[error("the query has more than {MAX_WORDS} words")]
    TooManyWords,
    /// The number of hits is out of range.
    #[error("the limit is not between 1 and {MAX_LIMIT}")]
    Limit,
}

/// The class of a match, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// The query is the name.
    Whole,
    /// The name begins with the query.
    Start,
    /// Every word of the query is the beginning of a word of the name.
    Word,
    /// The same, with typos.
    Typo,
}

/// A folded query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words; they are compared by their first letters only.
    pub(crate) words: Vec<Phrase>,
    /// The words with a space between them.
    pub(crate) name: Phrase,
    /// The words with nothing between them.
    pub(crate) notation: Phrase,
}

/// The folded letters that a key begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) folded: String,
    pub(crate) surface: String,
}

impl Query {
    /// Folds a text. A text without letters and digits is a query without hits.
    ///
    /// # Errors
    /// The text exceeds a bound.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.chars().nth(MAX_CHARACTERS).is_some() {
            return Err(QueryError::TooLong);
        }
        let text = Text::fold(text);
        if text.runs.len() > MAX_WORDS {
            return Err(QueryError::TooManyWords);
        }
        let runs: Vec<Phrase> = text
            .runs
            .iter()
            .map(|run| Phrase::new(&text, run.clone()))
            .collect();
        let name = Phrase::joined(&runs, " ");
        if name.letters() as usize > NAME_LETTERS {
            return Err(QueryError::TooLong);
        }
        let words = text.runs.iter().map(|run| Phrase::new(&text, cut(run.clone())));
        Ok(Self {
            words: words.collect(),
            notation: Phrase::joined(&runs, ""),
            name,
        })
    }
}

impl Phrase {
    fn new(text: &Text, range: Range<usize>) -> Self {
        Self {
            folded: text.folded(range.clone()).into_owned(),
            surface: text.surface(range).to_owned(),
        }
    }

    fn joined(words: &[Self], separator: &str) -> Self {
        let join = |part: fn(&Self) -> &str| words.iter().map(part).collect::<Vec<_>>().join(separator);
        Self {
            folded: join(|word| &word.folded),
            surface: join(|word| &word.surface),
        }
    }

    /// The same, as the whole of a key.
    pub(crate) fn whole(&self) -> Self {
        let end = |text: &str| format!("{text}{END}");
        Self {
            folded: end(&self.folded),
            surface: end(&self.surface),
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

    /// Returns the number of typos that a word may have: none in a short word, and none in a word with a digit, where another digit has another
    /// meaning.
    pub(crate) fn typos(&self) -> u8 {
        match self.letters() {
            _ if self.folded.chars().any(char::is_numeric) => 0,
            0..=4 => 0,
            5..=8 => 1,
            _ => 2,
        }
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

/// The number of hits to return, and the filter of their terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    pub(crate) limit: usize,
    /// The ordinals of the terms, of a category or a subtree; none for all terms.
    pub within: Option<Range<u32>>,
    /// The state of the terms.
    pub deprecated: Deprecated,
}

impl SearchOptions {
    /// Creates options for at most `limit` hits, of all terms.
    ///
    /// # Errors
    /// The limit is not between 1 and [`MAX_LIMIT`].
    pub fn new(limit: usize) -> Result<Self, QueryError> {
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(QueryError::Limit);
        }
        Ok(Self {
            limit,
            within: None,
            deprecated: Deprecated::default(),
        })
    }

    /// Returns whether a hit may be this term.
    pub(crate) fn admits(&self, ordinal: u32, is_deprecated: bool) -> bool {
        let in_state = match self.deprecated {
            Deprecated::Include => true,
            Deprecated::Exclude => !is_deprecated,
            Deprecated::Only => is_deprecated,
        };
        let within = self.within.as_ref();
        in_state && within.is_none_or(|within| within.contains(&ordinal))
    }
}
