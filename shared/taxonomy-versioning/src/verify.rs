//! Verification of a tenant: every link and hash of the chain, every item of the table, every aggregate.

pub(crate) mod audit;
pub(crate) mod checkpoint;
pub(crate) mod count_items;
pub(crate) mod partitions;
pub(crate) mod repair;
pub(crate) mod replay;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures_util::TryStreamExt;
use serde::Serialize;
use taxonomy_keys::{Key, TenantId, Version};
use taxonomy_model::items::{self, Item};
use taxonomy_model::{Census, Taxonomy};
use taxonomy_runtime::causes;
use taxonomy_store::{Committed, StoredItem};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::count_items::ItemCounter;
use crate::verify::partitions::{nodes_of, partition};
use crate::verify::repair::Repair;
use crate::verify::replay::Replay;

/// The maximum number of differences that are listed; all are counted.
const LISTED: usize = 100;

/// The result of a verification. `taxonomy verify --output json` writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The verified version; 0 only before the first.
    pub version: u64,
    /// The checkpoint behind which the chain was replayed; 0 for the whole chain.
    #[serde(skip)]
    pub since: u64,
    /// Changesets that were read, hashed, linked and replayed.
    pub changesets: u64,
    /// Index files that were built again from the chain and compared.
    pub indexes: u64,
    /// Search objects that were built again from the chain and compared.
    pub search_objects: u64,
    /// Whether the table is at the head; otherwise its items are not compared.
    pub settled: bool,
    /// Live items that were compared.
    pub items: u64,
    /// Tombstones that were read.
    pub tombstones: u64,
    /// The version at which the aggregates were compared; `None` if they were not: the aggregator has not counted the version, or the items cannot be
    /// counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// The number of differences.
    pub differences: u64,
    /// The first differences.
    #[serde(skip)]
    pub listed: Vec<Difference>,
}

/// A difference between the stored and the expected state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The chain is broken; the part behind the break was not verified.
    Chain(String),
    /// An index file or a search object is missing, damaged, or differs from its version.
    Index(String),
    /// An item of the version is missing.
    Missing(Key),
    /// An item differs from the version.
    Differs(Key),
    /// An item is not part of the version.
    Stray(Key),
    /// An aggregate differs from the counted items, or from the log.
    Miscounted(Key),
    /// The checkpoint of an earlier audit is invalid, so the chain was replayed from the first version.
    Checkpoint(String),
}

impl Verdict {
    /// Whether there is no difference.
    pub fn is_clean(&self) -> bool {
        self.differences == 0
    }

    pub(crate) fn note(&mut self, difference: Difference) {
        self.differences += 1;
        if self.listed.len() < LISTED {
            self.listed.push(difference);
        }
    }
}

impl Service {
    /// Verifies a tenant: the chain, the head, its snapshot and the table; older snapshots follow from the chain. Replays every changeset from the
    /// first on, and reads the partition of every id that ever existed: one read unit for each; further partitions are those that [`Self::scanned`]
    /// found. Reads and writes no checkpoint.
    ///
    /// # Errors
    /// [`VersioningError::NoVersion`]; [`VersioningError::Overtaken`] if the tenant changed meanwhile; [`VersioningError::Store`] if a request failed.
    pub async fn verify(
        &self,
        tenant: &TenantId,
        scanned: BTreeSet<String>,
    ) -> Result<Verdict, VersioningError> {
        let head = self.committed(tenant).await?;
        let mut replay = Replay::default();
        let (verdict, _) = self
            .examine(tenant, &head, &mut replay, scanned, Deadline::NONE)
            .await?;
        Ok(verdict)
    }

    /// Returns the partitions of categories and terms that the table has of a tenant, whether a version names them or not. Scans the whole table.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if a request failed.
    pub async fn scanned(&self, tenant: &TenantId) -> Result<BTreeSet<String>, VersioningError> {
        Ok(self.reader.scanned(tenant).await?)
    }

