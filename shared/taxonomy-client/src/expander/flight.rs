//! Requests under way.

use std::time::Duration;

use taxonomy_keys::TermId;
use tokio::time::{Instant, sleep};

use super::{Answer, Source};

/// Ids that are requested together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) ids: Vec<TermId>,
    /// The number of answers so far that were of no use.
    pub(super) attempt: u32,
    /// The version known when the request was made.
    pub(super) under: Option<u64>,
}

/// A request.
#[derive(Debug)]
pub(super) enum Question {
    /// The names of ids.
    Names(Batch),
    /// The version of an answer that has no name.
    VersionOf(Batch),
    /// The current version, as names from the cache have not been confirmed for long.
    Current { attempt: u32 },
}

/// A request with its answer.
pub(super) struct Landed<E> {
    pub(super) question: Question,
    pub(super) sent_at: Instant,
    pub(super) outcome: Outcome<E>,
}

pub(super) enum Outcome<E> {
    Names(Result<Answer, E>),
    Version(Result<u64, E>),
}

/// Sends a request after a pause.
pub(super) async fn ask<S: Source>(source: &S, question: Question, pause: Duration) -> Landed<S::Error> {
    if !pause.is_zero() {
        sleep(pause).await;
    }
    let sent_at = Instant::now();
    let outcome = match &question {
        Question::Names(batch) => Outcome::Names(source.names(&batch.ids).await),
        Question::VersionOf(_) | Question::Current { .. } => Outcome::Version(source.version().await),
    };
    Landed {
        question,
        sent_at,
        outcome,
    }
}
