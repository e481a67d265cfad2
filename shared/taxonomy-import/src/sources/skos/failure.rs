//! The failures of reading a file.

use super::MOST_UNSTATED;
use super::guard::limits::{DEEPEST, LONGEST_CONTEXT, LONGEST_ENTITY, MOST_ATTRIBUTES, MOST_COPIED};
use crate::concept::SourcePlace;
use crate::report::Code;

/// The reason for which a file is read no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    /// The place of the bytes.
    #[error("the file is not UTF-8")]
    InvalidUtf8(SourcePlace),
    #[error("the XML declaration names another encoding than UTF-8")]
    Encoding,
    #[error("the file is longer than an import takes")]
    TooLarge,
    #[error("{} MiB state nothing", MOST_UNSTATED >> 20)]
    NothingStated,
    #[error("an XML entity has at most {LONGEST_ENTITY} bytes, and names no other entity")]
    Entity,
    #[error("objects, arrays or elements lie more than {DEEPEST} deep")]
    TooDeep,
    #[error("the open elements have more than {MOST_ATTRIBUTES} attributes")]
    TooManyAttributes,
    #[error(
        "a context has more than {} MiB, or contexts below others copy more than {} GiB",
        LONGEST_CONTEXT >> 20,
        MOST_COPIED >> 30
    )]
    Contexts,
    #[error("a context is not JSON")]
    InvalidContext,
    #[error("the terms of a context are defined by more than {DEEPEST} others")]
    TermChain,
}

impl Failure {
    pub(super) const fn code(self) -> Code {
        match self {
            Self::InvalidUtf8(_) | Self::Encoding => Code::InvalidUtf8,
            Self::TooLarge | Self::NothingStated => Code::TooLarge,
            _ => Code::Malformed,
        }
    }
}
