//! The log of a tenant as it is stored, and as it follows from the changesets.

use std::collections::BTreeMap;

use taxonomy_keys::{ItemKey, TenantId, Version};
use taxonomy_model::attribute::{self, Malformed};
use taxonomy_model::changeset::{Cause, Changeset, Header};
use taxonomy_model::{Hash, Totals};
use taxonomy_store::{
    Archive, Committed, LOG_PAGE, LogEntry, SourceStamp, StoreError, StoredItem, UnlessLost as _,
    is_index_key_of,
};

use crate::error::VersioningError;
use crate::ingest::version::is_ahead;
use crate::service::Service;
use crate::verify::compare::ExpectedItem;

/// A changeset as it is stored: its id, if anything names it, and the changeset, unless it is lost.
pub(crate) type Read = Option<(Hash, Result<Changeset, StoreError>)>;

/// Reads the log of a tenant up to its head, page by page.
pub(crate) struct LogReader<'a> {
    service: &'a Service,
    tenant: &'a TenantId,
    head: &'a Committed,
    page: BTreeMap<u64, Option<StoredItem>>,
    /// The commit times in epoch milliseconds that the head's index file states, by version; empty where it is lost.
    times: BTreeMap<u64, u64>,
}

impl<'a> LogReader<'a> {
    pub(crate) async fn new(
        service: &'a Service,
        tenant: &'a TenantId,
        head: &'a Committed,
    ) -> Result<Self, VersioningError> {
        let mut times = BTreeMap::new();
        if let Ok(index) = service.whole_index(tenant, &head.into()).await.unless_lost()? {
            for part in index.open(tenant)?.times() {
                let part = part.map_err(|error| index.damaged(error))?;
                times.extend(part.into_iter().map(|(time, version)| (u64::from(version), time)));
            }
        }
        Ok(Self {
            service,
            tenant,
            head,
            page: BTreeMap::new(),
            times,
        })
    }

    /// Returns the entry of a version as it is stored, if it is.
    pub(crate) async fn item(&mut self, version: Version) -> Result<Option<StoredItem>, VersioningError> {
        if !self.page.contains_key(&version.get()) {
            let last = Version::new(version.get() + LOG_PAGE - 1).unwrap_or(version);
            let found = self.service.heads.logged(self.tenant, version, last).await?;
            // The page before may still be needed.
            self.page.retain(|known, _| known + LOG_PAGE >= version.get());
            self.page
                .extend((version.get()..=last.get()).map(|number| (number, None)));
            for item in found.into_iter().filter(|item| !item.is_void()) {
                if let Ok(ItemKey::Changeset { version, .. }) = ItemKey::parse(&item.key.pk, &item.key.sk) {
                    self.page.insert(version.get(), Some(item));
                }
            }
        }
        Ok(self.page.get(&version.get()).cloned().flatten())
    }

    async fn entry(&mut self, version: Version) -> Result<Option<LogEntry>, VersioningError> {
        Ok(self.item(version).await?.and_then(|item| entry_of(&item).ok()))
    }

    /// Reads the changeset of a version: that of its log entry or, where this is not there, that which the versions after it name.
    pub(crate) async fn changeset(&mut self, version: Version) -> Result<Read, VersioningError> {
        let (service, tenant) = (self.service, self.tenant);
        let read = async |id: Hash| {
            let read = service.archive.changeset(tenant, version, &id).await;
            Ok::<_, VersioningError>((id, read.unless_lost()?))
        };
        let own = match self.entry(version).await? {
            Some(entry) => Some(read(entry.changeset).await?),
            None => None,
        };
        if let Some((_, Ok(_))) = &own {
            return Ok(own);
        }
        let named = match self.named_later(version).await? {
            Some(id) => Some(read(id).await?),
            None => None,
        };
        Ok(named.filter(|(_, read)| read.is_ok() || own.is_none()).or(own))
    }

