//! The terms above a term, as responses show them.

use std::fmt;

use serde::{Serialize, Serializer};
use taxonomy_model::stored::StoredTerm;
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
    #[schema(value_type = String)]
    pub final_name: FinalName<'a>,
    /// The culture of the name.
    pub culture: &'a str,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
}

/// A FinalName of two parts, which is written without being put together before.
#[derive(Debug, Clone, Copy)]
pub struct FinalName<'a> {
    category: &'a str,
    name: &'a str,
}

impl fmt::Display for FinalName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { category, name } = self;
        write!(f, "{category}:{name}")
    }
}

impl Serialize for FinalName<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Returns the ancestors of a term, nearest first. `paths` are their paths, in the same order.
pub(crate) fn ancestors(term: &StoredTerm, paths: impl Iterator<Item = Option<String>>) -> Vec<Ancestor<'_>> {
    let category = term.category_name();
    let entries = term.lineage.iter().zip(paths).map(|(entry, path)| Ancestor {
        id: entry.id.get(),
        name: &entry.name,
        final_name: FinalName {
            category,
            name: &entry.name,
        },
        culture: entry.culture.as_ref().unwrap_or(&term.culture).as_str(),
        path,
    });
    entries.collect()
}
