//! The answer of a handler, and the response of an answer or a problem in the format of API Gateway: status, headers, body.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;
use taxonomy_keys::Version;
use taxonomy_runtime::http::{Accepted, Coding, Response, ResponseHeaders};

use crate::config::CacheControl;
use crate::request::Request;
use crate::request::auth::Auth;
use crate::request::event::Event;
use crate::request::language::Vary;
use crate::response::compression::{MAX_BODY, compressed};
use crate::response::etag::Tags;
use crate::response::fields::Selection;
use crate::response::problem::{Problem, ProblemCode};
use crate::snapshot::version_tag::VersionTag;

/// The longest body in the JSON of the response, in bytes. Lambda returns at most 6,291,556 bytes (Lambda quotas, "invocation payload") of that
/// JSON, in which the body is a string; the rest is for the headers.
const MAX_ESCAPED: usize = 6_000_000;
/// The maximum number of bytes of JSON for one byte of text: a control character, `\u0001`.
const LONGEST_ESCAPE: usize = 6;

/// The initial capacity of a body, in bytes: enough for most responses about one term. A buffer that grows is copied four times.
const USUAL_BODY: usize = 2048;

/// The longest `Link`, in bytes: API Gateway returns 10,240 bytes of headers. A longer one is omitted, since the body has the cursor as well.
const MAX_LINK: usize = 4096;
/// The characters of a query that are escaped in a reference: those outside of URIs (RFC 3986, section 2). Existing escapes are kept.
const OUTSIDE_URIS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The answer of a handler: a body, its languages, and its cacheability.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    body: String,
    /// `Content-Language`; empty for a response without names.
    languages: String,
    caching: Caching,
    /// `Taxonomy-Version`.
    version: Option<Version>,
    vary: Vary,
    next_cursor: Option<String>,
    /// `Retry-After` of a 202, in seconds; `None` for a 200.
    retry_after: Option<u32>,
    /// Whether a part of it was not read, because a file is gone or damaged: opened once more, it may be elsewhere.
    lacks_a_file: bool,
}

#[derive(Debug, Default)]
enum Caching {
    /// Not about a tenant, or not the response to a GET: without headers for caches.
    #[default]
    Unsaid,
    /// About a tenant, but not certainly the exact content of its version.
    Untagged,
    /// For this caller and this time only: it contains a capability.
    Unstored,
    /// Exact for its version: the same URL with the same tag has the same bytes.
    Tagged(Tags),
    /// The caller has the current response, with this `ETag`.
    Unchanged(String),
    /// The response that was sent before, with all its headers.
    Prepared(Arc<Response>),
}

impl Answer {
    /// Serialises a response without names and without headers for caches.
    pub(crate) fn json(answer: &impl Serialize) -> Result<Self, Problem> {
        let mut body = Vec::with_capacity(USUAL_BODY);
        serde_json::to_writer(&mut body, answer).map_err(Problem::internal)?;
        Ok(Self::text(String::from_utf8(body).map_err(Problem::internal)?))
    }

    /// A response of this JSON without names and without headers for caches.
    pub(crate) fn text(body: String) -> Self {
        Self {
            body,
            ..Self::default()
        }
    }

    /// Builds a 304 response with this `ETag`.
    pub(crate) fn unchanged(etag: String, tag: &VersionTag) -> Self {
        Self::without_content(Caching::Unchanged(etag)).about(tag)
    }

    /// Sends a response once more.
    pub(crate) fn prepared(response: Arc<Response>) -> Self {
        Self::without_content(Caching::Prepared(response))
    }

    fn without_content(caching: Caching) -> Self {
        Self {
            caching,
            ..Self::default()
        }
    }

    /// Marks the response to a GET as exactly that of a version, after all its data was read from the snapshot with this tag.
    pub(crate) fn tagged(mut self, tag: &VersionTag) -> Self {
        self.caching = Caching::Tagged(tag.tags.clone());
        self.about(tag)
    }

