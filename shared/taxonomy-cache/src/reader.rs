//! The queries, and filling an entry: from memory, then from the second tier, then from the table.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::join;
use quick_cache::sync::{Cache, DefaultLifecycle, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_runtime::Clock;
use taxonomy_store::{Found, Read, Reader, StoreError, TermItem, usage};

use crate::cached_value::{CachedValue, Weight};
use crate::error::ReadError;
use crate::head_cache::HeadCache;
use crate::query::{Key, Query};
use crate::second_tier::{SecondTier, Trouble};
use crate::view::View;

/// The assumed size of an entry in bytes. It sets the number of entries that the cache expects, and with it the number of evicted keys
/// that it remembers.
const USUAL_BYTES: usize = 1_000;

/// The access patterns, answered from memory where the rules allow it.
pub struct CachedReader {
    pub(crate) reader: Reader,
    heads: HeadCache,
    clock: Arc<dyn Clock>,
    kept: Cache<Key, CachedValue, Weight>,
    second_tier: Option<Arc<dyn SecondTier>>,
}

/// The placeholder of an entry that this request fills while others wait for it. When it is dropped, the next one that waits gets it.
type Guard<'c> =
    PlaceholderGuard<'c, Key, CachedValue, Weight, DefaultHashBuilder, DefaultLifecycle<Key, CachedValue>>;

impl fmt::Debug for CachedReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedReader")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl CachedReader {
    /// Wraps `reader` with a cache of entries of at most `bytes` bytes in all, heads excluded.
    #[must_use]
    pub fn new(reader: Reader, clock: Arc<dyn Clock>, bytes: u64) -> Self {
        let expected = usize::try_from(bytes).unwrap_or(usize::MAX) / USUAL_BYTES;
        // One shard: a Lambda process serves one request at a time, and an entry may then be as large as the whole cache.
        let mut options = OptionsBuilder::new();
        options
            .shards(1)
            .estimated_items_capacity(expected)
            .weight_capacity(bytes);
        let kept = match options.build() {
            Ok(options) => Cache::with_options(
                options,
                Weight,
                DefaultHashBuilder::default(),
                DefaultLifecycle::default(),
            ),
            // Only the fields set above can be invalid.
            Err(_) => Cache::with_weighter(expected, bytes, Weight),
        };
        Self {
            heads: HeadCache::new(reader.clone(), clock.clone()),
            reader,
            clock,
            kept,
            second_tier: None,
        }
    }

    /// Adds a second tier behind the memory of the process.
    #[must_use]
    pub fn with_second_tier(self, second_tier: Arc<dyn SecondTier>) -> Self {
        Self {
            second_tier: Some(second_tier),
            ..self
        }
    }

    /// Opens the connections before the first request.
    pub async fn warm_up(&self) {
        match &self.second_tier {
            Some(second) => drop(join(self.reader.warm_up(), second.warm_up()).await),
            None => self.reader.warm_up().await,
        }
    }

    /// Returns the failures of the second tier since the last call.
    #[must_use]
    pub fn take_trouble(&self) -> Trouble {
        self.second_tier
            .as_ref()
            .map_or_else(Trouble::default, |second| second.take_trouble())
    }

    /// Returns the size of all entries, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.kept.weight()
    }

    /// Returns the view of a tenant, at most two seconds old: the first call of a request. `None` for a tenant without a commit.
    ///
    /// # Errors
    /// [`StoreError`] when the head cannot be read.
    pub async fn view(&self, tenant: &TenantId) -> Result<Option<View>, StoreError> {
        let now = self.clock.now_ms();
        let head = self.heads.head(tenant).await?;
        Ok(head.map(|head| View::new(tenant, head, now)))
    }

    /// As [`Self::view`], for a request that names a version. Another process may already serve a version that the cached head lacks: a head
    /// older than `version` is read again, by a read that begins after the call.
    ///
    /// # Errors
    /// [`StoreError`] when the head cannot be read.
    pub async fn view_with(&self, tenant: &TenantId, version: Version) -> Result<Option<View>, StoreError> {
        let (now, moment) = (self.clock.now_ms(), self.heads.now());
        let mut head = self.heads.head(tenant).await?;
        if head.as_ref().map(|head| head.version) < Some(version) {
            head = self.heads.read_after(tenant, moment).await?;
        }
        Ok(head.map(|head| View::new(tenant, head, now)))
    }

    /// Forgets the head of a tenant: the next request reads it again.
    pub fn forget_head(&self, tenant: &TenantId) {
        self.heads.forget(tenant);
    }

    /// Returns the existing terms of `ids`, each in the first culture of `order` in which it is stored; the last of `order` is the default
    /// culture. Without an order each is read from its own item, which is in the default culture. A hundred items that are not in memory
    /// take one request.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read, or has no value of the view.
    pub async fn terms(
        &self,
        view: &View,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Arc<Found<StoredTerm>>>, ReadError> {
        let further = &order[..order.len().saturating_sub(1)];
        let ranked = |id: TermId| {
            let cultures = further.iter().cloned().map(Some).chain([None]);
            cultures.map(move |culture| Query::Term(TermItem { id, culture }))
        };
        let entries = ids.iter().copied().flat_map(ranked).collect();
        let answers = self.answers(view, entries).await?;
        let best = |id: TermId| {
            ranked(id).find_map(|entry| match answers.get(&entry) {
                Some(CachedValue::Term(Some(found))) => Some((id, found.clone())),
                _ => None,
            })
        };
        Ok(ids.iter().copied().filter_map(best).collect())
    }

    /// Returns a category.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read, or has no value of the view.
    pub async fn category(
        &self,
        view: &View,
        id: CategoryId,
    ) -> Result<Option<Arc<Found<StoredCategory>>>, ReadError> {
        match self.answer(view, Query::Category(id)).await? {
            CachedValue::Category(found) => Ok(found),
            _ => Err(mixed_up()),
        }
    }

    async fn answer(&self, view: &View, entry: Query) -> Result<CachedValue, ReadError> {
        let mut answers = self.answers(view, vec![entry.clone()]).await?;
        answers.remove(&entry).ok_or_else(mixed_up)
    }

    /// Returns the value of every query. Claims are taken in their order, so no two requests wait for each other.
    async fn answers(
        &self,
        view: &View,
        mut entries: Vec<Query>,
    ) -> Result<HashMap<Query, CachedValue>, ReadError> {
        entries.sort_unstable();
        entries.dedup();
        let (mut answers, mut claims) = (HashMap::with_capacity(entries.len()), Vec::new());
        for entry in entries {
            let key = entry.of(view);
            match self.kept.get_value_or_guard_async(&key).await {
                Ok(answer) => {
                    usage::note(|usage| usage.cache_hits += 1);
                    answers.insert(key.entry, answer);
                }
                Err(guard) => claims.push((key.entry, guard)),
            }
        }
        let claims = self.fill_from_second_tier(view, claims, &mut answers).await?;
        self.fill_from_table(view, claims, &mut answers).await?;
        Ok(answers)
    }

    /// Fills the entries that the second tier has, and returns the others.
    async fn fill_from_second_tier<'c>(
        &'c self,
        view: &View,
        claims: Vec<(Query, Guard<'c>)>,
        answers: &mut HashMap<Query, CachedValue>,
    ) -> Result<Vec<(Query, Guard<'c>)>, ReadError> {
        let Some(tier) = self.second_tier.as_ref().filter(|_| !claims.is_empty()) else {
            return Ok(claims);
        };
        let names: Vec<String> = claims.iter().map(|(entry, _)| entry.to_string()).collect();
        let kept = tier.get(view.key(), &names).await;
        if let Some(newest) = kept.newest_version
            && newest > view.key().version()
        {
            let head = self.heads.look_for(view.tenant(), newest).await?;
            if !view.is_of(head.as_deref()) {
                return Err(ReadError::Moved);
            }
        }
        let mut values = kept.values.into_iter();
        let mut left = Vec::new();
        for (entry, guard) in claims {
            let bytes = values.next().flatten();
            let answer = bytes.and_then(|bytes| CachedValue::from_form(&entry, &bytes));
            // Rule 5 holds for entries of other processes too: a faulty build may have stored an entry against it.
            match answer.filter(|answer| view.covers(answer.newest())) {
                Some(answer) => {
                    usage::note(|usage| usage.second_tier_hits += 1);
                    // The insertion fails only if the entry was removed meanwhile, and no code removes one.
                    drop(guard.insert(answer.clone()));
                    answers.insert(entry, answer);
                }
                None => left.push((entry, guard)),
            }
        }
        Ok(left)
    }

    async fn fill_from_table(
        &self,
        view: &View,
        claims: Vec<(Query, Guard<'_>)>,
        answers: &mut HashMap<Query, CachedValue>,
    ) -> Result<(), ReadError> {
        if claims.is_empty() {
            return Ok(());
        }
        let entries: Vec<Query> = claims.iter().map(|(entry, _)| entry.clone()).collect();
        let read = self.read(view, &entries).await?;
        let (mut fresh, mut is_newer) = (Vec::new(), false);
        for ((entry, guard), Read { value, newest }) in claims.into_iter().zip(read) {
            if view.covers(newest) {
                let form = self.second_tier.as_ref().and_then(|_| value.encode(&entry));
                fresh.extend(form.map(|form| (entry.to_string(), form)));
                drop(guard.insert(value.clone()));
                answers.insert(entry, value);
            } else {
                is_newer = true;
            }
        }
        if let Some(tier) = self.second_tier.as_ref().filter(|_| !fresh.is_empty()) {
            tier.put(view.key(), fresh).await;
        }
        match is_newer {
            true => Err(ReadError::Newer),
            false => Ok(()),
        }
    }

    /// Reads the entries from the table by one request. Only items of terms are read together.
    async fn read(&self, view: &View, entries: &[Query]) -> Result<Vec<Read<CachedValue>>, StoreError> {
        usage::note(|usage| usage.cache_misses += u32::try_from(entries.len()).unwrap_or(u32::MAX));
        let (tenant, consistency) = (view.tenant(), view.consistency());
        match entries {
            [Query::Category(id)] => {
                let read = self.reader.category(tenant, *id, consistency).await?;
                Ok(vec![answered(read, |found| {
                    CachedValue::Category(found.map(Arc::new))
                })])
            }
            entries => {
                let items: Vec<TermItem> = entries.iter().filter_map(Query::term).cloned().collect();
                let read = self.reader.term_items(tenant, &items, consistency).await?;
                let answers = read
                    .into_iter()
                    .map(|read| answered(read, |found| CachedValue::Term(found.map(Arc::new))));
                Ok(answers.collect())
            }
        }
    }
}

fn answered<T>(read: Read<T>, answer: impl FnOnce(T) -> CachedValue) -> Read<CachedValue> {
    Read {
        value: answer(read.value),
        newest: read.newest,
    }
}

/// No entry has a value of another kind; if one had, it must not be served.
fn mixed_up() -> ReadError {
    let damaged = StoreError::Damaged {
        what: "an entry of the cache".to_owned(),
        source: "it is of another kind".into(),
    };
    damaged.into()
}
