//! Runs a sequence of requests with bounded concurrency. A throttle halves the concurrency ([`AdaptiveConcurrency`]) and the request is repeated;
//! the first failure of another kind ends the run.
//!
//! *Done* counts the leading items that succeeded without a gap: a later run that skips exactly these items omits none.

use std::cell::Cell;
use std::collections::BTreeSet;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use crate::adaptive_concurrency::AdaptiveConcurrency;
use crate::backoff;
use crate::error::StoreError;

/// The maximum number of attempts of one request after throttles, beyond the SDK's own retries: with pauses of up to 3.2 seconds about half a minute, in
/// which a partition that is written faster than its 1,000 units a second catches up.
const MOST_RETRIES: u32 = 20;

/// The reason for which a run ended early.
#[derive(Debug)]
pub enum Stopped {
    /// `go_on` returned false.
    Ended,
    /// A request failed; the requests in flight have ended.
    Failed(StoreError),
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// Leading items that succeeded.
    pub(crate) done: u64,
    /// Throttled requests that were repeated with success.
    pub(crate) throttled: u64,
    /// The reason for which the run ended early; `None` if every item succeeded.
    pub(crate) stopped: Option<Stopped>,
}

impl Run {
    /// Fails where a request failed.
    pub(crate) fn completed(self) -> Result<(), StoreError> {
        match self.stopped {
            Some(Stopped::Failed(error)) => Err(error),
            Some(Stopped::Ended) | None => Ok(()),
        }
    }
}

/// Calls `attempt` for each item, in their order, with at most `concurrency` calls in flight, and passes each result to
/// `succeeded`. `go_on` receives the number of items done so far; once it returns false no further call begins. No call is in flight
/// when this returns.
pub(crate) async fn run<T, R>(
    concurrency: usize,
    items: impl Iterator<Item = T>,
    attempt: impl AsyncFn(&T) -> Result<R, StoreError>,
    mut succeeded: impl FnMut(R),
    go_on: impl Fn(u64) -> bool,
) -> Run {
    let (pace, done) = (AdaptiveConcurrency::new(concurrency), Cell::new(0));
    let (pace, attempt) = (&pace, &attempt);
    let go_on = &|| go_on(done.get());
    let mut items = (0..).zip(items);
    let mut running = FuturesUnordered::new();
    // Positions that began and did not succeed: in flight, or failed.
    let mut open = BTreeSet::new();
    let (mut begun, mut throttled, mut stopped) = (0, 0, None);
    loop {
        while stopped.is_none() && running.len() < pace.allowed() {
            if !go_on() {
                stopped = Some(Stopped::Ended);
                break;
            }
            let Some((position, item)) = items.next() else {
                break;
            };
            open.insert(position);
            begun = position + 1;
            running.push(async move { (position, with_retry(&item, attempt, pace, go_on).await) });
        }
        let Some((position, outcome)) = running.next().await else {
            break;
        };
        match outcome {
            Ok((result, repeated)) => {
                succeeded(result);
                throttled += u64::from(repeated);
                open.remove(&position);
                done.set(open.first().copied().unwrap_or(begun));
            }
            Err(error) => {
                let is_deadline = error.is_throttled() && !go_on();
                // The first failure is kept; it outranks a stop by `go_on`.
                if !is_deadline && !matches!(stopped, Some(Stopped::Failed(_))) {
                    stopped = Some(Stopped::Failed(error));
                }
                stopped.get_or_insert(Stopped::Ended);
            }
        }
    }
    Run {
        done: open.first().copied().unwrap_or(begun),
        throttled,
        stopped,
    }
}

/// Repeats a throttled call: a throttle is the normal pace of a large run, and ends it only when it lasts. Returns the result and
/// the number of repetitions.
async fn with_retry<T, R>(
    item: &T,
    attempt: &impl AsyncFn(&T) -> Result<R, StoreError>,
    pace: &AdaptiveConcurrency,
    go_on: &impl Fn() -> bool,
) -> Result<(R, u32), StoreError> {
    let mut repeated = 0;
    loop {
        let began = pace.begin();
        match attempt(item).await {
            Err(error) if error.is_throttled() && repeated < MOST_RETRIES && go_on() => {
                pace.throttled(began);
                backoff::pause(repeated).await;
                if !go_on() {
                    return Err(error);
                }
                repeated += 1;
            }
            Ok(result) => {
                pace.succeeded();
                return Ok((result, repeated));
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::sleep;

    use super::*;

    fn failure(code: &str) -> StoreError {
        StoreError::Request {
            operation: "PutItem",
            object: None,
            code: Some(code.to_owned()),
            source: code.into(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_item_is_attempted_by_no_more_calls_than_allowed() {
        let (now, most, mut results) = (Cell::new(0_u32), Cell::new(0), Vec::new());
        let attempt = async |item: &u32| {
            now.set(now.get() + 1);
            most.set(most.get().max(now.get()));
            sleep(Duration::from_millis(5)).await;
            now.set(now.get() - 1);
            Ok(item * 2)
        };
        let ran = run(4, 0..40, attempt, |result| results.push(result), |_| true).await;
        results.sort_unstable();
        assert!(results.into_iter().eq((0..40).map(|item| item * 2)));
        assert_eq!((ran.done, ran.throttled, most.get()), (40, 0, 4));
        assert!(ran.stopped.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_throttled_call_is_repeated_and_counted_and_ends_the_run_if_it_stays_so() {
        for (throttles, expect) in [(3, (5, 2, 3)), (u32::MAX, (MOST_RETRIES + 1, 0, 0))] {
            let calls = Cell::new(0);
            let attempt = async |_: &u32| {
                calls.set(calls.get() + 1);
                match calls.get() > throttles {
                    true => Ok(()),
                    false => Err(failure("ThrottlingException")),
                }
            };
            let ran = run(1, 0..2, attempt, drop, |_| true).await;
            assert_eq!((calls.get(), ran.done, ran.throttled), expect);
            let is_throttled = matches!(ran.stopped, Some(Stopped::Failed(error)) if error.is_throttled());
            assert_eq!(is_throttled, ran.done == 0);
        }
    }

    /// Items behind a failed one may have succeeded; they do not count as done.
    #[tokio::test(start_paused = true)]
    async fn done_ends_at_the_first_gap() {
        let attempt = async |item: &u32| match *item {
            2 => Err(failure("ValidationException")),
            _ => Ok(()),
        };
        let ran = run(8, 0..6, attempt, drop, |_| true).await;
        assert_eq!(ran.done, 2);
        assert!(matches!(ran.stopped, Some(Stopped::Failed(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn go_on_receives_the_items_done_and_ends_the_run() {
        let attempt = async |item: &u64| {
            sleep(Duration::from_millis(10 - item)).await;
            Ok(())
        };
        let reported = Cell::new(0);
        let go_on = |done| {
            assert!(done >= reported.get(), "{done} after {}", reported.get());
            reported.set(done);
            done < 4
        };
        let ran = run(3, 0..10, attempt, drop, go_on).await;
        assert!(matches!(ran.stopped, Some(Stopped::Ended)));
        assert!((4..=6).contains(&ran.done), "{}", ran.done);
    }
}
