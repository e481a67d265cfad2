//! The version of a response, with what tells it from other responses under the same URL.

use taxonomy_keys::{Culture, Version};

use crate::request::language::Vary;
use crate::response::etag::Tags;

/// The version of a response and its tag, and the language that `Accept-Language` chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VersionTag {
    pub(crate) version: Version,
    pub(crate) tag: String,
    pub(crate) vary: Vary,
    pub(crate) chosen: Option<Culture>,
}

impl VersionTag {
    /// Returns the entity tags of the response.
    pub(crate) fn entity_tags(&self) -> Tags {
        Tags::new(&self.tag, self.chosen.as_ref())
    }
}
