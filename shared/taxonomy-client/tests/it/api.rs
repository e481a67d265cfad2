//! API Gateway in front of the lookup, as an HTTP connector that can break.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use aws_credential_types::Credentials;
use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use bytes::Bytes;
use http_body::Frame;
use lookup::routes;
use serde_json::{Map, Value, json};
use taxonomy_client::{Auth, Client, ClientBuilder, Tenant};
use taxonomy_testkit::fixtures::ACME;

use crate::stack::{SMALL, Stack};

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
    stack: Stack,
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
        let stack = Stack::empty();
        stack.publish(ACME, SMALL).await;
        stack.world.aggregate().await;
        Self::over(stack)
    }

    pub(crate) fn over(stack: Stack) -> Self {
        Self(Arc::new(Inner {
            stack,
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
        self.client().tenant(ACME.parse().unwrap())
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
        let half = || Bytes::from(body[..body.len() / 2].to_owned());
        let body = match fault {
            Some(Fault::TornBody) => Pieces::of(half(), End::Torn),
            Some(Fault::HungBody) => Pieces::of(half(), End::Hung),
            Some(Fault::Endless(bytes)) => Pieces::of(Bytes::from(vec![b' '; bytes]), End::Complete),
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
        let (path, query) = seen.target().split_once('?').unwrap_or((seen.target(), ""));
        let Ok(found) = routes::find(&seen.method, path) else {
            return own(404, "Not Found");
        };
        if seen.header("authorization").is_none() {
            return own(403, "Forbidden");
        }
        let event = event(seen, path, query, found.route.path);
        let answer = self.0.stack.answer(event).await;
        let headers = answer.headers.into_iter();
        let headers = headers.map(|(name, value)| (name, value.into_owned())).collect();
        (answer.status_code, headers, answer.body.to_string())
    }
}

/// Payload format 2.0, as far as the lookup reads it.
fn event(seen: &Seen, path: &str, query: &str, route: &str) -> Value {
    let route_key = format!("{} {route}", seen.method);
    let segments = route.split('/').zip(path.split('/'));
    let parameter = |(name, value): (&str, &str)| {
        let name = name.strip_prefix('{')?.strip_suffix('}')?;
        Some((name.to_owned(), json!(value)))
    };
    let parameters: Map<String, Value> = segments.filter_map(parameter).collect();
    let headers: Map<String, Value> = seen
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "pathParameters": parameters,
        "requestContext": {
            "stage": "$default",
            "routeKey": route_key,
            "requestId": "r-1",
            "http": {"method": seen.method, "path": path},
            "authorizer": {"iam": {"userArn": "arn:aws:sts::123456789012:assumed-role/expander/1"}},
        },
        "body": (!seen.body.is_empty()).then_some(&seen.body),
        "isBase64Encoded": false,
    })
}

impl HttpConnector for Api {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let headers = request.headers().iter();
        let seen = Seen {
            method: request.method().to_owned(),
            uri: request.uri().to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: String::from_utf8(request.body().bytes().unwrap().to_vec()).unwrap(),
            status: None,
            answer: String::new(),
        };
        let api = self.clone();
        HttpConnectorFuture::new(async move { api.exchange(seen).await })
    }
}

/// The credentials of every test that signs.
pub(crate) fn credentials() -> Credentials {
    let token = Some("session-token-secret".to_owned());
    Credentials::new("AKIDEXAMPLE", "secret-access-key", token, None, "test")
}

/// The end of a body of pieces.
#[derive(Debug, Clone, Copy)]
enum End {
    Complete,
    Torn,
    Hung,
}

/// A body without a stated length.
struct Pieces {
    left: Bytes,
    end: End,
}

impl Pieces {
    fn of(left: Bytes, end: End) -> SdkBody {
        SdkBody::from_body_1_x(Self { left, end })
    }
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if !self.left.is_empty() {
            let piece = self.left.len().min(64 * 1024);
            let piece = self.left.split_to(piece);
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match self.end {
            End::Complete => Poll::Ready(None),
            End::Torn => Poll::Ready(Some(Err(std::io::ErrorKind::UnexpectedEof.into()))),
            End::Hung => Poll::Pending,
        }
    }
}
