//! Names and optional fields of a node as the input format spells them.

use std::borrow::Cow;

use serde::Serialize;
use taxonomy_keys::Culture;
use taxonomy_model::stored::final_name;
use taxonomy_model::{Deprecation, Details, Metadata, Name, Node, NodePath, Notes, Relation, Term};

/// A name, or an alternative one, which has no path.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NameFields<'a> {
    culture: &'a Culture,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_name: Option<String>,
}

/// The names of a node, ascending by culture.
pub(crate) fn names(node: Node<'_>) -> Vec<NameFields<'_>> {
    node.names().map(plain).collect()
}

/// The names of a term, each with the FinalName that the service answers in its culture.
pub(crate) fn names_of_term(term: Term<'_>) -> Vec<NameFields<'_>> {
    let names = term.node.names().map(|name| NameFields {
        final_name: Some(final_name(category_name(term, name.culture), name.name)),
        ..plain(name)
    });
    names.collect()
}

fn plain(name: Name<'_>) -> NameFields<'_> {
    NameFields {
        culture: name.culture,
        name: name.name,
        path: name.path.map(NodePath::text),
        final_name: None,
    }
}

/// The best name of a term's category in a culture.
pub(crate) fn category_name<'a>(term: Term<'a>, culture: &Culture) -> &'a str {
    term.category().node.best_name(culture).name
}

/// The alternative names of a node, ascending by culture, in the author's order inside a culture.
pub(crate) fn alt_names(details: &Details) -> Vec<NameFields<'_>> {
    let names = details.alt_names.iter().map(|(culture, name)| NameFields {
        culture,
        name,
        path: None,
        final_name: None,
    });
    names.collect()
}

/// The notes of a node in one culture.
#[derive(Debug, Serialize)]
pub(crate) struct NoteFields<'a> {
    culture: &'a Culture,
    #[serde(flatten)]
    notes: &'a Notes,
}

/// The notes of a node, ascending by culture.
pub(crate) fn notes(details: &Details) -> Vec<NoteFields<'_>> {
    let notes = details.notes.iter();
    notes
        .map(|(culture, notes)| NoteFields { culture, notes })
        .collect()
}

/// The optional fields that a node has.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DetailFields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    notation: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alt_names: Vec<NameFields<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<NoteFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<&'a Metadata>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<&'a Deprecation>,
    #[serde(skip_serializing_if = "<[u64]>::is_empty")]
    replaced_by: &'a [u64],
    #[serde(skip_serializing_if = "<[Relation]>::is_empty")]
    relations: &'a [Relation],
}

impl<'a> DetailFields<'a> {
    pub(crate) fn new(details: &'a Details) -> Self {
        // Every field by name, so that a new one is not forgotten here.
        let Details {
            notation,
            alt_names: _,
            notes: _,
            sort_key,
            metadata,
            deprecated,
            deprecation,
            replaced_by,
            relations,
        } = details;
        Self {
            notation: notation.as_deref(),
            alt_names: alt_names(details),
            notes: notes(details),
            sort_key: sort_key.as_deref(),
            metadata: metadata.as_ref(),
            deprecated: *deprecated,
            deprecation: deprecation.as_ref(),
            replaced_by,
            relations,
        }
    }
}
