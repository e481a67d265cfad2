//! The number of requests, for those who pay for them.

use serde::Serialize;

/// The counts of a client since it was built. All its clones count together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Requests {
    /// Requests that were sent, retries included.
    pub sent: u64,
    /// Answers with 304: the cached answer was right.
    pub not_modified: u64,
    /// Requests that were sent because an attempt before had failed.
    pub retries: u64,
    /// Bytes of all bodies that were received.
    pub body_bytes: u64,
}
