//! The source that answers the explorer's requests to `/v1/`: the API of a stack, or the code of the lookup over a version in memory.

use std::collections::BTreeMap;

use lookup::{Event, Lookup};
use percent_encoding::percent_decode_str;
use serde_json::json;
use taxonomy_client::{Client, ClientError, RawResponse};

/// The request headers that are forwarded.
pub(crate) const REQUEST_HEADERS: [&str; 5] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "if-none-match",
    "taxonomy-debug",
];

/// The response headers that are forwarded. All others concern the connection, sessions or other sites.
const RESPONSE_HEADERS: [&str; 13] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "etag",
    "last-modified",
    "link",
    "retry-after",
    "taxonomy-debug",
    "taxonomy-version",
    "vary",
    "x-request-id",
];

/// The source of answers.
pub(crate) enum ApiSource {
    /// The API of a stack, with requests signed as the identity of the command.
    Stack(Client),
    /// A version in memory.
    Preview(Box<Lookup>),
}

/// The headers of [`REQUEST_HEADERS`] that a request has.
pub(crate) type Headers = Vec<(&'static str, String)>;

impl ApiSource {
    /// Answers a request for a path of the API, which is as it was sent. A stack that fails becomes a problem of status 502 or 504; a
    /// request that cannot be forwarded, one of status 400.
    pub(crate) async fn answer(&self, path: &str, query: &str, headers: Headers) -> RawResponse {
        let mut answer = match self {
            Self::Stack(client) => of_stack(client, path, query, headers).await,
            Self::Preview(lookup) => of_preview(lookup, path, query, headers).await,
        };
        answer.headers.retain(|(name, _)| {
            RESPONSE_HEADERS
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        });
        answer
    }
}

async fn of_stack(client: &Client, path: &str, query: &str, headers: Headers) -> RawResponse {
    match client.pass(path, query, headers).await {
        Ok(passed) => passed,
        Err(ClientError::Configuration(reason)) => problem(400, "Bad request", reason),
        Err(ClientError::Timeout { .. }) => {
            problem(504, "Gateway timeout", "The stack did not answer in time.")
        }
        // The causes may contain host names and credentials, so the page gets a fixed sentence and only the terminal shows the causes.
        Err(error) => {
            anstream::eprintln!("{}", taxonomy_runtime::causes(&error));
            problem(
                502,
                "Bad gateway",
                "The request to the stack failed; the terminal of `taxonomy explore` shows the cause.",
            )
        }
    }
}

async fn of_preview(lookup: &Lookup, path: &str, query: &str, headers: Headers) -> RawResponse {
    // Decoded as API Gateway does. The lookup refuses ids that contain a slash.
    let Ok(path) = percent_decode_str(path).decode_utf8() else {
        return problem(400, "Bad request", "The path is no text.");
    };
    // Compression is of no use on the same machine.
    let headers = headers.into_iter().filter(|(name, _)| *name != "accept-encoding");
    let headers: BTreeMap<&str, String> = headers.collect();
    let event = json!({
        "rawPath": path, "rawQueryString": query, "headers": headers,
        "requestContext": { "http": { "method": "GET" } },
    });
    let Ok(event) = serde_json::from_value::<Event>(event) else {
        return problem(400, "Bad request", "The request cannot be read.");
    };
    let answer = lookup.answer(&event).await;
    let headers = answer.headers.into_iter();
    RawResponse {
        status: answer.status_code,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.into_owned()))
            .collect(),
        body: answer.body.as_bytes().to_vec(),
    }
}

/// Returns a problem document (RFC 9457) of the local server itself.
pub(crate) fn problem(status: u16, title: &str, detail: &str) -> RawResponse {
    let document = json!({ "type": "about:blank", "title": title, "status": status, "detail": detail });
    RawResponse {
        status,
        headers: vec![
            ("content-type".to_owned(), "application/problem+json".to_owned()),
            ("cache-control".to_owned(), "no-store".to_owned()),
        ],
        body: document.to_string().into_bytes(),
    }
}
