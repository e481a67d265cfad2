//! Head and configuration of a tenant, restored from the log and the content of its newest version.
//!
//! The log decides: every version has one entry, which a transaction wrote together with the head. So a head that is missing, that cannot be read, or that
//! the log contradicts was written by somebody else.

use taxonomy_keys::{ItemKey, Key, TenantId, Version};
use taxonomy_model::changeset::Cause;
use taxonomy_model::{Census, Taxonomy, attribute};
use taxonomy_runtime::Metric;
use taxonomy_store::{
    Committed, Configuration, Head, LogEntry, Replacement, SourceStamp, StoreError, StoredItem, TenantItems,
    UnlessLost as _,
};
use tracing::error;

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::ingest::settings::effective;
use crate::service::Service;
use crate::verify::log::LogReader;
use crate::verify::mend::VOID_SECONDS;

/// The newest items of the log that are looked at: more than one is there only where somebody put it there.
pub(crate) const NEWEST: i32 = 10;

/// The most versions between the newest and the upload that its source object is from.
const BEHIND: u64 = 1_000;

impl Service {
    /// Puts head and configuration right where they are missing, malformed, or contradict the log. Returns whether something changed.
    ///
    /// # Errors
    /// [`VersioningError::Store`] also where too little is left: the content of the newest version is lost.
    pub(crate) async fn restore_tenant(
        &self,
        tenant: &TenantId,
        items: &TenantItems,
        deadline: Deadline,
    ) -> Result<bool, VersioningError> {
        if items.is_purging() {
            return Ok(false);
        }
        let stored = items.head.as_ref().and_then(head_of);
        let committed = stored.as_ref().and_then(|head| head.committed.as_ref());
        let above = committed.map(|head| head.version);
        let (foreign, newest) = self.newest_credible(tenant, above, deadline).await?;
        let Some((entry, content)) = newest else {
            return self.restore_without_log(tenant, items).await;
        };
        if let Some(head) = committed {
            if is_at(head, &entry) {
                let voided = self.void(tenant, &foreign).await?;
                return Ok(self.restore_beside(tenant, items, head).await? || voided);
            }
            if self.restore_newest_entry(tenant, head, &entry).await? {
                return Ok(true);
            }
        }
        let head = self.derived_head(tenant, &entry, &content).await?;
        let replacement = Replacement::head(tenant, &head, items.head.as_ref());
        self.replaced(tenant, "the head", &replacement).await
    }

    /// Returns the newest log entry that follows the one before and whose content is there, with that content; before it the items above a readable head,
    /// at version `above`, that are no such entries.
    async fn newest_credible(
        &self,
        tenant: &TenantId,
        above: Option<Version>,
        deadline: Deadline,
    ) -> Result<(Vec<StoredItem>, Option<(LogEntry, Taxonomy)>), VersioningError> {
        let (newest, mut foreign) = (self.heads.newest(tenant, NEWEST).await?, Vec::new());
        for item in newest.into_iter().filter(|item| !item.is_void()) {
            let credible = match entry_of(&item) {
                Some(entry) if self.follows(tenant, &entry).await? => {
                    let content = self.restored_content(tenant, &(&entry).into(), deadline).await;
                    content.map(|content| (entry, content))
                }
                _ => {
                    let Key { pk, sk } = &item.key;
                    let what = format!("the item {pk} {sk}");
                    Err(StoreError::damaged(what, "it does not follow the entry before").into())
                }
            };
            match credible {
                Ok(newest) => return Ok((foreign, Some(newest))),
                Err(VersioningError::Store(error)) if error.is_lost() && is_above(&item, above) => {
                    foreign.push(item);
                }
                Err(error) => return Err(error),
            }
        }
        Ok((foreign, None))
    }

    /// Makes items of the log void that no version has: they would stop every commit.
    async fn void(&self, tenant: &TenantId, foreign: &[StoredItem]) -> Result<bool, VersioningError> {
        let (expires_at, mut voided) = (self.clock.now_ms() / 1000 + VOID_SECONDS, false);
        for item in foreign {
            let void = Replacement::void(item, 0, expires_at);
            let what = "an entry of the log that no version has";
            voided |= self.replaced(tenant, what, &void).await?;
        }
        Ok(voided)
    }

