//! Where the explorer's requests for `/v1/` are answered: by the API of a stack, or by the lookup's own code over a version in memory.

use lookup::{Event, Lookup};
use percent_encoding::percent_decode_str;
use serde_json::json;
use taxonomy_client::{Client, ClientError};

/// The headers of a request that are handed on.
pub(crate) const ASKED: [&str; 5] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "if-none-match",
    "taxonomy-debug",
];

/// The headers of an answer that are handed on. Others speak of the connection, of sessions, or of other sites.
const ANSWERED: [&str; 13] = [
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
pub(crate) enum Source {
    /// The API of a stack, asked with the identity of the command.
    Stack(Client),
    /// A version in memory.
    Preview(Box<Lookup>),
}

/// A request for a path of the API.
#[derive(Debug)]
pub(crate) struct Question {
    /// As it was sent.
    pub(crate) path: String,
    pub(crate) query: String,
    /// Those of [`ASKED`] that it has.
    pub(crate) headers: Vec<(&'static str, String)>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Source {
    /// Answers a request. A stack that does not answer is a problem of status 502 or 504; a request that cannot be handed on is one of 400.
    pub(crate) async fn answer(&self, question: Question) -> Reply {
        match self {
            Self::Stack(client) => of_stack(client, question).await,
            Self::Preview(lookup) => of_preview(lookup, question).await,
        }
    }
}

async fn of_stack(client: &Client, question: Question) -> Reply {
    let Question { path, query, headers } = question;
    match client.pass(&path, &query, headers).await {
        Ok(passed) => Reply {
            status: passed.status,
            headers: handed_on(passed.headers.into_iter()),
            body: passed.body,
        },
        Err(ClientError::Configuration(reason)) => problem(400, "Bad request", reason),
        Err(ClientError::Timeout { .. }) => {
            problem(504, "Gateway timeout", "The stack did not answer in time.")
        }
        // The causes may name hosts and credentials; the page shows a sentence, the terminal the rest.
        Err(error) => {
            anstream::eprintln!("{}", taxonomy_protocol::causes(&error));
            problem(
                502,
                "Bad gateway",
                "The stack could not be asked; the terminal of `taxonomy explore` says why.",
            )
        }
    }
}

async fn of_preview(lookup: &Lookup, question: Question) -> Reply {
    // As API Gateway does; the lookup refuses what a slash could hide in.
    let Ok(path) = percent_decode_str(&question.path).decode_utf8() else {
        return problem(400, "Bad request", "The path is no text.");
    };
    // An answer on this machine is not worth compressing.
    let headers = question
        .headers
        .iter()
        .filter(|(name, _)| *name != "accept-encoding");
    let headers: serde_json::Map<String, serde_json::Value> = headers
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let event = json!({
        "rawPath": path, "rawQueryString": question.query, "headers": headers,
        "requestContext": { "http": { "method": "GET" } },
    });
    let Ok(event) = serde_json::from_value::<Event>(event) else {
        return problem(400, "Bad request", "The request cannot be read.");
    };
    let answer = lookup.answer(&event).await;
    let headers = answer
        .headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Reply {
        status: answer.status_code,
        headers: handed_on(headers),
        body: answer.body.into_bytes(),
    }
}

fn handed_on(headers: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let is_known = |name: &str| ANSWERED.iter().any(|known| name.eq_ignore_ascii_case(known));
    headers.filter(|(name, _)| is_known(name)).collect()
}

/// A problem document (RFC 9457) of the local server itself.
pub(crate) fn problem(status: u16, title: &str, detail: &str) -> Reply {
    let document = json!({ "type": "about:blank", "title": title, "status": status, "detail": detail });
    Reply {
        status,
        headers: vec![
            ("content-type".to_owned(), "application/problem+json".to_owned()),
            ("cache-control".to_owned(), "no-store".to_owned()),
        ],
        body: document.to_string().into_bytes(),
    }
}
