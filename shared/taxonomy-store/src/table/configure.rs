//! Updates of the configuration of a tenant.

use taxonomy_keys::{Attention, IndexKey, ItemKey, TenantId, pattern};

use crate::error::StoreError;
use crate::table::configuration::{Configuration, RemovalLimit};
use crate::table::heads::Heads;
use crate::table::update_expression::UpdateExpression;

impl Heads {
    /// Replaces the configuration of a tenant by the `next` revision, and lists the tenant as behind where the change calls for work. Returns false if
    /// another process changed it first, or if this very request was applied and its response was lost: read again.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn configure(
        &self,
        tenant: &TenantId,
        next: &Configuration,
        calls_for_work: bool,
    ) -> Result<bool, StoreError> {
        let (key, default) = (pattern::configuration(tenant), RemovalLimit::default());
        let mut change = listed(tenant);
        let onto = next.revision.saturating_sub(1);
        change.replace(next, &[]);
        let RemovalLimit { percent, terms } = next.removal_limit;
        change.set_or_remove("FusePercent", (percent != default.percent).then_some(percent));
        change.set_or_remove("FuseTerms", (terms != default.terms).then_some(terms));
        change.value(":onto", onto);
        change.require(has_revision(onto));
        if !calls_for_work {
            return self.table.update(key, change).await;
        }
        let mut behind = UpdateExpression::default();
        list_as(&mut behind, tenant, Some(Attention::Behind));
        behind.require("attribute_exists(PK) AND attribute_not_exists(#Purge)");
        let behind = behind.transact_item(&self.table, pattern::head(tenant))?;
        let items = vec![change.transact_item(&self.table, key)?, behind];
        self.table.transact_if(items).await
    }
}

/// The condition that a configuration has the revision `:onto`.
pub(crate) fn has_revision(onto: u64) -> &'static str {
    match onto {
        0 => "(attribute_not_exists(Revision) OR Revision = :onto)",
        _ => "Revision = :onto",
    }
}

/// Puts the head of a tenant into the list of those that need attention, or takes it out.
pub(crate) fn list_as(change: &mut UpdateExpression, tenant: &TenantId, why: Option<Attention>) {
    let place = why.map(|why| {
        let tenant = tenant.clone();
        IndexKey::Attention { why, tenant }.key()
    });
    let (pk, sk) = place.map(|place| (place.pk, place.sk)).unzip();
    change.set_or_remove("GSI1PK", pk);
    change.set_or_remove("GSI1SK", sk);
}

/// Makes the tenant appear in the list of all tenants, whatever else becomes of its item.
pub(crate) fn listed(tenant: &TenantId) -> UpdateExpression {
    let item = ItemKey::Tenant {
        tenant: tenant.clone(),
    };
    let listed = IndexKey::Tenants {
        tenant: tenant.clone(),
    }
    .key();
    let mut change = UpdateExpression::default();
    change.set("EntityType", item.entity_type());
    change.set("GSI1PK", listed.pk);
    change.set("GSI1SK", listed.sk);
    change.set_if_absent("V", 0);
    change
}