    /// Whether an entry follows the one before it in the log.
    async fn follows(&self, tenant: &TenantId, entry: &LogEntry) -> Result<bool, VersioningError> {
        match Version::new(entry.version.get() - 1) {
            None => Ok(entry.parent.is_none()),
            Some(before) => {
                let before = self.heads.readable_entry(tenant, before).await?;
                Ok(before.is_none_or(|before| entry.parent.as_ref() == Some(&before.changeset)))
            }
        }
    }

    /// Restores the log entry of the head, where it alone is missing: the head's changeset follows the newest entry.
    async fn restore_newest_entry(
        &self,
        tenant: &TenantId,
        head: &Committed,
        newest: &LogEntry,
    ) -> Result<bool, VersioningError> {
        if head.version != newest.version.next() {
            return Ok(false);
        }
        let changeset = self
            .archive
            .changeset(tenant, head.version, &head.changeset)
            .await;
        let Ok(changeset) = changeset.unless_lost()? else {
            return Ok(false);
        };
        if changeset.header.parent.as_ref() != Some(&newest.changeset) {
            return Ok(false);
        }
        let log = LogReader::new(self, tenant, head).await?;
        let entry = log.expected(&changeset, &head.changeset, None, Some(&newest.into()));
        let key = ItemKey::Changeset {
            tenant: tenant.clone(),
            version: head.version,
        };
        let mut attributes = attribute::write(&entry);
        attributes.remove("V");
        let replacement = Replacement::item(&key, head.version.get(), attributes, None);
        self.replaced(tenant, "the log entry of the head", &replacement)
            .await
    }

    /// Restores what is beside a head that the log confirms: its projection, and the configuration.
    async fn restore_beside(
        &self,
        tenant: &TenantId,
        items: &TenantItems,
        head: &Committed,
    ) -> Result<bool, VersioningError> {
        if is_beyond(head) {
            let replacement = Replacement::head(tenant, head, items.head.as_ref());
            return self
                .replaced(tenant, "the projection of the head", &replacement)
                .await;
        }
        let readable = items.configuration.as_ref().and_then(configuration_of);
        if readable.is_some() {
            return Ok(false);
        }
        let own = effective(head, &Configuration::default(), &self.config.default_culture);
        let culture = &head.settings.default_culture;
        let configuration = Configuration {
            default_culture: (own.default_culture != *culture).then(|| culture.clone()),
            fallback_chain: head.settings.fallback_chain.clone(),
            // After a rollback the bad file must not come again.
            frozen: head.detached,
            revision: 1,
            ..Configuration::default()
        };
        let seen = items.configuration.as_ref();
        let replacement = Replacement::configuration(tenant, &configuration, seen);
        self.replaced(tenant, "the configuration", &replacement).await
    }

    /// Restores the items of a tenant without a version: a head that cannot be read is emptied, so that its object is judged again.
    async fn restore_without_log(
        &self,
        tenant: &TenantId,
        items: &TenantItems,
    ) -> Result<bool, VersioningError> {
        if let Some(seen) = items.head.as_ref().filter(|item| head_of(item).is_none()) {
            let key = ItemKey::Head {
                tenant: tenant.clone(),
            };
            let replacement = Replacement::item(&key, 0, attribute::Attributes::new(), Some(seen));
            return self.replaced(tenant, "the head", &replacement).await;
        }
        let Some(seen) = items
            .configuration
            .as_ref()
            .filter(|item| configuration_of(item).is_none())
        else {
            return Ok(false);
        };
        let replacement = Replacement::configuration(tenant, &Configuration::default(), Some(seen));
        self.replaced(tenant, "the configuration", &replacement).await
    }

