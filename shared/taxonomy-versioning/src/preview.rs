//! A version in memory that is never published: that of a file alone, or of a file after the newest version of a tenant. Its index file and
//! search objects are byte for byte those that the projector would store.

use std::collections::HashMap;

use bytes::Bytes;
use taxonomy_index::INDEX_FORMAT;
use taxonomy_keys::TenantId;
use taxonomy_model::changeset::{Cause, Changeset};
use taxonomy_model::{Changes, Fact, Hash, Provenance, Taxonomy, facts_between};
use taxonomy_store::{Archive, Committed, LogEntry, Packed, SourceStamp, StoreError};

use crate::indexing::{StoredIndex, index_of};
use crate::searching::search_objects;
use crate::service::ServiceConfig;
use crate::version::{self, Origin, Place, Step};

/// A version in memory.
#[derive(Debug)]
pub struct Preview {
    /// The head of its tenant, as if the version were published.
    pub head: Committed,
    /// Its log entry.
    pub entry: LogEntry,
    /// Its index file and its search objects, by the keys under which they would be stored.
    pub objects: HashMap<String, Bytes>,
}

/// The newest version of a tenant, which a preview follows.
#[derive(Debug)]
pub struct PreviewBase {
    /// Its head.
    pub head: Committed,
    /// Its log entry.
    pub entry: LogEntry,
    /// Its content.
    pub taxonomy: Taxonomy,
    /// Its index file.
    pub index: Bytes,
}

impl Preview {
    /// Builds the version of `new`, after `base` or, without one, as the first. `sha256` is that of the file.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the index file of the base is not that of its version, or the version exceeds the limits of the index format.
    pub fn build(
        tenant: &TenantId,
        base: Option<PreviewBase>,
        new: &Taxonomy,
        sha256: Hash,
        now: u64,
    ) -> Result<Self, StoreError> {
        let (onto, old) = (
            base.as_ref().map(|base| &base.head),
            base.as_ref().map(|base| &base.taxonomy),
        );
        let step = Step {
            tenant,
            onto,
            old,
            new,
        };
        let origin = Origin {
            cause: Cause::Upload {
                sha256: sha256.clone(),
            },
            provenance: Provenance::default(),
            full: false,
            changes: Changes::between(old, new),
        };
        let state = Packed::snapshot(new, ServiceConfig::PROJECTION_FORMAT)?.hash;
        let header = step.header(origin, &state, ServiceConfig::PROJECTION_FORMAT);
        let facts: Vec<Fact> = facts_between(old, new).collect();
        let (packed, count) = Packed::changeset(&header, facts.iter().cloned())?;
        let source = SourceStamp {
            etag: String::new(),
            version_id: String::new(),
            sha256,
            size: 0,
            culture: None,
        };
        let place = Place {
            snapshot_key: String::new(),
            changeset_key: String::new(),
            changeset: packed.hash,
            facts: count,
            committed_at: step.committed_at(now),
            upload: Some(source.clone()),
        };
        let entry = version::entry(&header, place);
        let head = Committed {
            former_defaults: Vec::new(),
            projected: Some(entry.version),
            projected_at: entry.committed_at,
            indexed: entry.version.get(),
            index_format: INDEX_FORMAT.into(),
            ..step.head(&entry, ServiceConfig::PROJECTION_FORMAT, source)
        };
        let changeset = Changeset { header, facts };
        let before = base.map(|base| StoredIndex {
            entry: base.entry,
            body: base.index,
        });
        let built = index_of(tenant, &entry, &changeset, new, before.as_ref())?;
        let mut objects = search_objects(tenant, &entry, new, &built.order)?;
        let key = Archive::index_key(tenant, INDEX_FORMAT, entry.version, &entry.changeset);
        objects.insert(key, built.body.into());
        Ok(Self { head, entry, objects })
    }
}
