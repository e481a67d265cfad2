//! The metrics that were read and not returned yet, and the queue of the ids that they need.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use taxonomy_keys::TermId;
use tokio::time::Instant;

use super::names::Names;
use super::{BATCH, Error, Expanded, ExpanderSettings, Metric};

/// Most versions that may replace names of a metric while it is the first of the window.
const MAX_ROUNDS: u32 = 10;

/// The bytes of a metric in the window besides its value.
const METRIC_BYTES: usize = 128;

/// The bytes of an id in the window: in its metric, in the queue and in the map of ids.
const ID_BYTES: usize = 64;

/// The names of a metric take more bytes than one metric may have.
#[derive(Debug)]
pub(super) struct TooManyNames {
    pub(super) limit: usize,
}

impl<E> From<TooManyNames> for Error<E> {
    fn from(TooManyNames { limit }: TooManyNames) -> Self {
        Self::TooManyNames { limit }
    }
}

#[derive(Debug)]
struct Waiting<T> {
    value: T,
    /// Distinct.
    ids: Vec<TermId>,
    bytes: usize,
    read_at: Instant,
    /// So many of the first ids are known.
    resolved: usize,
    /// The number of versions that replaced names of this metric while it was the first.
    rounds: u32,
}

/// Metrics in flight, the queue and the cache, all of one version.
#[derive(Debug)]
pub(super) struct Window<T> {
    metrics: VecDeque<Waiting<T>>,
    bytes: usize,
    max_items: usize,
    max_bytes: usize,
    confirm_after: Duration,
    /// Most bytes of the names of one metric.
    metric_bytes: usize,
    /// Most bytes of everything known.
    known_bytes: usize,
    names: Names,
    queue: VecDeque<TermId>,
    queued_since: Option<Instant>,
    version: Option<u64>,
    /// When the youngest request was sent that was answered with the current version.
    confirmed_at: Option<Instant>,
}

