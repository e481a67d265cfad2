//! A gate that holds requests until a test releases them, so that the test determines their order.

use std::collections::BTreeMap;
use std::fmt;

use super::Transport;
use super::service::Sent;
use crate::faults::Fault;

/// A request that waits at the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The number of this request among all that reached the gate of this transport, from 1.
    pub id: u64,
    /// The sender; empty for clients without an [`actor`](Transport::actor).
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
    /// The fault that [`Transport::inject`] chose for it.
    pub(super) injected: Option<Fault>,
}

impl Transport {
    /// Closes the gate: from now on every request waits until it is [released](Self::release), with the fault that was injected for it.
    pub fn close_gate(&self) {
        self.gate().is_closed = true;
    }

    /// Opens the gate and releases the waiting requests, in the order in which they came.
    pub fn open_gate(&self) {
        self.gate().is_closed = false;
        for waiting in self.pending() {
            self.release(waiting.id, None);
        }
    }

    /// Returns the waiting requests, oldest first.
    pub fn pending(&self) -> Vec<Pending> {
        let gate = self.gate();
        let pending = gate.waiting.iter().map(|(id, Waiting { sent, .. })| Pending {
            id: *id,
            actor: sent.actor.as_deref().unwrap_or_default().to_owned(),
            service: sent.service.name(),
            operation: sent.subject.operation.clone(),
            target: sent.subject.target.clone(),
            is_abandoned: sent.sender.is_closed(),
        });
        pending.collect()
    }

    /// Releases a request to its service, with this fault or else the one injected for it. The request is applied before this method returns
    /// (except with [`Fault::SlowBeforeApply`]), even if its sender is dead; to lose the request, release it with
    /// [`Fault::DropBeforeSend`].
    ///
    /// # Panics
    /// Panics if no request with this id waits.
    pub fn release(&self, id: u64, fault: Option<Fault>) {
        let waiting = self.gate().waiting.remove(&id);
        let Waiting { sent, injected } = waiting.unwrap_or_else(|| panic!("request {id} is not at the gate"));
        sent.arrive(self, fault.or(injected));
    }

    /// Returns the request if the gate is open; otherwise holds it.
    pub(super) fn stop_at_gate(&self, sent: Sent, injected: Option<Fault>) -> Option<Sent> {
        let mut gate = self.gate();
        if !gate.is_closed {
            return Some(sent);
        }
        gate.arrived += 1;
        let id = gate.arrived;
        gate.waiting.insert(id, Waiting { sent, injected });
        None
    }
}
