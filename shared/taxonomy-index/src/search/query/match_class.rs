//! The class of a match.

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
