//! The arrival of a request at its service, even if its sender no longer waits.

use std::time::Duration;

use super::Transport;
use super::call::Reply;
use super::service::{Answered, Refusal, Sent};
use crate::exchange::Exchange;
use crate::faults::Fault;

impl Sent {
    /// Applies the request with its fault. Only [`Fault::SlowBeforeApply`] takes time, in a task of its own that outlives the sender.
    pub(super) fn arrive(self, transport: &Transport, fault: Option<Fault>) {
        match fault {
            Some(Fault::SlowBeforeApply(delay)) => {
                transport.later(delay, move |transport| self.meet(transport, fault));
            }
            _ => self.meet(transport, fault),
        }
    }

    fn meet(self, transport: &Transport, fault: Option<Fault>) {
        let Self {
            service,
            call,
            subject,
            actor,
            sender,
        } = self;
        let applied = match fault {
            Some(
                Fault::DropBeforeSend
                | Fault::Crash
                | Fault::Throttle
                | Fault::Refuse
                | Fault::TransactionConflict,
            ) => None,
            Some(Fault::StaleRead) => Some(service.apply_stale(&call)),
            _ => Some(service.apply(&call)),
        };
        let measured = |reply: Option<Reply>| {
            let measure = reply.as_ref().map(|reply| service.measure(&call, reply));
            reply.zip(measure)
        };
        let applied = measured(applied);
        let effect = applied.as_ref().map(|(reply, measure)| match &measure.error {
            Some(error) => format!("{} {error}", reply.status),
            None => reply.status.to_string(),
        });
        let answer = match refusal(fault) {
            Some(refusal) => measured(Some(service.refuse(&call, refusal))),
            None => applied,
        };
        let status = answer.as_ref().map(|(reply, _)| reply.status);
        let accesses = service.accesses(&call, status);
        let lost = matches!(fault, Some(Fault::AnswerLost | Fault::CrashAfterApply));
        let (seen, measure) = answer.filter(|_| !lost && !sender.is_closed()).unzip();
        let measure = measure.unwrap_or_default();
        transport.0.exchanges.push(Exchange {
            actor: actor.map(|actor| actor.to_string()),
            service: service.name(),
            operation: subject.operation,
            target: subject.target,
            status: seen.as_ref().map(|reply| reply.status),
            error: measure.error,
            items: measure.items,
            bytes: seen.as_ref().map_or(0, |reply| reply.body.len()),
            units: measure.units,
            fault,
            effect,
            accesses,
        });
        // A sender that no longer waits receives nothing, as over a network.
        let _ = sender.send(Answered { reply: seen, fault });
    }
}

/// Returns the refusal that replaces the service's response.
fn refusal(fault: Option<Fault>) -> Option<Refusal> {
    match fault? {
        Fault::ServerErrorAfterApply => Some(Refusal::ServerError),
        Fault::Throttle => Some(Refusal::Throttle),
        Fault::Refuse => Some(Refusal::Invalid),
        Fault::TransactionConflict => Some(Refusal::Conflict),
        _ => None,
    }
}

impl Transport {
    /// Runs an action on this transport after a delay, in a task that [`settle`](Self::settle) waits for.
    fn later(&self, delay: Duration, action: impl FnOnce(&Self) + Send + 'static) {
        let transport = self.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            action(&transport);
        });
        self.under_way().push(task);
    }

    /// Waits for every delayed request, including those whose senders no longer wait.
    pub async fn settle(&self) {
        loop {
            let task = self.under_way().pop();
            let Some(task) = task else { break };
            if let Err(error) = task.await
                && error.is_panic()
            {
                std::panic::resume_unwind(error.into_panic());
            }
        }
    }
}
