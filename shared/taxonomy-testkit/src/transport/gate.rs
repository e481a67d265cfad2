//! A gate that holds requests until a test releases them, so that the test determines their order.

use std::collections::BTreeMap;
use std::fmt;

use super::sent::Sent;
use crate::faults::Fault;

/// A request that waits at the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The number of this request among all that reached the gate of this transport, from 1.
    pub id: u64,
    /// The sender; empty for clients without an [`actor`](super::Transport::actor).
    pub actor: String,
    /// The service: `DynamoDB`, `S3`, `SQS`, `SNS` or `CloudFront`.
    pub service: &'static str,
    /// The operation's name in the service's API.
    pub operation: String,
    /// The subject of the request, as in [`Exchange::target`](crate::Exchange::target).
    pub target: String,
    /// Whether no sender waits for the response any more, because of a time-out or a crash.
    pub is_abandoned: bool,
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {}", self.service, self.operation, self.target)
    }
}

#[derive(Debug, Default)]
pub(super) struct Gate {
    pub(super) is_closed: bool,
    pub(super) arrived: u64,
    pub(super) waiting: BTreeMap<u64, Waiting>,
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) sent: Sent,
    /// The fault that [`Transport::inject`](super::Transport::inject) chose for it.
    pub(super) injected: Option<Fault>,
}