    /// Sets the version and the language of a response that no tag identifies.
    pub(crate) fn about(mut self, tag: &VersionTag) -> Self {
        self.vary = tag.vary;
        self.of_version(tag.version)
    }

    /// Marks the response to a GET whose data follow the version of the tenant after a delay, so that no tag identifies them.
    pub(crate) fn untagged(mut self) -> Self {
        self.caching = Caching::Untagged;
        self
    }

    /// Marks the response to a GET that no cache may store.
    pub(crate) fn unstored(mut self) -> Self {
        self.caching = Caching::Unstored;
        self
    }

    /// Marks a response of which a part could not be read: no cache may store it.
    pub(crate) fn without(mut self, unread: &Problem) -> Self {
        self.lacks_a_file = unread.is_of_a_file();
        self.unstored()
    }

    pub(crate) fn lacks_a_file(&self) -> bool {
        self.lacks_a_file
    }

    /// Makes it a 202: the requested download is being made.
    pub(crate) fn under_way(mut self, retry_after: u32) -> Self {
        self.retry_after = Some(retry_after);
        self
    }

    /// Sets the version that it is about, for `Taxonomy-Version`.
    pub(crate) fn of_version(mut self, version: Version) -> Self {
        self.version = Some(version);
        self
    }

    /// Names the next page of its list.
    pub(crate) fn followed_by(self, next_cursor: Option<String>) -> Self {
        Self { next_cursor, ..self }
    }

    /// Sets its languages, for `Content-Language`.
    pub(crate) fn in_languages<'a>(mut self, languages: impl IntoIterator<Item = &'a str>) -> Self {
        let mut languages: Vec<&str> = languages.into_iter().collect();
        languages.sort_unstable();
        languages.dedup();
        self.languages = languages.join(", ");
        self
    }

    /// Keeps the given fields alone.
    pub(crate) fn with_fields(self, fields: Option<&Selection>) -> Result<Self, Problem> {
        let Some(fields) = fields.filter(|_| !self.body.is_empty()) else {
            return Ok(self);
        };
        let body = fields.select(&self.body)?;
        Ok(Self { body, ..self })
    }
}

/// Returns the `Link` to the next page: the query of the request with this cursor; none where it is too long.
fn link(query: &str, cursor: &str) -> Option<String> {
    let others = query.split('&').filter(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && percent_encoding::percent_decode_str(name).ne(b"cursor".iter().copied())
    });
    let mut link = "<?".to_owned();
    for pair in others {
        link.extend(utf8_percent_encode(pair, OUTSIDE_URIS));
        link.push('&');
    }
    link.push_str("cursor=");
    link.push_str(cursor);
    link.push_str(">; rel=\"next\"");
    (link.len() <= MAX_LINK).then_some(link)
}

/// Returns whether Lambda returns a response with this body. Most bodies are so short that no escaping makes them too long, and are not scanned.
fn is_passed_on(body: &str) -> bool {
    body.len() <= MAX_ESCAPED / LONGEST_ESCAPE || escaped_len(body) <= MAX_ESCAPED
}

/// Returns the length of a text as JSON in bytes, its quotes included, as `serde_json` writes it for the runtime.
fn escaped_len(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => LONGEST_ESCAPE,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + "\"\"".len()
}

