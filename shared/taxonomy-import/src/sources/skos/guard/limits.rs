//! The limits of a file.

/// Objects and arrays of JSON and elements of XML lie at most so deep: the parser of JSON calls itself for each level.
pub(in crate::sources::skos) const DEEPEST: usize = 128;
/// The open elements of XML have at most so many attributes together.
pub(in crate::sources::skos) const MOST_ATTRIBUTES: usize = 1_000;
/// The bytes of a context of JSON-LD.
pub(in crate::sources::skos) const LONGEST_CONTEXT: usize = 1 << 20;
/// The bytes of contexts of JSON-LD that may be copied in a file.
pub(in crate::sources::skos) const MOST_COPIED: u64 = 4 << 30;
/// An entity of XML has at most so many bytes, so a reference to it stands for no more.
pub(in crate::sources::skos) const LONGEST_ENTITY: usize = 500;
