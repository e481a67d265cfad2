//! Items of versions that the tenant does not have. No write of a load replaces them, so the load puts each right by itself: as it was seen, and on
//! condition that the head is the one that was read after it.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_keys::{Key, TenantId};
use taxonomy_runtime::Metric;
use taxonomy_store::{Committed, NewerItem};
use tracing::{error, warn};

use crate::error::VersioningError;
use crate::plan::TenantState;
use crate::service::Service;
use crate::verify::Verdict;
use crate::verify::count_items::ItemCounter;
use crate::verify::items::{ItemComparison, tombstones_of};
use crate::verify::mend::Mender;

impl Service {
    /// Counts the items whose version the tenant does not have, and returns their partitions.
    pub(crate) async fn count_unknown(&self, tenant: &TenantId, newer: &[NewerItem]) -> BTreeSet<String> {
        if newer.is_empty() {
            return BTreeSet::new();
        }
        // Without the head nothing is known of the items. A verification finds them too.
        let Ok((head, _)) = self.heads.read(tenant).await else {
            return BTreeSet::new();
        };
        let version = head.committed.map_or(0, |committed| committed.version.get());
        let mut partitions = BTreeSet::new();
        for item in newer.iter().filter(|item| item.version > version) {
            self.metrics.count(Metric::AuditDifferences, 1);
            let Key { pk, sk } = item.key.key();
            error!(%tenant, version, pk, sk, "an item has a version that the tenant does not have");
            partitions.insert(pk);
        }
        partitions
    }

    /// Puts the items of these partitions right, by the head's version.
    pub(crate) async fn mend_unknown(
        &self,
        state: TenantState<'_>,
        head: &Committed,
        partitions: BTreeSet<String>,
    ) -> Result<(), VersioningError> {
        let tenant = state.tenant;
        let of = head.into();
        let content = self.restored_content(tenant, &of, state.deadline).await?;
        let index = self.restored_index(tenant, &of, state.deadline).await?;
        let mut comparison = ItemComparison {
            tenant,
            head,
            content: &content,
            index: Some(&index),
            deadline: state.deadline,
            mender: Mender::new(self, tenant, head, true),
            counter: ItemCounter::default(),
            progress: None,
            done: 0,
            of: 0,
        };
        let mut tombstones = BTreeMap::new();
        let file = index.open(tenant)?;
        for removed in tombstones_of(tenant, &index, &file) {
            let mut removed = removed?;
            removed.retain(|partition, _| partitions.contains(partition));
            tombstones.append(&mut removed);
        }
        let mut verdict = Verdict::default();
        comparison
            .compare_partitions(partitions, tombstones, &mut verdict)
            .await?;
        comparison.mender.flush(&mut verdict.findings).await?;
        let (mended, left) = (verdict.findings.mended, verdict.findings.left());
        warn!(%tenant, version = head.version.get(), mended, left, "items of versions that the tenant does not have are put right");
        Ok(())
    }
}
