//! The root of a search object.

use bytes::Bytes;
use taxonomy_index::search::Index;

/// The root of a search object, and the whole object if it fits into the first read.
#[derive(Debug)]
pub(crate) struct SearchRoot {
    pub(crate) index: Index,
    /// The whole object, or empty.
    pub(crate) whole: Bytes,
}

impl SearchRoot {
    pub(crate) fn bytes(&self) -> usize {
        self.index.size_in_memory() + self.whole.len()
    }
}
