//! A request under way.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::call::{Call, Reply};
use super::service::{Service, Subject};
use crate::faults::Fault;

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
