//! Comparing the items of the table with the content of the version.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures_util::TryStreamExt;
use taxonomy_index::File;
use taxonomy_keys::{CategoryId, ItemKey, Key, TenantId, TermId};
use taxonomy_model::attribute::Attributes;
use taxonomy_model::items::{self, Item};
use taxonomy_model::{NodeId, Taxonomy};
use taxonomy_store::{Committed, ItemContent, RepairStep, Replacement, StoreError, StoredItem};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::StoredIndex;
use crate::requests::repair::Progress;
use crate::verify::Verdict;
use crate::verify::count_items::ItemCounter;
use crate::verify::difference::{Difference, Found};
use crate::verify::mend::Mender;
use crate::verify::partitions::partition;

/// The attributes of a void item besides its key, kind and version.
const VOID_ATTRIBUTES: usize = 2;

/// The comparison of the items of one version.
pub(crate) struct ItemComparison<'a> {
    pub(crate) tenant: &'a TenantId,
    pub(crate) head: &'a Committed,
    pub(crate) content: &'a Taxonomy,
    /// The index file of the version, which has the tombstones; `None` where it is lost, so that they are not compared.
    pub(crate) index: Option<&'a StoredIndex>,
    pub(crate) deadline: Deadline,
    pub(crate) mender: Mender<'a>,
    pub(crate) counter: ItemCounter,
    pub(crate) progress: Option<&'a Progress<'a>>,
    /// The partitions that were compared, and all of them.
    pub(crate) done: u64,
    pub(crate) of: u64,
}

impl ItemComparison<'_> {
    /// Compares the items of these partitions and of those of every removed category and term.
    pub(crate) async fn compare(
        &mut self,
        mut partitions: BTreeSet<String>,
        verdict: &mut Verdict,
    ) -> Result<(), VersioningError> {
        self.of = partitions.len() as u64;
        if let Some(index) = self.index {
            let (file, tenant) = (index.open(self.tenant)?, self.tenant);
            for tombstones in tombstones_of(tenant, index, &file) {
                let tombstones = tombstones?;
                for partition in tombstones.keys() {
                    partitions.remove(partition);
                }
                let names: Vec<String> = tombstones.keys().cloned().collect();
                self.compare_partitions(names, tombstones, verdict).await?;
            }
        }
        self.compare_partitions(partitions, BTreeMap::new(), verdict)
            .await?;
        self.mender.flush(&mut verdict.findings).await
    }

    pub(crate) async fn compare_partitions(
        &mut self,
        partitions: impl IntoIterator<Item = String>,
        mut tombstones: BTreeMap<String, Item>,
        verdict: &mut Verdict,
    ) -> Result<(), VersioningError> {
        let service = self.mender.service;
        let mut read = pin!(service.items_of(partitions));
        while let Some((partition, found)) = read.try_next().await? {
            self.deadline.in_time(&*service.clock)?;
            if let Some(progress) = self.progress {
                progress.show(RepairStep::Items, self.done, self.of).await?;
            }
            self.done += 1;
            let live = items::of_partition(self.tenant, self.content, &partition);
            let expected = live.into_iter().chain(tombstones.remove(&partition));
            let expected = expected.map(|item| (item.key.key(), item)).collect();
            self.compare_items(expected, found, verdict).await?;
        }
        Ok(())
    }

    /// Compares the items of one partition.
    async fn compare_items(
        &mut self,
        mut expected: BTreeMap<Key, Item>,
        found: Vec<StoredItem>,
        verdict: &mut Verdict,
    ) -> Result<(), VersioningError> {
        let version = self.head.version.get();
        for item in found {
            let wanted = expected.remove(&item.key);
            let Some(difference) = difference(&item, wanted.as_ref(), version, self.index.is_some()) else {
                match item.is_tombstone() {
                    true => verdict.tombstones += 1,
                    false => verdict.items += 1,
                }
                self.counter.take(&item);
                continue;
            };
            let replacement = match &wanted {
                Some(wanted) => {
                    Replacement::item(&wanted.key, version, wanted.attributes.clone(), Some(&item))
                }
                None => Replacement::void(&item, version, self.mender.expires_at()),
            };
            match (self.mender.mends, &wanted) {
                (false, _) => self.counter.take(&item),
                (true, Some(wanted)) => self.counter.take_wanted(wanted),
                (true, None) => {}
            }
            self.mender
                .take(&mut verdict.findings, difference, replacement)
                .await?;
        }
        for (key, wanted) in expected {
            if self.mender.mends {
                self.counter.take_wanted(&wanted);
            }
            let replacement = Replacement::item(&wanted.key, version, wanted.attributes, None);
            let missing = Difference::item(key, Found::Missing);
            self.mender
                .take(&mut verdict.findings, missing, replacement)
                .await?;
        }
        Ok(())
    }
}

/// Returns the tombstones of removed categories and terms by their partitions, as an index file has them, block by block.
pub(crate) fn tombstones_of<'f>(
    tenant: &'f TenantId,
    index: &'f StoredIndex,
    file: &'f File<'f>,
) -> impl Iterator<Item = Result<BTreeMap<String, Item>, StoreError>> + 'f {
    file.tombstones(None).map(move |removed| {
        let removed = removed.map_err(|error| index.damaged(error))?;
        let tombstones = removed.into_iter().filter_map(|(node, attributes)| {
            let key = own_key(tenant, node)?;
            Some((partition(tenant, node)?, Item { key, attributes }))
        });
        Ok(tombstones.collect())
    })
}

/// Returns the difference of an item from what the version has under its key. Without `knows_tombstones` that of a removed category or term is not known.
fn difference(
    item: &StoredItem,
    wanted: Option<&Item>,
    version: u64,
    knows_tombstones: bool,
) -> Option<Difference> {
    let key = || item.key.clone();
    let ItemContent {
        version: written,
        attributes,
    } = match &item.content {
        Ok(content) => content,
        Err(malformed) => return Some(Difference::malformed(key(), malformed)),
    };
    if *written > version {
        let cause = format!("it is of version {written}");
        return Some(Difference::item(key(), Found::Future).because(cause));
    }
    match wanted {
        Some(wanted) if wanted.attributes == *attributes => None,
        Some(wanted) => {
            let names = differing(attributes, &wanted.attributes);
            Some(Difference::item(key(), Found::Altered).of(names))
        }
        None if item.is_void() && attributes.len() == VOID_ATTRIBUTES => None,
        None if item.is_tombstone() && !knows_tombstones => None,
        None => Some(Difference::item(key(), Found::Foreign)),
    }
}

/// Returns the names of the attributes that differ, ascending.
pub(crate) fn differing(found: &Attributes, wanted: &Attributes) -> Vec<String> {
    let names: BTreeSet<&String> = found.keys().chain(wanted.keys()).collect();
    let differs = |name: &&String| found.get(*name) != wanted.get(*name);
    names.into_iter().filter(differs).cloned().collect()
}

/// Returns the key of the own item of a category or a term; none for a number that is no id.
fn own_key(tenant: &TenantId, node: NodeId) -> Option<ItemKey> {
    let tenant = tenant.clone();
    match node {
        NodeId::Category(id) => CategoryId::new(id).map(|category| ItemKey::Category { tenant, category }),
        NodeId::Term(id) => TermId::new(id).map(|term| ItemKey::Term { tenant, term }),
    }
}
