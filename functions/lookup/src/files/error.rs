//! The error of reading a version.

use taxonomy_index::Damaged;
use taxonomy_keys::Culture;
use taxonomy_store::StoreError;

use crate::files::further::MAX_FURTHER;

/// The files of a version cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// The file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A later build wrote the file, in a format that this one does not read.
    #[error("the index file {file} has format {format}, which this build does not read")]
    Format {
        /// The key of its object.
        file: String,
        /// Its format.
        format: u32,
    },
    /// A part of the file is damaged.
    #[error("the index file {file} is damaged")]
    Damaged {
        /// The key of its object.
        file: String,
        /// The damage.
        source: Damaged,
    },
    /// A part of a search object is damaged.
    #[error("the search object {object} is damaged")]
    DamagedSearch {
        /// The key of the object.
        object: String,
        /// The damage.
        source: taxonomy_index::search::Damage,
    },
    /// The content of a part of the file is larger than a process can hold in memory.
    #[error("a part of the index file {file} has {bytes} bytes")]
    TooLarge {
        /// The key of its object.
        file: String,
        /// The bytes of the part.
        bytes: u32,
    },
    /// The names of a culture are more than a process can look for in a text.
    #[error("the search object {object} has no automaton: its names are too many")]
    TooManyNames {
        /// The key of the object.
        object: String,
        /// The culture.
        culture: Culture,
    },
    /// The page of a walk begins at an ordinal that is none of its branch.
    #[error("a page begins outside its branch")]
    OutsideBranch,
    /// More relations to further parents than a request follows.
    #[error(
        "more than {} relations to further parents lead to the terms below a term",
        MAX_FURTHER
    )]
    TooManyFurther,
    /// Parts of the file contradict each other.
    #[error("the index file {file} contradicts itself: {what}")]
    Inconsistent {
        /// The key of its object.
        file: String,
        /// The contradiction.
        what: &'static str,
    },
}
