//! Writing items, each on condition that no newer version wrote it: a late writer changes nothing, and doing it twice
//! neither.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::Version;
use taxonomy_model::writes::Write;

use crate::attributes::sdk_item;
use crate::error::StoreError;
use crate::table::Table;

/// Writes the items of versions.
#[derive(Debug, Clone)]
pub struct Projection {
    table: Table,
    concurrency: usize,
}

/// What became of a version's writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Items put.
    pub put: u64,
    /// Tombstones put.
    pub removed: u64,
    /// Items that this or a newer version had written before.
    pub already: u64,
}

impl Projection {
    /// Writes into `table`, `concurrency` items at a time. Each needs a connection of its own, so more than a few dozen cost
    /// more in handshakes than they bring.
    #[must_use]
    pub fn new(table: Table, concurrency: usize) -> Self {
        Self { table, concurrency }
    }

    /// Writes `writes` as `version` has them.
    ///
    /// # Errors
    /// The first [`StoreError`]; what was written until then stays, and writing again completes it.
    pub async fn write(
        &self,
        version: Version,
        writes: impl Iterator<Item = Write>,
    ) -> Result<Written, StoreError> {
        stream::iter(writes)
            .map(|write| self.write_one(version, write))
            .buffer_unordered(self.concurrency)
            .try_fold(Written::default(), async |sum, one| {
                let Written {
                    put,
                    removed,
                    already,
                } = one;
                Ok(Written {
                    put: sum.put + put,
                    removed: sum.removed + removed,
                    already: sum.already + already,
                })
            })
            .await
    }

    async fn write_one(&self, version: Version, write: Write) -> Result<Written, StoreError> {
        let written = match &write {
            Write::Put(_) => Written {
                put: 1,
                ..Written::default()
            },
            Write::Remove(_) => Written {
                removed: 1,
                ..Written::default()
            },
        };
        let (Write::Put(item) | Write::Remove(item)) = write;
        let answer = self
            .table
            .client
            .put_item()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(
                &item.key,
                version.get(),
                item.index.as_ref(),
                item.attributes,
            )))
            .condition_expression("attribute_not_exists(PK) OR V < :v")
            .expression_attribute_values(":v", AttributeValue::N(version.to_string()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        match answer.map_err(|error| StoreError::request("PutItem", error)) {
            Ok(_) => Ok(written),
            // Written before by this version or a newer one; after a lost answer, by this very request.
            Err(error) if error.is_condition_failed() => Ok(Written {
                already: 1,
                ..Written::default()
            }),
            Err(error) => Err(error),
        }
    }
}
