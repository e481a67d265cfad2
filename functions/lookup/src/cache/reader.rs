//! The table behind both tiers.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::join;
use quick_cache::sync::Cache;
use taxonomy_keys::{CategoryId, TenantId, Version};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_runtime::Clock;
use taxonomy_store::{ListedTenant, Reader, StoreError, TermItem, Versioned, usage};
use tracing::error;

use crate::cache::bounded::bounded;
use crate::cache::current_version::CurrentVersion;
use crate::cache::entry::{Entry, EntryKey, EntryName, EntryWeight, Kept};
use crate::cache::heads::HeadCache;
use crate::cache::second_tier::{SecondTier, TierErrors};
use crate::response::problem::Problem;

/// The usual size of an entry in bytes.
const USUAL_BYTES: u64 = 1_500;

/// The heads, items and entries of all tenants.
pub struct CachedReader {
    reader: Reader,
    heads: HeadCache,
    clock: Arc<dyn Clock>,
    entries: Cache<EntryKey, Kept, EntryWeight>,
    second_tier: Option<Arc<dyn SecondTier>>,
}

/// Another process has seen a newer version: the request begins again. Its head has been read already, so this error does not occur twice for the
/// same version.
#[derive(Debug, thiserror::Error)]
#[error("a newer version is there")]
pub(crate) struct Moved;

impl fmt::Debug for CachedReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedReader")
            .field("bytes", &self.entries.weight())
            .finish_non_exhaustive()
    }
}

impl CachedReader {
    /// Wraps `reader` with a cache of entries of at most `bytes` bytes in all, heads excluded.
    pub fn new(reader: Reader, clock: Arc<dyn Clock>, bytes: u64) -> Self {
        Self {
            heads: HeadCache::new(reader.clone(), clock.clone()),
            reader,
            clock,
            entries: bounded(bytes, USUAL_BYTES, EntryWeight),
            second_tier: None,
        }
    }

    /// Adds a second tier behind the memory of the process.
    #[must_use]
    pub fn with_second_tier(mut self, second_tier: Arc<dyn SecondTier>) -> Self {
        self.second_tier = Some(second_tier);
        self
    }

    /// Opens the connections before the first request.
    pub(crate) async fn warm_up(&self) {
        match &self.second_tier {
            Some(second) => drop(join(self.reader.warm_up(), second.warm_up()).await),
            None => self.reader.warm_up().await,
        }
    }

    /// Returns the failures of the second tier since the last call.
    pub(crate) fn take_errors(&self) -> TierErrors {
        self.second_tier
            .as_ref()
            .map_or_else(TierErrors::default, |second| second.take_errors())
    }

    /// Returns the current version of a tenant, at most two seconds old: the first call of a request. `None` for a tenant without a commit. It is not
    /// older than the version that the request `named`, where any process serves that.
    pub(crate) async fn current(
        &self,
        tenant: &TenantId,
        named: Option<Version>,
    ) -> Result<Option<CurrentVersion>, StoreError> {
        let now = self.clock.now_ms();
        let head = self.heads.head(tenant, named).await?;
        Ok(head.map(|head| CurrentVersion::new(tenant, head, now)))
    }

    /// Returns those of some tenants that have had a version or a configuration, as lists show them.
    pub(crate) async fn listed(&self, tenants: &[TenantId]) -> Result<Vec<ListedTenant>, StoreError> {
        self.reader.listed(tenants).await
    }

    /// Forgets the head of a tenant: the next request reads it again.
    pub(crate) fn forget_head(&self, tenant: &TenantId) {
        self.heads.forget(tenant);
    }

