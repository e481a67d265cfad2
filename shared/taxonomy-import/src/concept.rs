//! The statements of a source about a concept, the same for every dialect.

use taxonomy_model::RelationType;

/// A concept of a [`Graph`](crate::Graph), known by its key or only referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConceptRef(pub(crate) u32);

impl ConceptRef {
    /// There are fewer concepts than 32 bits count.
    pub(crate) fn new(at: usize) -> Self {
        Self(u32::try_from(at).unwrap_or(u32::MAX))
    }

    pub(crate) fn at(self) -> usize {
        self.0 as usize
    }
}

/// The kind of node that a concept becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeKind {
    /// A category.
    Category,
    /// A term.
    Term,
}

impl NodeKind {
    /// Its name in id maps and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Term => "term",
        }
    }
}

/// A place in a file, both numbers from 1; 0 where the dialect knows none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SourcePlace {
    /// The line.
    pub line: u32,
    /// The character in the line.
    pub column: u32,
}

impl SourcePlace {
    /// A place in a file whose lines are not known.
    pub const UNKNOWN: Self = Self { line: 0, column: 0 };

    /// Returns the place of a character in a line. A number beyond 32 bits becomes `u32::MAX`.
    pub fn at(line: u64, column: u64) -> Self {
        let narrow = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            line: narrow(line),
            column: narrow(column),
        }
    }
}

/// A statement about a concept.
///
/// An absent language means that the text has none: it counts in the default culture (docs/decisions/0022-import.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement<'a> {
    /// It is a concept of the source, and not only referred to.
    Concept,
    /// Its key is made of names and identifies nothing in the source.
    Implied,
    /// It is a concept scheme.
    Scheme,
    /// It comes from a download of this service: its number is its id, and no source identifier is kept.
    Own(NodeKind),
    /// The number that the source itself gives it.
    Number(u64),
    /// A preferred name.
    Name(Option<&'a str>, &'a str),
    /// A name exactly as it has to be written, which replaces the preferred name in that language.
    ExactName(&'a str, &'a str),
    /// The path of the name in that language.
    Path(&'a str, &'a str),
    /// An alternative name.
    AltName(Option<&'a str>, &'a str),
    /// A definition.
    Definition(Option<&'a str>, &'a str),
    /// A scope note.
    ScopeNote(Option<&'a str>, &'a str),
    /// A code.
    Notation(&'a str),
    /// The text that siblings are sorted by.
    SortKey(&'a str),
    /// A property without a place of its own, for the metadata: its name, its language, its value.
    Property(&'a str, Option<&'a str>, &'a str),
    /// It is still there, but not to be used for new things.
    Deprecated,
    /// Why it is deprecated.
    DeprecationReason(&'a str),
    /// The first day of that, `2026-01-31`.
    DeprecatedSince(&'a str),
    /// The other concept is right above it.
    Broader(ConceptRef),
    /// The other concept is right below it.
    Narrower(ConceptRef),
    /// The other concept is somewhere above it.
    Above(ConceptRef),
    /// The other concept is somewhere below it.
    Below(ConceptRef),
    /// The chosen parent, out of several broader concepts.
    Parent(ConceptRef),
    /// It belongs to a scheme.
    InScheme(ConceptRef),
    /// It is at the top of a scheme.
    TopOf(ConceptRef),
    /// The other concept is associated with it.
    Related(ConceptRef),
    /// The other concept replaces it.
    ReplacedBy(ConceptRef),
    /// A mapping to a concept of another scheme: type, scheme where the source names it, identifier.
    Mapping(RelationType, Option<&'a str>, &'a str),
    /// The exact JSON of a field of our format, which replaces all other statements about that field.
    Exact(ExactField, &'a str),
}

/// The statement of a relation to another concept.
pub(crate) type LinkStatement = fn(ConceptRef) -> Statement<'static>;

/// A field that a source can give as our format has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExactField {
    /// `altNames`.
    AltNames,
    /// `notes`.
    Notes,
    /// `metadata`.
    Metadata,
    /// `replacedBy`.
    ReplacedBy,
    /// `relations`.
    Relations,
}

impl ExactField {
    /// Its name in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AltNames => "altNames",
            Self::Notes => "notes",
            Self::Metadata => "metadata",
            Self::ReplacedBy => "replacedBy",
            Self::Relations => "relations",
        }
    }
}
