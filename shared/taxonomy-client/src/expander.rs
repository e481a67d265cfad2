//! Turns term ids into FinalNames of the terms and all their ancestors.
//!
//! An [`Expander`] reads an ordered stream of [`Metric`]s, each with a list of term ids, and returns the same metrics in the same order
//! with the names of their terms.
//!
//! It reads metrics until their missing ids fill the requests that it may send at once, each with [`BATCH`] ids; a smaller batch is sent
//! where the input ended or paused ([`ExpanderSettings::idle_after`]), where a metric waited for others
//! ([`ExpanderSettings::longest_wait`]), and where no more may be read ahead. Then it returns the metrics whose names are known. A metric
//! whose names are all in the cache waits for nothing. An id is requested once, as long as its names stay in the cache.
//!
//! The names of one metric belong to one version; a newer version empties the cache, and the window is requested again. The names are not
//! older than the version that was current [`ExpanderSettings::confirm_after`] before the metric was read: if no response is that recent,
//! the current version is requested first.

mod ask;
mod error;
mod names;
mod settings;
mod source;

use std::collections::{HashMap, HashSet, VecDeque};

use futures_util::stream::{self, Stream, StreamExt as _};
use taxonomy_keys::TermId;
use tokio::time::{Instant, timeout_at};

pub use error::Error;
pub use settings::{Expanded, ExpanderSettings, Metric, Statistics};
pub use source::{Answer, BATCH, Source};

use ask::{BatchNames, CurrentVersion};
use names::{KnownNames, NameCache};

/// The largest number of versions that may replace the names of the first metric.
const MAX_VERSIONS: u32 = 10;

/// The bytes of a metric in the window besides its value, and of an id.
const METRIC_BYTES: usize = 128;
const ID_BYTES: usize = 64;

/// Expands metrics. Dropping it ends all requests under way; [`next`](Self::next) may be dropped and called again.
pub struct Expander<'s, S: Source, I, T> {
    source: &'s S,
    input: I,
    input_ended: bool,
    settings: ExpanderSettings,
    /// The metrics that were read and not returned yet.
    window: VecDeque<Waiting<T>>,
    bytes: usize,
    /// What is known of the ids of the window.
    known: HashMap<TermId, KnownNames>,
    /// The other ids of the window, each once, in their order.
    missing: Vec<TermId>,
    is_missing: HashSet<TermId>,
    cache: NameCache,
    current: Option<CurrentVersion>,
    /// The versions that replaced names of the first metric.
    replaced: u32,
    /// Bytes of names that came since the names of the first metric were counted.
    uncounted: usize,
    failure: Option<Error<S::Error>>,
    statistics: Statistics,
}

/// A metric of the window.
#[derive(Debug)]
struct Waiting<T> {
    value: T,
    /// Distinct.
    ids: Vec<TermId>,
    bytes: usize,
    read_at: Instant,
}

impl<S: Source, I, T> std::fmt::Debug for Expander<'_, S, I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Expander")
            .field("settings", &self.settings)
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

