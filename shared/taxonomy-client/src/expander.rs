//! Turns term ids into FinalNames of the terms and all their ancestors.
//!
//! An [`Expander`] reads an ordered stream of [`Metric`]s, each with a list of term ids, and returns the same metrics in the same order
//! with the names of their terms. A request to the [`Source`] has at most [`BATCH`] ids.
//!
//! - **Window**: the metrics that were read and not returned yet. It is bounded by items, by bytes, and by the cache: reading pauses
//!   while the names of the window alone fill the cache. Where they would take [`ExpanderSettings::metric_bytes`] more than the cache, those that
//!   the first metric does not need are evicted and requested again.
//! - **Queue**: the ids of the window that are neither known nor in flight. A full batch is sent at once. A partial batch is sent when
//!   the input ended or paused ([`ExpanderSettings::idle_after`]), when an id waited for [`ExpanderSettings::longest_wait`], or when the window is full
//!   and its first metric waits for a queued id.
//! - **Flight**: a request that is not answered yet. An id in flight is not requested again.
//! - **Known**: the names of an id, or the fact that it is unknown, in the current version. The newest version of any response is the
//!   current one; a newer one invalidates all known ids.
//!
//! # Number of requests
//!
//! Let `m` be the number of ids that were not in the cache when a metric needed them. While the version stays the same and no response is
//! older than an earlier one,
//!
//! ```text
//! requests <= m / 100 + items / read_ahead_items + bytes / read_ahead_bytes + pauses + duration / longest_wait + 1
//! ```
//!
//! A partial batch takes all of the queue. A second one with the same cause therefore needs a new pause, another `longest_wait`, or a
//! window without any of the metrics of the first. A window that closes because its names fill the cache counts as one more. After each
//! new version the ids of the window, and those in flight, are requested again.
//!
//! # Versions
//!
//! The names of one metric belong to one version. They are not older than the version that was current `confirm_after` before the
//! metric was read: if no response is that recent, the current version is requested first.

mod error;
mod flight;
mod names;
mod settings;
mod source;
mod texts;
mod window;

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, Stream, StreamExt as _};
use taxonomy_keys::TermId;
use tokio::time::{Instant, sleep_until};

pub use error::Error;
pub use settings::{Expanded, ExpanderSettings, Metric, Statistics};
pub use source::{Answer, BATCH, Source};

use flight::{Batch, Landed, Outcome, Question};
use window::Window;

/// Most answers with an older version than seen before, for the same ids.
const MAX_ATTEMPTS: u32 = 6;

