//! Closing and opening the gate, and releasing the requests that wait at it.

use super::Transport;
use super::gate::{Pending, Waiting};
use super::sent::Sent;
use crate::faults::Fault;

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
