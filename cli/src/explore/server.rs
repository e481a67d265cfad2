//! The local HTTP server of the explorer: accepts connections and routes requests to the pages or to the source.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use pages::Pages;
use tokio::net::{TcpListener, TcpStream};

use crate::exit::Exit;
use crate::explore::guard::{Decision, Guard, GuardedRequest, Refusal};
use crate::explore::source::{ApiSource, Headers, REQUEST_HEADERS, problem};
use crate::failure::Failure;

/// The largest number of simultaneous connections. A browser opens six to a host.
const CONNECTIONS: usize = 64;

/// The time limit for the head of a request, and between two requests of a connection. Idle connections hold up the reader's no longer.
const HEAD: Duration = Duration::from_secs(5);

/// The longest duration of a connection.
const CONNECTION: Duration = Duration::from_secs(600);

/// The largest size of the head of a request, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// The headers of a text response. It is not cached, and it sends no referrer, because the address contains a secret.
const TEXT_HEADERS: [(&str, &str); 5] = [
    ("cache-control", "no-store"),
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
    ("content-type", "text/plain; charset=utf-8"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

/// The access control, the pages, and the source behind the API.
pub(crate) struct Server {
    pub(crate) guard: Guard,
    pub(crate) pages: Pages,
    pub(crate) source: ApiSource,
}

impl Server {
    /// Answers requests until the future is dropped.
    ///
    /// # Errors
    /// [`Failure`] when connections can no longer be accepted.
    pub(crate) async fn run(self, listener: TcpListener) -> Result<Exit, Failure> {
        let mut connections = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                    Ok((stream, _)) => connections.push(self.serve(stream)),
                    // The client closed the connection before it was accepted.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    Err(error) => return Err(error.into()),
                },
                Some(()) = connections.next() => {}
            }
        }
    }

    /// Answers the requests of a connection. Errors of the connection are ignored: the reader can load the page again.
    async fn serve(&self, stream: TcpStream) {
        let answer = |request| async move { Ok::<_, Infallible>(self.answer(&request).await) };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service_fn(answer));
        drop(tokio::time::timeout(CONNECTION, connection).await);
    }

    /// Answers a request. Its body is not read: the accepted methods, GET and HEAD, need none.
    async fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let (headers, uri) = (request.headers(), request.uri());
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        let asked = GuardedRequest {
            method: request.method().as_str(),
            path,
            query,
            host: only(headers, "host"),
            origin: only(headers, "origin"),
            cookie: only(headers, "cookie"),
            site: only(headers, "sec-fetch-site"),
        };
        match self.guard.decide(&asked) {
            Decision::Refuse(refusal) => refused(refusal),
            Decision::Open { location, cookie } => opened(&location, &cookie),
            Decision::Answer(path) => self.answer_path(&path, query, headers).await,
        }
    }

    /// Answers a request for a path, relative to the path of the server.
    async fn answer_path(&self, path: &str, query: &str, headers: &HeaderMap) -> Response<Full<Bytes>> {
        if let Some(page) = self.pages.answer(path, only(headers, "accept-encoding")) {
            return response(page.status, page.headers, page.body.to_vec());
        }
        let answer = if path.starts_with("/v1/") {
            self.source.answer(path, query, handed_on(headers)).await
        } else {
            let detail = "Here are the explorer at explore, the API page at docs, and the API at v1.";
            problem(404, "Not found", detail)
        };
        response(answer.status, answer.headers, answer.body)
    }
}

/// Returns the value of a header that is sent exactly once, as text. A repeated header has no value, so that no two readers choose
/// different ones.
fn only<'r>(headers: &'r HeaderMap, name: &str) -> Option<&'r str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.to_str().unwrap_or("")),
        (Some(_), Some(_)) => Some(""),
        (None, _) => None,
    }
}

/// Returns the headers that are forwarded.
fn handed_on(headers: &HeaderMap) -> Headers {
    let handed_on = REQUEST_HEADERS
        .iter()
        .filter_map(|name| Some((*name, only(headers, name)?.to_owned())));
    handed_on.filter(|(_, value)| !value.is_empty()).collect()
}

fn refused(refusal: Refusal) -> Response<Full<Bytes>> {
    let allow = (refusal == Refusal::Method).then_some(("allow", "GET, HEAD"));
    let headers = TEXT_HEADERS.into_iter().chain(allow);
    response(refusal.status(), headers, format!("{}\n", refusal.text()))
}

fn opened(location: &str, cookie: &str) -> Response<Full<Bytes>> {
    let headers = TEXT_HEADERS.into_iter();
    let headers = headers.chain([("location", location), ("set-cookie", cookie)]);
    response(303, headers, "")
}

fn response<N: AsRef<str>, V: AsRef<str>>(
    status: u16,
    headers: impl IntoIterator<Item = (N, V)>,
    body: impl Into<Bytes>,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in headers {
        // An invalid header is dropped; the API of a stack sends none.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name.as_ref()), value.as_ref().try_into()) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
