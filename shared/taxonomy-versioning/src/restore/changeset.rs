//! The changeset of a version, from its object or from two contents and the log.

use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{Changeset, Header};
use taxonomy_model::{Census, Taxonomy, diff, facts_between, touched};
use taxonomy_store::{LogEntry, Packed, StoreError, UnlessLost as _};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::service::Service;

/// Two versions of a tenant, one after the other: the newer one's content and entry, and the older one's; `None` before the first.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) entry: &'a LogEntry,
    pub(crate) content: &'a Taxonomy,
    pub(crate) before: Option<(&'a StoredVersion, &'a Taxonomy)>,
}

impl Pair<'_> {
    /// Returns the header of the changeset from the older to the newer version, in a projection format.
    fn header(&self, tenant: &TenantId, projection_format: u32) -> Header {
        let (entry, old) = (self.entry, self.before.map(|(_, old)| old));
        Header {
            tenant: tenant.clone(),
            version: entry.version,
            parent: entry.parent.clone(),
            cause: entry.cause.clone(),
            provenance: entry.provenance.clone(),
            full: entry.full,
            before: self.before.map(|(before, _)| before.state.clone()),
            after: entry.state.clone(),
            projection_format,
            census: Census::new(self.content),
            changes: entry.changes,
            touched: Some(touched(old, self.content)),
        }
    }
}

impl Service {
    /// Returns the changeset of a version; one that is lost is stored again, given both contents.
    ///
    /// # Errors
    /// The loss, where the contents and the log do not lead to its id.
    pub(crate) async fn restored_changeset(
        &self,
        tenant: &TenantId,
        pair: Pair<'_>,
    ) -> Result<Changeset, VersioningError> {
        let Pair {
            entry,
            content,
            before,
        } = pair;
        let read = self
            .archive
            .changeset(tenant, entry.version, &entry.changeset)
            .await;
        let lost = match read.unless_lost()? {
            Ok(changeset) => return Ok(changeset),
            Err(lost) => lost,
        };
        match self.restore_changeset(tenant, pair).await? {
            Some(header) => {
                self.note_restored(tenant, &lost);
                let facts = diff(before.map(|(_, old)| old), content);
                Ok(Changeset { header, facts })
            }
            None => Err(self.unrestorable(tenant, lost)),
        }
    }

    /// Stores the changeset of a version again, and returns its header; `None` where it would have another id.
    pub(crate) async fn restore_changeset(
        &self,
        tenant: &TenantId,
        pair: Pair<'_>,
    ) -> Result<Option<Header>, StoreError> {
        let Some((header, packed)) = self.packed_changeset(tenant, pair)? else {
            return Ok(None);
        };
        self.archive.put_changeset(&header, &packed).await?;
        Ok(Some(header))
    }

    /// Returns the header of the changeset of a version, and stores nothing; `None` where it would have another id.
    pub(crate) fn derive_changeset(
        &self,
        tenant: &TenantId,
        pair: Pair<'_>,
    ) -> Result<Option<Header>, StoreError> {
        let packed = self.packed_changeset(tenant, pair)?;
        Ok(packed.map(|(header, _)| header))
    }

    fn packed_changeset(
        &self,
        tenant: &TenantId,
        pair: Pair<'_>,
    ) -> Result<Option<(Header, Packed)>, StoreError> {
        let Some(format) = self.format_of(pair.content, &pair.entry.state) else {
            return Ok(None);
        };
        let header = pair.header(tenant, format);
        let old = pair.before.map(|(_, old)| old);
        let (packed, _) = Packed::changeset(&header, facts_between(old, pair.content))?;
        let is_same = packed.hash == pair.entry.changeset;
        Ok(is_same.then_some((header, packed)))
    }

    /// Returns the version before, with its content; `None` before the first.
    pub(crate) async fn version_before(
        &self,
        tenant: &TenantId,
        version: Version,
        deadline: Deadline,
    ) -> Result<Option<(StoredVersion, Taxonomy)>, VersioningError> {
        let Some(before) = Version::new(version.get() - 1) else {
            return Ok(None);
        };
        let before = StoredVersion::from(&self.heads.required_entry(tenant, before).await?);
        let content = self.restored_content(tenant, &before, deadline).await?;
        Ok(Some((before, content)))
    }
}
