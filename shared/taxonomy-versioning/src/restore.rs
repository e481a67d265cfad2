//! Restoring the bodies and files of versions from what is left: a snapshot from the index file, or from an older version and the changesets after it;
//! a changeset from two contents and the log; an index file and its search objects from the contents and the file before
//! (docs/decisions/0035-losses.md).
//!
//! Hashes prove each: the state hash a content, the id a changeset, the digest in its name a file. What another build makes with another digest is stored
//! under that name, and the version's `IndexKey` follows.

pub(crate) mod changeset;
pub(crate) mod content;
pub(crate) mod index;
pub(crate) mod tenant;

use taxonomy_keys::TenantId;
use taxonomy_model::{Hash, Taxonomy, snapshot};
use taxonomy_runtime::{Metric, causes};
use taxonomy_store::{PutOutcome, StoreError};
use tracing::{error, warn};

use crate::error::VersioningError;
use crate::service::Service;

impl Service {
    /// Counts and logs a loss that was met, and restored.
    pub(crate) fn note_restored(&self, tenant: &TenantId, lost: &StoreError) {
        self.metrics.count(Metric::AuditDifferences, 1);
        warn!(%tenant, lost = causes(lost), "restored what was lost");
    }

    /// The same for a body of another content that was replaced by that of its name.
    pub(crate) fn note_replaced(&self, tenant: &TenantId, key: &str, stored: PutOutcome) {
        if stored == PutOutcome::Replaced {
            self.metrics.count(Metric::AuditDifferences, 1);
            warn!(%tenant, key, "replaced what had another content");
        }
    }

    /// Returns the first loss, counted and logged as one that nothing is left to restore from.
    pub(crate) fn unrestorable(&self, tenant: &TenantId, lost: StoreError) -> VersioningError {
        self.metrics.count(Metric::AuditDifferences, 1);
        error!(%tenant, lost = causes(&lost), "nothing is left to restore it from");
        lost.into()
    }

    /// Returns the projection format in which a content has this state hash; `None` for another content.
    pub(crate) fn format_of(&self, content: &Taxonomy, state: &Hash) -> Option<u32> {
        let own = self.config.projection_format;
        let mut formats = [own].into_iter().chain((1..own).rev());
        formats.find(|format| snapshot::hash_as(content, *format) == *state)
    }
}
