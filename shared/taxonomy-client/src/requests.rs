//! The number of requests, for those who pay for them.

use std::sync::atomic::{AtomicU64, Ordering};

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

#[derive(Debug, Default)]
pub(crate) struct Counters {
    sent: AtomicU64,
    not_modified: AtomicU64,
    retries: AtomicU64,
    body_bytes: AtomicU64,
}

impl Counters {
    pub(crate) fn sent(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn not_modified(&self) {
        self.not_modified.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn received(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.body_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn snapshot(&self) -> Requests {
        Requests {
            sent: self.sent.load(Ordering::Relaxed),
            not_modified: self.not_modified.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            body_bytes: self.body_bytes.load(Ordering::Relaxed),
        }
    }
}
