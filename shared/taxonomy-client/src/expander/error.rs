//! Errors of an expansion.

/// An error that ends an expansion.
#[derive(Debug, thiserror::Error)]
pub enum Error<E> {
    /// The source failed.
    #[error("{0}")]
    Source(E),
    /// The source broke its contract: an answer has one entry for each id.
    #[error("the source returned {answered} results for {asked} ids")]
    Incomplete {
        /// The number of ids.
        asked: usize,
        /// The number of results.
        answered: usize,
    },
    /// The source broke its contract: an answer with names has a version.
    #[error("the source returned names without their version")]
    Unversioned,
    /// Responses stayed older than an earlier one, or kept changing, up to the last retry.
    #[error("answers stay at version {answered}, although version {seen} was served before")]
    Lagging {
        /// The newest version seen.
        seen: u64,
        /// The version of the last answer.
        answered: u64,
    },
    /// The names of one metric take more than [`ExpanderSettings::metric_bytes`](super::ExpanderSettings::metric_bytes).
    #[error("the names of one metric take more than {limit} bytes")]
    TooManyNames {
        /// The bytes that they may take.
        limit: usize,
    },
    /// New versions came faster than the names of one metric.
    #[error("the version changed too often while the names of one metric were asked for")]
    Unsettled,
}
