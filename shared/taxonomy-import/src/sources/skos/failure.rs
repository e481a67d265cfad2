//! The failures of reading a file.

use crate::concept::SourcePlace;

/// The reason for which a file is read no further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The bytes at this place are no UTF-8.
    InvalidUtf8(SourcePlace),
    /// The file is longer than its bound.
    TooLarge,
    /// The file has too many bytes in a row without a statement.
    NothingStated,
    /// The declaration of an XML entity is long, or names another entity.
    Entity,
    /// Objects or arrays of JSON, or elements of XML, lie too deep.
    TooDeep,
    /// The open elements of XML have too many attributes.
    TooManyAttributes,
    /// A context of JSON-LD is too long, or copied too often.
    Contexts,
    /// A context of JSON-LD is no JSON.
    InvalidContext,
    /// Terms of a context of JSON-LD are defined by too many others.
    TermChain,
}
