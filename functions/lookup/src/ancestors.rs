//! The terms above a term, as responses show them.

use serde::Serialize;
use taxonomy_model::stored::{StoredTerm, final_name};
use utoipa::ToSchema;

/// A term above another.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestor<'a> {
    /// The ancestor.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// `{category name}:{ancestor's name}`.
    pub final_name: String,
    /// The culture of the name.
    pub culture: &'a str,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
}

/// Returns the ancestors of a term, nearest first. `paths` are their paths, in the same order.
pub(crate) fn ancestors(term: &StoredTerm, paths: impl Iterator<Item = Option<String>>) -> Vec<Ancestor<'_>> {
    let category = term.category_name();
    let entries = term.lineage.iter().zip(paths).map(|(entry, path)| Ancestor {
        id: entry.id.get(),
        name: &entry.name,
        final_name: final_name(category, &entry.name),
        culture: entry.culture.as_ref().unwrap_or(&term.culture).as_str(),
        path,
    });
    entries.collect()
}