    /// Returns the id that the versions after it give a version: the head names its own, each changeset that of the version before, and so does each log
    /// entry.
    async fn named_later(&mut self, version: Version) -> Result<Option<Hash>, VersioningError> {
        let mut later = version;
        let mut id = loop {
            if later >= self.head.version {
                break self.head.changeset.clone();
            }
            later = later.next();
            if let Some(entry) = self.entry(later).await? {
                break entry.changeset;
            }
        };
        while later > version {
            let header = self.service.archive.header(self.tenant, later, &id).await;
            let parent = match header.unless_lost()? {
                Ok(header) => header.parent,
                Err(_) => self.entry(later).await?.and_then(|entry| entry.parent),
            };
            let Some(parent) = parent else { return Ok(None) };
            (id, later) = (parent, later.before().unwrap_or(version));
        }
        Ok(Some(id))
    }

    /// Returns the entry that follows from a changeset; what it does not say is taken from the stored entry where that fits, and from the head.
    pub(crate) fn expected(
        &self,
        Changeset { header, facts }: &Changeset,
        id: &Hash,
        stored: Option<&LogEntry>,
        before: Option<&LogEntry>,
    ) -> LogEntry {
        let head = (header.version == self.head.version).then_some(self.head);
        let snapshots = [
            stored.map(|stored| &stored.snapshot_key),
            head.map(|head| &head.snapshot_key),
            before.map(|before| &before.snapshot_key),
        ];
        let own = Archive::snapshot_key(self.tenant, header.version, &header.after);
        let folder = format!("snapshots/{}/", self.tenant);
        let end = format!("-{}.json.zst", header.after);
        let mut snapshots = snapshots.into_iter().flatten();
        let snapshot_key = snapshots.find(|key| key.starts_with(&folder) && key.ends_with(&end));
        let indexes = [
            stored.map(|stored| &stored.index_key),
            head.map(|head| &head.index_key),
        ];
        let mut indexes = indexes.into_iter().flatten();
        let index_key = indexes.find(|key| is_index_key_of(key, header.version, id));
        LogEntry {
            version: header.version,
            changeset: id.clone(),
            parent: header.parent.clone(),
            state: header.after.clone(),
            snapshot_key: snapshot_key.cloned().unwrap_or(own),
            // Empty where nothing names it.
            index_key: index_key.cloned().unwrap_or_default(),
            changeset_key: Archive::changeset_key(self.tenant, header.version, id),
            cause: header.cause.clone(),
            provenance: header.provenance.clone(),
            full: header.full,
            facts: facts.len() as u64,
            source: source(header, stored, head),
            committed_at: self.committed_at(header.version, stored, before),
            changes: header.changes,
            totals: Totals::from(&header.census.totals),
        }
    }

    fn committed_at(&self, version: Version, stored: Option<&LogEntry>, before: Option<&LogEntry>) -> u64 {
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
    let stored = stored.and_then(|stored| stored.source.as_ref());
    let known = [stored, head.map(|head| &head.source)];
    let found = known
        .into_iter()
        .flatten()
        .find(|source| source.sha256 == *sha256);
    Some(
        found
            .cloned()
            .unwrap_or_else(|| SourceStamp::unknown(sha256.clone())),
    )
}

/// Returns the entry of an item of the log, whose version is that of its key.
pub(crate) fn entry_of(item: &StoredItem) -> Result<LogEntry, Malformed> {
    let entry = LogEntry::read(item.with_version()?)?;
    match ItemKey::parse(&item.key.pk, &item.key.sk) {
        Ok(ItemKey::Changeset { version, .. }) if version == entry.version => Ok(entry),
        _ => Err(Malformed("it is not that of the key".to_owned(), "V".to_owned())),
    }
}

/// Returns what an item of the log states, though it may be of another version or changeset.
pub(crate) fn stated_by(item: &StoredItem) -> Option<LogEntry> {
    attribute::read(item.with_version().ok()?).ok()
}

/// Returns the item of a log entry.
pub(crate) fn item_of(tenant: &TenantId, entry: &LogEntry) -> ExpectedItem {
    let (tenant, version) = (tenant.clone(), entry.version);
    let mut attributes = attribute::write(entry);
    attributes.remove("V");
    ExpectedItem {
        key: ItemKey::Changeset { tenant, version },
        version: version.get(),
        attributes,
        open: &[],
        exists: true,
    }
}
