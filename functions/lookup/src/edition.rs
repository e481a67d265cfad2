//! The version of a response, with its tag.

use taxonomy_cache::View;
use taxonomy_keys::Version;

/// The version of a response, and its tag if the response is exact for that version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edition {
    pub(crate) version: Option<Version>,
    pub(crate) tag: Option<String>,
}

impl Edition {
    /// The edition of a response from the head alone.
    pub(crate) fn of_head(view: &View) -> Self {
        Self {
            version: Some(view.version()),
            tag: Some(view.head_tag()),
        }
    }

    /// The edition of a response that was read through a view of the served version.
    pub(crate) fn of(view: &View) -> Self {
        Self {
            version: Some(view.version()),
            tag: view.tag(),
        }
    }
}
