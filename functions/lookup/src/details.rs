//! `include=details`: the remaining members of each item of a list.

use serde::Serialize;
use serde_json::value::RawValue;
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{Deprecation, Notes, Relation};
use utoipa::ToSchema;

use crate::ancestors::{Ancestor, ancestors};
use crate::best_name::CategoryNamed;
use crate::metadata::metadata;
use crate::problem::Problem;
use crate::schemas::{Deprecation as DeprecationSchema, Notes as NotesSchema, Relation as RelationSchema};

/// The members that a list omits and the operation by id returns.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details<'a> {
    /// For a term the terms above it, nearest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    ancestors: Option<Vec<Ancestor<'a>>>,
    /// Other names in the same culture.
    alt_names: &'a [String],
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<NotesSchema>)]
    notes: Option<&'a Notes>,
    /// The text that it is sorted by among its siblings, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sort_key: Option<&'a str>,
    /// The metadata of the file's author.
    #[schema(value_type = Object)]
    metadata: &'a RawValue,
    /// The reason and date of the deprecation, if the file has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<DeprecationSchema>)]
    deprecation: Option<&'a Deprecation>,
    /// The terms or categories that replace it.
    replaced_by: &'a [u64],
    /// Relations to concepts of other schemes and to terms of the tenant.
    #[schema(value_type = Vec<RelationSchema>)]
    relations: &'a [Relation],
}

impl<'a> Details<'a> {
    /// Returns the details of a term that these terms replace.
    ///
    /// # Errors
    /// `internal-error` where its metadata is damaged.
    pub(crate) fn of_term(term: &'a StoredTerm, replaced_by: &'a [u64]) -> Result<Self, Problem> {
        Ok(Self {
            ancestors: Some(ancestors(term, term.paths().into_iter().skip(1))),
            alt_names: &term.alt_names,
            notes: term.notes.as_ref(),
            sort_key: term.sort_key.as_deref(),
            metadata: metadata(term.metadata.as_deref())?,
            deprecation: term.deprecation.as_ref(),
            replaced_by,
            relations: &term.relations,
        })
    }

    /// Returns the details of a category that answers with a name.
    ///
    /// # Errors
    /// `internal-error` where its metadata is damaged.
    pub(crate) fn of_category(
        category: &'a StoredCategory,
        named: &CategoryNamed<'_>,
    ) -> Result<Self, Problem> {
        let alt_names = category.alt_names.get(named.culture);
        Ok(Self {
            ancestors: None,
            alt_names: alt_names.map_or(&[], Vec::as_slice),
            notes: category.notes.get(named.culture),
            sort_key: category.sort_key.as_deref(),
            metadata: metadata(category.metadata.as_deref())?,
            deprecation: category.deprecation.as_ref(),
            replaced_by: &category.replaced_by,
            relations: &category.relations,
        })
    }
}
