//! The questions, and how an entry is filled.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::join;
use quick_cache::sync::{Cache, DefaultLifecycle, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder};
use taxonomy_keys::{CategoryId, Culture, List, Place, TenantId, TermId, Version};
use taxonomy_model::stored::{ListedCategory, ListedTerm, StoredCategory, StoredTerm};
use taxonomy_runtime::Clock;
use taxonomy_store::{Found, Page, Read, Reader, Row, StoreError, TermItem, usage};

use crate::answer::{Answer, Weight};
use crate::entry::{Entry, Key};
use crate::error::ReadError;
use crate::heads::Heads;
use crate::sabotage::Sabotage;
use crate::second_tier::{SecondTier, Trouble};
use crate::view::View;

/// What a small entry takes: how many entries the cache expects, which decides how much it remembers of those that went.
const USUAL_BYTES: usize = 1_000;

/// The access patterns, each answered from memory where the rules allow it.
pub struct CachedReader {
    pub(crate) reader: Reader,
    heads: Heads,
    clock: Arc<dyn Clock>,
    kept: Cache<Key, Answer, Weight>,
    second_tier: Option<Arc<dyn SecondTier>>,
}

/// The right, and the duty, to fill an entry that others wait for. Dropped, it goes to one of those.
type Guard<'c> = PlaceholderGuard<'c, Key, Answer, Weight, DefaultHashBuilder, DefaultLifecycle<Key, Answer>>;

impl fmt::Debug for CachedReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachedReader")
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

