//! A shared future that its waiters poll, without a task.
//!
//! Unlike `futures_util::future::Shared`, a waiter may stop at any time. There, a waiter that arrives during a poll relies on the polling waiter
//! to poll again; if that one only looked once, or has its own result by then, none polls. Here every waiter polls for itself.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

type Running<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A handle to the future. All handles get its outcome.
pub(crate) struct SharedFuture<T>(Arc<Inner<T>>);

struct Inner<T> {
    state: Mutex<State<T>>,
    waiting: Arc<Waiting>,
}

enum State<T> {
    Running(Running<T>),
    Done(T),
}

impl<T: Clone> SharedFuture<T> {
    pub(crate) fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self(Arc::new(Inner {
            state: Mutex::new(State::Running(Box::pin(future))),
            waiting: Arc::default(),
        }))
    }

    /// Returns the outcome if it was reached already.
    pub(crate) fn peek(&self) -> Option<T> {
        match &*self.state() {
            State::Running(_) => None,
            State::Done(outcome) => Some(outcome.clone()),
        }
    }

    /// Returns the outcome if it is reached without waiting.
    pub(crate) fn look(&self) -> Option<T> {
        let mut state = self.state();
        let running = match &mut *state {
            State::Running(running) => running,
            State::Done(outcome) => return Some(outcome.clone()),
        };
        // The inner future wakes all waiters.
        let waker = Waker::from(Arc::clone(&self.0.waiting));
        let Poll::Ready(outcome) = running.as_mut().poll(&mut Context::from_waker(&waker)) else {
            return None;
        };
        *state = State::Done(outcome.clone());
        drop(state);
        waker.wake();
        Some(outcome)
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Clone for SharedFuture<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Future for SharedFuture<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        // Registers before the poll: a later event wakes this waiter, and an earlier one is visible to the poll.
        self.0.waiting.add(context.waker());
        self.look().map_or(Poll::Pending, Poll::Ready)
    }
}

/// The wakers of the waiters. A waiter that has stopped is woken once more, without effect.
#[derive(Default)]
struct Waiting(Mutex<Vec<Waker>>);

impl Waiting {
    fn add(&self, waker: &Waker) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.iter().any(|other| other.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }
}

impl Wake for Waiting {
    fn wake(self: Arc<Self>) {
        let waiting = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for waker in waiting {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use futures_util::future::{join_all, poll_immediate, select};
    use tokio::sync::{mpsc, oneshot};
    use tokio::task::JoinSet;

    use super::*;

    #[tokio::test]
    async fn everybody_gets_the_outcome_and_it_is_reached_once() {
        let runs = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&runs);
        let (sender, receiver) = oneshot::channel();
        let together = SharedFuture::new(async move {
            counter.fetch_add(1, Ordering::Relaxed);
            receiver.await.unwrap_or(0)
        });
        assert_eq!(poll_immediate(together.clone()).await, None);
        assert_eq!((together.peek(), together.look()), (None, None));
        let waiters = join_all((0..3).map(|_| together.clone()));
        let (outcomes, sent) = tokio::join!(waiters, async { sender.send(7) });
        assert_eq!((outcomes, sent), (vec![7, 7, 7], Ok(())));
        assert_eq!(
            (together.peek(), together.look(), together.await),
            (Some(7), Some(7), 7)
        );
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn it_goes_on_when_the_one_who_drove_it_has_gone() {
        let (sender, receiver) = oneshot::channel::<()>();
        let together = SharedFuture::new(receiver);
        let mut first = Box::pin(together.clone());
        assert!(poll_immediate(&mut first).await.is_none());
        let (outcome, ()) = tokio::join!(together, async {
            drop(first);
            tokio::task::yield_now().await;
            sender.send(()).unwrap();
        });
        assert_eq!(outcome, Ok(()));
    }

    /// The case in which `Shared` fails: on several threads, some waiters look once and leave, and others leave with their own outcome.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nobody_is_forgotten_when_others_come_and_go() {
        let (ask, mut asked) = mpsc::unbounded_channel::<oneshot::Sender<()>>();
        let driver = SharedFuture::new(poll_fn(move |context| {
            while let Poll::Ready(answer) = asked.poll_recv(context) {
                let Some(answer) = answer else {
                    return Poll::Ready(());
                };
                let _ = answer.send(());
            }
            // Further waiters arrive while it runs.
            std::thread::sleep(Duration::from_micros(20));
            Poll::Pending
        }));
        for round in 0..1_000 {
            // Few waiters, once each: no later waiter helps by chance.
            let mut waiters = JoinSet::new();
            for _ in 0..3 {
                let (ask, driver) = (ask.clone(), driver.clone());
                waiters.spawn(async move {
                    assert_eq!(driver.look(), None);
                    let (answer, answered) = oneshot::channel();
                    ask.send(answer).unwrap();
                    select(answered, driver).await;
                });
            }
            let ended = tokio::time::timeout(Duration::from_secs(20), waiters.join_all()).await;
            assert!(ended.is_ok(), "somebody waits for ever in round {round}");
        }
    }
}
