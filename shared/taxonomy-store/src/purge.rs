//! Deletes the items of a tenant. Only the command line has this, behind the feature `purge`; the order of the deletions is decided in
//! `taxonomy-versioning`.
//!
//! The deletions carry no condition on versions. That is right only because nothing writes for a tenant that is being purged: its
//! configuration carries the note ([`PurgeNote`]), every process reads it before it begins, and its head carries a mark that no commit
//! passes.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use taxonomy_keys::pattern::{self, KeyQuery};
use taxonomy_keys::{ItemKey, Key, TenantId};
use taxonomy_model::{Provenance, attribute};

use crate::backoff;
use crate::concurrent;
use crate::error::{StoreError, sent};
use crate::table::attributes::{SdkItem, sdk_key};
use crate::table::configuration::{Configuration, Freeze, PurgeNote, PurgePhase};
use crate::table::configure::{has_revision, listed};
use crate::table::update_expression::UpdateExpression;
use crate::table::{Consistency, Table};

/// The attribute of head and configuration that prevents commits.
const PURGE: &str = "Purge";

/// Deletes items of tenants.
#[derive(Debug, Clone)]
pub struct Purge {
    table: Table,
    concurrency: usize,
}

impl Purge {
    /// Deletes in `table`, at most `concurrency` items at a time, and fewer while it is throttled.
    pub fn new(table: Table, concurrency: usize) -> Self {
        Self { table, concurrency }
    }

    /// Notes in the tenant's configuration that a purge began at `at`, and freezes the tenant. Returns the note of an earlier purge
    /// where there is one.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read or written, or when the configuration keeps changing.
    pub async fn begin(&self, tenant: &TenantId, at: u64) -> Result<PurgeNote, StoreError> {
        for attempt in 0..backoff::TRIES {
            let configuration = self.configuration(tenant).await?;
            if let Some(begun) = configuration.purge {
                return Ok(begun);
            }
            let onto = configuration.revision;
            let note = PurgeNote {
                at,
                phase: PurgePhase::Items,
            };
            let mut change = listed(tenant);
            change.set(PURGE, attribute::write(&note));
            if configuration.frozen.is_none() {
                let provenance = Provenance::default();
                change.set("Frozen", attribute::write(&Freeze { at, provenance }));
            }
            change.set("Revision", onto.saturating_add(1));
            change.value(":onto", onto);
            change.require("attribute_not_exists(#Purge)");
            change.require(has_revision(onto));
            if self.table.update(pattern::configuration(tenant), change).await? {
                return Ok(note);
            }
            // Another change of the configuration, or this request, whose answer was lost.
            backoff::pause(attempt).await;
        }
        Err(StoreError::Unprocessed {
            operation: "UpdateItem",
        })
    }

    /// Returns the configuration of a tenant, without decoding its head.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the configuration is damaged.
    pub async fn configuration(&self, tenant: &TenantId) -> Result<Configuration, StoreError> {
        let key = pattern::configuration(tenant);
        let item = self.table.get(key, Consistency::Strong).await?;
        Ok(item.map(attribute::read).transpose()?.unwrap_or_default())
    }

    /// Marks the head, so that no version is committed any more; a tenant without a head stays without one.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read or written, or when other writes of the head keep going first.
    pub async fn mark_head(&self, tenant: &TenantId) -> Result<(), StoreError> {
        for attempt in 0..backoff::TRIES {
            let head = self.table.get(pattern::head(tenant), Consistency::Strong).await;
            let is_marked = match head {
                Ok(None) => true,
                Ok(Some(head)) => head.contains_key(PURGE),
                // The mark replaces nothing, so the head may be damaged.
                Err(StoreError::Damaged { .. }) => false,
                Err(error) => return Err(error),
            };
            if is_marked {
                return Ok(());
            }
            let mut change = UpdateExpression::default();
            change.set(PURGE, true);
            change.require("attribute_exists(PK)");
            if self.table.update(pattern::head(tenant), change).await? {
                return Ok(());
            }
            backoff::pause(attempt).await;
        }
        Err(StoreError::Unprocessed {
            operation: "UpdateItem",
        })
    }

