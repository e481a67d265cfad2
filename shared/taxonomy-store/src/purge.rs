//! Deletes the items of a tenant. Only the command line has this, behind the feature `purge`; the order of the deletions is decided in
//! `taxonomy-versioning`.
//!
//! The deletions carry no condition on versions. That is right only because nothing writes for a tenant that is being purged: its
//! configuration carries the note ([`PurgeNote`]), every process reads it before it begins, and its head carries a mark that no commit
//! passes.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use taxonomy_keys::pattern::{self, KeyQuery};
use taxonomy_keys::{ItemKey, Key, TenantId};
use taxonomy_model::attribute;

use crate::backoff;
use crate::concurrent::{self, Run, Stopped};
use crate::error::StoreError;
use crate::table::attributes::{SdkItem, sdk_key, to_sdk};
use crate::table::configuration::{Configuration, PURGE, PurgeNote, PurgePhase};
use crate::table::configure::listed;
use crate::table::heads::Heads;
use crate::table::update_expression::UpdateExpression;
use crate::table::{Consistency, Table};

/// The maximum number of pages of one partition: a gigabyte.
const MAX_PAGES: usize = 1024;

/// Deletes items of tenants.
#[derive(Debug, Clone)]
pub struct Purge {
    heads: Heads,
    table: Table,
    concurrency: usize,
}

/// The items in the partition of a tenant's head.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Presence {
    /// Whether there is a head.
    pub head: bool,
    /// Whether there is a configuration.
    pub configuration: bool,
    /// Keys of everything else: the log, the note of the audits.
    pub others: Vec<Key>,
}

impl Purge {
    /// Deletes in `table`, at most `concurrency` items at a time, and fewer while it is throttled.
    #[must_use]
    pub fn new(table: Table, concurrency: usize) -> Self {
        Self {
            heads: Heads::new(table.clone()),
            table,
            concurrency,
        }
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
            change.set(PURGE, AttributeValue::M(to_sdk(attribute::write(&note))));
            change.set("Frozen", AttributeValue::Bool(true));
            change.set("Revision", AttributeValue::N((onto + 1).to_string()));
            change.value(":onto", AttributeValue::N(onto.to_string()));
            let condition = match onto {
                0 => {
                    "attribute_not_exists(#Purge) AND (attribute_not_exists(#Revision) OR #Revision = :onto)"
                }
                _ => "attribute_not_exists(#Purge) AND #Revision = :onto",
            };
            let key = sdk_key(pattern::configuration(tenant));
            if self.heads.apply(key, change, condition).await? {
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
            change.set(PURGE, AttributeValue::Bool(true));
            let key = sdk_key(pattern::head(tenant));
            if self.heads.apply(key, change, "attribute_exists(PK)").await? {
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
        change.set(PURGE, AttributeValue::M(to_sdk(attribute::write(note))));
        let key = sdk_key(pattern::configuration(tenant));
        let condition = "attribute_exists(#Purge)";
        self.heads.apply(key, change, condition).await
    }

    /// Returns the items in the partition of the tenant's head, without decoding them.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the partition does not end.
    pub async fn presence(&self, tenant: &TenantId) -> Result<Presence, StoreError> {
        let mut presence = Presence::default();
        let (head, configuration) = (pattern::head(tenant), pattern::configuration(tenant));
        for key in self.keys(pattern::everything_but_items(tenant)).await? {
            if key == head {
                presence.head = true;
            } else if key == configuration {
                presence.configuration = true;
            } else {
                presence.others.push(key);
            }
        }
        Ok(presence)
    }

    /// The primary keys of a partition, read consistently, whatever the items are like.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the query does not end.
    pub async fn keys(&self, query: KeyQuery) -> Result<Vec<Key>, StoreError> {
        let (mut keys, mut start) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = self.table.query_keys(query.clone(), start).await?;
            for item in &page.items {
                keys.push(key(item)?);
            }
            start = page.next;
            if start.is_none() {
                return Ok(keys);
            }
        }
        Err(StoreError::Unprocessed { operation: "Query" })
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
                self.delete_key(&key).await?;
            }
            Ok(count)
        };
        ended(concurrent::run(self.concurrency, own, delete, done, |_| true).await)
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
        let delete = async |key: &Key| self.delete_key(key).await;
        ended(concurrent::run(self.concurrency, own, delete, |()| done(1), |_| true).await)
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

    async fn delete_key(&self, key: &Key) -> Result<(), StoreError> {
        self.delete(key, None).await
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
        let deleted = request.send().await;
        deleted
            .map(drop)
            .map_err(|error| StoreError::request("DeleteItem", error))
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

fn ended(ran: Run) -> Result<(), StoreError> {
    match ran.stopped {
        Some(Stopped::Failed(error)) => Err(error),
        Some(Stopped::Ended) | None => Ok(()),
    }
}
