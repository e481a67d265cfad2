//! Errors of reads.

use taxonomy_store::StoreError;

/// A read failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The table did not answer, or an item is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An item is newer than the view: the next version is being written. The index file of the view's version has the value.
    #[error("an item is newer than the version that is read")]
    Newer,
    /// Another process has seen a newer version than the view's: take a new view and repeat the query. Its head has been read already, so this
    /// error does not occur twice for the same version.
    #[error("a newer version is there")]
    Moved,
}