    /// Returns the head that follows from its log entry and content.
    async fn derived_head(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
        content: &Taxonomy,
    ) -> Result<Committed, VersioningError> {
        let (source, detached) = self.source_of(tenant, entry).await?;
        let counted = Census::new(content).totals;
        let format = self.format_of(content, &entry.state);
        Ok(Committed {
            version: entry.version,
            changeset: entry.changeset.clone(),
            state: entry.state.clone(),
            snapshot_key: entry.snapshot_key.clone(),
            index_key: entry.index_key.clone(),
            committed_at: entry.committed_at,
            format: format.map_or(self.format(), u64::from),
            settings: content.settings().clone(),
            cultures: content.cultures().to_vec(),
            categories: counted.categories,
            terms: counted.counts.terms,
            provenance: entry.provenance.clone(),
            full: None,
            source,
            detached,
            projected: None,
            projected_at: 0,
            cursor: None,
        })
    }

    /// Returns the source object of the newest upload up to an entry, and whether a rollback came after it.
    async fn source_of(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
    ) -> Result<(SourceStamp, bool), VersioningError> {
        let (mut entry, mut detached) = (entry.clone(), false);
        for _ in 0..BEHIND {
            detached |= matches!(entry.cause, Cause::Rollback { .. });
            if let Some(source) = entry.source {
                return Ok((source, detached));
            }
            let before = Version::new(entry.version.get() - 1);
            let Some(before) = before else { break };
            match self.heads.readable_entry(tenant, before).await? {
                Some(before) => entry = before,
                None => break,
            }
        }
        // No object is this one, so the present one is looked at.
        let unknown = SourceStamp {
            etag: String::new(),
            version_id: String::new(),
            sha256: entry.state,
            size: 0,
            culture: None,
        };
        Ok((unknown, detached))
    }

    /// Replaces an item, and counts and logs that it was wrong.
    async fn replaced(
        &self,
        tenant: &TenantId,
        what: &str,
        replacement: &Replacement,
    ) -> Result<bool, VersioningError> {
        let is_replaced = self.heads.replace_alone(replacement).await?;
        if is_replaced {
            self.metrics.count(Metric::AuditDifferences, 1);
            error!(%tenant, what, "head and log of the tenant disagreed, or could not be read; it is restored");
        }
        Ok(is_replaced)
    }
}

/// Whether an item of the log is above a version.
fn is_above(item: &StoredItem, version: Option<Version>) -> bool {
    match ItemKey::parse(&item.key.pk, &item.key.sk) {
        Ok(ItemKey::Changeset { version: of, .. }) => version.is_some_and(|version| of > version),
        _ => version.is_some(),
    }
}

/// Whether a head and the newest log entry name the same version and the same objects.
fn is_at(head: &Committed, entry: &LogEntry) -> bool {
    let objects = (&head.state, &head.snapshot_key, &head.index_key);
    (head.version, &head.changeset) == (entry.version, &entry.changeset)
        && objects == (&entry.state, &entry.snapshot_key, &entry.index_key)
}

/// Whether a head counts itself projected, or asks for a full load, beyond its version.
pub(crate) fn is_beyond(head: &Committed) -> bool {
    head.projected > Some(head.version) || head.full > Some(head.version)
}

fn head_of(item: &StoredItem) -> Option<Head> {
    let items = TenantItems {
        head: Some(item.clone()),
        configuration: None,
    };
    items.parsed().ok().map(|(head, _)| head)
}

fn configuration_of(item: &StoredItem) -> Option<Configuration> {
    let items = TenantItems {
        head: None,
        configuration: Some(item.clone()),
    };
    items.parsed().ok().map(|(_, configuration)| configuration)
}

/// Returns the entry of an item of the log whose version is that of its key.
fn entry_of(item: &StoredItem) -> Option<LogEntry> {
    let entry = LogEntry::read(item.with_version().ok()?).ok()?;
    match ItemKey::parse(&item.key.pk, &item.key.sk).ok()? {
        ItemKey::Changeset { version, .. } if version == entry.version => Some(entry),
        _ => None,
    }
}
