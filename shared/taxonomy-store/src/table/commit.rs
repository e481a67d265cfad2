//! Committing a version. The compare-and-set on HEAD is the only commit; bodies that are stored before it have no effect by themselves.

use aws_sdk_dynamodb::types::{AttributeValue, Put, ReturnConsumedCapacity, TransactWriteItem, Update};
use taxonomy_keys::{Attention, ItemKey, TenantId, pattern};
use taxonomy_model::attribute;

use crate::backoff;
use crate::error::StoreError;
use crate::table::attributes::{sdk_item, sdk_key, to_sdk};
use crate::table::configuration::PURGE;
use crate::table::configure::{list_as, listed};
use crate::table::head::{Committed, LogEntry};
use crate::table::heads::Heads;
use crate::table::requests::{Answered, is_asked};
use crate::table::update_expression::UpdateExpression;

/// A version to commit.
#[derive(Debug, Clone)]
pub struct Commit<'a> {
    /// The tenant.
    pub tenant: &'a TenantId,
    /// The head that it follows; `None` for the first version.
    pub onto: Option<&'a Committed>,
    /// The new head; the members of a load are ignored, since the commit does not change them.
    pub head: &'a Committed,
    /// The log entry.
    pub entry: &'a LogEntry,
    /// The answer to the request that the version carries out.
    pub answer: Option<&'a Answered>,
}

/// The outcome of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The version was committed; others may have followed it.
    Committed,
    /// Another version was committed instead: plan again.
    Overtaken,
}

impl Heads {
    /// Commits a version: head and log entry together, or neither.
    ///
    /// A cancellation is ambiguous: this commit may have succeeded while its response was lost. So the log decides, not the error.
    ///
    /// # Errors
    /// [`StoreError`] if the outcome is unknown after all attempts.
    pub async fn commit(&self, commit: &Commit<'_>) -> Result<CommitOutcome, StoreError> {
        let mut attempt = 0;
        loop {
            let Err(error) = self.try_commit(commit).await else {
                return Ok(CommitOutcome::Committed);
            };
            match self.entry(commit.tenant, commit.entry.version).await? {
                Some(entry) if entry.changeset == commit.entry.changeset => {
                    return Ok(CommitOutcome::Committed);
                }
                Some(_) => return Ok(CommitOutcome::Overtaken),
                // The version does not exist: a concurrent transaction touched the same items and may have failed.
                None if error.is_transaction_cancelled() && attempt + 1 < backoff::TRIES => {
                    backoff::pause(attempt).await;
                }
                None => return Err(error),
            }
            attempt += 1;
        }
    }

    async fn try_commit(&self, commit: &Commit<'_>) -> Result<(), StoreError> {
        let Commit {
            tenant,
            onto,
            head,
            entry,
            answer,
        } = commit;
        let key = ItemKey::Changeset {
            tenant: (*tenant).clone(),
            version: entry.version,
        };
        let log = Put::builder()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(
                &key,
                entry.version.get(),
                attribute::write(*entry),
            )))
            .condition_expression("attribute_not_exists(PK)")
            .build();
        let log = log.map_err(|error| StoreError::damaged("a request", error))?;
        let mut request = self
            .table
            .client
            .transact_write_items()
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .transact_items(TransactWriteItem::builder().put(log).build())
            .transact_items(
                TransactWriteItem::builder()
                    .update(self.head_update(tenant, *onto, head, entry, *answer)?)
                    .build(),
            );
        if onto.is_none() {
            let item = ItemKey::Tenant {
                tenant: (*tenant).clone(),
            };
            let mut change = listed(tenant);
            change.name(PURGE);
            let condition = "attribute_not_exists(#Purge)";
            let update = change.update(&self.table.name, sdk_key(item.key()), condition)?;
            request = request.transact_items(TransactWriteItem::builder().update(update).build());
        }
        request
            .send()
            .await
            .map_err(|error| StoreError::request("TransactWriteItems", error))?;
        Ok(())
    }

    /// Builds the update of the head, on condition that the tenant is not being purged. Sets everything but the progress of loads, which other processes
    /// may be changing, and lists the tenant as behind.
    fn head_update(
        &self,
        tenant: &TenantId,
        onto: Option<&Committed>,
        head: &Committed,
        entry: &LogEntry,
        answer: Option<&Answered>,
    ) -> Result<Update, StoreError> {
        let mut change = UpdateExpression::default();
        change.replace(head, &["Cultures", "FallbackChain"]);
        change.set("EntityType", AttributeValue::S("Head".to_owned()));
        list_as(&mut change, tenant, Some(Attention::Behind));
        // A refusal is kept by every version that is not an upload; otherwise its object would be ingested again.
        if entry.source.is_some() {
            change.remove("Refused");
        }
        if entry.full {
            change.set("Full", AttributeValue::N(entry.version.to_string()));
        }
        change.name(PURGE);
        let asked = answer.map(|answer| {
            change.remove("Asked");
            change.set("Answered", AttributeValue::M(to_sdk(attribute::write(answer))));
            is_asked(&answer.id, &mut change)
        });
        let condition = match onto {
            Some(onto) => {
                change.value(":from", AttributeValue::N(onto.version.to_string()));
                change.value(":on", AttributeValue::S(onto.changeset.to_string()));
                "V = :from AND ChangesetId = :on AND attribute_not_exists(#Purge)"
            }
            None => {
                change.set("Projected", AttributeValue::N("0".to_owned()));
                change.set("ProjectedAt", AttributeValue::N("0".to_owned()));
                change.value(":none", AttributeValue::N("0".to_owned()));
                "attribute_not_exists(PK) OR (V = :none AND attribute_not_exists(#Purge))"
            }
        };
        let condition = asked.map_or(condition.to_owned(), |asked| format!("{condition} AND {asked}"));
        change.update(&self.table.name, sdk_key(pattern::head(tenant)), &condition)
    }
}
