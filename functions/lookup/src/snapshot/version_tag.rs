//! The version of a response, with what tells it from other responses under the same URL.

use taxonomy_keys::Version;

use crate::request::language::Vary;
use crate::response::etag::Tags;

/// The version of a response and its entity tags, which depend on the language that `Accept-Language` chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VersionTag {
    pub(crate) version: Version,
    pub(crate) tags: Tags,
    pub(crate) vary: Vary,
}
