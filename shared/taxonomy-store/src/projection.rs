//! Writing items, each on condition that no newer version wrote it: a late writer changes nothing, and doing it twice
//! neither.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use taxonomy_keys::Version;
use taxonomy_model::writes::Write;

use crate::attributes::sdk_item;
use crate::error::StoreError;
use crate::paced::{self, Stopped};
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
    /// Throttled requests that were made again.
    pub throttled: u64,
}

/// How far a projection came.
#[derive(Debug)]
pub struct Progress {
    /// What became of the writes that were made.
    pub written: Written,
    /// The first so many writes are done, in their order.
    pub done: u64,
    /// Why it ended; none: nothing was left to write.
    pub stopped: Option<Stopped>,
}

impl Projection {
    /// Writes into `table`, at most `concurrency` items at a time, and fewer while it is throttled. Each needs a connection of its
    /// own, so more than a few dozen cost more in handshakes than they bring.
    #[must_use]
    pub fn new(table: Table, concurrency: usize) -> Self {
        Self { table, concurrency }
    }

    /// Writes `writes` as `version` has them, as long as `go_on` says so, which receives the number of leading writes that are done.
    /// Nothing is under way any more when it returns.
    pub async fn write(
        &self,
        version: Version,
        writes: impl Iterator<Item = Write>,
        go_on: impl Fn(u64) -> bool,
    ) -> Progress {
        let mut written = Written::default();
        let ran = paced::run(
            self.concurrency,
            writes,
            async |write| self.try_write(version, write).await,
            |one| written = written.plus(one),
            go_on,
        )
        .await;
        Progress {
            written: Written {
                throttled: ran.throttled,
                ..written
            },
            done: ran.done,
            stopped: ran.stopped,
        }
    }

    async fn try_write(&self, version: Version, write: &Write) -> Result<Written, StoreError> {
        #[cfg(feature = "sabotage")]
        if let Some(sabotaged) = self.sabotaged(version, write).await {
            return sabotaged;
        }
        let item = write.item();
        let answer = self
            .table
            .client
            .put_item()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(
                &item.key,
                version.get(),
                item.index.as_ref(),
                item.attributes.clone(),
            )))
            .condition_expression("attribute_not_exists(PK) OR V < :v")
            .expression_attribute_values(":v", AttributeValue::N(version.to_string()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        match (
            answer.map_err(|error| StoreError::request("PutItem", error)),
            write,
        ) {
            (Ok(_), Write::Put(_)) => Ok(Written {
                put: 1,
                ..Written::default()
            }),
            (Ok(_), Write::Remove(_)) => Ok(Written {
                removed: 1,
                ..Written::default()
            }),
            // Written before by this version or a newer one; after a lost answer, by this very request.
            (Err(error), _) if error.is_condition_failed() => Ok(Written {
                already: 1,
                ..Written::default()
            }),
            (Err(error), _) => Err(error),
        }
    }
}

#[cfg(feature = "sabotage")]
mod sabotage {
    use taxonomy_model::writes::Write;

    use super::{AttributeValue, Projection, StoreError, Version, Written, sdk_item};
    use crate::attributes::sdk_key;
    use crate::sabotage::Sabotage;

    #[expect(
        clippy::disallowed_methods,
        reason = "the mistake that the ban keeps others from making"
    )]
    impl Projection {
        /// The write as somebody makes it who knows no better; none where no mistake is to be made.
        pub(super) async fn sabotaged(
            &self,
            version: Version,
            write: &Write,
        ) -> Option<Result<Written, StoreError>> {
            let unguarded = Sabotage::UnguardedWrites.is_on() || Sabotage::LeaseOnly.is_on();
            let deletes = Sabotage::HardDeletes.is_on() && matches!(write, Write::Remove(_));
            if !unguarded && !deletes {
                return None;
            }
            let item = write.item();
            let outcome = if matches!(write, Write::Remove(_)) {
                let mut request = self
                    .table
                    .client
                    .delete_item()
                    .table_name(&*self.table.name)
                    .set_key(Some(sdk_key(item.key.key())));
                if deletes {
                    request = request
                        .condition_expression("attribute_not_exists(PK) OR V < :v")
                        .expression_attribute_values(":v", AttributeValue::N(version.to_string()));
                }
                request
                    .send()
                    .await
                    .map(drop)
                    .map_err(|error| StoreError::request("DeleteItem", error))
            } else {
                let attributes = item.attributes.clone();
                let item = sdk_item(&item.key, version.get(), item.index.as_ref(), attributes);
                self.table
                    .client
                    .put_item()
                    .table_name(&*self.table.name)
                    .set_item(Some(item))
                    .send()
                    .await
                    .map(drop)
                    .map_err(|error| StoreError::request("PutItem", error))
            };
            Some(match outcome {
                Err(error) if !error.is_condition_failed() => Err(error),
                _ => Ok(Written {
                    put: 1,
                    ..Written::default()
                }),
            })
        }
    }
}

impl Written {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            put: self.put + other.put,
            removed: self.removed + other.removed,
            already: self.already + other.already,
            throttled: self.throttled + other.throttled,
        }
    }
}