    /// Replaces the note of the purge. Returns false where there is none: another process has ended the purge.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn note(&self, tenant: &TenantId, note: &PurgeNote) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set(PURGE, attribute::write(note));
        change.require("attribute_exists(#Purge)");
        self.table.update(pattern::configuration(tenant), change).await
    }

    /// The primary keys of a partition, read consistently, whatever the items are like.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the query does not end.
    pub async fn keys(&self, query: KeyQuery) -> Result<Vec<Key>, StoreError> {
        let request = self.table.query_request(query, Consistency::Strong);
        let mut keys = Vec::new();
        let take = |item| {
            keys.push(key(&item)?);
            Ok(())
        };
        self.table
            .query_all(request.projection_expression("PK, SK"), take)
            .await?;
        Ok(keys)
    }

    /// Deletes everything in partitions, and calls `done` with the number of items of each. Partitions of other tenants are left alone.
    ///
    /// # Errors
    /// [`StoreError`] of the first request that failed; what was deleted by then stays deleted.
    pub async fn partitions(
        &self,
        tenant: &TenantId,
        partitions: impl Iterator<Item = String>,
        done: impl FnMut(u64),
    ) -> Result<(), StoreError> {
        let own = partitions.filter(|partition| is_of(tenant, partition));
        let delete = async |partition: &String| {
            let keys = self.keys(pattern::whole(partition)).await?;
            let count = keys.len() as u64;
            for key in keys {
                self.delete(&key, None).await?;
            }
            Ok(count)
        };
        let deleted = concurrent::run(self.concurrency, own, delete, done, |_| true);
        deleted.await.completed()
    }

    /// Deletes items, and calls `done` for each. Items of other tenants are left alone.
    ///
    /// # Errors
    /// As [`Purge::partitions`].
    pub async fn items(
        &self,
        tenant: &TenantId,
        keys: Vec<Key>,
        mut done: impl FnMut(u64),
    ) -> Result<(), StoreError> {
        let own = keys.into_iter().filter(|key| is_of(tenant, &key.pk));
        let delete = async |key: &Key| self.delete(key, None).await;
        let deleted = concurrent::run(self.concurrency, own, delete, |()| done(1), |_| true);
        deleted.await.completed()
    }

    /// Deletes head and configuration, the note of the purge with it. Both must carry the mark or be gone.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written, or when one of them carries no mark.
    pub async fn end(&self, tenant: &TenantId) -> Result<(), StoreError> {
        for key in [pattern::head(tenant), pattern::configuration(tenant)] {
            self.delete(&key, Some("attribute_not_exists(PK) OR attribute_exists(#Purge)"))
                .await?;
        }
        Ok(())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that deletes, for a tenant that leaves"
    )]
    async fn delete(&self, key: &Key, condition: Option<&str>) -> Result<(), StoreError> {
        let mut request = self
            .table
            .client
            .delete_item()
            .table_name(&*self.table.name)
            .set_key(Some(sdk_key(key.clone())))
            .set_condition_expression(condition.map(str::to_owned))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        if condition.is_some() {
            request = request.expression_attribute_names("#Purge", PURGE);
        }
        sent("DeleteItem", request.send()).await.map(drop)
    }
}

fn is_of(tenant: &TenantId, partition: &str) -> bool {
    ItemKey::owner(partition).as_ref() == Some(tenant)
}

fn key(item: &SdkItem) -> Result<Key, StoreError> {
    let text = |name: &str| item.get(name)?.as_s().ok().cloned();
    text("PK")
        .zip(text("SK"))
        .map(|(pk, sk)| Key { pk, sk })
        .ok_or_else(|| StoreError::damaged("an item", "it has no key"))
}
