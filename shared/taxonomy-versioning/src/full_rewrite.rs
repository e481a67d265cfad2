//! Full versions: every item of every node that ever existed is written again, in whatever state the table is.
//!
//! The existing nodes come from the head. Removed nodes come from the last version that had them. Items beside terms are not looked up in past
//! versions: an item that the table has and the head lacks becomes a tombstone.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::{CategoryId, ItemKey, TenantId, TermId, Version, pattern};
use taxonomy_model::writes::{self, Overlay, Write};
use taxonomy_model::{Fact, NodeId, Taxonomy, items};
use taxonomy_runtime::Clock;
use taxonomy_store::{Progress, Stopped, StoreError, WriteOutcomes};

use crate::error::VersioningError;
use crate::progress::ProjectionProgress;
use crate::service::Service;

/// The maximum number of partitions that are read concurrently.
const CONCURRENCY: usize = 16;

/// The partitions between two checks of the deadline.
const BATCH: usize = 256;

impl<C: Clock> Service<C> {
    /// Makes every write. Returns `None` when they are complete.
    pub(crate) async fn rewrite_everything(
        &self,
        tenant: &TenantId,
        progress: &mut ProjectionProgress<'_>,
        overlay: &Overlay,
        last: &Taxonomy,
        expires_at: u64,
    ) -> Result<Option<Stopped>, VersioningError> {
        let gone = |write: &Write| matches!(write, Write::Remove(_));
        let pending = overlay.writes(tenant, last, expires_at).filter(gone);
        let writes = writes::between(tenant, None, last, expires_at).chain(pending);
        if let Some(stopped) = self.write(progress, writes).await {
            return Ok(Some(stopped));
        }
        let past = self.past(tenant, progress.version).await?;
        for (version, nodes) in &past.tombstones {
            // Each node is one write, so a completed version need not be read.
            if progress.to_skip >= nodes.len() as u64 {
                progress.advance(nodes.len() as u64, nothing());
                continue;
            }
            let state = self
                .load(&self.heads.required_entry(tenant, *version).await?)
                .await?;
            let tombstones = nodes.iter().filter_map(|node| tombstone(tenant, &state, *node));
            if let Some(stopped) = self.write(progress, tombstones).await {
                return Ok(Some(stopped));
            }
        }
        let partitions: Vec<String> = past.partitions.into_iter().collect();
        for batch in partitions.chunks(BATCH) {
            if progress.to_skip >= batch.len() as u64 {
                progress.advance(batch.len() as u64, nothing());
                continue;
            }
            if !progress.goes_on(0, &self.clock) {
                return Ok(Some(Stopped::Ended));
            }
            let strays = self.strays(tenant, batch, last, expires_at).await?;
            // The unit of this stretch is a partition, so single writes do not count.
            let go_on = |_| progress.goes_on(0, &self.clock);
            let written = self
                .projection
                .write(progress.version, strays.into_iter(), go_on)
                .await;
            // An incomplete batch is repeated from its beginning.
            let units = if written.stopped.is_some() {
                0
            } else {
                batch.len() as u64
            };
            progress.to_skip = 0;
            let written = Progress { done: 0, ..written };
            if let Some(stopped) = progress.advance(units, written) {
                return Ok(Some(stopped));
            }
        }
        Ok(None)
    }

    /// Returns every id that ever existed, with the last version of each removed node, from the changesets alone.
    async fn past(&self, tenant: &TenantId, to: Version) -> Result<Past, StoreError> {
        let mut last_seen: BTreeMap<NodeId, Version> = BTreeMap::new();
        let mut past = Past::default();
        let mut changesets = pin!(self.chain.forwards(tenant, None, to));
        let mut before = Version::FIRST;
        while let Some(changeset) = changesets.try_next().await? {
            for fact in &changeset.facts {
                match (fact, fact.subject()) {
                    (Fact::CategoryAdded(_) | Fact::TermAdded(_), Some(node)) => {
                        last_seen.remove(&node);
                        past.partitions.extend(partition(tenant, node));
                    }
                    (Fact::CategoryRemoved { .. } | Fact::TermRemoved { .. }, Some(node)) => {
                        last_seen.insert(node, before);
                    }
                    _ => {}
                }
            }
            before = changeset.header.version;
        }
        for (node, version) in last_seen {
            past.tombstones.entry(version).or_default().push(node);
        }
        Ok(past)
    }

    /// Returns the items beside terms that the table has and the content lacks.
    async fn strays(
        &self,
        tenant: &TenantId,
        partitions: &[String],
        content: &Taxonomy,
        expires_at: u64,
    ) -> Result<Vec<Write>, StoreError> {
        let mut strays = Vec::new();
        let mut read = pin!(
            stream::iter(partitions)
                .map(async |partition| {
                    let found = self.reader.whole(pattern::whole(partition)).await?;
                    Ok::<_, StoreError>((partition, found))
                })
                .buffered(CONCURRENCY)
        );
        while let Some((partition, found)) = read.try_next().await? {
            let wanted: BTreeSet<_> = items::of_partition(tenant, content, partition)
                .into_iter()
                .map(|item| item.key.key())
                .collect();
            for item in found {
                if !item.is_tombstone() && !wanted.contains(&item.key) {
                    let key = ItemKey::parse(&item.key.pk, &item.key.sk);
                    strays.extend(
                        key.ok()
                            .map(|key| writes::tombstone_of_satellite(key, expires_at)),
                    );
                }
            }
        }
        Ok(strays)
    }
}

/// The past of a tenant, from its changesets.
#[derive(Default)]
struct Past {
    /// Removed nodes, by the last version that had them.
    tombstones: BTreeMap<Version, Vec<NodeId>>,
    /// Partition keys of every node that ever existed.
    partitions: BTreeSet<String>,
}

pub(crate) fn partition(tenant: &TenantId, node: NodeId) -> Option<String> {
    match node {
        NodeId::Category(id) => CategoryId::new(id).map(|id| pattern::category(tenant, id).pk),
        NodeId::Term(id) => TermId::new(id).map(|id| pattern::term(tenant, id).pk),
    }
}

fn tombstone(tenant: &TenantId, last: &Taxonomy, node: NodeId) -> Option<Write> {
    match node {
        NodeId::Category(id) => {
            let category = last.category(CategoryId::new(id)?)?;
            Some(writes::tombstone_of_category(tenant, category))
        }
        NodeId::Term(id) => {
            let term = last.term(TermId::new(id)?)?;
            Some(writes::tombstone_of_term(tenant, term))
        }
    }
}

/// A stretch that needs no write.
fn nothing() -> Progress {
    Progress {
        written: WriteOutcomes::default(),
        done: 0,
        stopped: None,
    }
}
