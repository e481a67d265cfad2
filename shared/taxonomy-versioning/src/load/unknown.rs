//! Items of versions that the tenant does not have. No write of a load replaces them, so the load puts each right by itself: as it was seen, and on
//! condition that the head is the one that was read after it.

use std::collections::BTreeSet;

use taxonomy_keys::{Key, TenantId};
use taxonomy_runtime::Metric;
use taxonomy_store::{Committed, NewerItem};
use tracing::{error, warn};

use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::plan::TenantState;
use crate::service::Service;
use crate::verify::compare::Comparison;
use crate::verify::items::Newest;
use crate::verify::{Examination, Mends};

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
        let (tenant, of, deadline) = (state.tenant, StoredVersion::from(head), state.deadline);
        let content = self.content(tenant, &of, Mends::Everything, deadline).await?;
        let index = self.index(tenant, &of, deadline).await?;
        let examination = Examination::new(self, tenant, head, Mends::Everything, deadline);
        let newest = Newest {
            content: &content,
            index: Some(&index),
        };
        let mut comparison = Comparison::new(examination, true);
        examination
            .compare_items(&mut comparison, newest, partitions)
            .await?;
        let (mended, left) = (comparison.findings.mended, comparison.findings.left());
        warn!(%tenant, version = head.version.get(), mended, left, "items of versions that the tenant does not have are put right");
        Ok(())
    }
}
