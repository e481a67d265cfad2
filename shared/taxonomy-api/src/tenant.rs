//! The head of a tenant.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Culture, TenantId, Version};
use utoipa::ToSchema;

/// The newest version of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Tenant)]
pub struct Head<'a> {
    /// The tenant.
    #[schema(value_type = String)]
    pub tenant: TenantId,
    /// The newest version.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The time at which the newest version was committed.
    #[schema(format = DateTime, example = "2026-01-01T00:00:00Z")]
    pub committed_at: String,
    /// The provenance of the newest version, if its uploader or operator gave any.
    #[serde(default, skip_serializing_if = "Provenance::is_empty")]
    #[schema(value_type = Option<Provenance>)]
    pub provenance: Provenance<'a>,
    /// The culture in which every category and term has a name.
    #[schema(value_type = String)]
    pub default_culture: Culture,
    /// The cultures that are tried before the default.
    #[schema(value_type = Vec<String>)]
    pub fallback_chain: Vec<Culture>,
    /// Every culture that has names.
    #[schema(value_type = Vec<String>)]
    pub cultures: Vec<Culture>,
    /// The size of the taxonomy.
    pub totals: Totals,
}

/// The provenance of a version, in the words of its uploader or operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance<'a> {
    /// The upstream's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub release: Option<Cow<'a, str>>,
    /// The person or system that made the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub author: Option<Cow<'a, str>>,
    /// The reason for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<Cow<'a, str>>,
}

impl Provenance<'_> {
    /// Returns whether nothing is stated.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The size of a taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Categories.
    pub categories: u64,
    /// Terms.
    pub terms: u64,
}
