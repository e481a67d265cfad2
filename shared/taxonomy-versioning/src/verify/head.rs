//! Comparing the head with the newest log entry and the content of the version.

use taxonomy_keys::pattern;
use taxonomy_model::attribute;
use taxonomy_model::{Census, Taxonomy};
use taxonomy_store::{Committed, StoredItem};

use crate::error::VersioningError;
use crate::restore::tenant::NEWEST;
use crate::verify::difference::{Difference, Findings, Found, Mending};
use crate::verify::items::differing;
use crate::verify::{Examination, Mends};

impl Examination<'_> {
    /// Returns the newest item of the log above the head: an entry that no version has, or of one that the head lacks.
    pub(crate) async fn above_head(&self) -> Result<Option<StoredItem>, VersioningError> {
        let newest = self.service.heads.newest(self.tenant, NEWEST).await?;
        let last = pattern::changeset(self.tenant, self.head.version).sk;
        Ok(newest
            .into_iter()
            .find(|item| !item.is_void() && item.key.sk > last))
    }

    /// Compares the attributes of the head that follow from its log entry and its content, and puts them right if it may.
    pub(crate) async fn compare_head(
        &self,
        content: &Taxonomy,
        findings: &mut Findings,
    ) -> Result<(), VersioningError> {
        let (service, tenant) = (self.service, self.tenant);
        let Some(entry) = service.heads.readable_entry(tenant, self.head.version).await? else {
            // The walk has noted it.
            return Ok(());
        };
        let counted = Census::new(content).totals;
        let (head, _) = service.heads.read(tenant).await?;
        let Some(head) = head.committed.filter(|head| head.version == self.head.version) else {
            return Err(VersioningError::Overtaken);
        };
        let expected = Committed {
            changeset: entry.changeset.clone(),
            state: entry.state.clone(),
            snapshot_key: entry.snapshot_key,
            index_key: entry.index_key,
            committed_at: entry.committed_at,
            format: service
                .format_of(content, &entry.state)
                .map_or(head.format, u64::from),
            settings: content.settings().clone(),
            cultures: content.cultures().to_vec(),
            categories: counted.categories,
            terms: counted.counts.terms,
            provenance: entry.provenance,
            ..head.clone()
        };
        let names = differing(&attribute::write(&head), &attribute::write(&expected));
        if names.is_empty() {
            return Ok(());
        }
        let difference = Difference::item(pattern::head(tenant), Found::Altered).of(names);
        if self.mends != Mends::Everything {
            findings.note(difference);
            return Ok(());
        }
        match service.heads.correct(tenant, &head, &expected).await? {
            true => {
                findings.note(difference.with(Mending::Mended));
                Ok(())
            }
            false => Err(VersioningError::Overtaken),
        }
    }
}
