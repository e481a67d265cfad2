//! A gate that holds requests until a test lets them pass: who goes first is then the test's choice.

use std::collections::BTreeMap;
use std::fmt;

use super::Wire;
use super::sent::Sent;
use crate::faults::Fault;

/// A request that waits at the gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Counts the requests that ever came to the gate of this wire, from 1.
    pub id: u64,
    /// Who sent it; empty for clients without an [`actor`](Wire::actor).
    pub actor: String,
    /// `DynamoDB`, `S3`, `SQS` or `SNS`.
    pub service: &'static str,
    /// The operation's name in the service's API.
    pub operation: String,
    /// What it is about, as in [`Exchange::target`](crate::Exchange::target).
    pub target: String,
    /// Nobody waits for its answer any more: its sender ran into a time-out or is dead.
    pub is_abandoned: bool,
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {}", self.service, self.operation, self.target)
    }
}

#[derive(Debug, Default)]
pub(super) struct Gate {
    is_closed: bool,
    arrived: u64,
    waiting: BTreeMap<u64, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    sent: Sent,
    /// What [`Wire::inject`] had in mind for it.
    injected: Option<Fault>,
}

impl Wire {
    /// From now on every request waits until it is [released](Self::release), with the faults that were injected for it.
    pub fn close_gate(&self) {
        self.gate().is_closed = true;
    }

    /// Lets everything pass again, first what waits, in the order it came.
    pub fn open_gate(&self) {
        self.gate().is_closed = false;
        for waiting in self.pending() {
            self.release(waiting.id, None);
        }
    }

    /// What waits, oldest first.
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

    /// Lets a request pass to its service, with this fault or else the one injected for it. It is applied before this returns
    /// (but for [`Fault::SlowBeforeApply`]), whether or not its sender lives; to lose it, release it with
    /// [`Fault::DropBeforeSend`].
    ///
    /// # Panics
    /// If no such request waits.
    pub fn release(&self, id: u64, fault: Option<Fault>) {
        let waiting = self.gate().waiting.remove(&id);
        let Waiting { sent, injected } = waiting.unwrap_or_else(|| panic!("request {id} is not at the gate"));
        sent.arrive(self, fault.or(injected));
    }

    /// Gives the request back where the gate is open.
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
