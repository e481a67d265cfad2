//! Comparing the items beside the log: the head with its log entry and the content of the version, the configuration, and what is above the head.

use taxonomy_keys::{ItemKey, pattern};
use taxonomy_model::Taxonomy;
use taxonomy_model::attribute::{self, Value};
use taxonomy_store::{Committed, LogEntry, Replacement, StoredItem};

use crate::error::VersioningError;
use crate::verify::Examination;
use crate::verify::compare::{Comparison, ExpectedItem, difference};
use crate::verify::difference::{Difference, Found, Mending};

impl Examination<'_> {
    /// Returns the newest item of the log above the head: an entry that no version has, or of one that the head lacks.
    pub(crate) async fn above_head(&self) -> Result<Option<StoredItem>, VersioningError> {
        let newest = self.service.heads.newest(self.tenant).await?;
        let last = pattern::changeset(self.tenant, self.head.version).sk;
        Ok(newest.into_iter().find(|item| item.key.sk > last))
    }

    /// Notes what is above the head, and a configuration that is missing: the next reconcile restores both.
    pub(crate) async fn compare_beside(
        &self,
        comparison: &mut Comparison<'_>,
    ) -> Result<(), VersioningError> {
        if let Some(above) = self.above_head().await? {
            comparison
                .findings
                .note(Difference::item(above.key, Found::Foreign));
        }
        if self
            .service
            .heads
            .items(self.tenant)
            .await?
            .configuration
            .is_none()
        {
            let key = pattern::configuration(self.tenant);
            comparison.findings.note(Difference::item(key, Found::Missing));
        }
        Ok(())
    }

    /// Compares the attributes of the head that follow from its log entry and its content.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if the head is another one by now, or changes at the same time.
    pub(crate) async fn compare_head(
        &self,
        comparison: &mut Comparison<'_>,
        entry: &LogEntry,
        content: &Taxonomy,
    ) -> Result<(), VersioningError> {
        let (service, tenant) = (self.service, self.tenant);
        let items = service.heads.items(tenant).await?;
        let head = items.parsed()?.0.committed;
        let (Some(seen), Some(head)) = (items.head, head) else {
            return Err(VersioningError::Overtaken);
        };
        if (head.version, &head.changeset) != (self.head.version, &self.head.changeset) {
            return Err(VersioningError::Overtaken);
        }
        let right = service.head_of(tenant, entry, content, head.source.clone())?;
        let right = Committed {
            detached: head.detached,
            ..right
        };
        // What does not follow from the version stays as it is.
        let mut attributes = seen
            .content
            .clone()
            .map(|content| content.attributes)
            .unwrap_or_default();
        for name in attribute::write(&head).keys() {
            attributes.remove(name);
        }
        attributes.extend(attribute::write(&right));
        attributes.remove("V");
        for name in ["Cultures", "FallbackChain"] {
            attributes.entry(name).or_insert_with(|| Value::Array(Vec::new()));
        }
        let expected = ExpectedItem {
            key: ItemKey::Head {
                tenant: tenant.clone(),
            },
            version: head.version.get(),
            attributes,
            open: &[],
            exists: true,
        };
        let Some(difference) = difference(Some(&seen), Some(&expected), head.version.get()) else {
            comparison.findings.items += 1;
            return Ok(());
        };
        if !comparison.mends {
            comparison.findings.note(difference);
            return Ok(());
        }
        let ExpectedItem {
            key,
            version,
            attributes,
            ..
        } = expected;
        let replacement = Replacement::item(&key, version, attributes, Some(&seen));
        match service.heads.replace_alone(&replacement).await? {
            true => {
                comparison.findings.note(difference.with(Mending::Mended));
                Ok(())
            }
            false => Err(VersioningError::Overtaken),
        }
    }
}
