//! Concepts and statements as they are kept: 40 bytes a concept, 20 a statement, beside their texts.

use taxonomy_model::RelationType;

use crate::concept::{ExactField, NodeKind, SourcePlace};
use crate::texts::Span;

/// A concept, and where its statements begin and end.
#[derive(Debug)]
pub(super) struct ConceptRow {
    pub(super) key: Span,
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) same_hash: u32,
    /// The first file that describes it, where `place` is; `NONE` where none does.
    pub(super) file: u32,
    /// The last file that describes it.
    pub(super) last_file: u32,
    /// What is stated of it, see [`MOST_STATED`](super::MOST_STATED).
    pub(super) stated: u32,
    pub(super) place: SourcePlace,
}

/// A statement; those of a concept follow each other by `next`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatementRow {
    pub(super) next: u32,
    pub(crate) culture: u16,
    pub(crate) kind: StatementKind,
    pub(super) value: RowValue,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum RowValue {
    Text(Span),
    Concept(u32),
}

/// The statements as they are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StatementKind {
    Implied,
    Scheme,
    Own(NodeKind),
    Number,
    Name,
    ExactName,
    Path,
    AltName,
    Definition,
    ScopeNote,
    Notation,
    SortKey,
    Property,
    Deprecated,
    DeprecationReason,
    DeprecatedSince,
    /// Stated by the concept below.
    Broader,
    /// Stated by the concept above.
    NarrowerOf,
    /// The concept is somewhere above.
    Above,
    Parent,
    InScheme,
    TopOf,
    Related,
    /// Stated by the other concept.
    RelatedOf,
    ReplacedBy,
    /// Stated by the concept that was replaced.
    Replaces,
    Mapping(RelationType),
    Exact(ExactField),
}

/// Two texts as one.
pub(super) fn pair(first: &str, second: &str) -> String {
    format!("{}:{first}{second}", first.len())
}

/// The two texts of a pair.
pub(super) fn parts(text: &str) -> (&str, &str) {
    let Some((len, both)) = text.split_once(':') else {
        return ("", text);
    };
    both.split_at_checked(len.parse().unwrap_or_default())
        .unwrap_or(("", both))
}
