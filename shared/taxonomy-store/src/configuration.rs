//! What operators configure for a tenant.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use taxonomy_keys::{Culture, IndexKey, ItemKey, TenantId};
use taxonomy_model::{Provenance, exceeds_removal_limit};

use crate::attributes::sdk_key;
use crate::change::Change;
use crate::error::StoreError;
use crate::heads::Heads;

/// The attribute of head and configuration that keeps versions from being committed.
pub(crate) const PURGE: &str = "Purge";

/// The operators' configuration of a tenant; empty where there is none. Attribute names are the storage format
/// (docs/decisions/0001-table.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
pub struct Configuration {
    /// Counts more than the file's.
    pub default_culture: Option<Culture>,
    /// Tried before the default culture.
    pub fallback_chain: Vec<Culture>,
    /// What an upload may remove without being asked.
    #[serde(rename = "*Fuse", skip_serializing)]
    pub fuse: Fuse,
    /// Uploads and settings wait while it is set.
    pub frozen: bool,
    /// The release, author and reason of the last change.
    pub provenance: Provenance,
    /// Counts up with every change; 0 while nothing was ever configured.
    pub revision: u64,
    /// A purge that has begun: no process loads, takes or counts anything of the tenant. Only a purge writes it.
    #[serde(skip_serializing)]
    pub purge: Option<PurgeNote>,
}

/// The progress of a purge, in the configuration of its tenant (docs/decisions/0008-changeset-chain.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct PurgeNote {
    /// When the purge began, in epoch milliseconds.
    pub at: u64,
    /// How far it came.
    pub phase: PurgePhase,
    /// The first damage of the chain that it met.
    #[serde(default)]
    pub damage: Option<String>,
}

/// A phase of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PurgePhase {
    /// Items and aggregates are being deleted; the chain is whole.
    Items,
    /// Items and aggregates are gone; bodies and log are being deleted.
    Bodies,
}

/// An upload that removes more than `percent` of the terms and more than `terms` of them is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Fuse {
    /// Of the terms at the head, 0 to 100.
    #[serde(rename = "FusePercent")]
    pub percent: u64,
    /// Terms.
    #[serde(rename = "FuseTerms")]
    pub terms: u64,
}

impl Default for Fuse {
    fn default() -> Self {
        Self {
            percent: 50,
            terms: 20,
        }
    }
}

impl Fuse {
    /// Whether removing `removed` of `terms` terms is more than an upload may do unasked.
    #[must_use]
    pub fn blows(self, terms: u64, removed: u64) -> bool {
        exceeds_removal_limit(terms, removed, self.percent, self.terms)
    }
}

impl Heads {
    /// Replaces a tenant's configuration, if it still is the one with this `revision`. False when somebody else was faster, or when this
    /// very request had been applied and its answer was lost: read again.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn configure(
        &self,
        tenant: &TenantId,
        onto: u64,
        configuration: &Configuration,
    ) -> Result<bool, StoreError> {
        let item = ItemKey::Tenant {
            tenant: tenant.clone(),
        };
        let number = |number: u64| AttributeValue::N(number.to_string());
        let default = Fuse::default();
        let mut change = listed(tenant);
        let revision = onto + 1;
        change.replace(
            &Configuration {
                revision,
                ..configuration.clone()
            },
            &[],
        );
        let Fuse { percent, terms } = configuration.fuse;
        change.set_or_remove(
            "FusePercent",
            (percent != default.percent).then(|| number(percent)),
        );
        change.set_or_remove("FuseTerms", (terms != default.terms).then(|| number(terms)));
        change.value(":onto", number(onto));
        let condition = if onto == 0 {
            "attribute_not_exists(Revision) OR Revision = :onto"
        } else {
            "Revision = :onto"
        };
        self.apply(sdk_key(item.key()), change, condition).await
    }
}

/// Makes the tenant appear in the list of all tenants, whatever else becomes of its item.
pub(crate) fn listed(tenant: &TenantId) -> Change {
    let item = ItemKey::Tenant {
        tenant: tenant.clone(),
    };
    let listed = IndexKey::Tenants {
        tenant: tenant.clone(),
    }
    .key();
    let mut change = Change::default();
    change.set("EntityType", AttributeValue::S(item.entity_type().to_owned()));
    change.set("GSI1PK", AttributeValue::S(listed.pk));
    change.set("GSI1SK", AttributeValue::S(listed.sk));
    change.set_if_absent("V", AttributeValue::N("0".to_owned()));
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fuse_blows_above_both_bounds_only() {
        let check = |terms, removed, blows| {
            assert_eq!(
                Fuse::default().blows(terms, removed),
                blows,
                "{removed} of {terms}"
            );
        };
        check(100, 50, false);
        check(100, 51, true);
        check(40, 20, false);
        check(40, 21, true);
        check(10, 10, false);
        check(u64::MAX, u64::MAX, true);
    }
}
