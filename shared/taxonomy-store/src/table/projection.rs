//! Writing items, each on condition that no newer version wrote it: a late writer changes nothing, and a repeated write
//! neither.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::put_item::{PutItemError, PutItemOutput};
use aws_sdk_dynamodb::types::{
    ConsumedCapacity, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
};
use taxonomy_keys::{ItemKey, Version};
use taxonomy_model::writes::Write;

use crate::concurrent::{self, Stopped};
use crate::error::StoreError;
use crate::table::Table;
use crate::table::attributes::{number, sdk_item};

/// Writes the items of versions.
#[derive(Debug, Clone)]
pub struct Projection {
    table: Table,
    concurrency: usize,
}

/// The outcomes of writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WriteOutcomes {
    /// Items that were put.
    pub put: u64,
    /// Tombstones that were put.
    pub removed: u64,
    /// Items that this or a newer version had written before.
    pub already: u64,
    /// Of these the first that a newer version had written, at most [`NEWER`](Self::NEWER).
    pub newer: Vec<NewerItem>,
    /// Throttled requests that were repeated.
    pub throttled: u64,
    /// Write units of the items and tombstones that were put, as DynamoDB reports them.
    pub units: u64,
}

/// An item that a newer version wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewerItem {
    /// Its `V`; the greatest number where it has none.
    pub version: u64,
    /// Its key.
    pub key: ItemKey,
}

/// The result of a run of writes.
#[derive(Debug, Default)]
pub struct WriteProgress {
    /// The outcomes of the writes.
    pub written: WriteOutcomes,
    /// The number of leading writes that are complete.
    pub done: u64,
    /// The reason for which it ended early; `None` if every write succeeded.
    pub stopped: Option<Stopped>,
}

impl Projection {
    /// Writes into `table`, at most `concurrency` items at a time, and fewer while it is throttled. Each needs a connection of its
    /// own, so more than a few dozen cost more in handshakes than they gain.
    pub fn new(table: Table, concurrency: usize) -> Self {
        Self { table, concurrency }
    }

    /// Makes `writes` of `version` while `go_on` returns true; it receives the number of leading writes that are complete.
    /// No request is in flight when this returns.
    pub async fn write(
        &self,
        version: Version,
        writes: impl Iterator<Item = Write>,
        go_on: impl Fn(u64) -> bool,
    ) -> WriteProgress {
        let mut written = WriteOutcomes::default();
        let ran = concurrent::run(
            self.concurrency,
            writes,
            async |write| self.try_write(version, write).await,
            |one| written = std::mem::take(&mut written).plus(one),
            go_on,
        )
        .await;
        WriteProgress {
            written: WriteOutcomes {
                throttled: ran.throttled,
                ..written
            },
            done: ran.done,
            stopped: ran.stopped,
        }
    }

    async fn try_write(&self, version: Version, write: &Write) -> Result<WriteOutcomes, StoreError> {
        let item = write.item();
        let answer = self
            .table
            .client
            .put_item()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(&item.key, version.get(), item.attributes.clone())))
            .condition_expression("attribute_not_exists(PK) OR V < :v")
            .expression_attribute_values(":v", number(version.get()))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let found = answer.as_ref().err().and_then(version_found);
        let is_put = matches!(write, Write::Put(_));
        match answer.map_err(|error| StoreError::request("PutItem", error)) {
            Ok(done) => Ok(WriteOutcomes {
                put: u64::from(is_put),
                removed: u64::from(!is_put),
                units: units(&done),
                ..WriteOutcomes::default()
            }),
            // Written before by this version or a newer one; after a lost response, by this very request.
            Err(error) if error.is_condition_failed() => Ok(WriteOutcomes {
                already: 1,
                newer: found
                    .filter(|found| *found > version.get())
                    .map(|version| NewerItem {
                        version,
                        key: item.key.clone(),
                    })
                    .into_iter()
                    .collect(),
                ..WriteOutcomes::default()
            }),
            Err(error) => Err(error),
        }
    }
}

/// Returns the version of the item because of which a condition failed; the greatest number where it has none.
fn version_found(error: &SdkError<PutItemError>) -> Option<u64> {
    let PutItemError::ConditionalCheckFailedException(failed) = error.as_service_error()? else {
        return None;
    };
    let version = failed
        .item()?
        .get("V")
        .and_then(|version| version.as_n().ok()?.parse().ok());
    Some(version.unwrap_or(u64::MAX))
}

/// Returns the write units of a request. They are whole numbers.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float is converted to the nearest number of the type"
)]
fn units(done: &PutItemOutput) -> u64 {
    let consumed = done.consumed_capacity();
    consumed
        .and_then(ConsumedCapacity::capacity_units)
        .map_or(0, |units| units.ceil() as u64)
}

impl WriteOutcomes {
    /// The most items that are listed as newer.
    pub const NEWER: usize = 100;

    /// Returns the sums of both, and the newer items of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let mut newer = self.newer;
        let room = Self::NEWER.saturating_sub(newer.len());
        newer.extend(other.newer.into_iter().take(room));
        Self {
            put: self.put + other.put,
            removed: self.removed + other.removed,
            already: self.already + other.already,
            newer,
            throttled: self.throttled + other.throttled,
            units: self.units + other.units,
        }
    }
}
