//! Replacing items as they were read, for repairs (docs/decisions/0035-losses.md).

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, Put, TransactWriteItem};
use serde::Serialize;
use taxonomy_keys::{Attention, IndexKey, ItemKey, TenantId, pattern};
use taxonomy_model::attribute::{self, Attributes, Value};

use crate::error::StoreError;
use crate::table::Table;
use crate::table::attributes::{SdkItem, number, sdk_item, sdk_key, to_sdk};
use crate::table::configuration::Configuration;
use crate::table::head::Committed;
use crate::table::heads::Heads;
use crate::table::listing::Newest;
use crate::table::raw_items::StoredItem;

/// The attributes of an item that a condition compares at most: an expression has a bounded length, and no item of this service has more.
const COMPARED: usize = 40;

/// The attributes of a void item.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Void {
    removed: bool,
    /// Its expiry, in epoch seconds.
    expires_at: u64,
}

/// An item in place of what was read under its key.
#[derive(Debug, Clone)]
pub struct Replacement {
    item: SdkItem,
    /// What was read; `None` where nothing was.
    seen: Option<SdkItem>,
}

impl Replacement {
    /// Returns an item of a version, in place of `seen`.
    pub fn item(key: &ItemKey, version: u64, attributes: Attributes, seen: Option<&StoredItem>) -> Self {
        Self {
            item: sdk_item(key, version, attributes),
            seen: seen.map(|seen| seen.raw.clone()),
        }
    }

    /// Returns an item that stands for none in place of `seen`, until `expires_at` (epoch seconds).
    pub fn void(seen: &StoredItem, version: u64, expires_at: u64) -> Self {
        let void = Void {
            removed: true,
            expires_at,
        };
        let mut item = to_sdk(attribute::write(&void));
        let kind = ItemKey::parse(&seen.key.pk, &seen.key.sk).map_or("Void", |key| key.entity_type());
        item.extend(sdk_key(seen.key.clone()));
        item.insert("EntityType".to_owned(), AttributeValue::S(kind.to_owned()));
        item.insert("V".to_owned(), number(version));
        let seen = Some(seen.raw.clone());
        Self { item, seen }
    }

    fn transact_item(&self, table: &Table) -> Result<TransactWriteItem, StoreError> {
        let put = Put::builder()
            .table_name(&*table.name)
            .set_item(Some(self.item.clone()));
        let put = match &self.seen {
            None => put.condition_expression("attribute_not_exists(PK)"),
            Some(seen) => {
                let (condition, names, values) = as_seen(seen);
                put.condition_expression(condition)
                    .set_expression_attribute_names(Some(names))
                    .set_expression_attribute_values(Some(values))
            }
        };
        Ok(TransactWriteItem::builder().put(put.build()?).build())
    }
}

/// Returns the condition that an item is as it was seen, with its names and values.
fn as_seen(seen: &SdkItem) -> (String, HashMap<String, String>, SdkItem) {
    let (mut terms, mut names, mut values) = (Vec::new(), HashMap::new(), SdkItem::new());
    let mut attributes: Vec<_> = seen.iter().collect();
    attributes.sort_by_key(|(name, _)| *name);
    for (number, (name, value)) in attributes.into_iter().take(COMPARED).enumerate() {
        terms.push(format!("#{number} = :{number}"));
        names.insert(format!("#{number}"), name.clone());
        values.insert(format!(":{number}"), value.clone());
    }
    (terms.join(" AND "), names, values)
}

impl Replacement {
    /// Returns the head of a version of which no item is known to be written: it is listed as behind, and its next load is a full one. `seen` is what is
    /// stored in its place; requests, answers and a refusal that can be read stay.
    pub fn head(tenant: &TenantId, head: &Committed, seen: Option<&StoredItem>) -> Self {
        let key = ItemKey::Head {
            tenant: tenant.clone(),
        };
        let mut attributes = attribute::write(head);
        attributes.remove("V");
        let kept = seen.and_then(|seen| seen.content.as_ref().ok());
        for name in ["Asked", "Answered", "Refused"] {
            let value = kept.and_then(|kept| kept.attributes.get(name));
            attributes.extend(value.map(|value| (name.to_owned(), value.clone())));
        }
        let place = IndexKey::Attention {
            why: Attention::Behind,
            tenant: tenant.clone(),
        };
        let place = place.key();
        let version = head.version.get();
        let more = [
            ("Projected", 0.into()),
            ("ProjectedAt", 0.into()),
            ("Full", version.into()),
            ("GSI1PK", place.pk.into()),
            ("GSI1SK", place.sk.into()),
        ];
        attributes.extend(more.map(|(name, value)| (name.to_owned(), value)));
        // Empty lists are stored, since the head is updated in place.
        for name in ["Cultures", "FallbackChain"] {
            attributes.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        }
        Self::item(&key, version, attributes, seen)
    }

    /// Returns the configuration of a tenant, in its place in the list of all tenants, which shows the newest version.
    pub fn configuration(
        tenant: &TenantId,
        configuration: &Configuration,
        newest: Option<&Newest>,
        seen: Option<&StoredItem>,
    ) -> Self {
        let key = ItemKey::Tenant {
            tenant: tenant.clone(),
        };
        let listed = IndexKey::Tenants {
            tenant: tenant.clone(),
        };
        let listed = listed.key();
        let mut attributes = attribute::write(configuration);
        let newest = newest.map(|newest| ("Newest".to_owned(), attribute::write(newest).into()));
        attributes.extend(newest);
        attributes.insert("GSI1PK".to_owned(), listed.pk.into());
        attributes.insert("GSI1SK".to_owned(), listed.sk.into());
        Self::item(&key, 0, attributes, seen)
    }
}

impl Heads {
    /// Replaces one item, on condition that it is as it was read. Returns false if it is not.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn replace_alone(&self, replacement: &Replacement) -> Result<bool, StoreError> {
        let items = vec![replacement.transact_item(&self.table)?];
        self.table.transact_if(items).await
    }

    /// Replaces items in one transaction, on condition that each is as it was read, and the head as well: version, changeset, projection, no purge. Returns
    /// false if a condition did not hold; then none is replaced.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn replace(
        &self,
        tenant: &TenantId,
        head: &Committed,
        replacements: &[Replacement],
    ) -> Result<bool, StoreError> {
        let check = ConditionCheck::builder()
            .table_name(&*self.table.name)
            .set_key(Some(sdk_key(pattern::head(tenant))))
            .condition_expression(
                "V = :v AND ChangesetId = :id AND Projected = :projected AND attribute_not_exists(Purge)",
            )
            .expression_attribute_values(":v", number(head.version.get()))
            .expression_attribute_values(":id", AttributeValue::S(head.changeset.to_string()))
            .expression_attribute_values(
                ":projected",
                number(head.projected.map_or(0, taxonomy_keys::Version::get)),
            );
        let mut items = vec![
            TransactWriteItem::builder()
                .condition_check(check.build()?)
                .build(),
        ];
        for replacement in replacements {
            items.push(replacement.transact_item(&self.table)?);
        }
        self.table.transact_if(items).await
    }
}
