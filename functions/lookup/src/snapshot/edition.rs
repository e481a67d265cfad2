//! The version of a response, with its tag.

use taxonomy_cache::View;
use taxonomy_keys::Version;

/// The version of a response, and its tag; none of a response that is of no version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edition {
    pub(crate) version: Option<Version>,
    pub(crate) tag: Option<String>,
}

impl Edition {
    /// The edition of a response of the served version.
    pub(crate) fn of(view: &View) -> Self {
        Self {
            version: Some(view.version()),
            tag: Some(view.tag()),
        }
    }
}
