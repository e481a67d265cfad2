//! The commit of a version.

use taxonomy_keys::Version;

/// A moment at which a version was committed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) version: Version,
    pub(super) committed_at_ms: u64,
}
