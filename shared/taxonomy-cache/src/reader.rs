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
use crate::error::{ReadError, Unreadable};
use crate::head_cache::HeadCache;
use crate::query::{Key, Query};
use crate::second_tier::{SecondTier, TierErrors};
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

/// What the table has of one item: none where there is no such item.
pub type Answered<T> = Result<Option<Arc<Found<T>>>, Unreadable>;

/// The values of queries.
type Answers = HashMap<Query, Result<CachedValue, Unreadable>>;

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
    pub fn take_errors(&self) -> TierErrors {
        self.second_tier
            .as_ref()
            .map_or_else(TierErrors::default, |second| second.take_errors())
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

    /// Returns the item of each of `ids` in a culture, `None` for the term's own item: none where the table has no such item. A hundred items that are not in
    /// memory take one request.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read.
    pub async fn terms(
        &self,
        view: &View,
        ids: &[TermId],
        culture: Option<&Culture>,
    ) -> Result<HashMap<TermId, Answered<StoredTerm>>, ReadError> {
        let item = |id: &TermId| {
            let (id, culture) = (*id, culture.cloned());
            Query::Term(TermItem { id, culture })
        };
        let answers = self.answers(view, ids.iter().map(item).collect()).await?;
        let terms = answers.into_iter().filter_map(|(entry, answer)| {
            let found = answer.map(|value| match value {
                CachedValue::Term(found) => found,
                CachedValue::Category(_) => None,
            });
            Some((entry.term()?.id, found))
        });
        Ok(terms.collect())
    }

    /// Returns a category.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read.
    pub async fn category(&self, view: &View, id: CategoryId) -> Result<Answered<StoredCategory>, ReadError> {
        let answers = self.answers(view, vec![Query::Category(id)]).await?;
        let found = answers.into_iter().find_map(|(_, answer)| match answer {
            Ok(CachedValue::Category(found)) => Some(Ok(found)),
            Ok(CachedValue::Term(_)) => None,
            Err(unreadable) => Some(Err(unreadable)),
        });
        Ok(found.unwrap_or(Ok(None)))
    }

    /// Returns the value of every query. Claims are taken in their order, so no two requests wait for each other.
    async fn answers(&self, view: &View, mut entries: Vec<Query>) -> Result<Answers, ReadError> {
        entries.sort_unstable();
        entries.dedup();
        let (mut answers, mut claims) = (Answers::with_capacity(entries.len()), Vec::new());
        for entry in entries {
            let key = entry.of(view);
            match self.kept.get_value_or_guard_async(&key).await {
                Ok(answer) => {
                    usage::note(|usage| usage.cache_hits += 1);
                    answers.insert(key.entry, Ok(answer));
                }
                Err(guard) => claims.push((key.entry, guard)),
            }
        }
        let (claims, kept) = self.fill_from_second_tier(view, claims).await?;
        answers.extend(kept);
        answers.extend(self.fill_from_table(view, claims).await?);
        Ok(answers)
    }

    /// Fills the entries that the second tier has, and returns the claims of the others, and the answers.
    async fn fill_from_second_tier<'c>(
        &'c self,
        view: &View,
        claims: Vec<(Query, Guard<'c>)>,
    ) -> Result<(Vec<(Query, Guard<'c>)>, Answers), ReadError> {
        let mut answers = Answers::new();
        let Some(tier) = self.second_tier.as_ref().filter(|_| !claims.is_empty()) else {
            return Ok((claims, answers));
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
                    answers.insert(entry, Ok(answer));
                }
                None => left.push((entry, guard)),
            }
        }
        Ok((left, answers))
    }

    async fn fill_from_table(
        &self,
        view: &View,
        claims: Vec<(Query, Guard<'_>)>,
    ) -> Result<Answers, ReadError> {
        let mut answers = Answers::new();
        if claims.is_empty() {
            return Ok(answers);
        }
        let entries: Vec<Query> = claims.iter().map(|(entry, _)| entry.clone()).collect();
        let read = self.read(view, &entries).await?;
        let mut fresh = Vec::new();
        for ((entry, guard), read) in claims.into_iter().zip(read) {
            let answer = match read {
                Ok(Read { value, newest }) if view.covers(newest) => {
                    let form = self.second_tier.as_ref().and_then(|_| value.encode(&entry));
                    fresh.extend(form.map(|form| (entry.to_string(), form)));
                    drop(guard.insert(value.clone()));
                    Ok(value)
                }
                Ok(_) => Err(Unreadable::Newer),
                Err(damaged) => Err(Unreadable::Damaged(damaged)),
            };
            answers.insert(entry, answer);
        }
        if let Some(tier) = self.second_tier.as_ref().filter(|_| !fresh.is_empty()) {
            tier.put(view.key(), fresh).await;
        }
        Ok(answers)
    }

    /// Reads the entries from the table by one request. Only items of terms are read together.
    async fn read(
        &self,
        view: &View,
        entries: &[Query],
    ) -> Result<Vec<Result<Read<CachedValue>, StoreError>>, StoreError> {
        usage::note(|usage| usage.cache_misses += u32::try_from(entries.len()).unwrap_or(u32::MAX));
        let (tenant, consistency) = (view.tenant(), view.consistency());
        match entries {
            [Query::Category(id)] => {
                let read = match self.reader.category(tenant, *id, consistency).await {
                    Err(error @ StoreError::Damaged { .. }) => Err(error),
                    read => Ok(read?),
                };
                let category = |found: Option<_>| CachedValue::Category(found.map(Arc::new));
                Ok(vec![read.map(|read| answered(read, category))])
            }
            entries => {
                let items: Vec<TermItem> = entries.iter().filter_map(Query::term).cloned().collect();
                let read = self.reader.term_items(tenant, &items, consistency).await?;
                let term = |found: Option<_>| CachedValue::Term(found.map(Arc::new));
                Ok(read.into_iter().map(|read| Ok(answered(read?, term))).collect())
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
