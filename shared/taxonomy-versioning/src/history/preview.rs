//! A version in memory that is never published: that of a file alone, or of a file after the newest version of a tenant. Its index file and
//! search objects are byte for byte those that the projector would store.

use std::collections::HashMap;

use bytes::Bytes;
use taxonomy_collation::sibling_keys;
use taxonomy_index::Preorder;
use taxonomy_keys::TenantId;
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Changes, Hash, Provenance, Taxonomy, facts_between};
use taxonomy_store::{Committed, LogEntry, Packed, SourceStamp};

use crate::error::VersioningError;
use crate::ingest::files::{NewFiles, StoredIndex, changed_by, identity};
use crate::ingest::version::{self, Origin, Step, StoredBodies};
use crate::service::ServiceConfig;

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
    /// Its content.
    pub taxonomy: Taxonomy,
    /// Its index file.
    pub index: Bytes,
}

impl Preview {
    /// Builds the version of `new`, after `base` or, without one, as the first. `sha256` is that of the file.
    ///
    /// # Errors
    /// [`VersioningError::Store`] if the index file of the base is not that of its version, [`VersioningError::Unbuildable`] if the version exceeds the
    /// limits of the index format.
    pub fn build(
        tenant: &TenantId,
        base: Option<&PreviewBase>,
        new: &Taxonomy,
        sha256: Hash,
        now: u64,
    ) -> Result<Self, VersioningError> {
        let (onto, old) = (base.map(|base| &base.head), base.map(|base| &base.taxonomy));
        let step = Step { tenant, onto, new };
        let origin = Origin {
            cause: Cause::Upload {
                sha256: sha256.clone(),
            },
            provenance: Provenance::default(),
            full: false,
            changes: Changes::between(old, new),
        };
        let format = ServiceConfig::PROJECTION_FORMAT;
        let state = Packed::snapshot(new, format)?.hash;
        let header = step.header(origin, old, &state, format);
        let mut changed = changed_by(&header, onto.map(|onto| &onto.settings), new.settings());
        let every_fact = facts_between(old, new).inspect(|fact| changed.add(fact));
        let (packed, facts) = Packed::changeset(&header, every_fact)?;
        let identity = identity(&header, packed.hash.clone());
        let files = NewFiles {
            identity: &identity,
            taxonomy: new,
            order: &Preorder::new(new, sibling_keys),
        };
        let (mut objects, mut search) = (HashMap::new(), Vec::new());
        for culture in new.cultures() {
            let file = files.search_object(files.names_in(culture), culture)?;
            search.push(file.digest);
            objects.insert(file.object.key, file.object.body);
        }
        let before = base.map(|base| StoredIndex {
            of: (&base.head).into(),
            object: base.head.index_key.clone(),
            body: base.index.clone(),
        });
        let built = files.index(&changed, &search, before.as_ref())?;
        let index_key = identity.index_key(built.digest);
        objects.insert(index_key.clone(), built.body.into());
        let source = SourceStamp {
            etag: String::new(),
            version_id: String::new(),
            sha256,
            size: 0,
            culture: None,
        };
        let bodies = StoredBodies {
            header,
            changeset: packed.hash,
            facts,
            snapshot_key: String::new(),
            changeset_key: String::new(),
        };
        let entry = version::entry(bodies, index_key, step.committed_at(now), Some(source.clone()));
        let head = Committed {
            projected: Some(entry.version),
            projected_at: entry.committed_at,
            ..step.head(&entry, format, source)
        };
        Ok(Self { head, entry, objects })
    }
}