/// The pause before the second repetition; each further one is twice as long. The sum, 3.75 s, is longer than a process of the lookup
/// serves a replaced version, which is 2 s (docs/decisions/0010-caches.md).
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// Expands metrics. Dropping it ends all requests under way; [`next`](Self::next) may be dropped and called again.
pub struct Expander<'s, S: Source, I, T> {
    source: &'s S,
    input: I,
    input_ended: bool,
    settings: ExpanderSettings,
    window: Window<T>,
    flights: FuturesUnordered<BoxFuture<'s, Landed<S::Error>>>,
    is_checking: bool,
    quiet_since: Option<Instant>,
    failure: Option<Error<S::Error>>,
    statistics: Statistics,
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
    #[must_use]
    pub fn new(source: &'s S, input: I, settings: ExpanderSettings) -> Self {
        Self {
            source,
            input,
            input_ended: false,
            window: Window::new(&settings),
            settings,
            flights: FuturesUnordered::new(),
            is_checking: false,
            quiet_since: None,
            failure: None,
            statistics: Statistics::default(),
        }
    }

    /// Returns the next metric with its names, or `None` after the last one. After an error it returns `None`.
    ///
    /// # Errors
    /// [`Error`] after every metric that could be expanded before it.
    pub async fn next(&mut self) -> Option<Result<Expanded<T>, Error<S::Error>>> {
        // A task that never waits would starve timers and signals.
        tokio::task::coop::consume_budget().await;
        self.quiet_since = None;
        loop {
            match self.window.pop() {
                Some(Ok(expanded)) => {
                    self.statistics.count(&expanded);
                    return Some(Ok(expanded));
                }
                Some(Err(error)) => self.end_with(0, error.into()),
                None => {}
            }
            if self.input_ended && self.window.is_empty() {
                return self.failure.take().map(Err);
            }
            let now = Instant::now();
            self.send(now);
            let wants_input = self.wants_input();
            self.quiet_since = wants_input.then(|| self.quiet_since.unwrap_or(now));
            let wake_at = self.wake_at();
            tokio::select! {
                biased;
                Some(landed) = self.flights.next(), if !self.flights.is_empty() => self.land(landed),
                metric = self.input.next(), if wants_input => self.read(metric),
                () = sleep_until(wake_at.unwrap_or(now)), if wake_at.is_some() => {}
            }
        }
    }

    /// Returns what was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Returns the input, as far as it was read.
    pub fn into_input(self) -> I {
        self.input
    }

    fn read(&mut self, metric: Option<Metric<T>>) {
        self.quiet_since = None;
        match metric {
            Some(metric) => self.window.push(metric, Instant::now()),
            None => self.input_ended = true,
        }
    }

    fn has_free_flight(&self) -> bool {
        self.flights.len() < self.settings.concurrency.max(1)
    }

    fn wants_input(&self) -> bool {
        let has_work = self.window.queued() >= BATCH && !self.has_free_flight();
        !self.input_ended && !self.window.is_full() && !has_work
    }

    fn send(&mut self, now: Instant) {
        let is_forced = self.must_send(now);
        while self.has_free_flight() && (self.window.queued() >= BATCH || is_forced) {
            let Some(ids) = self.window.take_batch(now) else {
                break;
            };
            let under = self.window.version();
            let attempt = 0;
            self.ask(Question::Names(Batch { ids, attempt, under }), Duration::ZERO);
        }
        if self.window.needs_check() && !self.is_checking && self.has_free_flight() {
            self.is_checking = true;
            self.ask(Question::Current { attempt: 0 }, Duration::ZERO);
        }
    }

    /// Returns whether a partial batch is due.
    fn must_send(&self, now: Instant) -> bool {
        let is_idle = self
            .quiet_since
            .is_some_and(|since| since + self.settings.idle_after <= now);
        let waited = self
            .window
            .queued_since()
            .is_some_and(|since| since + self.settings.longest_wait <= now);
        let is_stuck = self.window.is_full() && self.window.waits_for_queue();
        self.input_ended || is_idle || waited || is_stuck
    }

    fn wake_at(&self) -> Option<Instant> {
        let queued_since = self.window.queued_since().filter(|_| self.has_free_flight())?;
        let waited = queued_since + self.settings.longest_wait;
        let idle = self.quiet_since.map(|since| since + self.settings.idle_after);
        Some(idle.map_or(waited, |idle| idle.min(waited)))
    }

    fn ask(&mut self, question: Question, pause: Duration) {
        match &question {
            Question::Names(batch) => self.statistics.count_request(batch.ids.len()),
            Question::Current { .. } | Question::VersionOf(_) => self.statistics.version_requests += 1,
        }
        self.flights
            .push(Box::pin(flight::ask(self.source, question, pause)));
    }

    fn land(&mut self, landed: Landed<S::Error>) {
        let Landed {
            question,
            sent_at,
            outcome,
        } = landed;
        match (question, outcome) {
            (Question::Names(batch), Outcome::Names(Ok(answer))) => self.answered(batch, sent_at, answer),
            (Question::VersionOf(batch), Outcome::Version(Ok(version))) => {
                self.version_of(batch, sent_at, version);
            }
            (Question::Current { attempt }, Outcome::Version(Ok(version))) => {
                self.checked(attempt, sent_at, version);
            }
            (question, Outcome::Names(Err(error)) | Outcome::Version(Err(error))) => {
                self.fail(&question, Error::Source(error));
            }
            // A question for names has no answer with a version alone, and the other way round.
            (Question::Names(_), Outcome::Version(_)) | (_, Outcome::Names(_)) => {}
        }
    }

    fn answered(&mut self, batch: Batch, sent_at: Instant, answer: Answer) {
        if answer.terms.len() != batch.ids.len() {
            let error = Error::Incomplete {
                asked: batch.ids.len(),
                answered: answer.terms.len(),
            };
            return self.fail(&Question::Names(batch), error);
        }
        let Some(version) = answer.version else {
            if answer.terms.iter().any(Option::is_some) {
                return self.fail(&Question::Names(batch), Error::Unversioned);
            }
            return self.ask(Question::VersionOf(batch), Duration::ZERO);
        };
        if self.window.is_older(version) {
            return self.repeat(batch, version);
        }
        self.advance(version, sent_at);
        self.fill(&batch.ids, answer.terms);
    }

    fn fill(&mut self, ids: &[TermId], terms: Vec<Option<Vec<String>>>) {
        if let Err(error) = self.window.fill(ids, terms, Instant::now()) {
            self.end_with(0, error.into());
        }
    }

    /// Handles the version that was current after an answer in which every id is unknown, and which therefore names no version. Where
    /// the version is the one before the request as well, it is the answer's.
    fn version_of(&mut self, batch: Batch, sent_at: Instant, version: u64) {
        if self.window.is_older(version) {
            return self.repeat(batch, version);
        }
        let is_same = batch.under == Some(version);
        self.advance(version, sent_at);
        if is_same {
            let unknown = vec![None; batch.ids.len()];
            self.fill(&batch.ids, unknown);
        } else {
            self.repeat(batch, version);
        }
    }

    fn checked(&mut self, attempt: u32, sent_at: Instant, version: u64) {
        let question = Question::Current { attempt: attempt + 1 };
        if !self.window.is_older(version) {
            self.is_checking = false;
            self.advance(version, sent_at);
        } else if attempt + 1 < MAX_ATTEMPTS {
            self.ask(question, pause_before(attempt + 1));
        } else {
            self.fail(&question, self.lagging(version));
        }
    }

    /// Requests ids again whose response cannot be used.
    fn repeat(&mut self, mut batch: Batch, answered: u64) {
        batch.attempt += 1;
        batch.under = self.window.version();
        let pause = pause_before(batch.attempt);
        let is_last = batch.attempt >= MAX_ATTEMPTS;
        let question = Question::Names(batch);
        if is_last {
            self.fail(&question, self.lagging(answered));
        } else {
            self.ask(question, pause);
        }
    }

    fn lagging(&self, answered: u64) -> Error<S::Error> {
        let seen = self.window.version().unwrap_or(answered);
        Error::Lagging { seen, answered }
    }

    fn advance(&mut self, version: u64, sent_at: Instant) {
        self.window.confirm(version, sent_at, Instant::now());
        if self.window.is_unsettled() {
            self.end_with(0, Error::Unsettled);
        }
    }

    /// Ends the stream before the first metric that needs the answer to `question`.
    fn fail(&mut self, question: &Question, error: Error<S::Error>) {
        let first = match question {
            Question::Names(batch) | Question::VersionOf(batch) => self.window.first_with(&batch.ids),
            Question::Current { .. } => {
                self.is_checking = false;
                self.window.first_unconfirmed()
            }
        };
        if let Some(first) = first {
            self.end_with(first, error);
        }
    }

    fn end_with(&mut self, kept: usize, error: Error<S::Error>) {
        self.window.truncate(kept, Instant::now());
        self.input_ended = true;
        self.failure = Some(error);
    }
}

fn pause_before(attempt: u32) -> Duration {
    match attempt {
        0 | 1 => Duration::ZERO,
        _ => FIRST_PAUSE * 2_u32.saturating_pow(attempt - 2),
    }
}