    /// As [`Self::verify`], from the progress of `replay`, with further `partitions`; also returns the expected state of every wrong aggregate. In every
    /// outcome `replay` contains the verified part of the chain.
    pub(crate) async fn examine(
        &self,
        tenant: &TenantId,
        head: &Committed,
        replay: &mut Replay,
        mut partitions: BTreeSet<String>,
        deadline: Deadline,
    ) -> Result<(Verdict, BTreeMap<Key, Repair>), VersioningError> {
        let mut repairs = BTreeMap::new();
        let mut verdict = Verdict {
            version: head.version.get(),
            since: replay.stands_at(),
            settled: head.is_settled(),
            ..Verdict::default()
        };
        self.examine_chain(tenant, head, replay, deadline, &mut verdict)
            .await?;
        let content = match self.archive.snapshot(&head.snapshot_key, &head.state).await {
            Ok(content) => content,
            Err(error) if error.is_lost() => {
                verdict.note(Difference::Chain(causes(&error)));
                return Ok((verdict, repairs));
            }
            Err(error) => return Err(error.into()),
        };
        let counted = Census::new(&content).totals;
        if (counted.categories, counted.counts.terms) != (head.categories, head.terms) {
            verdict.note(Difference::Chain(
                "the head counts otherwise than its snapshot".to_owned(),
            ));
        }
        if head.is_settled() {
            // Those of the content as well, where its index file cannot be read.
            partitions.extend(nodes_of(&content).filter_map(|node| partition(tenant, node)));
            deadline.in_time(&*self.clock)?;
            match self.partitions_up_to(tenant, head).await {
                Ok(known) => partitions.extend(known),
                Err(error) if error.is_lost() => {
                    // The replay has noted a file that it has built again.
                    if !replay
                        .wrong_indexes
                        .iter()
                        .any(|wrong| wrong.contains(&head.index_key))
                    {
                        verdict.note(Difference::Index(causes(&error)));
                    }
                }
                Err(error) => return Err(error.into()),
            }
            deadline.in_time(&*self.clock)?;
            let counter = self
                .compare(tenant, head.version, &content, partitions, deadline, &mut verdict)
                .await?;
            let miscounted = match counter.census() {
                Some(counted) => self.miscounted(tenant, head.version, &counted).await?,
                None => None,
            };
            verdict.counted = miscounted.is_some().then_some(head.version.get());
            repairs = miscounted.unwrap_or_default();
            for key in repairs.keys() {
                verdict.note(Difference::Miscounted(key.clone()));
            }
        }
        let now = self.committed(tenant).await?;
        if (now.version, now.projected) != (head.version, head.projected) {
            return Err(VersioningError::Overtaken);
        }
        Ok((verdict, repairs))
    }

    /// Replays the chain up to the head, and records where it breaks.
    async fn examine_chain(
        &self,
        tenant: &TenantId,
        head: &Committed,
        replay: &mut Replay,
        deadline: Deadline,
        verdict: &mut Verdict,
    ) -> Result<(), VersioningError> {
        let replayed = self.replay(tenant, head, deadline, replay).await;
        (verdict.changesets, verdict.indexes) = (replay.changesets, replay.indexes);
        verdict.search_objects = replay.search_objects;
        for wrong in &replay.wrong_indexes {
            verdict.note(Difference::Index(wrong.clone()));
        }
        match replayed {
            Ok((id, state)) if (&id, &state) == (&head.changeset, &head.state) => replay.is_whole = true,
            Ok(_) => {
                replay.is_broken = true;
                verdict.note(Difference::Chain(
                    "the chain leads elsewhere than the head".to_owned(),
                ));
            }
            Err(VersioningError::Store(error)) if error.is_lost() => {
                replay.is_broken = true;
                verdict.note(Difference::Chain(causes(&error)));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    async fn compare(
        &self,
        tenant: &TenantId,
        version: Version,
        content: &Taxonomy,
        partitions: BTreeSet<String>,
        deadline: Deadline,
        verdict: &mut Verdict,
    ) -> Result<ItemCounter, VersioningError> {
        let mut counter = ItemCounter::default();
        let mut expected: BTreeMap<Key, Item> = BTreeMap::new();
        let mut read = pin!(self.items_of(partitions));
        while let Some((partition, items)) = read.try_next().await? {
            deadline.in_time(&*self.clock)?;
            expected.extend(
                items::of_partition(tenant, content, &partition)
                    .into_iter()
                    .map(|item| (item.key.key(), item)),
            );
            for item in items {
                counter.take(&item);
                match expected.remove(&item.key) {
                    Some(wanted) if is_as(&item, &wanted, version) => verdict.items += 1,
                    Some(_) => verdict.note(Difference::Differs(item.key)),
                    None if item.is_tombstone() && !is_listed(&item) => verdict.tombstones += 1,
                    None => verdict.note(Difference::Stray(item.key)),
                }
            }
            for key in std::mem::take(&mut expected).into_keys() {
                verdict.note(Difference::Missing(key));
            }
        }
        Ok(counter)
    }
}

fn is_as(found: &StoredItem, wanted: &Item, version: Version) -> bool {
    found.version <= version.get() && found.attributes == wanted.attributes
}

/// Whether an item has keys of the index, which no category or term has.
fn is_listed(found: &StoredItem) -> bool {
    found.attributes.contains_key("GSI1PK")
}
