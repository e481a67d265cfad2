//! The futures of a run, with a record of which were woken: the run detects by it that no actor can proceed.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::scenario::{Invocation, Running};
use crate::lock;

/// A waker that notifies the run when any actor is woken.
#[derive(Debug, Default)]
pub(super) struct Bell(Mutex<Option<Waker>>);

#[derive(Debug)]
struct Alarm {
    woken: AtomicBool,
    bell: Arc<Bell>,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        let run = lock(&self.bell.0).take();
        if let Some(run) = run {
            run.wake();
        }
    }
}

/// An invocation that is running.
pub(super) struct Actor<'a, T> {
    pub(super) label: String,
    pub(super) invocation: Invocation<'a, T>,
    future: Running<'a, T>,
    alarm: Arc<Alarm>,
}

pub(super) struct Actors<'a, T> {
    pub(super) running: Vec<Actor<'a, T>>,
    bell: Arc<Bell>,
}

impl<'a, T> Actors<'a, T> {
    pub(super) fn new() -> Self {
        Self {
            running: Vec::new(),
            bell: Arc::default(),
        }
    }

    pub(super) fn start(&mut self, label: String, mut invocation: Invocation<'a, T>) {
        let future = (invocation.make)(&label);
        let alarm = Alarm {
            woken: AtomicBool::new(true),
            bell: Arc::clone(&self.bell),
        };
        self.running.push(Actor {
            label,
            invocation,
            future,
            alarm: Arc::new(alarm),
        });
    }

    /// Polls the actors that were woken, oldest first. Returns whether any was woken, and the actors that ended.
    pub(super) fn poll(&mut self) -> (bool, Vec<(Actor<'a, T>, T)>) {
        let (mut moved, mut ended, mut index) = (false, Vec::new(), 0);
        while let Some(actor) = self.running.get_mut(index) {
            let woken = actor.alarm.woken.swap(false, Ordering::SeqCst);
            moved |= woken;
            let waker = Waker::from(Arc::clone(&actor.alarm));
            let output = if woken {
                Pin::new(&mut actor.future).poll(&mut Context::from_waker(&waker))
            } else {
                Poll::Pending
            };
            match output {
                Poll::Ready(output) => ended.push((self.running.remove(index), output)),
                Poll::Pending => index += 1,
            }
        }
        (moved, ended)
    }

    /// Drops the future of an actor.
    pub(super) fn crash(&mut self, label: &str) -> Option<Actor<'a, T>> {
        let index = self.running.iter().position(|actor| actor.label == label)?;
        Some(self.running.remove(index))
    }

    /// Waits until an actor is woken.
    pub(super) async fn woken(&self) {
        std::future::poll_fn(|context| {
            let mut bell = lock(&self.bell.0);
            *bell = Some(context.waker().clone());
            let mut running = self.running.iter();
            if running.any(|actor| actor.alarm.woken.load(Ordering::SeqCst)) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}
