//! The connector under the SDK clients.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use tokio::sync::Notify;

use crate::exchange::{Exchange, Exchanges};
use crate::faults::{Fault, FaultPlan, When};

/// Records every request and breaks those it was told to. Clones are the same wire; give one to
/// [`EmbeddedDynamoDb::on`](crate::EmbeddedDynamoDb::on) and [[`S3Fake::on`](crate::S3Fake::on) to count and crash both as one process.
#[derive(Debug, Clone, Default)]
pub struct Wire(Arc<State>);

#[derive(Debug, Default)]
struct State {
    exchanges: Exchanges,
    plan: Mutex<FaultPlan>,
    /// Set while [`Wire::until_crash`] runs: then a dead process hangs instead of seeing an error.
    mortal: AtomicBool,
    crash: Notify,
}

impl Wire {
    /// A wire without faults.
    pub fn new() -> Self {
        Self::default()
    }

    /// What went over it.
    pub fn exchanges(&self) -> Exchanges {
        self.0.exchanges.clone()
    }

    /// From now on, breaks the chosen requests.
    pub fn inject(&self, when: When, fault: Fault) {
        self.plan().inject(when, fault);
    }

    /// Removes all faults and brings a crashed process back.
    pub fn reset_faults(&self) {
        *self.plan() = FaultPlan::default();
    }

    /// Whether a [`Fault::Crash`] has struck.
    pub fn is_crashed(&self) -> bool {
        self.plan().is_crashed()
    }

    /// Runs a process until it ends or the wire crashes: `None` means that it died at its last request and not one
    /// line of it ran afterwards, not even its error handling. Outside of this, requests after a crash fail with an error that
    /// the SDK does not retry.
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

    pub(crate) fn http_client(&self, service: impl Service) -> SharedHttpClient {
        let connector = Connector {
            wire: self.clone(),
            service: Arc::new(service),
        };
        SharedHttpClient::new(Client(SharedHttpConnector::new(connector)))
    }

    fn plan(&self) -> MutexGuard<'_, FaultPlan> {
        self.0.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn exchange(&self, service: &dyn Service, call: &Call) -> Result<Reply, ConnectorError> {
        let Subject { operation, target } = service.subject(call);
        let fault = self.plan().next(&operation, &target);
        let reply = match fault {
            None | Some(Fault::AnswerLost | Fault::CrashAfterApply) => Some(service.apply(call)),
            Some(Fault::DropBeforeSend | Fault::Crash) => None,
            Some(Fault::ServerErrorAfterApply) => {
                service.apply(call);
                Some(service.refuse(call, Refusal::ServerError))
            }
            Some(Fault::Throttle) => Some(service.refuse(call, Refusal::Throttle)),
            Some(Fault::TransactionConflict) => Some(service.refuse(call, Refusal::Conflict)),
        };
        let seen = reply.filter(|_| !matches!(fault, Some(Fault::AnswerLost | Fault::CrashAfterApply)));
        let measure = seen
            .as_ref()
            .map(|reply| service.measure(call, reply))
            .unwrap_or_default();
        self.0.exchanges.push(Exchange {
            service: service.name(),
            operation,
            target,
            status: seen.as_ref().map(|reply| reply.status),
            error: measure.error,
            items: measure.items,
            units: measure.units,
            fault,
        });
        match (seen, fault) {
            (Some(reply), _) => Ok(reply),
            (None, Some(fault)) if fault.is_crash() => Err(self.die().await),
            (None, _) => Err(ConnectorError::io("the testkit broke the connection".into())),
        }
    }

    async fn die(&self) -> ConnectorError {
        if self.0.mortal.load(Ordering::SeqCst) {
            self.0.crash.notify_waiters();
            std::future::pending::<()>().await;
        }
        ConnectorError::user("the testkit crashed this process".into())
    }
}

/// A service that answers in process.
pub(crate) trait Service: fmt::Debug + Send + Sync + 'static {
    /// The name in the record.
    fn name(&self) -> &'static str;
    /// What a request is about.
    fn subject(&self, call: &Call) -> Subject;
    /// Does what the request asks for.
    fn apply(&self, call: &Call) -> Reply;
    /// Answers without doing anything.
    fn refuse(&self, call: &Call, refusal: Refusal) -> Reply;
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

/// Names and values, also of trailers.
pub(crate) type Headers = Vec<(String, String)>;

/// A request with its whole body.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) method: String,
    /// Percent-encoded path without host and query.
    pub(crate) path: String,
    /// Percent-encoded query without the question mark.
    pub(crate) query: String,
    headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Call {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    async fn read(request: HttpRequest) -> Result<Self, ConnectorError> {
        let method = request.method().to_owned();
        let headers = request.headers().iter();
        let headers = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let uri = request.uri();
        let after_scheme = uri.split_once("://").map_or(uri, |(_, rest)| rest);
        let path_and_query = after_scheme.find('/').map_or("/", |slash| &after_scheme[slash..]);
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let body = ByteStream::new(request.into_body()).collect().await;
        let body = body.map_err(|error| ConnectorError::user(error.into()))?.to_vec();
        Ok(Self {
            method,
            path,
            query,
            headers,
            body,
        })
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    fn into_response(self) -> HttpResponse {
        let status = self
            .status
            .try_into()
            .expect("the testkit answers with valid status codes");
        let mut response = HttpResponse::new(status, SdkBody::from(self.body));
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

#[derive(Debug)]
struct Connector {
    wire: Wire,
    service: Arc<dyn Service>,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (wire, service) = (self.wire.clone(), Arc::clone(&self.service));
        HttpConnectorFuture::new(async move {
            let call = Call::read(request).await?;
            // A request over a network lets other tasks run; one that answers at once would hide races.
            tokio::task::yield_now().await;
            let reply = wire.exchange(&*service, &call).await;
            tokio::task::yield_now().await;
            reply.map(Reply::into_response)
        })
    }
}

#[derive(Debug)]
struct Client(SharedHttpConnector);

impl HttpClient for Client {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        self.0.clone()
    }
}
