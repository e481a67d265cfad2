//! The connector under the SDK clients.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`Transport`]: actors, faults and crashes |
//! | `connector` | the SDK's end |
//! | `call` | requests with their bodies, and responses |
//! | `service` | the trait of the fakes that answer requests, and requests under way |
//! | `arrival` | the arrival of a request, independent of its sender |
//! | `trickle` | bodies that arrive slowly |
//! | `gate` | [`Pending`]: requests that wait until a test releases them |

mod arrival;
mod call;
mod connector;
mod gate;
mod service;
mod trickle;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use crate::exchange::Exchanges;
use crate::faults::{Fault, FaultPlan, Injected, When};
use crate::lock;
pub(crate) use call::{Call, Headers, Reply};
use gate::Gate;
pub use gate::Pending;
use service::{Answered, Sent};
pub(crate) use service::{Measure, Refusal, Service, Subject};

/// The shared connector: it records every request and injects faults. Clones share one state. Give one transport to
/// [`EmbeddedDynamoDb::on`](crate::EmbeddedDynamoDb::on), [`S3Fake::on`](crate::S3Fake::on) and so on to record and crash them as one
/// process.
#[derive(Debug, Clone, Default)]
pub struct Transport(Arc<State>, Option<Arc<str>>);

#[derive(Debug, Default)]
struct State {
    exchanges: Exchanges,
    plan: Mutex<FaultPlan>,
    gate: Mutex<Gate>,
    under_way: Mutex<Vec<JoinHandle<()>>>,
    /// Whether [`Transport::until_crash`] runs: a crashed process then hangs instead of receiving an error.
    mortal: AtomicBool,
    crash: Notify,
}

impl Transport {
    /// Creates a transport without faults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the same transport with another actor, whose name its requests carry in [`Exchange`](crate::Exchange) and
    /// [`Pending`].
    #[must_use]
    pub fn actor(&self, name: &str) -> Self {
        Self(Arc::clone(&self.0), Some(name.into()))
    }

    /// Returns the recorded requests and responses.
    pub fn exchanges(&self) -> Exchanges {
        self.0.exchanges.clone()
    }

    /// Injects a fault into the selected requests from now on.
    pub fn inject(&self, when: When, fault: Fault) -> Injected {
        self.plan().inject(when, fault)
    }

    /// Returns the number of requests that the filter of a fault has matched since its injection; 0 after the fault was removed.
    pub fn counted(&self, fault: Injected) -> usize {
        self.plan().counted(fault)
    }

    /// Removes one fault.
    pub fn withdraw(&self, fault: Injected) {
        self.plan().withdraw(fault);
    }

    /// Throttles the selected requests above `per_second` requests in a second of tokio's time, from now on.
    pub fn limit(&self, when: When, per_second: u32) {
        self.plan().limit(when, per_second);
    }

    /// Removes all faults and limits, and ends a crash.
    pub fn reset_faults(&self) {
        self.plan().reset();
    }

    /// Ends a crash. The faults that are still to come remain.
    pub fn revive(&self) {
        self.plan().revive();
    }

    /// Runs a process until it ends or the transport crashes. Returns `None` if the process died at its last request, after which none of
    /// its code ran, not even its error handling. Outside of this method, requests after a crash fail with an error that the SDK does not
    /// retry.
    pub async fn until_crash<T>(&self, process: impl Future<Output = T>) -> Option<T> {
        self.0.mortal.store(true, Ordering::SeqCst);
        let outcome = tokio::select! {
            biased;
            () = self.0.crash.notified() => None,
            output = process => Some(output),
        };
        self.0.mortal.store(false, Ordering::SeqCst);
        outcome
    }

    async fn exchange(&self, service: Arc<dyn Service>, call: Call) -> Result<HttpResponse, ConnectorError> {
        let subject = service.subject(&call);
        let fault = self.plan().next(&subject.operation, &subject.target);
        let (sender, receiver) = oneshot::channel();
        let sent = Sent {
            service,
            call,
            subject,
            actor: self.1.clone(),
            sender,
        };
        if let Some(sent) = self.stop_at_gate(sent, fault) {
            sent.arrive(self, fault);
        }
        let broken = || ConnectorError::io("the testkit broke the connection".into());
        let Answered { reply, fault } = receiver.await.map_err(|_| broken())?;
        if let Some(Fault::SlowAnswer(delay)) = fault {
            tokio::time::sleep(delay).await;
        }
        match (reply, fault) {
            (Some(reply), Some(Fault::SlowBody(over))) => {
                Ok(reply.into_response(|body| trickle::body(body, over)))
            }
            (Some(reply), _) => Ok(reply.into_response(SdkBody::from)),
            (None, Some(fault)) if fault.is_crash() => Err(self.die().await),
            (None, _) => Err(broken()),
        }
    }

    async fn die(&self) -> ConnectorError {
        if self.0.mortal.load(Ordering::SeqCst) {
            self.0.crash.notify_waiters();
            std::future::pending::<()>().await;
        }
        ConnectorError::user("the testkit crashed this process".into())
    }

    fn plan(&self) -> MutexGuard<'_, FaultPlan> {
        lock(&self.0.plan)
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        lock(&self.0.gate)
    }

    fn under_way(&self) -> MutexGuard<'_, Vec<JoinHandle<()>>> {
        lock(&self.0.under_way)
    }
}
