//! Why something of a version cannot be read.

use taxonomy_index::Damaged;
use taxonomy_store::StoreError;

/// Something of a version cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// The file cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A part of the file is damaged.
    #[error("the index file {file} is damaged")]
    Damaged {
        /// The key of its object.
        file: String,
        /// What is damaged.
        source: Damaged,
    },
    /// A part of a search object is damaged.
    #[error("the search object {object} is damaged")]
    DamagedSearch {
        /// The key of the object.
        object: String,
        /// The damage.
        source: taxonomy_search::Damage,
    },
    /// A part of the file has more content than a process can hold.
    #[error("a part of the index file {file} has {bytes} bytes")]
    TooLarge {
        /// The key of its object.
        file: String,
        /// The bytes of the part.
        bytes: u32,
    },
    /// Parts of the file contradict each other.
    #[error("the index file {file} contradicts itself: {what}")]
    Inconsistent {
        /// The key of its object.
        file: String,
        /// The contradiction.
        what: &'static str,
    },
}
