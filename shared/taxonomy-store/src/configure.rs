//! Updates of the configuration of a tenant.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{IndexKey, ItemKey, TenantId};

use crate::attributes::sdk_key;
use crate::configuration::{Configuration, RemovalLimit};
use crate::error::StoreError;
use crate::heads::Heads;
use crate::update_expression::UpdateExpression;

impl Heads {
    /// Replaces the configuration of a tenant that has this `revision`. Returns false if another process changed it first, or if this
    /// very request was applied and its response was lost: read again.
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
        let condition = if onto == 0 {
            "attribute_not_exists(Revision) OR Revision = :onto"
        } else {
            "Revision = :onto"
        };
        self.apply(sdk_key(item.key()), change, condition).await
    }
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
