//! Errors of reads.

use taxonomy_store::StoreError;

/// A read failed.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The table did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process has seen a newer version than the view's: take a new view and repeat the query. Its head has been read already, so this
    /// error does not occur twice for the same version.
    #[error("a newer version is there")]
    Moved,
}

/// The table has an item that does not answer; the index file of the view's version does.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is newer than the view: the next version is being written.
    #[error("the item is newer than the version that is read")]
    Newer,
    /// It is damaged.
    #[error(transparent)]
    Damaged(#[from] StoreError),
}
