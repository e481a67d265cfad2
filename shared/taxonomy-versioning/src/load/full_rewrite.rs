//! Full loads: every item of every id that ever existed is written again, in whatever state the table is.
//!
//! The target's index file names every id, and has the tombstones of those that are gone. An item beside a term that the table has and the target
//! lacks becomes a tombstone.

use std::collections::BTreeSet;
use std::pin::pin;

use futures_util::TryStreamExt;
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_model::attribute::Attributes;
use taxonomy_model::items::Item;
use taxonomy_model::writes::{self, Write};
use taxonomy_model::{NodeId, Taxonomy, items};
use taxonomy_store::{Stopped, StoreError, WriteProgress};

use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::load::progress::ProjectionProgress;
use crate::service::Service;
use crate::verify::partitions::{nodes_of, own_key, partition};

/// The partitions between two checks of the deadline.
const BATCH: usize = 256;

impl Service {
    /// Makes every write. Returns `None` when they are complete.
    pub(crate) async fn rewrite_everything(
        &self,
        tenant: &TenantId,
        progress: &mut ProjectionProgress<'_>,
        target: &StoredVersion,
        content: &Taxonomy,
        expires_at: u64,
    ) -> Result<Option<Stopped>, VersioningError> {
        let index = self.index(tenant, target, progress.deadline).await?;
        let file = index.open(tenant)?;
        let present = writes::between(tenant, None, content, expires_at);
        if let Some(stopped) = self.write(progress, present).await {
            return Ok(Some(stopped));
        }
        let mut nodes: Vec<NodeId> = nodes_of(content).collect();
        let removed = file.tombstones(None);
        let removed = removed.map(|removed| removed.map_err(|error| index.damaged(error)));
        match self.write_tombstones(tenant, progress, removed).await? {
            Ok(removed) => nodes.extend(removed),
            Err(stopped) => return Ok(Some(stopped)),
        }
        for batch in nodes.chunks(BATCH) {
            if progress.to_skip >= batch.len() as u64 {
                progress.advance(batch.len() as u64, WriteProgress::default());
                continue;
            }
            if !progress.goes_on(0, &*self.clock) {
                return Ok(Some(Stopped::Ended));
            }
            let strays = self.strays(tenant, batch, content, expires_at).await?;
            // The unit of this stretch is a partition, so single writes do not count.
            let go_on = |_| progress.goes_on(0, &*self.clock);
            let written = self
                .projection
                .write(progress.version, strays.into_iter(), go_on)
                .await;
            // An incomplete batch is repeated from its beginning.
            progress.to_skip = 0;
            let written = WriteProgress { done: 0, ..written };
            if let Some(stopped) = progress.advance(batch.len() as u64, written) {
                return Ok(Some(stopped));
            }
        }
        Ok(None)
    }

    /// Writes the tombstones of removed categories and terms, given their attributes, and returns their ids.
    pub(crate) async fn write_tombstones(
        &self,
        tenant: &TenantId,
        progress: &mut ProjectionProgress<'_>,
        removed: impl Iterator<Item = Result<Vec<(NodeId, Attributes)>, StoreError>>,
    ) -> Result<Result<Vec<NodeId>, Stopped>, StoreError> {
        let mut ids = Vec::new();
        for removed in removed {
            let removed = removed?;
            ids.extend(removed.iter().map(|(node, _)| *node));
            let tombstones = removed
                .into_iter()
                .filter_map(|(node, attributes)| tombstone(tenant, node, attributes));
            if let Some(stopped) = self.write(progress, tombstones).await {
                return Ok(Err(stopped));
            }
        }
        Ok(Ok(ids))
    }

    /// Returns the items beside terms that the table has and the content lacks.
    async fn strays(
        &self,
        tenant: &TenantId,
        nodes: &[NodeId],
        content: &Taxonomy,
        expires_at: u64,
    ) -> Result<Vec<Write>, StoreError> {
        let mut strays = Vec::new();
        let partitions = nodes.iter().filter_map(|node| partition(tenant, *node));
        let mut read = pin!(self.items_of(partitions));
        while let Some((partition, found)) = read.try_next().await? {
            let wanted: BTreeSet<_> = items::of_partition(tenant, content, &partition)
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

/// Returns the tombstone of a category or term, given its attributes.
fn tombstone(tenant: &TenantId, node: NodeId, attributes: Attributes) -> Option<Write> {
    let key = own_key(tenant, node)?;
    Some(Write::Remove(Item { key, attributes }))
}
