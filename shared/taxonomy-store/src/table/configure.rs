//! Updates of the configuration of a tenant.

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use taxonomy_keys::{Attention, IndexKey, ItemKey, TenantId, pattern};

use crate::error::StoreError;
use crate::table::attributes::sdk_key;
use crate::table::configuration::{Configuration, PURGE, RemovalLimit};
use crate::table::heads::Heads;
use crate::table::update_expression::UpdateExpression;

impl Heads {
    /// Replaces the configuration of a tenant that has this `revision`, and lists the tenant as behind where the change calls for work. Returns false if
    /// another process changed it first, or if this very request was applied and its response was lost: read again.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn configure(
        &self,
        tenant: &TenantId,
        onto: u64,
        configuration: &Configuration,
        calls_for_work: bool,
    ) -> Result<bool, StoreError> {
        let item = ItemKey::Tenant {
            tenant: tenant.clone(),
        };
        let number = |number: u64| AttributeValue::N(number.to_string());
        let default = RemovalLimit::default();
        let mut change = listed(tenant);
        let revision = onto + 1;
        change.replace(
            &Configuration {
                revision,
                ..configuration.clone()
            },
            &[],
        );
        let RemovalLimit { percent, terms } = configuration.removal_limit;
        change.set_or_remove(
            "FusePercent",
            (percent != default.percent).then(|| number(percent)),
        );
        change.set_or_remove("FuseTerms", (terms != default.terms).then(|| number(terms)));
        change.value(":onto", number(onto));
        if !calls_for_work {
            return self.apply(sdk_key(item.key()), change, has_revision(onto)).await;
        }
        let mut behind = UpdateExpression::default();
        list_as(&mut behind, tenant, Some(Attention::Behind));
        behind.name(PURGE);
        let condition = "attribute_exists(PK) AND attribute_not_exists(#Purge)";
        let behind = behind.update(&self.table.name, sdk_key(pattern::head(tenant)), condition)?;
        let change = change.update(&self.table.name, sdk_key(item.key()), has_revision(onto))?;
        let items = [change, behind].map(|update| TransactWriteItem::builder().update(update).build());
        self.transact(items.into()).await
    }
}

/// The condition that a configuration has the revision `:onto`.
pub(crate) fn has_revision(onto: u64) -> &'static str {
    match onto {
        0 => "attribute_not_exists(Revision) OR Revision = :onto",
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
    change.set_or_remove("GSI1PK", pk.map(AttributeValue::S));
    change.set_or_remove("GSI1SK", sk.map(AttributeValue::S));
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
    change.set("EntityType", AttributeValue::S(item.entity_type().to_owned()));
    change.set("GSI1PK", AttributeValue::S(listed.pk));
    change.set("GSI1SK", AttributeValue::S(listed.sk));
    change.set_if_absent("V", AttributeValue::N("0".to_owned()));
    change
}
