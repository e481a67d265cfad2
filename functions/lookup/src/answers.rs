//! The shapes of responses (docs/decisions/0005-http.md), borrowed from the data that were read: serialising copies each text once.

use serde::Serialize;
use serde_json::value::RawValue;
use taxonomy_model::{Coverage, Deprecation, Notes, Provenance, Relation};
use utoipa::ToSchema;

use crate::ancestors::Ancestor;
use crate::details::Details;
use crate::problem::Document;
use crate::schemas::{
    Deprecation as DeprecationSchema, Notes as NotesSchema, Provenance as ProvenanceSchema,
    Relation as RelationSchema,
};

/// The newest version of a tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tenant<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The newest version.
    pub version: u64,
    /// The time at which the newest version was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub committed_at: String,
    /// The provenance of the newest version, if its uploader or operator gave any.
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    #[schema(value_type = Option<ProvenanceSchema>)]
    pub provenance: &'a Provenance,
    /// The culture in which every category and term has a name.
    pub default_culture: &'a str,
    /// The cultures that are tried before the default.
    pub fallback_chain: Vec<&'a str>,
    /// Every culture that has names.
    pub cultures: Vec<&'a str>,
    /// The size of the taxonomy.
    pub totals: Totals,
}

/// The size of a taxonomy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Categories.
    pub categories: u64,
    /// Terms.
    pub terms: u64,
}

/// A term with its category and its ancestors.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Term<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The version that was served at the time of the response.
    pub version: u64,
    /// The term.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// The culture of the name; parts in another culture have a `culture` of their own.
    #[schema(example = "en-GB")]
    pub culture: &'a str,
    /// The requested culture, if the request has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub requested_culture: Option<&'a str>,
    /// `{category name}:{term name}`. Names may contain a colon too, so use the parts rather than split it.
    #[schema(example = "Sector:Rust development")]
    pub final_name: &'a str,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
    /// Its category.
    pub category: CategoryName<'a>,
    /// 1 for a top term.
    pub depth: usize,
    /// The terms above it, nearest first.
    pub ancestors: Vec<Ancestor<'a>>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<&'a str>,
    /// Other names in the same culture.
    pub alt_names: &'a [String],
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<NotesSchema>)]
    pub notes: Option<&'a Notes>,
    /// The text that it is sorted by among its siblings, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<&'a str>,
    /// The metadata of the file's author.
    #[schema(value_type = Object)]
    pub metadata: &'a RawValue,
    /// Whether the term is deprecated: not for new use.
    pub deprecated: bool,
    /// The reason and date of the deprecation, if the file has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<DeprecationSchema>)]
    pub deprecation: Option<&'a Deprecation>,
    /// The terms that replace it. A replacement that was itself deprecated or removed in favour of others is replaced by those.
    pub replaced_by: &'a [u64],
    /// Relations to concepts of other schemes and to terms of the tenant.
    #[schema(value_type = Vec<RelationSchema>)]
    pub relations: &'a [Relation],
    /// Whether the term was removed; the other members are those of the last version that had it.
    pub removed: bool,
}

/// The category of a term.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryName<'a> {
    /// The category.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// The culture of the name.
    pub culture: &'a str,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<&'a str>,
}

/// The terms above a term, and its category.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestors<'a> {
    /// Its category.
    pub category: CategoryName<'a>,
    /// The terms above it, nearest first; none for a top term.
    pub items: Vec<Ancestor<'a>>,
}

/// The aggregates of a set of terms.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counted<'a> {
    /// Terms of all depths.
    pub terms: u64,
    /// Terms without children.
    pub leaves: u64,
    /// Deprecated terms.
    pub deprecated: u64,
    /// Terms by depth, top terms first.
    pub depths: &'a [u64],
    /// The number of terms with a name in a culture, by culture.
    #[schema(value_type = std::collections::BTreeMap<String, u64>)]
    pub names: &'a Coverage,
}

