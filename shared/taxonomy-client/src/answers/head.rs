//! The head of a tenant.

use serde::{Deserialize, Serialize};
use taxonomy_keys::{Culture, TenantId, Version};

/// The committed and the served version of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// The tenant.
    #[serde(with = "super::tenant_id")]
    pub tenant: TenantId,
    /// The newest version.
    pub version: Version,
    /// The time of the newest version's commit, RFC 3339.
    pub committed_at: String,
    /// The origin of the newest version, where its uploader stated it.
    #[serde(default, skip_serializing_if = "Provenance::is_empty")]
    pub provenance: Provenance,
    /// The culture in which everything has a name.
    pub default_culture: Culture,
    /// The cultures that are tried before the default.
    pub fallback_chain: Vec<Culture>,
    /// Every culture that something is named in.
    pub cultures: Vec<Culture>,
    /// The size of the taxonomy.
    pub totals: Totals,
}

/// The origin of a version, in the words of its uploader or operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// The upstream's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The person or system that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The reason for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Provenance {
    /// Returns whether nothing is stated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The size of a taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Categories.
    pub categories: u64,
    /// Terms.
    pub terms: u64,
}