/// Builds the response of an answer to an event. That to a `request` about a tenant may be kept.
///
/// # Errors
/// `answer-too-large` where no coding that the request accepts makes the body small enough.
pub(crate) fn respond(
    answer: Answer,
    auth: &Auth,
    cache_control: &CacheControl,
    event: &Event,
    request: Option<&Request<'_>>,
) -> Result<Response, Problem> {
    let by_caller = *auth != Auth::None && !matches!(answer.caching, Caching::Unsaid);
    let vary = answer.vary.header(by_caller);
    let configured = || Cow::Owned(cache_control.as_str().to_owned());
    let (tags, cache_control) = match answer.caching {
        Caching::Prepared(response) => return Ok((*response).clone()),
        Caching::Unchanged(etag) => {
            let mut headers = headers_of(configured(), vary, answer.version);
            headers.insert("etag", etag.into());
            return Ok(response(304, headers, String::new(), false));
        }
        Caching::Unsaid | Caching::Untagged => (None, "no-cache".into()),
        Caching::Unstored => (None, "no-store".into()),
        Caching::Tagged(tags) => (Some(tags), configured()),
    };
    let mut headers = headers_of(cache_control, vary, answer.version);
    let (coding, body) = encoded(answer.body, event.headers.accepted())?;
    if let Some(tags) = &tags {
        headers.insert("etag", tags.with_coding(coding).into());
    }
    headers.insert("content-type", "application/json".into());
    if let Some(name) = coding.name() {
        headers.insert("content-encoding", name.into());
    }
    if !answer.languages.is_empty() {
        headers.insert("content-language", answer.languages.into());
    }
    let link = answer
        .next_cursor
        .and_then(|cursor| link(&event.raw_query_string, &cursor));
    if let Some(link) = link {
        headers.insert("link", link.into());
    }
    let status = match answer.retry_after {
        None => 200,
        Some(seconds) => {
            headers.insert("retry-after", seconds.to_string().into());
            202
        }
    };
    let response = response(status, headers, body, coding != Coding::Identity);
    if let Some((request, tags)) = request.zip(tags) {
        request.prepared.keep(request.key(tags), &response);
    }
    Ok(response)
}

/// Returns the headers that a 304 has as well.
fn headers_of(
    cache_control: Cow<'static, str>,
    vary: &'static str,
    version: Option<Version>,
) -> ResponseHeaders {
    let mut headers = headers(cache_control);
    headers.insert("vary", vary.into());
    if let Some(version) = version {
        headers.insert("taxonomy-version", version.get().to_string().into());
    }
    headers
}

/// Returns the body in the best coding that the request accepts and Lambda returns, compressed ones in base64.
fn encoded(body: String, accepted: Accepted) -> Result<(Coding, String), Problem> {
    for coding in accepted.order(body.len()) {
        if coding == Coding::Identity {
            match is_passed_on(&body) {
                true => return Ok((coding, body)),
                false => continue,
            }
        }
        if body.len() <= MAX_BODY
            && let Some(bytes) = compressed(body.as_bytes(), coding)?
            && bytes.len() <= MAX_ESCAPED / 4 * 3
        {
            return Ok((coding, STANDARD.encode(bytes)));
        }
    }
    Err(Problem::answer_too_large())
}

/// Builds the response of a problem.
pub(crate) fn refused(problem: &Problem, auth: &Auth) -> Response {
    let mut headers = headers("no-store".into());
    headers.insert("content-type", "application/problem+json".into());
    if let Some(allow) = problem.allow() {
        headers.insert("allow", allow.into());
    }
    match problem.code() {
        ProblemCode::NotAuthenticated => {
            headers.insert("www-authenticate", auth.challenge().into());
        }
        ProblemCode::UnsupportedMediaType => {
            headers.insert("accept", "application/json".into());
        }
        _ => {}
    }
    if let Some(seconds) = problem.code().retry_after() {
        headers.insert("retry-after", seconds.to_string().into());
    }
    // The document consists of strings and numbers, so serialising it cannot fail; with an empty body the status would still be right.
    let body = serde_json::to_string(&problem.document()).unwrap_or_default();
    response(problem.code().status(), headers, body, false)
}

fn headers(cache_control: Cow<'static, str>) -> ResponseHeaders {
    ResponseHeaders::from([
        ("cache-control", cache_control),
        ("x-content-type-options", "nosniff".into()),
    ])
}

fn response(status_code: u16, headers: ResponseHeaders, body: String, is_base64_encoded: bool) -> Response {
    Response {
        status_code,
        headers,
        body,
        is_base64_encoded,
    }
}

#[cfg(test)]
mod tests;
