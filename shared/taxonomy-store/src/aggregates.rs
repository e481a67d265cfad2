//! Aggregates: absolute values of a version, guarded by it. Attribute names are the storage format
//! (docs/decisions/0001-table.md).

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_model::attribute::{Attributes, Builder};

use crate::attributes::sdk_item;
use crate::error::StoreError;
use crate::head::LogEntry;
use crate::table::Table;

/// Writes what is counted.
#[derive(Debug, Clone)]
pub struct Aggregates {
    table: Table,
}

impl Aggregates {
    /// The aggregates in `table`.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Writes the totals of a version and its change. False when this or a newer version had written them: exact under
    /// duplicates, disorder and replays, because a value is never added to.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn write_tenant(&self, tenant: &TenantId, entry: &LogEntry) -> Result<bool, StoreError> {
        let key = ItemKey::TenantStats {
            tenant: tenant.clone(),
        };
        let version = entry.version.get();
        let answer = self
            .table
            .client
            .put_item()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(&key, version, None, tenant_stats(entry))))
            .condition_expression("attribute_not_exists(PK) OR V < :v")
            .expression_attribute_values(":v", AttributeValue::N(version.to_string()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        match answer.map_err(|error| StoreError::request("PutItem", error)) {
            Ok(_) => Ok(true),
            Err(error) if error.is_condition_failed() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn tenant_stats(entry: &LogEntry) -> Attributes {
    Builder::default()
        .number("Categories", entry.totals.categories)
        .number("Terms", entry.totals.terms)
        .number("Leaves", entry.totals.leaves)
        .number("Deprecated", entry.totals.deprecated)
        .number("Added", entry.changes.added)
        .number("Changed", entry.changes.changed)
        .number("Removed", entry.changes.removed)
        .number("ChangedAt", entry.committed_at)
        .build()
}
