//! The local server: connections, and which part answers a request.

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
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use taxonomy_pages::Pages;
use tokio::net::{TcpListener, TcpStream};

use crate::exit::Exit;
use crate::explore::guard::{Asked, Decision, Guard, Refusal};
use crate::explore::source::{ASKED, Question, Reply, Source, problem};
use crate::failure::Failure;

/// Connections at once. A browser opens six to a host.
const CONNECTIONS: usize = 64;

/// The time for the head of a request, and between two requests of a connection.
const HEAD: Duration = Duration::from_secs(30);

/// The longest that a connection is kept.
const CONNECTION: Duration = Duration::from_secs(600);

/// The most bytes of the head of a request.
const HEAD_BYTES: usize = 64 << 10;

/// The pages, the API behind them, and the door.
pub(crate) struct Server {
    guard: Guard,
    pages: Pages,
    source: Source,
}

impl Server {
    /// A server of these pages over this source.
    pub(crate) fn new(guard: Guard, pages: Pages, source: Source) -> Self {
        Self { guard, pages, source }
    }

    /// Answers until it is dropped.
    ///
    /// # Errors
    /// [`Failure`] when no connection can be accepted any more.
    pub(crate) async fn run(self, listener: TcpListener) -> Result<Exit, Failure> {
        let mut connections = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                    Ok((stream, _)) => connections.push(self.serve(stream)),
                    // The other side went before it was accepted.
                    Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
                    Err(error) => return Err(error.into()),
                },
                Some(()) = connections.next() => {}
            }
        }
    }

    /// Answers the requests of a connection. A connection that breaks is the reader's matter, who loads the page again.
    async fn serve(&self, stream: TcpStream) {
        let answer = |request| async move { Ok::<_, Infallible>(self.answer(&request).await) };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service_fn(answer));
        drop(tokio::time::timeout(CONNECTION, connection).await);
    }

    /// The answer to a request. Its body is not read: nothing that is answered has one.
    async fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let (headers, uri) = (request.headers(), request.uri());
        let (path, query) = (uri.path(), uri.query().unwrap_or_default());
        let asked = Asked {
            method: request.method().as_str(),
            path,
            query,
            host: only(headers, "host"),
            origin: only(headers, "origin"),
            cookie: only(headers, "cookie"),
            site: only(headers, "sec-fetch-site"),
        };
        let reply = match self.guard.decide(&asked) {
            Decision::Refuse(refusal) => refused(refusal),
            Decision::Open { location, cookie } => opened(location, cookie),
            Decision::Answer(path) => self.reply(&path, query, headers).await,
        };
        response(reply)
    }

    /// The answer for a path below that of the server.
    async fn reply(&self, path: &str, query: &str, headers: &HeaderMap) -> Reply {
        match self.pages.answer(path, only(headers, "accept-encoding")) {
            Some(page) => Reply {
                status: page.status,
                headers: page
                    .headers
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                body: page.body.to_vec(),
            },
            None if path.starts_with("/v1/") => self.source.answer(question(path, query, headers)).await,
            None => problem(
                404,
                "Not found",
                "Here are the explorer at explore, the API page at docs, and the API at v1.",
            ),
        }
    }
}

/// The value of a header that is sent once, as text. One that is sent twice is none, so that no two readers choose different ones.
fn only<'r>(headers: &'r HeaderMap, name: &str) -> Option<&'r str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Some(value.to_str().unwrap_or("")),
        (Some(_), Some(_)) => Some(""),
        (None, _) => None,
    }
}

fn question(path: &str, query: &str, headers: &HeaderMap) -> Question {
    let handed_on = ASKED
        .iter()
        .filter_map(|name| Some((*name, only(headers, name)?.to_owned())));
    Question {
        path: path.to_owned(),
        query: query.to_owned(),
        headers: handed_on.filter(|(_, value)| !value.is_empty()).collect(),
    }
}

fn refused(refusal: Refusal) -> Reply {
    let mut headers = plain();
    if refusal == Refusal::Method {
        headers.push(("allow".to_owned(), "GET, HEAD".to_owned()));
    }
    Reply {
        status: refusal.status(),
        headers,
        body: format!("{}\n", refusal.text()).into_bytes(),
    }
}

fn opened(location: String, cookie: String) -> Reply {
    let mut headers = plain();
    headers.extend([
        ("location".to_owned(), location),
        ("set-cookie".to_owned(), cookie),
    ]);
    Reply {
        status: 303,
        headers,
        body: Vec::new(),
    }
}

/// The headers of a text that is kept nowhere. The address that leads here holds a secret, which no referrer may show.
fn plain() -> Vec<(String, String)> {
    let headers = [
        ("cache-control", "no-store"),
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
        ("content-type", "text/plain; charset=utf-8"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ];
    headers
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn response(reply: Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(reply.body)));
    match hyper::StatusCode::from_u16(reply.status) {
        Ok(status) => *response.status_mut() = status,
        Err(_) => *response.status_mut() = hyper::StatusCode::BAD_GATEWAY,
    }
    for (name, value) in reply.headers {
        // A header that is none is left out: the API of a stack sends no such header.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), value.try_into()) {
            response.headers_mut().append(name, value);
        }
    }
    response
}
