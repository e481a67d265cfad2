//! Why a question got no answer.

use taxonomy_store::StoreError;

/// A question got no answer.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The table did not answer, or what it holds cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The view is older than what others have seen already: take a new one and ask again. The head that it will show has been
    /// read, so this does not come twice for the same version.
    #[error("a newer version is there")]
    Moved,
}
