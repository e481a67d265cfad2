//! The lookup tables of an index file.

use std::fmt;

/// The lookup tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdTable {
    /// Ids of categories, removed ones included, to ordinals.
    CategoryIds,
    /// Ids of terms, removed ones included, to ordinals.
    TermIds,
    /// [`path_key`](crate::path_key) to the ordinals of live categories and terms.
    Paths,
    /// [`notation_key`](crate::notation_key) to the ordinals of live categories and terms.
    Notations,
    /// [`relation_key`](crate::relation_key) to the ordinals of live categories and terms.
    Relations,
    /// Ordinals of terms to those of the terms that have them as a further parent: by a relation `broad`, or `narrow` the other way, without a scheme.
    Further,
    /// [`name_key`](crate::name_key) of the last names of removed categories and terms to their ordinals.
    RemovedNames,
    /// Commit times in epoch milliseconds to versions, up to the version before.
    Times,
}

impl IdTable {
    /// The tables in the order of the file: the ids last, since most reads begin with them.
    pub const ALL: [Self; 8] = [
        Self::Paths,
        Self::Notations,
        Self::Relations,
        Self::Further,
        Self::RemovedNames,
        Self::Times,
        Self::CategoryIds,
        Self::TermIds,
    ];
}

/// Its name in the footer.
impl fmt::Display for IdTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CategoryIds => "categoryIds",
            Self::TermIds => "termIds",
            Self::Paths => "paths",
            Self::Notations => "notations",
            Self::Relations => "relations",
            Self::Further => "further",
            Self::RemovedNames => "removedNames",
            Self::Times => "times",
        })
    }
}
