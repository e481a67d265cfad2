//! The log entries of a tenant as they are stored, and as they follow from the changesets.

use std::collections::BTreeMap;

use taxonomy_keys::{ItemKey, Key, TenantId, Version};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::changeset::{Cause, Changeset, Header};
use taxonomy_model::{Hash, Totals};
use taxonomy_store::{
    Archive, Committed, LOG_PAGE, LogEntry, SourceStamp, StoredItem, UnlessLost as _, is_index_key_of,
};

use crate::error::VersioningError;
use crate::ingest::files::StoredVersion;
use crate::ingest::version::is_ahead;
use crate::service::Service;
use crate::verify::difference::{Difference, Found};
use crate::verify::items::differing;

/// Commit times in epoch milliseconds, by version.
type Times = BTreeMap<u64, u64>;

/// A log entry as it is stored, if it is.
#[derive(Clone)]
pub(crate) struct LoggedEntry {
    key: Key,
    pub(crate) item: Option<StoredItem>,
    entry: Option<Result<LogEntry, attribute::Malformed>>,
}

impl LoggedEntry {
    fn new(tenant: &TenantId, version: Version, item: Option<StoredItem>) -> Self {
        let key = ItemKey::Changeset {
            tenant: tenant.clone(),
            version,
        };
        let item = item.filter(|item| !item.is_void());
        let entry = item.as_ref().map(|item| {
            let content = item.content.clone()?;
            let mut attributes = content.attributes;
            attributes.insert("V".to_owned(), content.version.into());
            attribute::read(attributes)
        });
        Self {
            key: key.key(),
            item,
            entry,
        }
    }

    /// Returns the entry, where one is stored that can be read.
    pub(crate) fn entry(&self) -> Option<&LogEntry> {
        self.entry.as_ref()?.as_ref().ok()
    }

    /// Returns the difference of an entry that is missing or malformed.
    pub(crate) fn difference(&self) -> Option<Difference> {
        match &self.entry {
            None => Some(Difference::item(self.key.clone(), Found::Missing)),
            Some(Err(malformed)) => Some(Difference::malformed(self.key.clone(), malformed)),
            Some(Ok(_)) => None,
        }
    }

    /// Returns the difference from the expected entry.
    pub(crate) fn difference_from(&self, expected: &LogEntry) -> Option<Difference> {
        let Some(stored) = self.entry() else {
            return self.difference();
        };
        let names = differing(&attribute::write(stored), &attribute::write(expected));
        let found = match stored.version > expected.version {
            true => Found::Future,
            false => Found::Altered,
        };
        (!names.is_empty()).then(|| Difference::item(self.key.clone(), found).of(names))
    }

    /// Returns the attributes of an entry without its version.
    pub(crate) fn attributes(entry: &LogEntry) -> Attributes {
        let mut attributes = attribute::write(entry);
        attributes.remove("V");
        attributes
    }
}

/// Reads the log of a tenant up to its head, page by page.
pub(crate) struct LogReader<'a> {
    service: &'a Service,
    tenant: &'a TenantId,
    head: &'a Committed,
    page: BTreeMap<u64, LoggedEntry>,
    /// The commit times that the head's index file states; empty where it is lost.
    times: Times,
}

impl<'a> LogReader<'a> {
    pub(crate) async fn new(
        service: &'a Service,
        tenant: &'a TenantId,
        head: &'a Committed,
    ) -> Result<Self, VersioningError> {
        Ok(Self {
            times: service.times(tenant, head).await?,
            service,
            tenant,
            head,
            page: BTreeMap::new(),
        })
    }

    /// Returns the entry of a version as it is stored.
    pub(crate) async fn entry(&mut self, version: Version) -> Result<LoggedEntry, VersioningError> {
        if !self.page.contains_key(&version.get()) {
            let last = Version::new(version.get() + LOG_PAGE - 1).unwrap_or(version);
            let found = self.service.heads.logged(self.tenant, version, last).await?;
            let mut found: BTreeMap<Key, StoredItem> =
                found.into_iter().map(|item| (item.key.clone(), item)).collect();
            // The page before may still be needed.
            self.page.retain(|known, _| known + LOG_PAGE >= version.get());
            for number in version.get()..=last.get() {
                let of = Version::new(number).unwrap_or(version);
                let logged = LoggedEntry::new(self.tenant, of, None);
                let item = found.remove(&logged.key);
                self.page.insert(number, LoggedEntry::new(self.tenant, of, item));
            }
        }
        let found = self.page.get(&version.get()).cloned();
        Ok(found.unwrap_or_else(|| LoggedEntry::new(self.tenant, version, None)))
    }

    /// Returns the id of the changeset of a version: the head names that of the newest, and the changeset of each later version that before it. `None` where
    /// nothing names it.
    pub(crate) async fn changeset_id(&mut self, version: Version) -> Result<Option<Hash>, VersioningError> {
        let stored = self
            .entry(version)
            .await?
            .entry()
            .map(|entry| entry.changeset.clone());
        if self.is_trusted(version).await? {
            return Ok(stored);
        }
        // The nearest later version whose id two of them state; the changesets from there back say the rest.
        let mut later = version;
        while later < self.head.version {
            later = later.next();
            if later == self.head.version || self.is_trusted(later).await? {
                break;
            }
        }
        let mut id = match later == self.head.version {
            true => self.head.changeset.clone(),
            false => match self.entry(later).await?.entry() {
                Some(entry) => entry.changeset.clone(),
                None => return Ok(stored),
            },
        };
        while later > version {
            let header = self.service.archive.header(self.tenant, later, &id).await;
            match header
                .unless_lost()?
                .ok()
                .and_then(|header: Header| header.parent)
            {
                Some(parent) => id = parent,
                None => return Ok(stored),
            }
            later = Version::new(later.get() - 1).unwrap_or(version);
        }
        Ok(Some(id))
    }

