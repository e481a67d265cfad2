//! What stands at the far end of a wire.

use std::fmt;

use super::call::{Call, Reply};
use crate::iam::Access;

/// A service that answers in process.
pub(crate) trait Service: fmt::Debug + Send + Sync + 'static {
    /// The name in the record.
    fn name(&self) -> &'static str;
    /// What a request is about.
    fn subject(&self, call: &Call) -> Subject;
    /// Does what the request asks for.
    fn apply(&self, call: &Call) -> Reply;
    /// The same from an older state, where AWS might: for services without such reads the same.
    fn apply_stale(&self, call: &Call) -> Reply {
        self.apply(call)
    }
    /// Answers without doing anything.
    fn refuse(&self, call: &Call, refusal: Refusal) -> Reply;
    /// What AWS asks the policies of the sender about a request that is answered with this status.
    fn accesses(&self, call: &Call, status: Option<u16>) -> Vec<Access>;
    /// Reads the figures out of an answer.
    fn measure(&self, call: &Call, reply: &Reply) -> Measure;
}

/// An operation's name and what it is about.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) operation: String,
    pub(crate) target: String,
}

/// Answers of a service that does not do what it was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Refusal {
    ServerError,
    Throttle,
    Conflict,
}

/// Figures of an answer.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    pub(crate) error: Option<String>,
    pub(crate) items: usize,
    pub(crate) units: Option<f64>,
}