    /// Returns the entries that a tier has, by one request to the second one for all that the first one lacks.
    ///
    /// # Errors
    /// [`Problem::has_moved`] where another process has seen a newer version.
    pub(crate) async fn entries(
        &self,
        version: &CurrentVersion,
        names: Vec<EntryName>,
    ) -> Result<HashMap<EntryName, Kept>, Problem> {
        let (mut found, mut missing) = (HashMap::with_capacity(names.len()), Vec::new());
        for name in names {
            let key = key(version, name);
            match self.entries.get(&key) {
                Some(kept) => {
                    usage::note(|usage| usage.cache_hits += 1);
                    found.insert(key.name, kept);
                }
                None => missing.push(key.name),
            }
        }
        let Some(tier) = self.second_tier.as_ref().filter(|_| !missing.is_empty()) else {
            return Ok(found);
        };
        let names: Vec<String> = missing.iter().map(EntryName::to_string).collect();
        let kept = tier.get(version.key(), &names).await;
        if let Some(newest) = kept.newest_version
            && newest > version.version().get()
        {
            let head = self.heads.look_for(version.tenant(), newest).await?;
            if !version.is_of(head.as_deref()) {
                return Err(Problem::unavailable(Moved));
            }
        }
        for (name, bytes) in missing.into_iter().zip(kept.values) {
            let kept = bytes.and_then(|bytes| Entry::decode(version.key(), &name, &bytes));
            if let Some(kept) = kept {
                usage::note(|usage| usage.second_tier_hits += 1);
                self.entries.insert(key(version, name.clone()), kept.clone());
                found.insert(name, kept);
            }
        }
        Ok(found)
    }

    /// Keeps entries of a version in both tiers. They are exactly its answers.
    pub(crate) async fn keep(&self, version: &CurrentVersion, entries: Vec<(EntryName, Kept)>) {
        let mut encoded = Vec::new();
        for (name, kept) in entries {
            if self.second_tier.is_some() {
                encoded.extend(Entry::encode(&name, &kept).map(|bytes| (name.to_string(), bytes)));
            }
            self.entries.insert(key(version, name), kept);
        }
        if let Some(tier) = self.second_tier.as_ref().filter(|_| !encoded.is_empty()) {
            tier.put(version.key(), encoded).await;
        }
    }

    /// Reads items of terms by one request: none for each that the table lacks, or that the index file must answer.
    pub(crate) async fn terms(
        &self,
        version: &CurrentVersion,
        items: &[TermItem],
    ) -> Result<Vec<Option<StoredTerm>>, StoreError> {
        note_misses(items.len());
        let (tenant, consistency) = (version.tenant(), version.consistency());
        let read = self.reader.term_items(tenant, items, consistency).await?;
        Ok(read.into_iter().map(|read| there(version, read)).collect())
    }

    /// The same for a category.
    pub(crate) async fn category(
        &self,
        version: &CurrentVersion,
        id: CategoryId,
    ) -> Result<Option<StoredCategory>, StoreError> {
        note_misses(1);
        let (tenant, consistency) = (version.tenant(), version.consistency());
        match self.reader.category(tenant, id, consistency).await {
            Err(error @ StoreError::Damaged { .. }) => Ok(there(version, Err(error))),
            read => Ok(there(version, Ok(read?))),
        }
    }
}

fn key(version: &CurrentVersion, name: EntryName) -> EntryKey {
    EntryKey {
        version: version.key().clone(),
        name,
    }
}

fn note_misses(count: usize) {
    usage::note(|usage| usage.cache_misses += u32::try_from(count).unwrap_or(u32::MAX));
}

/// Rule 5 of page 10: what the table has of an item in a version. One that is newer belongs to the next version, which is being written; one that is damaged
/// waits for a rebuild.
fn there<T>(version: &CurrentVersion, read: Result<Versioned<Option<T>>, StoreError>) -> Option<T> {
    match read {
        Ok(read) if version.covers(read.modified_in) => read.value,
        Ok(_) => None,
        Err(error) => {
            let (tenant, problem) = (version.tenant(), Problem::from(error));
            error!(%tenant, cause = problem.cause(), "an item is damaged; the index file answers, and a rebuild mends the item");
            None
        }
    }
}
