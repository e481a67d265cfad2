//! What callers get (docs/decisions/0005-http.md), borrowed from what was read: serialising copies each text once.

use serde::Serialize;
use serde_json::value::RawValue;
use taxonomy_model::{Coverage, Deprecation, Notes, Provenance, Relation};
use taxonomy_store::StoreError;
use utoipa::ToSchema;

use crate::details::Details;
use crate::problem::{Document, Problem};
use crate::schemas::{
    Deprecation as DeprecationSchema, Notes as NotesSchema, Provenance as ProvenanceSchema,
    Relation as RelationSchema,
};

/// What is committed and served of a tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tenant<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The newest version.
    pub version: u64,
    /// The version that is served; absent until the first one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub projected_version: Option<u64>,
    /// Whether the newest version is the one that is served.
    pub settled: bool,
    /// When the newest version was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub committed_at: String,
    /// Where the newest version comes from, if its uploader or operator said so.
    #[serde(skip_serializing_if = "Provenance::is_empty")]
    #[schema(value_type = Option<ProvenanceSchema>)]
    pub provenance: &'a Provenance,
    /// The culture in which everything has a name.
    pub default_culture: &'a str,
    /// The cultures that are tried before the default.
    pub fallback_chain: Vec<&'a str>,
    /// Every culture that something is named in.
    pub cultures: Vec<&'a str>,
    /// How much there is.
    pub totals: Totals,
}

/// How much a taxonomy holds.
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
    /// The version that was served when this was answered.
    pub version: u64,
    /// The term.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// The culture of the name; parts that had to come from another one say so.
    #[schema(example = "en-GB")]
    pub culture: &'a str,
    /// The culture that was asked for, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub requested_culture: Option<&'a str>,
    /// `{category name}:{term name}`. Names may hold a colon too, so take the parts rather than split it.
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
    /// What it is sorted by among its siblings, if the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<&'a str>,
    /// What the file's author put there.
    #[schema(value_type = Object)]
    pub metadata: &'a RawValue,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Why and since when, if the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<DeprecationSchema>)]
    pub deprecation: Option<&'a Deprecation>,
    /// The terms that replace it. Where one of them was itself deprecated or removed in favour of others, those stand in its place.
    pub replaced_by: &'a [u64],
    /// Relations to concepts of other schemes and to terms of the tenant.
    #[schema(value_type = Vec<RelationSchema>)]
    pub relations: &'a [Relation],
    /// No longer in the taxonomy; all else is what it was last.
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

/// The terms above a term, and its category.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ancestors<'a> {
    /// Its category.
    pub category: CategoryName<'a>,
    /// The terms above it, nearest first; none for a top term.
    pub items: Vec<Ancestor<'a>>,
}

/// What is counted of a set of terms.
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
    /// How many terms have a name in a culture, by culture.
    #[schema(value_type = std::collections::BTreeMap<String, u64>)]
    pub names: &'a Coverage,
}

/// What is counted of a tenant.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TenantCounts<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The version that was counted.
    pub version: u64,
    /// When it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub changed_at: String,
    /// Categories.
    pub categories: u64,
    /// Over all categories.
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

/// What is counted of a category.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CategoryCounts<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The last version that touched the category.
    pub version: u64,
    /// When it was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub changed_at: String,
    /// The category.
    pub id: u64,
    /// Of its terms.
    pub counts: Counted<'a>,
    /// No longer in the taxonomy.
    pub removed: bool,
}

/// What the versions committed in a month did, in terms.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Month {
    /// In UTC.
    #[schema(example = "2026-01")]
    pub month: String,
    /// The last version that is counted in it; moments before the tenant's counts it may be one further.
    pub version: u64,
    /// How many versions there were.
    pub versions: u64,
    /// Added.
    pub added: u64,
    /// Changed in any way.
    pub changed: u64,
    /// Removed.
    pub removed: u64,
    /// Of the changed ones, given another name in any culture.
    pub renamed: u64,
    /// Of the changed ones, put elsewhere.
    pub moved: u64,
    /// Of the changed ones, deprecated.
    pub deprecated: u64,
    /// Of the changed ones, deprecated no longer.
    pub restored: u64,
    /// Terms that stayed and whose FinalName in the default culture became another, also by their category or the default culture.
    pub final_names: u64,
}

/// The answers to a batch, in the order asked.
#[derive(Debug, Serialize, ToSchema)]
pub struct Terms<'a> {
    /// One for each id asked for.
    pub items: Vec<BatchItem<'a>>,
}

/// One answer of a batch: a term or a problem, as the status says.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchItem<'a> {
    /// The id asked for.
    pub id: u64,
    /// What asking for this term alone would have been answered with.
    pub status: u16,
    /// The term, with status 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub term: Option<Term<'a>>,
    /// Why there is none, with any other.
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
    /// The version that was served when this was answered.
    pub version: u64,
    /// The category.
    pub id: u64,
    /// Its name.
    pub name: &'a str,
    /// The culture of the name.
    #[schema(example = "en-GB")]
    pub culture: &'a str,
    /// The culture that was asked for, if one was.
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
    /// What it is sorted by among the categories, if the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sort_key: Option<&'a str>,
    /// What the file's author put there.
    #[schema(value_type = Object)]
    pub metadata: &'a RawValue,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Why and since when, if the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<DeprecationSchema>)]
    pub deprecation: Option<&'a Deprecation>,
    /// The categories that replace it.
    pub replaced_by: &'a [u64],
    /// Relations to concepts of other schemes and to terms of the tenant.
    #[schema(value_type = Vec<RelationSchema>)]
    pub relations: &'a [Relation],
    /// No longer in the taxonomy; all else is what it was last.
    pub removed: bool,
}

/// A page of categories, in their order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Categories<'a> {
    /// The categories of this page.
    pub items: Vec<ListedCategory<'a>>,
    /// Hand it back as `cursor` for the next page; absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub next_cursor: Option<String>,
}

/// A category as listings show it; by its id there is more.
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
    /// Not to be used for new things.
    pub deprecated: bool,
    /// The remaining members, with `include=details`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub(crate) details: Option<Details<'a>>,
}

/// The function runs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    pub status: &'static str,
}

/// Stored metadata as JSON; an empty object where there is none.
///
/// # Errors
/// `internal-error` where what is stored is no JSON.
pub(crate) fn metadata(stored: Option<&str>) -> Result<&RawValue, Problem> {
    let json = serde_json::from_str(stored.unwrap_or("{}"));
    let damaged = |error: serde_json::Error| StoreError::Damaged {
        what: "metadata".to_owned(),
        source: error.into(),
    };
    json.map_err(|error| damaged(error).into())
}
