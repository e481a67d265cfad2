//! What a stack has stored: heads, and live items as texts.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_store::{Committed, Head, Heads, Table};
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::TABLE;

use crate::world::World;

impl World {
    /// Returns the heads, read through the table's client.
    pub fn heads(&self) -> Heads {
        Heads::new(Table::new(self.db.client(), TABLE))
    }

    /// Returns a tenant's head.
    pub async fn head(&self, tenant: &str) -> Head {
        self.heads().read(&tenant.parse().unwrap()).await.unwrap().0
    }

    /// Returns a tenant's newest version, which must exist.
    pub async fn committed(&self, tenant: &str) -> Committed {
        self.head(tenant).await.committed.unwrap()
    }

    /// Returns the live items of a tenant's categories and terms: primary key to all attributes except the version.
    pub fn live(&self, tenant: &str) -> BTreeMap<(String, String), BTreeMap<String, String>> {
        let mine: TenantId = tenant.parse().unwrap();
        let items = self.db.items(TABLE).into_iter().filter(|item| {
            let key = ItemKey::parse(item["PK"].as_s().unwrap(), item["SK"].as_s().unwrap());
            let projected = match key {
                Ok(
                    ItemKey::Category { tenant, .. }
                    | ItemKey::Term { tenant, .. }
                    | ItemKey::TermCulture { tenant, .. },
                ) => tenant == mine,
                _ => false,
            };
            projected && !item.contains_key("Removed")
        });
        items.map(plain).collect()
    }
}

fn plain(item: Item) -> ((String, String), BTreeMap<String, String>) {
    let key = (
        item["PK"].as_s().unwrap().clone(),
        item["SK"].as_s().unwrap().clone(),
    );
    let rest = item
        .into_iter()
        .filter(|(name, _)| !["PK", "SK", "V", "EntityType"].contains(&name.as_str()));
    (key, rest.map(|(name, value)| (name, text(&value))).collect())
}

/// Renders a value so that equal values have equal texts, whatever the order of a map is.
pub fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(up) => up.to_string(),
        AttributeValue::L(values) => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("[{}]", values.join(", "))
        }
        AttributeValue::M(map) => {
            let values = map.iter().map(|(name, value)| format!("{name}: {}", text(value)));
            let values: BTreeSet<String> = values.collect();
            format!("{{{}}}", values.into_iter().collect::<Vec<_>>().join(", "))
        }
        other => panic!("nothing of this type is stored: {other:?}"),
    }
}
