//! Terms.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version};

use super::details::{Deprecation, Metadata, Notes, Relation};
use crate::problem::Problem;

/// A term with its category and all its ancestors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Term {
    /// The tenant.
    #[serde(with = "super::tenant_id")]
    pub tenant: TenantId,
    /// The version that was served when this was answered.
    pub version: Version,
    /// The term.
    pub id: TermId,
    /// Its name.
    pub name: String,
    /// The culture of the name; parts that come from another one state it.
    pub culture: Culture,
    /// The requested culture, if the request has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_culture: Option<Culture>,
    /// `{category name}:{term name}`. Names may hold a colon too.
    pub final_name: String,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its category.
    pub category: CategoryName,
    /// 1 for a top term.
    pub depth: u64,
    /// The terms above it, nearest first.
    pub ancestors: Vec<Ancestor>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Other names in the same culture.
    pub alt_names: Vec<String>,
    /// Definition and scope note in the same culture, if the file has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Notes>,
    /// The text that it is sorted by among its siblings, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_key: Option<String>,
    /// The author's own object.
    pub metadata: Metadata,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Why and since when, if the file states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecation: Option<Deprecation>,
    /// The terms that replace it.
    pub replaced_by: Vec<TermId>,
    /// Relations to concepts of other schemes and to terms of the tenant.
    pub relations: Vec<Relation>,
    /// No longer in the taxonomy; all else is as it was last.
    pub removed: bool,
}

/// The category of a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CategoryName {
    /// The category.
    pub id: CategoryId,
    /// Its name.
    pub name: String,
    /// The culture of the name.
    pub culture: Culture,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A term above another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ancestor {
    /// The ancestor.
    pub id: TermId,
    /// Its name.
    pub name: String,
    /// `{category name}:{ancestor's name}`.
    pub final_name: String,
    /// The culture of the name.
    pub culture: Culture,
    /// Its path, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The answers to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Terms<T = Term> {
    /// One result for each id, in the order of the request.
    pub items: Vec<BatchItem<T>>,
}

/// One result of a batch: a term with status 200, a problem with any other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchItem<T = Term> {
    /// The requested id.
    pub id: TermId,
    /// The status of the response to a request for the term alone.
    pub status: u16,
    /// The term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<T>,
    /// The reason why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
}

/// The members of a term that an expander needs.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FinalNames {
    pub(crate) id: TermId,
    pub(crate) version: Version,
    pub(crate) final_name: String,
    pub(crate) ancestors: Vec<FinalName>,
}

/// The FinalName of an ancestor.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FinalName {
    pub(crate) final_name: String,
}

/// The term of an item of a batch.
pub(crate) trait OfBatch: DeserializeOwned + Clone {
    /// The requested members; all of them without a list.
    const FIELDS: Option<&'static str>;

    /// The term.
    fn id(&self) -> TermId;
}

impl OfBatch for Term {
    const FIELDS: Option<&'static str> = None;

    fn id(&self) -> TermId {
        self.id
    }
}

impl OfBatch for FinalNames {
    const FIELDS: Option<&'static str> = Some("version,finalName,ancestors.finalName");

    fn id(&self) -> TermId {
        self.id
    }
}

/// A term as listings show it; by its id there is more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Child {
    /// The term.
    pub id: TermId,
    /// Its name.
    pub name: String,
    /// The culture of the name.
    pub culture: Culture,
    /// `{category name}:{term name}`.
    pub final_name: String,
    /// Its path, if the file has one and the culture is the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its code in a classification, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// Not to be used for new things.
    pub deprecated: bool,
    /// Whether it has children of its own.
    pub has_children: bool,
}
