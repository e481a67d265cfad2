//! API Gateway in front of the lookup, as an HTTP connector that can break.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex};

use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _, TryStreamExt as _};
use http_body::Frame;
use http_body_util::StreamBody;
use lookup::{Lookup, routes};
use serde_json::{Value, json};
use taxonomy_client::{Auth, Client, ClientBuilder, ClientError, Tenant};
use taxonomy_keys::{CategoryId, Culture, TermId};
use taxonomy_testkit::fixtures::{ACME, SOURCE_BUCKET};
use taxonomy_testkit::s3::sns_event;
use taxonomy_tests::asking::{ask_with, process};
use taxonomy_tests::files::SMALL;
use taxonomy_tests::world::World;

/// The address of the API in every test.
pub(crate) const API: &str = "https://abc.execute-api.eu-west-1.amazonaws.com";

/// An answer without the lookup, or none.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// This answer instead.
    Response(u16, Vec<(&'static str, String)>, String),
    /// The connection breaks before an answer.
    Drop,
    /// No answer ever comes.
    Hang,
    /// The lookup's answer breaks off in the middle.
    TornBody,
    /// The lookup's answer stops in the middle.
    HungBody,
    /// A body of so many bytes, in pieces, without a stated length.
    Endless(usize),
}

impl Fault {
    /// An answer of API Gateway itself.
    pub(crate) fn message(status: u16, message: &str) -> Self {
        Self::Response(status, Vec::new(), json!({"message": message}).to_string())
    }

    /// An answer of the service or of another one, without headers.
    pub(crate) fn answer(status: u16, body: &str) -> Self {
        Self::Response(status, Vec::new(), body.to_owned())
    }

    /// An answer with status 200.
    pub(crate) fn body(body: impl Into<String>) -> Self {
        Self::Response(200, Vec::new(), body.into())
    }
}

/// A request that arrived, and the answer that it got.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) uri: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) status: Option<u16>,
    pub(crate) answer: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// The path and query.
    pub(crate) fn target(&self) -> &str {
        let rest = self.uri.split_once("://").unwrap().1;
        &rest[rest.find('/').unwrap()..]
    }
}

/// The gateway; clones are the same one.
#[derive(Clone)]
pub(crate) struct Api(Arc<Inner>);

struct Inner {
    lookup: Lookup,
    _world: World,
    faults: Mutex<VecDeque<Fault>>,
    seen: Mutex<Vec<Seen>>,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

impl Api {
    /// With [`SMALL`] as version 1 of [`ACME`], counted.
    pub(crate) async fn new() -> Self {
        Self::of(&[ACME], SMALL).await
    }

    /// With a file of release 2026.1 as the first version of these tenants, counted.
    pub(crate) async fn of(tenants: &[&str], file: &str) -> Self {
        let world = World::new();
        for tenant in tenants {
            let (key, release) = (format!("taxonomies/{tenant}.json"), [("release", "2026.1")]);
            let bytes = file.to_owned();
            world.s3.put_with(SOURCE_BUCKET, &key, bytes, None, &release);
            let event = sns_event(&[world.s3.event(SOURCE_BUCKET, &key)]);
            world.deliver(event).await.unwrap();
        }
        world.aggregate().await;
        Self(Arc::new(Inner {
            lookup: process(&world),
            _world: world,
            faults: Mutex::default(),
            seen: Mutex::default(),
        }))
    }

    /// A client's settings that lead here, with credentials.
    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::builder(API)
            .auth(Auth::iam(credentials(), "eu-west-1"))
            .connector(self.connector())
    }

    pub(crate) fn client(&self) -> Client {
        self.builder().build().unwrap()
    }

    /// The questions about [`ACME`] by a client of its own.
    pub(crate) fn acme(&self) -> Tenant {
        self.acme_by(|builder| builder)
    }

    /// The same by a client with other settings.
    pub(crate) fn acme_by(&self, change: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Tenant {
        acme(&change(self.builder()).build().unwrap())
    }

    /// The error of a request for a head that meets this fault.
    pub(crate) async fn failed(&self, fault: Fault) -> ClientError {
        self.inject([fault]);
        self.acme().head().await.unwrap_err()
    }

    pub(crate) fn connector(&self) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }

    /// Breaks the next requests, one fault each.
    pub(crate) fn inject(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.faults.lock().unwrap().extend(faults);
    }

    /// Forgets the faults that met no request.
    pub(crate) fn heal(&self) {
        self.0.faults.lock().unwrap().clear();
    }

