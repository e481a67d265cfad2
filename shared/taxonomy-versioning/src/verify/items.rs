//! Comparing the items of the table with the content of the version.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures_util::TryStreamExt;
use taxonomy_index::File;
use taxonomy_keys::{Key, TenantId};
use taxonomy_model::Taxonomy;
use taxonomy_model::items::{self, Item};
use taxonomy_store::{RepairStep, StoreError, StoredItem};

use crate::error::VersioningError;
use crate::ingest::files::StoredIndex;
use crate::requests::repair::Progress;
use crate::verify::Examination;
use crate::verify::compare::{Comparison, ExpectedItem};
use crate::verify::partitions::own_key;

/// The head's version, from which its items follow.
#[derive(Clone, Copy)]
pub(crate) struct Newest<'a> {
    pub(crate) content: &'a Taxonomy,
    /// Its index file, which has the tombstones; `None` where it is lost, so that they are not compared.
    pub(crate) index: Option<&'a StoredIndex>,
}

/// The partitions of a comparison that are done, of all of them. Those that an earlier invocation compared are skipped.
struct Count {
    done: u64,
    skipped: u64,
    of: u64,
}

impl Examination<'_> {
    /// Compares the items of these partitions; those of an earlier invocation of the same repair are skipped.
    pub(crate) async fn compare_items(
        &self,
        comparison: &mut Comparison<'_>,
        newest: Newest<'_>,
        mut partitions: BTreeSet<String>,
    ) -> Result<(), VersioningError> {
        let of = partitions.len() as u64;
        let mut count = Count {
            done: 0,
            skipped: self.progress.map_or(0, |progress| progress.compared(of)),
            of,
        };
        if let Some(index) = newest.index {
            let file = index.open(self.tenant)?;
            for tombstones in tombstones_of(self.tenant, index, &file) {
                let mut tombstones = tombstones?;
                tombstones.retain(|partition, _| partitions.remove(partition));
                let names: Vec<String> = tombstones.keys().cloned().collect();
                self.compare_partitions(comparison, newest, &mut count, (names, tombstones))
                    .await?;
            }
        }
        self.compare_partitions(comparison, newest, &mut count, (partitions, BTreeMap::new()))
            .await?;
        comparison.flush().await
    }

    async fn compare_partitions(
        &self,
        comparison: &mut Comparison<'_>,
        newest: Newest<'_>,
        count: &mut Count,
        (partitions, mut tombstones): (impl IntoIterator<Item = String>, BTreeMap<String, Item>),
    ) -> Result<(), VersioningError> {
        let skip = count.skipped.saturating_sub(count.done);
        let (mut partitions, mut skipped) = (partitions.into_iter(), 0);
        while skipped < skip && partitions.next().is_some() {
            skipped += 1;
        }
        count.done += skipped;
        let mut read = pin!(self.service.items_of(partitions));
        while let Some((partition, found)) = read.try_next().await? {
            let in_time = self.deadline.in_time(&*self.service.clock);
            let is_due = |progress: &&Progress<'_>| in_time.is_err() || progress.is_due();
            if let Some(progress) = self.progress.filter(is_due) {
                comparison.flush().await?;
                let findings = &comparison.findings;
                progress
                    .store(RepairStep::Items, count.done, count.of, findings)
                    .await?;
            }
            in_time?;
            let live = items::of_partition(self.tenant, newest.content, &partition);
            let expected = live.into_iter().chain(tombstones.remove(&partition));
            let expected = expected.map(|item| (item.key.key(), self.expected_item(item)));
            let knows_tombstones = newest.index.is_some();
            compare_partition(comparison, expected.collect(), found, knows_tombstones).await?;
            count.done += 1;
        }
        Ok(())
    }

    fn expected_item(&self, Item { key, attributes }: Item) -> ExpectedItem {
        ExpectedItem {
            key,
            version: self.head.version.get(),
            attributes,
            open: &["V"],
            exists: true,
        }
    }
}

/// Compares the items of one partition. Without `knows_tombstones` that of a removed category or term is not known.
async fn compare_partition(
    comparison: &mut Comparison<'_>,
    mut expected: BTreeMap<Key, ExpectedItem>,
    found: Vec<StoredItem>,
    knows_tombstones: bool,
) -> Result<(), VersioningError> {
    for item in found {
        let wanted = expected.remove(&item.key);
        if wanted.is_some() || knows_tombstones || !item.is_tombstone() {
            comparison.item(Some(&item), wanted.as_ref()).await?;
        }
    }
    for missing in expected.into_values() {
        comparison.item(None, Some(&missing)).await?;
    }
    Ok(())
}

/// Returns the tombstones of removed categories and terms by their partitions, as an index file has them, block by block.
fn tombstones_of<'f>(
    tenant: &'f TenantId,
    index: &'f StoredIndex,
    file: &'f File<'f>,
) -> impl Iterator<Item = Result<BTreeMap<String, Item>, StoreError>> + 'f {
    file.tombstones(None).map(move |removed| {
        let removed = removed.map_err(|error| index.damaged(error))?;
        let tombstones = removed.into_iter().filter_map(|(node, attributes)| {
            let key = own_key(tenant, node)?;
            Some((key.key().pk, Item { key, attributes }))
        });
        Ok(tombstones.collect())
    })
}