impl<'s, S, I, T> Expander<'s, S, I, T>
where
    S: Source,
    I: Stream<Item = Metric<T>> + Unpin,
{
    /// Builds an expander with an empty cache.
    pub fn new(source: &'s S, input: I, settings: ExpanderSettings) -> Self {
        Self {
            source,
            input,
            input_ended: false,
            window: VecDeque::new(),
            bytes: 0,
            known: HashMap::new(),
            missing: Vec::new(),
            is_missing: HashSet::new(),
            cache: NameCache::new(settings.cache_bytes),
            current: None,
            replaced: 0,
            uncounted: 0,
            failure: None,
            statistics: Statistics::default(),
            settings,
        }
    }

    /// Returns the next metric with its names, or `None` after the last one. After an error it returns `None`.
    ///
    /// # Errors
    /// [`Error`] after every metric that could be expanded before it.
    pub async fn next(&mut self) -> Option<Result<Expanded<T>, Error<S::Error>>> {
        // A task that never waits would starve timers and signals.
        tokio::task::coop::consume_budget().await;
        loop {
            match self.pop() {
                Ok(Some(expanded)) => {
                    self.statistics.count(&expanded);
                    return Some(Ok(expanded));
                }
                Ok(None) => {}
                Err(error) => self.failure = Some(error),
            }
            if let Some(failure) = self.failure.take() {
                self.input_ended = true;
                self.window.clear();
                return Some(Err(failure));
            }
            if self.input_ended && self.window.is_empty() {
                return None;
            }
            self.prune();
            let is_last = self.read().await;
            if let Err(error) = self.resolve(is_last).await {
                self.failure = Some(error);
            }
        }
    }

    /// Returns what was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The ids that may be requested at once.
    fn most(&self) -> usize {
        self.settings.concurrency.max(1) * BATCH
    }

    /// Forgets what only returned metrics needed.
    fn prune(&mut self) {
        let needed: HashSet<TermId> = self.ids().collect();
        self.known.retain(|id, _| needed.contains(id));
    }

    /// The ids of the window, with repetitions.
    fn ids(&self) -> impl Iterator<Item = TermId> {
        self.window.iter().flat_map(|waiting| &waiting.ids).copied()
    }

    /// Reads ahead. Returns whether the missing ids are to be requested even if they do not fill a batch.
    async fn read(&mut self) -> bool {
        while self.missing.len() < self.most() {
            let metric = match self.window.front().map(|first| first.read_at) {
                _ if self.input_ended => return true,
                None => self.input.next().await,
                Some(_) if self.missing.is_empty() || self.is_full() => return true,
                Some(opened_at) => {
                    let idle = Instant::now() + self.settings.idle_after;
                    let until = idle.min(opened_at + self.settings.longest_wait);
                    match timeout_at(until, self.input.next()).await {
                        Ok(metric) => metric,
                        Err(_) => return true,
                    }
                }
            };
            match metric {
                Some(metric) => self.push(metric),
                None => self.input_ended = true,
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.window.len() >= self.settings.read_ahead_items || self.bytes >= self.settings.read_ahead_bytes
    }

    fn push(&mut self, metric: Metric<T>) {
        let metric = Waiting::new(metric);
        for id in &metric.ids {
            if self.known.contains_key(id) || self.is_missing.contains(id) {
                continue;
            }
            match self.cache.get(*id) {
                Some(known) => drop(self.known.insert(*id, known)),
                None => {
                    self.missing.push(*id);
                    self.is_missing.insert(*id);
                }
            }
        }
        self.bytes += metric.bytes;
        self.window.push_back(metric);
    }

    /// Requests the first of the missing ids, and the version where no response is recent enough for the first metric.
    async fn resolve(&mut self, is_last: bool) -> Result<(), Error<S::Error>> {
        let whole = if is_last {
            self.missing.len()
        } else {
            self.missing.len() / BATCH * BATCH
        };
        // They stay missing until all of them are answered: this future may be dropped.
        let asked: Vec<TermId> = self
            .missing
            .iter()
            .copied()
            .take(whole.min(self.most()))
            .collect();
        self.statistics.requests += asked.len().div_ceil(BATCH) as u64;
        self.statistics.asked += asked.len() as u64;
        let (source, seen) = (self.source, self.current.map(|current| current.version));
        let batches = asked.chunks(BATCH).map(|ids| ask::names(source, ids, seen));
        let mut batches = stream::iter(batches).buffered(self.settings.concurrency.max(1));
        while let Some(batch) = batches.next().await {
            self.take(batch?)?;
        }
        if self.is_waiting_for_version() {
            let (current, requests) = ask::version(source, seen).await?;
            self.statistics.version_requests += requests;
            self.confirm(current);
        }
        if self.replaced > MAX_VERSIONS {
            return Err(Error::Unsettled);
        }
        // With a newer version these are other ids than before: the names of the version before are gone.
        let mut is_missing = HashSet::new();
        let missing = self
            .ids()
            .filter(|id| !self.known.contains_key(id) && is_missing.insert(*id));
        self.missing = missing.collect();
        self.is_missing = is_missing;
        Ok(())
    }

    /// Takes the names of a batch, unless a batch before it was of a newer version.
    fn take(&mut self, batch: BatchNames<'_>) -> Result<(), Error<S::Error>> {
        // The first request was counted when it was sent.
        let repeated = batch.requests.0 - 1;
        self.statistics.requests += repeated;
        self.statistics.asked += batch.ids.len() as u64 * repeated;
        self.statistics.version_requests += batch.requests.1;
        if !self.confirm(batch.current) {
            return Ok(());
        }
        for (id, names) in batch.ids.iter().zip(batch.terms) {
            self.uncounted += names.iter().flatten().map(String::len).sum::<usize>();
            self.known.insert(*id, self.cache.put(*id, names));
        }
        self.cache.evict();
        // Of a metric with very many ids, before all of them are there.
        if self.uncounted > self.settings.metric_bytes
            && let Some(first) = self.window.front()
        {
            self.names_of(&first.ids)?;
            self.uncounted = 0;
        }
        Ok(())
    }

    /// Notes that a version is current; a newer one replaces all names. Returns false for an older one.
    fn confirm(&mut self, current: CurrentVersion) -> bool {
        if let Some(seen) = self.current {
            if current.version < seen.version {
                return false;
            }
            if current.version > seen.version {
                let mut first = self.window.front().into_iter().flat_map(|first| &first.ids);
                self.replaced += u32::from(first.any(|id| self.known.contains_key(id)));
                self.known.clear();
                self.cache.clear();
            } else if current.sent_at < seen.sent_at {
                return true;
            }
        }
        self.current = Some(current);
        true
    }

    /// Returns whether the names of a metric are known.
    fn is_resolved(&self, waiting: &Waiting<T>) -> bool {
        waiting.ids.iter().all(|id| self.known.contains_key(id))
    }

    /// Returns whether a response is recent enough for a metric.
    fn is_confirmed(&self, waiting: &Waiting<T>) -> bool {
        let is_young =
            |current: CurrentVersion| current.sent_at + self.settings.confirm_after >= waiting.read_at;
        waiting.ids.is_empty() || self.current.is_some_and(is_young)
    }

    fn is_waiting_for_version(&self) -> bool {
        let first = self.window.front();
        first.is_some_and(|first| self.is_resolved(first) && !self.is_confirmed(first))
    }

    /// Takes the first metric, if its names are known.
    fn pop(&mut self) -> Result<Option<Expanded<T>>, Error<S::Error>> {
        let is_ready = |first: &Waiting<T>| self.is_resolved(first) && self.is_confirmed(first);
        if !self.window.front().is_some_and(is_ready) {
            return Ok(None);
        }
        let Some(first) = self.window.pop_front() else {
            return Ok(None);
        };
        let (names, unknown) = self.names_of(&first.ids)?;
        self.bytes -= first.bytes;
        (self.replaced, self.uncounted) = (0, 0);
        let current = self.current.filter(|_| !first.ids.is_empty());
        Ok(Some(Expanded {
            value: first.value,
            names,
            unknown,
            ids: first.ids.len(),
            version: current.map(|current| current.version),
        }))
    }

    /// Returns the names and the unknown ids of a metric, as far as they are known.
    fn names_of(&self, ids: &[TermId]) -> Result<Texts, Error<S::Error>> {
        let (mut names, mut unknown, mut seen, mut bytes) = (Vec::new(), Vec::new(), HashSet::new(), 0);
        for id in ids {
            match self.known.get(id) {
                Some(Some(known)) => {
                    for text in known.iter().filter(|text| seen.insert(&***text)) {
                        bytes += text.len();
                        names.push(text.clone());
                    }
                }
                Some(None) => unknown.push(*id),
                None => {}
            }
        }
        let limit = self.settings.metric_bytes;
        match bytes > limit {
            true => Err(Error::TooManyNames { limit }),
            false => Ok((names, unknown)),
        }
    }
}

/// The names of a metric, and its unknown ids.
type Texts = (Vec<std::sync::Arc<str>>, Vec<TermId>);

impl<T> Waiting<T> {
    fn new(metric: Metric<T>) -> Self {
        let mut seen = HashSet::with_capacity(metric.ids.len());
        let ids: Vec<TermId> = metric.ids.into_iter().filter(|id| seen.insert(*id)).collect();
        Self {
            value: metric.value,
            bytes: metric.bytes + METRIC_BYTES + ids.len() * ID_BYTES,
            ids,
            read_at: Instant::now(),
        }
    }
}