    /// Whether the log entry of a version and the one after it, or the head, state the same id.
    async fn is_trusted(&mut self, version: Version) -> Result<bool, VersioningError> {
        let Some(id) = self
            .entry(version)
            .await?
            .entry()
            .map(|entry| entry.changeset.clone())
        else {
            return Ok(false);
        };
        if version == self.head.version {
            return Ok(id == self.head.changeset);
        }
        let next = self.entry(version.next()).await?;
        Ok(next.entry().is_some_and(|next| next.parent.as_ref() == Some(&id)))
    }

    /// Returns the entry that follows from a changeset; what it does not say is taken from the stored entry where that fits, and from the head.
    pub(crate) fn expected(
        &self,
        changeset: &Changeset,
        id: &Hash,
        stored: Option<&LogEntry>,
        before: Option<&StoredVersion>,
    ) -> LogEntry {
        let header = &changeset.header;
        let is_head = header.version == self.head.version;
        let head = is_head.then_some(self.head);
        LogEntry {
            version: header.version,
            changeset: id.clone(),
            parent: header.parent.clone(),
            state: header.after.clone(),
            snapshot_key: self.snapshot_key(header, stored, before),
            index_key: self.index_key(header, id, stored),
            changeset_key: Archive::changeset_key(self.tenant, header.version, id),
            cause: header.cause.clone(),
            provenance: header.provenance.clone(),
            full: header.full,
            facts: changeset.facts.len() as u64,
            source: source(header, stored, head),
            committed_at: self.committed_at(header.version, stored, before),
            changes: header.changes,
            totals: Totals::from(&header.census.totals),
        }
    }

    fn snapshot_key(
        &self,
        header: &Header,
        stored: Option<&LogEntry>,
        before: Option<&StoredVersion>,
    ) -> String {
        let fits = |key: &str| {
            let folder = format!("snapshots/{}/", self.tenant);
            key.starts_with(&folder) && key.ends_with(&format!("-{}.json.zst", header.after))
        };
        let of_head = (header.version == self.head.version).then_some(&self.head.snapshot_key);
        let keys = [
            stored.map(|stored| &stored.snapshot_key),
            of_head,
            before.map(|before| &before.snapshot_key),
        ];
        let found = keys.into_iter().flatten().find(|key| fits(key));
        found
            .cloned()
            .unwrap_or_else(|| Archive::snapshot_key(self.tenant, header.version, &header.after))
    }

    /// Returns the key of the index file that an entry or the head names; an empty one where neither does.
    fn index_key(&self, header: &Header, id: &Hash, stored: Option<&LogEntry>) -> String {
        let of_head = (header.version == self.head.version).then_some(&self.head.index_key);
        let keys = [stored.map(|stored| &stored.index_key), of_head];
        let mut keys = keys.into_iter().flatten();
        let found = keys.find(|key| is_index_key_of(key, header.version, id));
        found.cloned().unwrap_or_default()
    }

    fn committed_at(
        &self,
        version: Version,
        stored: Option<&LogEntry>,
        before: Option<&StoredVersion>,
    ) -> u64 {
        let stored = stored.map(|stored| stored.committed_at);
        // Later than the version before is all that is left to say.
        let least = before.map_or(0, |before| before.committed_at.saturating_add(1));
        if version != self.head.version {
            let stated = self.times.get(&version.get()).copied();
            return stated.or(stored).unwrap_or(least);
        }
        // No file states it yet. Nothing is committed after a time that is far ahead.
        let now = self.service.clock.now_ms();
        let known = [stored, Some(self.head.committed_at)].into_iter().flatten();
        let mut credible = known.filter(|at| *at >= least && !is_ahead(*at, now));
        credible.next().unwrap_or_else(|| now.max(least))
    }
}

/// Returns the source object of an uploaded version. The changeset has its hash alone.
fn source(header: &Header, stored: Option<&LogEntry>, head: Option<&Committed>) -> Option<SourceStamp> {
    let Cause::Upload { sha256 } = &header.cause else {
        return None;
    };
    let known = [
        stored.and_then(|stored| stored.source.as_ref()),
        head.map(|head| &head.source),
    ];
    let known = known
        .into_iter()
        .flatten()
        .find(|source| source.sha256 == *sha256);
    Some(known.cloned().unwrap_or_else(|| SourceStamp {
        etag: String::new(),
        version_id: String::new(),
        sha256: sha256.clone(),
        size: 0,
        culture: None,
    }))
}

impl Service {
    /// Returns the commit times of the versions before the head, by version; none where the head's index file is lost.
    pub(crate) async fn times(&self, tenant: &TenantId, head: &Committed) -> Result<Times, VersioningError> {
        let Ok(index) = self.whole_index(tenant, &head.into()).await.unless_lost()? else {
            return Ok(Times::new());
        };
        let mut times = Times::new();
        for part in index.open(tenant)?.times() {
            let part = part.map_err(|error| index.damaged(error))?;
            times.extend(part.into_iter().map(|(time, version)| (u64::from(version), time)));
        }
        Ok(times)
    }
}