impl CachedReader {
    /// Stands before `reader` and keeps entries of at most so many bytes in all, heads aside.
    #[must_use]
    pub fn new(reader: Reader, clock: Arc<dyn Clock>, bytes: u64) -> Self {
        let expected = usize::try_from(bytes).unwrap_or(usize::MAX) / USUAL_BYTES;
        // One shard: a Lambda process works at one request, and so an entry may be as large as all of it.
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
            // Only what is left out above can be wrong.
            Err(_) => Cache::with_weighter(expected, bytes, Weight),
        };
        Self {
            heads: Heads::new(reader.clone(), clock.clone()),
            reader,
            clock,
            kept,
            second_tier: None,
        }
    }

    /// The same with a cache behind the process's own.
    #[must_use]
    pub fn with_second_tier(self, second_tier: Arc<dyn SecondTier>) -> Self {
        Self {
            second_tier: Some(second_tier),
            ..self
        }
    }

    /// Opens connections before anybody waits for them.
    pub async fn warm_up(&self) {
        match &self.second_tier {
            Some(second) => drop(join(self.reader.warm_up(), second.warm_up()).await),
            None => self.reader.warm_up().await,
        }
    }

    /// What went wrong with the second tier since this was asked last.
    #[must_use]
    pub fn take_trouble(&self) -> Trouble {
        self.second_tier
            .as_ref()
            .map_or_else(Trouble::default, |second| second.take_trouble())
    }

    /// How many bytes the entries take that are kept.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.kept.weight()
    }

    /// The tenant as it is now, or was at most two seconds ago: the first thing that a request asks for. None for a tenant of which
    /// nothing was ever committed.
    ///
    /// # Errors
    /// [`StoreError`] when the head cannot be read.
    pub async fn view(&self, tenant: &TenantId) -> Result<Option<View>, StoreError> {
        let now = self.clock.now_ms();
        let head = self.heads.head(tenant).await?;
        Ok(head.map(|head| View::new(tenant, head, now)))
    }

    /// The tenant for a request that names a version. Other processes may serve versions that the head which is remembered here does not
    /// know: where it is older than the version, it is read again, by a read that began after this is called.
    ///
    /// # Errors
    /// [`StoreError`] when the head cannot be read.
    pub async fn view_with(&self, tenant: &TenantId, version: Version) -> Result<Option<View>, StoreError> {
        let (now, moment) = (self.clock.now_ms(), self.heads.now());
        let mut head = self.heads.head(tenant).await?;
        if head.as_ref().and_then(|head| head.projected) < Some(version) {
            head = self.heads.read_after(tenant, moment).await?;
        }
        Ok(head.map(|head| View::new(tenant, head, now)))
    }

    /// The terms that exist out of `ids`, each in the first culture of `order` that it is stored in; the last of `order` is the
    /// default culture. Without an order each is read from its own item, which is in the default culture. A hundred items that are not in memory
    /// are one request.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read, or the view is no longer good enough.
    pub async fn terms(
        &self,
        view: &View,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Arc<Found<StoredTerm>>>, ReadError> {
        if view.head().changes_default() && !order.is_empty() {
            return self.terms_between_defaults(view, ids, order).await;
        }
        let further = &order[..order.len().saturating_sub(1)];
        let ranked = |id: TermId| {
            let cultures = further.iter().cloned().map(Some).chain([None]);
            cultures.map(move |culture| Entry::Term(TermItem { id, culture }))
        };
        let entries = ids.iter().copied().flat_map(ranked).collect();
        let answers = self.answers(view, entries).await?;
        let best = |id: TermId| {
            ranked(id).find_map(|entry| match answers.get(&entry) {
                Some(Answer::Term(Some(found))) => Some((id, found.clone())),
                _ => None,
            })
        };
        Ok(ids.iter().copied().filter_map(best).collect())
    }

    /// A category.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read, or the view is no longer good enough.
    pub async fn category(
        &self,
        view: &View,
        id: CategoryId,
    ) -> Result<Option<Arc<Found<StoredCategory>>>, ReadError> {
        match self.answer(view, Entry::Category(id)).await? {
            Answer::Category(found) => Ok(found),
            _ => Err(mixed_up()),
        }
    }

    /// A page of the tenant's categories, in order, after the place where the page before ended.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read, or the view is no longer good enough.
    pub async fn categories(
        &self,
        view: &View,
        limit: u16,
        after: Option<Place>,
    ) -> Result<Arc<Page<Row<CategoryId, ListedCategory>>>, ReadError> {
        let list = List::Categories;
        match self.answer(view, Entry::Page { list, limit, after }).await? {
            Answer::Categories(page) => Ok(page),
            _ => Err(mixed_up()),
        }
    }

    /// A page of a list of terms, in order, after the place where the page before ended.
    ///
    /// # Errors
    /// [`ReadError`] when the table cannot be read, or the view is no longer good enough.
    pub async fn listed_terms(
        &self,
        view: &View,
        list: List,
        limit: u16,
        after: Option<Place>,
    ) -> Result<Arc<Page<Row<TermId, ListedTerm>>>, ReadError> {
        match self.answer(view, Entry::Page { list, limit, after }).await? {
            Answer::Terms(page) => Ok(page),
            _ => Err(mixed_up()),
        }
    }

    /// Rule 7: an answer in a certain culture that was read through `view` holds only while the head does. If a later version has begun to
    /// write what was read, its default culture may be another one, and names lie elsewhere.
    ///
    /// # Errors
    /// [`ReadError::Moved`] where that is so; [`ReadError`] when the head cannot be read.
    pub async fn confirm(&self, view: &View) -> Result<(), ReadError> {
        if !view.is_outdated() {
            return Ok(());
        }
        let head = self.heads.look_again(view.tenant()).await?;
        match view.is_of(head.as_deref()) {
            true => Ok(()),
            false => Err(ReadError::Moved),
        }
    }

    async fn answer(&self, view: &View, entry: Entry) -> Result<Answer, ReadError> {
        let mut answers = self.answers(view, vec![entry.clone()]).await?;
        answers.remove(&entry).ok_or_else(mixed_up)
    }

    /// Every entry's answer. Nobody waits for an entry while holding a later one, so no two requests wait for each other.
    async fn answers(
        &self,
        view: &View,
        mut entries: Vec<Entry>,
    ) -> Result<HashMap<Entry, Answer>, ReadError> {
        entries.sort_unstable();
        entries.dedup();
        let of_index = entries.iter().any(Entry::is_of_index);
        let may_cache = if of_index {
            view.may_cache_index()
        } else {
            view.may_cache()
        };
        if !may_cache {
            view.soften();
            let read = self.read(view, &entries).await?;
            read.iter().for_each(|read| view.has_read(read.newest));
            let values = read.into_iter().map(|read| read.value);
            return Ok(entries.into_iter().zip(values).collect());
        }
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

    /// Fills what the second tier has, and gives back the rest.
    async fn fill_from_second_tier<'c>(
        &'c self,
        view: &View,
        claims: Vec<(Entry, Guard<'c>)>,
        answers: &mut HashMap<Entry, Answer>,
    ) -> Result<Vec<(Entry, Guard<'c>)>, ReadError> {
        let Some(tier) = self.second_tier.as_ref().filter(|_| !claims.is_empty()) else {
            return Ok(claims);
        };
        let names: Vec<String> = claims.iter().map(|(entry, _)| entry.to_string()).collect();
        let kept = tier.get(&view.key().kept(), &names).await;
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
            let answer = bytes.and_then(|bytes| Answer::from_form(&entry, &bytes));
            // Rule 5 holds for what others wrote, too: a faulty build may have kept what it should not have.
            match answer.filter(|answer| view.covers(answer.newest())) {
                Some(answer) => {
                    usage::note(|usage| usage.second_tier_hits += 1);
                    // Refused only where the entry was removed meanwhile, which nobody does.
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
        claims: Vec<(Entry, Guard<'_>)>,
        answers: &mut HashMap<Entry, Answer>,
    ) -> Result<(), ReadError> {
        if claims.is_empty() {
            return Ok(());
        }
        let entries: Vec<Entry> = claims.iter().map(|(entry, _)| entry.clone()).collect();
        let read = self.read(view, &entries).await?;
        let is_still = self.is_still(view, &entries).await?;
        let late = self.late(view).await?;
        let mut fresh = Vec::new();
        for ((entry, guard), Read { value, newest }) in claims.into_iter().zip(read) {
            view.has_read(newest);
            if is_still && late.as_ref().unwrap_or(view).covers(newest) {
                let form = self.second_tier.as_ref().and_then(|_| value.to_form(&entry));
                fresh.extend(form.map(|form| (entry.to_string(), form)));
                match &late {
                    None => drop(guard.insert(value.clone())),
                    Some(late) => self.kept.insert(entry.clone().of(late), value.clone()),
                }
            } else {
                view.soften();
            }
            answers.insert(entry, value);
        }
        if let Some(tier) = self.second_tier.as_ref().filter(|_| !fresh.is_empty()) {
            tier.put(&late.as_ref().unwrap_or(view).key().kept(), fresh).await;
        }
        Ok(())
    }

    /// Rule 6: the index shows what is missing by nothing at all, so only a head that did not move in the meantime says that no load
    /// has begun.
    async fn is_still(&self, view: &View, entries: &[Entry]) -> Result<bool, StoreError> {
        if !entries.iter().any(Entry::is_of_index) || Sabotage::NoSecondLook.is_on() {
            return Ok(true);
        }
        let head = self.heads.look_again(view.tenant()).await?;
        Ok(view.is_of(head.as_deref()))
    }

    /// Rule 1, broken: the head as it is after the items were read. None where rules hold.
    async fn late(&self, view: &View) -> Result<Option<View>, StoreError> {
        if !Sabotage::HeadAfterItem.is_on() {
            return Ok(None);
        }
        let head = self.heads.look_again(view.tenant()).await?;
        let late = head.map(|head| View::new(view.tenant(), head, self.clock.now_ms()));
        Ok(late.filter(View::may_cache))
    }

    /// What the table says: one request. Only items of terms are asked for together.
    async fn read(&self, view: &View, entries: &[Entry]) -> Result<Vec<Read<Answer>>, StoreError> {
        usage::note(|usage| usage.cache_misses += u32::try_from(entries.len()).unwrap_or(u32::MAX));
        let (tenant, consistency) = (view.tenant(), view.consistency());
        match entries {
            [Entry::Category(id)] => {
                let read = self.reader.category(tenant, *id, consistency).await?;
                Ok(vec![answered(read, |found| {
                    Answer::Category(found.map(Arc::new))
                })])
            }
            [Entry::Page { list, limit, after }] => {
                let value = self.page(tenant, *list, *limit, after.as_ref()).await?;
                // Rule 6 holds for it instead of rule 5: the index does not say which version wrote a row.
                Ok(vec![Read { value, newest: 0 }])
            }
            entries => {
                let items: Vec<TermItem> = entries.iter().filter_map(Entry::term).cloned().collect();
                let read = self.reader.term_items(tenant, &items, consistency).await?;
                let answers = read
                    .into_iter()
                    .map(|read| answered(read, |found| Answer::Term(found.map(Arc::new))));
                Ok(answers.collect())
            }
        }
    }
}

impl CachedReader {
    async fn page(
        &self,
        tenant: &TenantId,
        list: List,
        limit: u16,
        after: Option<&Place>,
    ) -> Result<Answer, StoreError> {
        let reader = &self.reader;
        Ok(match list {
            List::Categories => Answer::Categories(Arc::new(reader.categories(tenant, limit, after).await?)),
            List::TopTerms(_) | List::Children(_) => {
                Answer::Terms(Arc::new(reader.listed_terms(tenant, list, limit, after).await?))
            }
        })
    }
}

fn answered<T>(read: Read<T>, answer: impl FnOnce(T) -> Answer) -> Read<Answer> {
    Read {
        value: answer(read.value),
        newest: read.newest,
    }
}

/// No entry is ever given an answer of another kind; if one were, nobody should be served it.
fn mixed_up() -> ReadError {
    let damaged = StoreError::Damaged {
        what: "an entry of the cache".to_owned(),
        source: "it is of another kind".into(),
    };
    damaged.into()
}
