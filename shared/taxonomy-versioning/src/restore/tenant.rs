//! Head and configuration of a tenant, restored from the log and the content of its newest version.
//!
//! The log decides: every version has one entry, which a transaction wrote together with the head. So a head that is missing, that cannot be read, or that
//! the log contradicts was written by somebody else.

use taxonomy_keys::{ItemKey, TenantId, pattern};
use taxonomy_model::Taxonomy;
use taxonomy_model::attribute::Attributes;
use taxonomy_model::changeset::Cause;
use taxonomy_runtime::Metric;
use taxonomy_store::{
    Committed, Configuration, Freeze, LogEntry, Newest, Replacement, SourceStamp, StoreError, StoredItem,
    TenantItems, UnlessLost as _,
};
use tracing::error;

use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::ingest::settings::effective;
use crate::ingest::version::Step;
use crate::service::Service;
use crate::verify::compare::VOID_SECONDS;
use crate::verify::log::entry_of;

/// The most versions between the newest and the upload that its source object is from.
const BEHIND: u64 = 1_000;

impl Service {
    /// Puts head and configuration right where they are missing, malformed, or contradict the log. Returns whether something changed.
    ///
    /// # Errors
    /// [`VersioningError::Store`] also where too little is left: the newest entry of the log, or the content of its version.
    pub(crate) async fn restore_tenant(
        &self,
        tenant: &TenantId,
        items: &TenantItems,
    ) -> Result<bool, VersioningError> {
        if items.is_purging() {
            return Ok(false);
        }
        let (head, configuration) = items.readable();
        let is_malformed = items.head.is_some() && head.is_none();
        let committed = head.and_then(|head| head.committed);
        let (foreign, newest) = self.newest_entry(tenant, committed.as_ref()).await?;
        let mut is_changed = false;
        for item in &foreign {
            let expires_at = self.clock.now_ms() / 1000 + VOID_SECONDS;
            let what = "an entry of the log that no version has";
            is_changed |= self
                .replaced(tenant, what, &Replacement::void(item, 0, expires_at))
                .await?;
        }
        let replacement = match (newest, &committed) {
            (Some(entry), head) if !head.as_ref().is_some_and(|head| is_at(head, &entry)) => {
                Some(self.derived_head(tenant, &entry).await?)
            }
            (_, Some(head)) if is_beyond(head) => Some(head.clone()),
            _ => None,
        };
        if let Some(right) = replacement {
            let replacement = Replacement::head(tenant, &right, items.head.as_ref());
            return self.replaced(tenant, "the head", &replacement).await;
        }
        if is_malformed {
            // There is no version, so its object is judged again.
            let key = ItemKey::Head {
                tenant: tenant.clone(),
            };
            let empty = Replacement::item(&key, 0, Attributes::new(), items.head.as_ref());
            return self.replaced(tenant, "the head", &empty).await;
        }
        let seen = items.configuration.as_ref();
        if configuration.is_some() || (committed.is_none() && seen.is_none()) {
            return Ok(is_changed);
        }
        let newest = match &committed {
            Some(head) => {
                let entry = self.heads.readable_entry(tenant, head.version).await?;
                entry.map(|entry| Newest::new(head, &entry))
            }
            None => None,
        };
        let configuration =
            committed.map_or_else(Configuration::default, |head| self.configuration_of(&head));
        let replacement = Replacement::configuration(tenant, &configuration, newest.as_ref(), seen);
        self.replaced(tenant, "the configuration", &replacement).await
    }