impl<T> Window<T> {
    pub(super) fn new(settings: &ExpanderSettings) -> Self {
        Self {
            metrics: VecDeque::new(),
            bytes: 0,
            max_items: settings.read_ahead_items,
            max_bytes: settings.read_ahead_bytes,
            confirm_after: settings.confirm_after,
            metric_bytes: settings.metric_bytes,
            known_bytes: settings.cache_bytes.saturating_add(settings.metric_bytes),
            names: Names::new(settings.cache_bytes),
            queue: VecDeque::new(),
            queued_since: None,
            version: None,
            confirmed_at: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.metrics.is_empty()
    }

    /// Returns whether no metric may be added. An empty window takes any metric.
    pub(super) fn is_full(&self) -> bool {
        let is_exceeded =
            self.metrics.len() >= self.max_items || self.bytes >= self.max_bytes || self.names.is_full();
        is_exceeded && !self.metrics.is_empty()
    }

    pub(super) fn version(&self) -> Option<u64> {
        self.version
    }

    pub(super) fn is_older(&self, version: u64) -> bool {
        self.version.is_some_and(|current| version < current)
    }

    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Returns since when the first id of the queue waits, or an earlier moment.
    pub(super) fn queued_since(&self) -> Option<Instant> {
        self.queued_since
    }

    pub(super) fn push(&mut self, metric: Metric<T>, now: Instant) {
        let ids = distinct(metric.ids);
        for &id in &ids {
            if self.names.pin(id) {
                self.queue.push_back(id);
            }
        }
        if !self.queue.is_empty() {
            self.queued_since.get_or_insert(now);
        }
        let bytes = metric.bytes + METRIC_BYTES + ids.len() * ID_BYTES;
        self.bytes += bytes;
        let value = metric.value;
        let waiting = Waiting {
            value,
            ids,
            bytes,
            read_at: now,
            resolved: 0,
            rounds: 0,
        };
        self.metrics.push_back(waiting);
    }

    /// Takes at most [`BATCH`] ids of the queue.
    pub(super) fn take_batch(&mut self, now: Instant) -> Option<Vec<TermId>> {
        let ids: Vec<TermId> = self.queue.drain(..self.queue.len().min(BATCH)).collect();
        for &id in &ids {
            self.names.mark_asked(id);
        }
        self.queued_since = (!self.queue.is_empty()).then_some(now);
        (!ids.is_empty()).then_some(ids)
    }

    /// Returns whether the first metric needs an id of the queue.
    pub(super) fn waits_for_queue(&self) -> bool {
        self.metrics
            .front()
            .is_some_and(|first| first.ids.iter().any(|id| self.names.is_queued(*id)))
    }

    /// Stores an answer.
    ///
    /// # Errors
    /// [`TooManyNames`] where the names that the first metric has so far take more than one metric may have.
    pub(super) fn fill(
        &mut self,
        ids: &[TermId],
        terms: Vec<Option<Vec<String>>>,
        now: Instant,
    ) -> Result<(), TooManyNames> {
        for (id, names) in ids.iter().zip(terms) {
            self.names.fill(*id, names);
        }
        self.names.evict();
        if self.names.bytes() <= self.known_bytes {
            return Ok(());
        }
        // Metrics behind the first one wait for the same names as metrics before them: they ask again when it is their turn.
        let first = self.metrics.front().map_or(&[][..], |first| &first.ids);
        let first: HashSet<TermId> = first.iter().copied().collect();
        self.names.forget_pinned(|id| !first.contains(&id));
        self.rebuild_queue(now);
        match self.names.bytes() <= self.known_bytes {
            true => Ok(()),
            false => Err(self.too_many_names()),
        }
    }

    fn too_many_names(&self) -> TooManyNames {
        TooManyNames {
            limit: self.metric_bytes,
        }
    }

    /// Notes the version of an answer, which is not older than the current one.
    pub(super) fn confirm(&mut self, version: u64, sent_at: Instant, now: Instant) {
        if self.version == Some(version) {
            self.confirmed_at = self.confirmed_at.max(Some(sent_at));
            return;
        }
        self.version = Some(version);
        self.confirmed_at = Some(sent_at);
        if let Some(first) = self.metrics.front_mut() {
            let was_known = first.ids.iter().any(|id| self.names.known(*id).is_some());
            first.rounds += u32::from(was_known);
        }
        self.names.forget();
        for waiting in &mut self.metrics {
            waiting.resolved = 0;
        }
        self.rebuild_queue(now);
    }

    /// Returns whether versions replaced the names of the first metric too often.
    pub(super) fn is_unsettled(&self) -> bool {
        self.metrics
            .front()
            .is_some_and(|first| first.rounds > MAX_ROUNDS)
    }

    /// Fills the queue in the order of the metrics.
    fn rebuild_queue(&mut self, now: Instant) {
        let ids = self.metrics.iter().flat_map(|waiting| &waiting.ids);
        let mut seen = HashSet::new();
        let names = &self.names;
        self.queue = ids
            .copied()
            .filter(|id| names.is_queued(*id) && seen.insert(*id))
            .collect();
        self.queued_since = match self.queue.is_empty() {
            true => None,
            false => self.queued_since.or(Some(now)),
        };
    }

    /// Returns whether names are complete, and too old to be used unconfirmed.
    pub(super) fn needs_check(&self) -> bool {
        let first = self.metrics.front();
        first.is_some_and(|first| first.resolved == first.ids.len() && !self.is_confirmed(first))
    }

    fn is_confirmed(&self, waiting: &Waiting<T>) -> bool {
        let is_young = |confirmed_at| confirmed_at + self.confirm_after >= waiting.read_at;
        waiting.ids.is_empty() || self.confirmed_at.is_some_and(is_young)
    }

    /// Takes the first metric if its names are complete.
    ///
    /// # Errors
    /// [`TooManyNames`] where they take more than one metric may have.
    pub(super) fn pop(&mut self) -> Option<Result<Expanded<T>, TooManyNames>> {
        let first = self.metrics.front_mut()?;
        let rest = first.ids.iter().skip(first.resolved);
        first.resolved += rest.take_while(|id| self.names.known(**id).is_some()).count();
        let first = self.metrics.front()?;
        if first.resolved < first.ids.len() || !self.is_confirmed(first) {
            return None;
        }
        let (names, unknown) = self.names_of(&first.ids);
        if names.iter().map(|text| text.len()).sum::<usize>() > self.metric_bytes {
            return Some(Err(self.too_many_names()));
        }
        let first = self.metrics.pop_front()?;
        self.release(&first.ids, first.bytes);
        let version = self.version.filter(|_| !first.ids.is_empty());
        Some(Ok(Expanded {
            value: first.value,
            names,
            unknown,
            ids: first.ids.len(),
            version,
        }))
    }

    fn names_of(&self, ids: &[TermId]) -> (Vec<Arc<str>>, Vec<TermId>) {
        let (mut names, mut unknown) = (Vec::new(), Vec::new());
        let mut seen = HashSet::new();
        for id in ids {
            match self.names.known(*id) {
                Some(Some(known)) => names.extend(known.iter().filter(|text| seen.insert(&***text)).cloned()),
                Some(None) | None => unknown.push(*id),
            }
        }
        (names, unknown)
    }

    fn release(&mut self, ids: &[TermId], bytes: usize) {
        self.bytes -= bytes;
        for id in ids {
            self.names.unpin(*id);
        }
    }

    /// Returns the place of the first metric that names one of the ids.
    pub(super) fn first_with(&self, ids: &[TermId]) -> Option<usize> {
        let ids: HashSet<&TermId> = ids.iter().collect();
        let mut metrics = self.metrics.iter();
        metrics.position(|waiting| waiting.ids.iter().any(|id| ids.contains(id)))
    }

    /// Returns the place of the first metric whose names are too old to be used unconfirmed.
    pub(super) fn first_unconfirmed(&self) -> Option<usize> {
        self.metrics
            .iter()
            .position(|waiting| !self.is_confirmed(waiting))
    }

    /// Drops all metrics but the first `kept`.
    pub(super) fn truncate(&mut self, kept: usize, now: Instant) {
        while self.metrics.len() > kept {
            if let Some(last) = self.metrics.pop_back() {
                self.release(&last.ids, last.bytes);
            }
        }
        self.rebuild_queue(now);
    }
}

/// Returns the ids without repetitions, in the order of their first places.
fn distinct(ids: Vec<TermId>) -> Vec<TermId> {
    let mut seen = HashSet::with_capacity(ids.len());
    ids.into_iter().filter(|id| seen.insert(*id)).collect()
}
