//! The trait of the services behind a transport, and requests under way to one.

use std::fmt;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::call::{Call, Reply};
use crate::faults::Fault;
use crate::iam::Access;

/// A service that answers in process.
pub(crate) trait Service: fmt::Debug + Send + Sync + 'static {
    /// Returns the service's name in the record.
    fn name(&self) -> &'static str;
    /// Returns the subject of a request.
    fn subject(&self, call: &Call) -> Subject;
    /// Applies the request.
    fn apply(&self, call: &Call) -> Reply;
    /// Applies the request to an older state, as AWS may; the same as [`apply`](Self::apply) for services without such reads.
    fn apply_stale(&self, call: &Call) -> Reply {
        self.apply(call)
    }
    /// Answers without applying the request.
    fn refuse(&self, call: &Call, refusal: Refusal) -> Reply;
    /// Returns the permissions that AWS checks for a request that is answered with this status.
    fn accesses(&self, call: &Call, status: Option<u16>) -> Vec<Access>;
    /// Reads the measures of a response.
    fn measure(&self, call: &Call, reply: &Reply) -> Measure;
}

/// The name of an operation and its subject.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) operation: String,
    pub(crate) target: String,
}

/// A refusal: a response of a service that did not apply the request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Refusal {
    ServerError,
    Throttle,
    Invalid,
    Conflict,
}

/// The measures of a response.
#[derive(Debug, Default)]
pub(crate) struct Measure {
    pub(crate) error: Option<String>,
    pub(crate) items: usize,
    pub(crate) units: Option<f64>,
}

/// A request that its sender has sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) service: Arc<dyn Service>,
    pub(super) call: Call,
    pub(super) subject: Subject,
    pub(super) actor: Option<Arc<str>>,
    pub(super) sender: oneshot::Sender<Answered>,
}

/// The outcome that the sender receives if it still waits.
#[derive(Debug)]
pub(super) struct Answered {
    /// The response; `None` if the connection broke.
    pub(super) reply: Option<Reply>,
    pub(super) fault: Option<Fault>,
}