    /// Returns the newest log entry that follows the one before, but none below a readable head; before it the items above such a head that are no entries,
    /// which would stop every commit.
    async fn newest_entry(
        &self,
        tenant: &TenantId,
        head: Option<&Committed>,
    ) -> Result<(Vec<StoredItem>, Option<LogEntry>), VersioningError> {
        let newest = self.heads.newest(tenant).await?;
        let own = head.map(|head| pattern::changeset(tenant, head.version).sk);
        let mut foreign = Vec::new();
        for item in newest {
            if own.as_ref().is_some_and(|own| item.key.sk < *own) {
                break;
            }
            if let Ok(entry) = entry_of(&item)
                && self.follows(tenant, &entry).await?
            {
                return Ok((foreign, Some(entry)));
            }
            match &own {
                Some(own) if item.key.sk > *own => foreign.push(item),
                // A repair of the head restores its entry.
                Some(_) => break,
                None => {
                    let what = format!("the item {} {}", item.key.pk, item.key.sk);
                    return Err(StoreError::damaged(what, "it does not follow the entry before").into());
                }
            }
        }
        Ok((foreign, None))
    }

    /// Whether an entry follows the one before it in the log.
    async fn follows(&self, tenant: &TenantId, entry: &LogEntry) -> Result<bool, StoreError> {
        let Some(before) = entry.version.before() else {
            return Ok(entry.parent.is_none());
        };
        let before = self.heads.readable_entry(tenant, before).await?;
        Ok(before.is_none_or(|before| entry.parent.as_ref() == Some(&before.changeset)))
    }

    /// Returns the head that follows from its log entry, and the content of its version.
    async fn derived_head(&self, tenant: &TenantId, entry: &LogEntry) -> Result<Committed, VersioningError> {
        let content = self.archive.snapshot(&entry.snapshot_key, &entry.state).await;
        let content = match content.unless_lost()? {
            Ok(content) => content,
            Err(lost) => {
                let content = self.content_of_index(tenant, &StoredVersion::from(entry)).await?;
                content.ok_or_else(|| self.unrestorable(tenant, lost))?
            }
        };
        let (source, detached) = self.source_of(tenant, entry).await?;
        let head = self.head_of(tenant, entry, &content, source)?;
        Ok(Committed { detached, ..head })
    }

    /// Returns the head of a version, before its projection.
    pub(crate) fn head_of(
        &self,
        tenant: &TenantId,
        entry: &LogEntry,
        content: &Taxonomy,
        source: SourceStamp,
    ) -> Result<Committed, StoreError> {
        let other = || StoreError::damaged(&entry.snapshot_key, "it has another content than the log says");
        let format = self.format_of(content, &entry.state).ok_or_else(other)?;
        let step = Step {
            tenant,
            onto: None,
            new: content,
        };
        Ok(step.head(entry, format, source))
    }

    /// Returns the settings that a head shows, as the configuration of its tenant; other settings are lost.
    fn configuration_of(&self, head: &Committed) -> Configuration {
        let own = effective(head, &Configuration::default(), &self.config.default_culture);
        let culture = &head.settings.default_culture;
        Configuration {
            default_culture: (own.default_culture != *culture).then(|| culture.clone()),
            fallback_chain: head.settings.fallback_chain.clone(),
            // After a rollback the bad file must not come again.
            frozen: head.detached.then(|| Freeze {
                at: self.clock.now_ms(),
                provenance: head.provenance.clone(),
            }),
            revision: 1,
            ..Configuration::default()
        }
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
            let Some(before) = entry.version.before() else {
                break;
            };
            match self.heads.readable_entry(tenant, before).await? {
                Some(before) => entry = before,
                None => break,
            }
        }
        // No object is this one, so the present one is looked at.
        Ok((SourceStamp::unknown(entry.state), detached))
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

/// Whether a head and a log entry name the same version and the same objects.
fn is_at(head: &Committed, entry: &LogEntry) -> bool {
    let objects = (&head.state, &head.snapshot_key, &head.index_key);
    (head.version, &head.changeset) == (entry.version, &entry.changeset)
        && objects == (&entry.state, &entry.snapshot_key, &entry.index_key)
}

/// Whether a head counts itself projected, or asks for a full load, beyond its version.
pub(crate) fn is_beyond(head: &Committed) -> bool {
    head.projected > Some(head.version) || head.full > Some(head.version)
}