/// The aggregates of a tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantCounts<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The version of the aggregates.
    pub version: u64,
    /// The time at which it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub changed_at: String,
    /// Categories.
    pub categories: u64,
    /// The aggregates over all categories.
    pub counts: Counted<'a>,
    /// Terms that this version added.
    pub added: u64,
    /// Terms that it changed.
    pub changed: u64,
    /// Terms that it removed.
    pub removed: u64,
    /// The changes by the versions of each month, oldest month first; absent with `version` or `asOf`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub months: Option<Vec<Month>>,
}

/// The aggregates of a category.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryCounts<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The last version that changed the category.
    pub version: u64,
    /// The time at which it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub changed_at: String,
    /// The category.
    pub id: u64,
    /// The aggregates of its terms.
    pub counts: Counted<'a>,
    /// Whether the category was removed.
    pub removed: bool,
}

/// The changes by the versions that were committed in a month, in terms.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Month {
    /// The month, in UTC.
    #[schema(example = "2026-01")]
    pub month: String,
    /// The last version that is counted in it; for moments it may be one later than that of the tenant's aggregates.
    pub version: u64,
    /// The number of versions.
    pub versions: u64,
    /// Terms that were added.
    pub added: u64,
    /// Terms that changed in any way.
    pub changed: u64,
    /// Terms that were removed.
    pub removed: u64,
    /// Of the changed ones, those with another name in any culture.
    pub renamed: u64,
    /// Of the changed ones, those with another parent or category.
    pub moved: u64,
    /// Of the changed ones, those that became deprecated.
    pub deprecated: u64,
    /// Of the changed ones, those that are no longer deprecated.
    pub restored: u64,
    /// Terms that existed before and after and whose FinalName in the default culture changed, also by their category or the default culture.
    pub final_names: u64,
}

/// The results of a batch, in the order of the request.
#[derive(Debug, Serialize, ToSchema)]
pub struct Terms<'a> {
    /// One result for each requested id.
    pub items: Vec<BatchItem<'a>>,
}

/// One result of a batch: a term or a problem, according to its status.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchItem<'a> {
    /// The requested id.
    pub id: u64,
    /// The status of the response to a request for this term alone.
    pub status: u16,
    /// The term, with status 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub term: Option<Term<'a>>,
    /// The problem, with any other status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub problem: Option<Document<'a>>,
}

/// A category.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Category<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The version that was served at the time of the response.
    pub version: u64,
    /// The category.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// The culture of the name.
    #[schema(example = "en-GB")]
    pub culture: &'a str,
    /// The requested culture, if the request has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub requested_culture: Option<&'a str>,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<&'a str>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<&'a str>,
    /// Other names in the same culture.
    pub alt_names: &'a [String],
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<NotesSchema>)]
    pub notes: Option<&'a Notes>,
    /// The text that it is sorted by among the categories, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<&'a str>,
    /// The metadata of the file's author.
    #[schema(value_type = Object)]
    pub metadata: &'a RawValue,
    /// Whether the category is deprecated: not for new use.
    pub deprecated: bool,
    /// The reason and date of the deprecation, if the file has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<DeprecationSchema>)]
    pub deprecation: Option<&'a Deprecation>,
    /// The categories that replace it.
    pub replaced_by: &'a [u64],
    /// Relations to concepts of other schemes and to terms of the tenant.
    #[schema(value_type = Vec<RelationSchema>)]
    pub relations: &'a [Relation],
    /// Whether the category was removed; the other members are those of the last version that had it.
    pub removed: bool,
}

/// A page of categories, in their order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Categories<'a> {
    /// The categories of this page.
    pub items: Vec<ListedCategory<'a>>,
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

/// A category in a list; the operation by id returns all of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListedCategory<'a> {
    /// The category.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// The culture of the name.
    pub culture: &'a str,
    /// Its path, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<&'a str>,
    /// Its code in a classification, if the file has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub notation: Option<&'a str>,
    /// Whether the category is deprecated: not for new use.
    pub deprecated: bool,
    /// The remaining members, with `include=details`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) details: Option<Details<'a>>,
}

/// The health of the function.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: &'static str,
}
