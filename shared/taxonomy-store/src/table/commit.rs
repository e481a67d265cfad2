//! Committing a version. The compare-and-set on HEAD is the only commit; bodies that are stored before it have no effect by themselves.

use aws_sdk_dynamodb::types::TransactWriteItem;
use taxonomy_keys::{Attention, ItemKey, TenantId, pattern};
use taxonomy_model::attribute;

use crate::backoff;
use crate::error::StoreError;
use crate::table::configure::{list_as, listed};
use crate::table::head::{Committed, LogEntry};
use crate::table::heads::{Heads, require_head};
use crate::table::listing::Newest;
use crate::table::requests::{Answered, answer_in};
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

impl Heads {
    /// Commits a version: head, log entry and the tenant's place in the list of tenants together, or none of them. Returns false if another version has its number. Later versions may be there already when it returns.
    ///
    /// A cancellation is ambiguous: this commit may have succeeded while its response was lost. So the log decides, not the error.
    ///
    /// # Errors
    /// [`StoreError`] if the outcome is unknown after all attempts.
    pub async fn commit(&self, commit: &Commit<'_>) -> Result<bool, StoreError> {
        let mut attempt = 0;
        loop {
            let Err(error) = self.try_commit(commit).await else {
                return Ok(true);
            };
            match self.entry(commit.tenant, commit.entry.version).await? {
                Some(entry) => return Ok(entry.changeset == commit.entry.changeset),
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
            ..
        } = *commit;
        let key = ItemKey::Changeset {
            tenant: tenant.clone(),
            version: entry.version,
        };
        let log = self.table.put_new(&key, entry.version, attribute::write(entry))?;
        let mut listing = listed(tenant);
        listing.set("Newest", attribute::write(&Newest::new(head, entry)));
        listing.require(match onto {
            None => "attribute_not_exists(#Purge)",
            // One that was lost is restored first, with the settings of the head.
            Some(_) => "attribute_exists(PK) AND attribute_not_exists(#Purge)",
        });
        let listing = listing.transact_item(&self.table, pattern::configuration(tenant))?;
        self.table
            .transact(vec![log, self.head_update(commit)?, listing])
            .await
    }

    /// Builds the update of the head, on condition that the tenant is not being purged. Sets everything but the progress of loads, which other processes
    /// may be changing, and lists the tenant as behind.
    fn head_update(&self, commit: &Commit<'_>) -> Result<TransactWriteItem, StoreError> {
        let Commit {
            tenant,
            onto,
            head,
            entry,
            answer,
        } = *commit;
        let mut change = UpdateExpression::default();
        change.replace(head, &["Cultures", "FallbackChain"]);
        change.set("EntityType", "Head");
        list_as(&mut change, tenant, Some(Attention::Behind));
        // A refusal is kept by every version that is not an upload; otherwise its object would be ingested again.
        if entry.source.is_some() {
            change.remove("Refused");
        }
        if entry.full {
            change.set("Full", entry.version.get());
        }
        match onto {
            Some(onto) => {
                require_head(&mut change, onto.version, &onto.changeset);
                change.require("attribute_not_exists(#Purge)");
            }
            None => {
                change.set("Projected", 0);
                change.set("ProjectedAt", 0);
                change.value(":none", 0);
                change.require("(attribute_not_exists(PK) OR (V = :none AND attribute_not_exists(#Purge)))");
            }
        }
        if let Some(answer) = answer {
            answer_in(&mut change, answer);
        }
        change.transact_item(&self.table, pattern::head(tenant))
    }
}