    /// The requests since the last time.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.0.seen.lock().unwrap())
    }

    /// The only request since the last time.
    pub(crate) fn only(&self) -> Seen {
        let mut seen = self.seen();
        assert_eq!(seen.len(), 1);
        seen.remove(0)
    }

    /// The status of each answer since the last time.
    pub(crate) fn statuses(&self) -> Vec<u16> {
        self.seen().iter().map(|seen| seen.status.unwrap()).collect()
    }

    /// Method and target of each request since the last time.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |seen: &Seen| format!("{} {}", seen.method, seen.target());
        self.seen().iter().map(line).collect()
    }

    /// The last answer as JSON.
    pub(crate) fn last(&self) -> Value {
        let seen = self.seen();
        let last = seen.last().unwrap();
        assert_eq!(last.status, Some(200), "{last:?}");
        serde_json::from_str(&last.answer).unwrap()
    }

    async fn exchange(&self, mut seen: Seen) -> Result<HttpResponse, ConnectorError> {
        // A request over a network lets other tasks run.
        tokio::task::yield_now().await;
        let fault = self.0.faults.lock().unwrap().pop_front();
        let (status, headers, body) = match &fault {
            Some(Fault::Response(status, headers, body)) => (*status, headers.clone(), body.clone()),
            Some(Fault::Endless(_)) => (200, Vec::new(), String::new()),
            Some(Fault::Drop | Fault::Hang) => {
                self.0.seen.lock().unwrap().push(seen);
                if matches!(fault, Some(Fault::Hang)) {
                    std::future::pending::<()>().await;
                }
                return Err(ConnectorError::io("connection reset".into()));
            }
            None | Some(Fault::TornBody | Fault::HungBody) => self.serve(&seen).await,
        };
        (seen.status, seen.answer) = (Some(status), body.clone());
        self.0.seen.lock().unwrap().push(seen);
        let half = || body.as_bytes()[..body.len() / 2].to_vec();
        let torn = async { Err(io::ErrorKind::UnexpectedEof.into()) };
        let body = match fault {
            Some(Fault::TornBody) => pieces(half(), stream::once(torn)),
            Some(Fault::HungBody) => pieces(half(), stream::pending()),
            Some(Fault::Endless(bytes)) => pieces(vec![b' '; bytes], stream::empty()),
            _ => SdkBody::from(body),
        };
        let mut response = HttpResponse::new(status.try_into().unwrap(), body);
        for (name, value) in headers {
            response.headers_mut().insert(name, value);
        }
        Ok(response)
    }

    /// The gateway's own refusals, else the lookup's answer.
    async fn serve(&self, seen: &Seen) -> (u16, Vec<(&'static str, String)>, String) {
        let own = |status, message: &str| (status, Vec::new(), json!({"message": message}).to_string());
        let path = seen.target().split('?').next().unwrap();
        if routes::find(&seen.method, path).is_err() {
            return own(404, "Not Found");
        }
        if seen.header("authorization").is_none() {
            return own(403, "Forbidden");
        }
        let headers: BTreeMap<_, _> = seen.headers.iter().cloned().collect();
        let body: Option<Value> = serde_json::from_str(&seen.body).ok();
        let (method, headers) = (&seen.method, json!(headers));
        let answer = ask_with(&self.0.lookup, method, seen.target(), &headers, body.as_ref()).await;
        let headers = answer.headers.into_iter();
        let headers = headers.map(|(name, value)| (name, value.into_owned())).collect();
        (answer.status_code, headers, answer.body)
    }
}

impl HttpConnector for Api {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let headers = request.headers().iter();
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let seen = Seen {
            method: request.method().to_owned(),
            uri: request.uri().to_owned(),
            headers: headers.collect(),
            body: String::from_utf8(request.body().bytes().unwrap().to_vec()).unwrap(),
            status: None,
            answer: String::new(),
        };
        let api = self.clone();
        HttpConnectorFuture::new(async move { api.exchange(seen).await })
    }
}

/// The questions about [`ACME`] by this client.
pub(crate) fn acme(client: &Client) -> Tenant {
    client.tenant(ACME.parse().unwrap())
}

pub(crate) fn term(id: u64) -> TermId {
    TermId::new(id).unwrap()
}

pub(crate) fn category(id: u64) -> CategoryId {
    CategoryId::new(id).unwrap()
}

pub(crate) fn french() -> Option<Culture> {
    Some("fr-FR".parse().unwrap())
}

/// The credentials of every test that signs.
pub(crate) fn credentials() -> Credentials {
    let token = Some("session-token-secret".to_owned());
    Credentials::new("AKIDEXAMPLE", "secret-access-key", token, None, "test")
}

/// A body without a stated length, in pieces, and what comes after it.
fn pieces(body: Vec<u8>, end: impl Stream<Item = io::Result<Bytes>> + Send + Sync + 'static) -> SdkBody {
    const PIECE: usize = 64 * 1024;
    let body = Bytes::from(body);
    let starts = (0..body.len()).step_by(PIECE);
    let pieces = starts.map(move |at| Ok(body.slice(at..body.len().min(at + PIECE))));
    let whole = stream::iter(pieces).chain(end).map_ok(Frame::data);
    SdkBody::from_body_1_x(StreamBody::new(whole))
}
