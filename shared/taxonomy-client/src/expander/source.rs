//! The port for requests of terms.

use std::future::Future;

use taxonomy_keys::TermId;

/// The maximum number of ids of one request: the limit of `terms:batchGet` (docs/decisions/0005-http.md).
pub const BATCH: usize = 100;

/// A source of the names of a tenant's terms. It retries transient failures: an error ends the expansion.
pub trait Source: Sync {
    /// The failure that ends the expansion.
    type Error: Send;

    /// Returns the names of 1 to [`BATCH`] distinct ids, all of the same version.
    fn names(&self, ids: &[TermId]) -> impl Future<Output = Result<Answer, Self::Error>> + Send;

    /// Returns the tenant's current version.
    fn version(&self) -> impl Future<Output = Result<u64, Self::Error>> + Send;
}

/// The names of some terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The version of the names. `None` is allowed only if every id is unknown: the expander then requests the version.
    pub version: Option<u64>,
    /// One entry for each id, in the order of the request: the FinalName of the term, then those of its ancestors, nearest first. `None` if the
    /// id is unknown.
    pub terms: Vec<Option<Vec<String>>>,
}
