//! Answers and problems as API Gateway takes them: status, headers, body.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;
use taxonomy_http::{Accepted, Coding};
use taxonomy_keys::{Culture, Version};

use crate::authorise::Auth;
use crate::compression::compressed;
use crate::conditional::Tags;
use crate::config::CacheControl;
use crate::event::Answer;
use crate::fields::Fields;
use crate::problem::{Code, Problem};
use crate::serving::Edition;

/// Lambda passes on 6,291,556 bytes (Lambda quotas, "invocation payload") of the answer as JSON, in which the body is a text; what is left
/// is for the headers.
const MAX_ESCAPED: usize = 6_000_000;
/// The most bytes that a byte of text becomes in JSON: a control character, `\u0001`.
const LONGEST_ESCAPE: usize = 6;
/// The longest body that is compressed, and that `fields=` writes: more is more than the function's memory and time are for.
pub(crate) const MAX_BODY: usize = 16_000_000;

/// Bytes that hold most answers about one term: a buffer that grows is copied four times on the way.
const USUAL_BODY: usize = 2048;

/// API Gateway passes on 10,240 bytes of headers; a longer `Link` is left out, since the body has the cursor as well.
const MAX_LINK: usize = 4096;
/// Of a query that is written as a reference, these characters are escaped: those that no URI has (RFC 3986, section 2). Escapes stay as they are.
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

/// What a handler found: a body, the cultures it is in, and what caches may do with it.
#[derive(Debug)]
pub(crate) struct Reply {
    body: String,
    /// `Content-Language`; empty where the answer is in none.
    languages: String,
    caching: Caching,
    /// `Taxonomy-Version`.
    version: Option<Version>,
    vary: Vary,
    /// The culture that `Accept-Language` chose.
    chosen: Option<Culture>,
    link: Option<String>,
    /// `Retry-After` of a 202, in seconds; `None` for a 200.
    retry_after: Option<u32>,
}

#[derive(Debug)]
enum Caching {
    /// Of no tenant, or no answer to a GET.
    Unsaid,
    /// Of a tenant, but perhaps not exactly what its version says.
    Untagged,
    /// For the caller alone, and once: it holds a right of its own.
    Unstored,
    /// Exactly that, with the tag of the view: the same URL with the same tag is the same bytes.
    Tagged(String),
    /// The caller has it, with this `ETag`.
    Unchanged(String),
}

/// The headers of the request, beside the caller's identity, that the answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vary {
    Encoding,
    EncodingAndLanguage,
}

impl Reply {
    /// An answer in no language, of which caches are told nothing.
    pub(crate) fn json(answer: &impl Serialize) -> Result<Self, Problem> {
        let mut body = Vec::with_capacity(USUAL_BODY);
        serde_json::to_writer(&mut body, answer).map_err(Problem::internal)?;
        let body = String::from_utf8(body).map_err(Problem::internal)?;
        Ok(Self::new(body, Caching::Unsaid))
    }

    /// Builds a 304 response with this `ETag`.
    pub(crate) fn unchanged(etag: String) -> Self {
        Self::new(String::new(), Caching::Unchanged(etag))
    }

    fn new(body: String, caching: Caching) -> Self {
        Self {
            body,
            languages: String::new(),
            caching,
            version: None,
            vary: Vary::Encoding,
            chosen: None,
            link: None,
            retry_after: None,
        }
    }

    /// The answer to a GET, after everything in it was read through `view`.
    pub(crate) fn of(self, edition: Edition) -> Self {
        let caching = match edition.tag {
            Some(tag) => Caching::Tagged(tag),
            None => Caching::Untagged,
        };
        Self { caching, ..self }.of_version(edition.version)
    }

    /// The answer to a GET about a tenant that follows its version by a moment, so that no tag can stand for it.
    pub(crate) fn untagged(self) -> Self {
        Self {
            caching: Caching::Untagged,
            ..self
        }
    }

    /// The answer to a GET that no cache may store.
    pub(crate) fn unstored(self) -> Self {
        Self {
            caching: Caching::Unstored,
            ..self
        }
    }

    /// The same as a 202: what is asked for is under way.
    pub(crate) fn under_way(self, retry_after: u32) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..self
        }
    }

    /// The same with the version that it is about, for `Taxonomy-Version`.
    pub(crate) fn of_version(self, version: Option<Version>) -> Self {
        Self { version, ..self }
    }

    /// The same in these languages, for `Content-Language`.
    pub(crate) fn in_languages<'a>(self, languages: impl Iterator<Item = &'a str>) -> Self {
        let mut languages: Vec<&str> = languages.collect();
        languages.sort_unstable();
        languages.dedup();
        Self {
            languages: languages.join(", "),
            ..self
        }
    }

    /// The same, which depends on these headers and is in the culture that one of them chose.
    pub(crate) fn chosen_by(self, vary: Vary, chosen: Option<Culture>) -> Self {
        Self { vary, chosen, ..self }
    }

    /// The same with these fields alone.
    pub(crate) fn with_fields(self, fields: &Fields) -> Result<Self, Problem> {
        if self.body.is_empty() {
            return Ok(self);
        }
        let body = fields.of(&self.body)?;
        Ok(Self { body, ..self })
    }

    /// The same as a page before another one: the request with this query has it under the same query and this cursor.
    pub(crate) fn followed_by(self, query: &str, cursor: &str) -> Self {
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
        let link = (link.len() <= MAX_LINK).then_some(link);
        Self { link, ..self }
    }
}

/// Whether Lambda passes on an answer with this body. Most are so short that no escaping makes them too long, and are not looked through.
fn is_passed_on(body: &str) -> bool {
    body.len() <= MAX_ESCAPED / LONGEST_ESCAPE || escaped_len(body) <= MAX_ESCAPED
}

/// The bytes of a text as JSON, its quotes included: as `serde_json` writes it for the runtime.
fn escaped_len(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0..0x20 => LONGEST_ESCAPE,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + "\"\"".len()
}

/// How answers are sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sending<'a> {
    pub(crate) auth: &'a Auth,
    pub(crate) cache_control: &'a CacheControl,
    /// By `Accept-Encoding` of the request.
    pub(crate) accepted: Accepted,
}

/// The answer to a request that went well.
///
/// # Errors
/// `answer-too-large` where the body fits in no form that the request accepts.
pub(crate) fn found(reply: Reply, sending: Sending<'_>) -> Result<Answer, Problem> {
    let mut headers = headers_of(&reply, sending);
    let view = match reply.caching {
        Caching::Unsaid | Caching::Untagged | Caching::Unstored => None,
        Caching::Tagged(view) => Some(view),
        Caching::Unchanged(etag) => {
            headers.insert("etag", etag);
            return Ok(answer(304, headers, String::new(), false));
        }
    };
    let (coding, body) = encoded(reply.body, sending.accepted)?;
    if let Some(view) = view {
        headers.insert("etag", Tags::new(&view, reply.chosen.as_ref()).of(coding));
    }
    headers.insert("content-type", "application/json".to_owned());
    if let Some(name) = coding.name() {
        headers.insert("content-encoding", name.to_owned());
    }
    if !reply.languages.is_empty() {
        headers.insert("content-language", reply.languages);
    }
    if let Some(link) = reply.link {
        headers.insert("link", link);
    }
    let status = match reply.retry_after {
        None => 200,
        Some(seconds) => {
            headers.insert("retry-after", seconds.to_string());
            202
        }
    };
    Ok(answer(status, headers, body, coding != Coding::Identity))
}

/// The headers that a 304 has as well.
fn headers_of(reply: &Reply, sending: Sending<'_>) -> BTreeMap<&'static str, String> {
    let cache_control = match reply.caching {
        Caching::Unsaid | Caching::Untagged => "no-cache",
        Caching::Unstored => "no-store",
        Caching::Tagged(_) | Caching::Unchanged(_) => sending.cache_control.as_str(),
    };
    let mut headers = headers(cache_control);
    let by_caller = *sending.auth != Auth::None && !matches!(reply.caching, Caching::Unsaid);
    let vary = match (by_caller, reply.vary) {
        (true, Vary::Encoding) => "Authorization, Accept-Encoding",
        (true, Vary::EncodingAndLanguage) => "Authorization, Accept-Encoding, Accept-Language",
        (false, Vary::Encoding) => "Accept-Encoding",
        (false, Vary::EncodingAndLanguage) => "Accept-Encoding, Accept-Language",
    };
    headers.insert("vary", vary.to_owned());
    if let Some(version) = reply.version {
        headers.insert("taxonomy-version", version.get().to_string());
    }
    headers
}

/// The best form of a body that the request accepts and Lambda passes on, compressed ones in base64.
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

/// The answer to `HEAD`: the headers of that to `GET`, with the length of its body.
pub(crate) fn without_body(answer: Answer) -> Answer {
    let mut headers = answer.headers;
    if answer.status_code != 304 {
        let padding = answer.body.bytes().rev().take_while(|byte| *byte == b'=').count();
        let octets = match answer.is_base64_encoded {
            true => answer.body.len() / 4 * 3 - padding,
            false => answer.body.len(),
        };
        headers.insert("content-length", octets.to_string());
    }
    self::answer(answer.status_code, headers, String::new(), false)
}

/// The answer to one that did not.
pub(crate) fn refused(problem: &Problem, auth: &Auth) -> Answer {
    let mut headers = headers("no-store");
    headers.insert("content-type", "application/problem+json".to_owned());
    if let Some(allow) = problem.allow() {
        headers.insert("allow", allow);
    }
    match problem.code() {
        Code::NotAuthenticated => drop(headers.insert("www-authenticate", auth.challenge().to_owned())),
        Code::UnsupportedMediaType => drop(headers.insert("accept", "application/json".to_owned())),
        _ => {}
    }
    if let Some(seconds) = problem.code().retry_after() {
        headers.insert("retry-after", seconds.to_string());
    }
    // Texts and numbers alone: it cannot fail, and an empty body with the right status would still be an answer.
    let body = serde_json::to_string(&problem.document()).unwrap_or_default();
    answer(problem.code().status(), headers, body, false)
}

fn headers(cache_control: &str) -> BTreeMap<&'static str, String> {
    let headers = [
        ("cache-control", cache_control),
        ("x-content-type-options", "nosniff"),
    ];
    headers.map(|(name, value)| (name, value.to_owned())).into()
}

fn answer(
    status_code: u16,
    headers: BTreeMap<&'static str, String>,
    body: String,
    is_base64_encoded: bool,
) -> Answer {
    Answer {
        status_code,
        headers,
        body,
        is_base64_encoded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented limit of Lambda.
    const PASSED_ON: usize = 6_291_556;

    fn sent(reply: Reply, accept_encoding: Option<&str>) -> Result<Answer, Problem> {
        let sending = Sending {
            auth: &Auth::Iam,
            cache_control: &CacheControl::default(),
            accepted: Accepted::by(accept_encoding),
        };
        found(reply, sending)
    }

    fn code(answer: &str) -> Result<(), Code> {
        let sent = sent(Reply::json(&answer).unwrap(), None);
        let answer = sent.map_err(|problem| problem.code())?;
        assert!(serde_json::to_vec(&answer).unwrap().len() <= PASSED_ON);
        Ok(())
    }

    #[test]
    fn an_answer_that_the_platform_would_drop_is_a_problem_instead() {
        // Around the text stand its own quotes, each two bytes in the response, and those of the body.
        let most = MAX_ESCAPED - 6;
        assert_eq!(code(&"x".repeat(most)), Ok(()));
        assert_eq!(code(&"x".repeat(most + 1)), Err(Code::AnswerTooLarge));
    }

    /// A quote is two bytes in the answer, and four where the answer is a text in the response.
    #[test]
    fn the_limit_holds_for_the_answer_as_it_is_sent() {
        assert_eq!(code(&"\"".repeat(2_500_000)), Err(Code::AnswerTooLarge), "5 MB");
        let most = (MAX_ESCAPED - 6) / 4;
        assert_eq!(code(&"\"".repeat(most)), Ok(()));
        assert_eq!(code(&"\"".repeat(most + 1)), Err(Code::AnswerTooLarge));
        assert_eq!(code(&"\\".repeat(most + 1)), Err(Code::AnswerTooLarge));
        // Seven bytes each: a backslash, escaped, and five digits and letters.
        assert_eq!(code(&"\u{1}".repeat(most)), Err(Code::AnswerTooLarge));
        assert_eq!(code(&"\u{1}".repeat((MAX_ESCAPED - 6) / 7)), Ok(()));
    }

    #[test]
    fn a_body_that_fits_compressed_alone_is_sent_so_and_never_in_base64_as_it_is() {
        let body = "\"".repeat(5_000_000);
        for (accept, expect) in [
            (Some("gzip"), Ok("gzip")),
            (Some("br"), Ok("br")),
            (Some("identity, br;q=0.001"), Ok("br")),
            (Some("identity"), Err(Code::AnswerTooLarge)),
            (None, Err(Code::AnswerTooLarge)),
        ] {
            let sent = sent(Reply::json(&body).unwrap(), accept);
            let coding = sent.as_ref().map(|answer| &*answer.headers["content-encoding"]);
            assert_eq!(coding.map_err(Problem::code), expect, "{accept:?}");
            assert!(sent.is_ok_and(|answer| answer.is_base64_encoded) == expect.is_ok());
        }
    }

    /// The limit of a body that compression does not make smaller is that of its base64.
    #[test]
    fn a_body_that_no_coding_makes_fit_is_too_large() {
        let mut state = 1_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'0' + u8::try_from(state >> 58).unwrap())
        };
        let body: String = (0..6_500_000).map(|_| noise()).collect();
        let refused = sent(Reply::json(&body).unwrap(), Some("gzip")).unwrap_err();
        assert_eq!(refused.code(), Code::AnswerTooLarge);
        let longer = "x".repeat(MAX_BODY + 1);
        let refused = sent(Reply::json(&longer).unwrap(), Some("gzip, br")).unwrap_err();
        assert_eq!(refused.code(), Code::AnswerTooLarge);
    }

    #[test]
    fn the_next_page_has_the_same_query_and_its_own_cursor() {
        let link = |query: &str, cursor: &str| {
            let reply = Reply::json(&0).unwrap().followed_by(query, cursor);
            sent(reply, None).unwrap().headers.remove("link")
        };
        for (query, expect) in [
            ("", "<?cursor=c>; rel=\"next\""),
            ("limit=1", "<?limit=1&cursor=c>; rel=\"next\""),
            (
                "cursor=b&limit=1&culture=fr",
                "<?limit=1&culture=fr&cursor=c>; rel=\"next\"",
            ),
            ("%63ursor=b&x&&", "<?x&cursor=c>; rel=\"next\""),
            ("a=%3C+b", "<?a=%3C+b&cursor=c>; rel=\"next\""),
            ("a=<>\"\u{1}é", "<?a=%3C%3E%22%01%C3%A9&cursor=c>; rel=\"next\""),
        ] {
            assert_eq!(link(query, "c").as_deref(), Some(expect), "{query}");
        }
        assert_eq!(link(&"x".repeat(MAX_LINK), "c"), None);
    }

    #[test]
    fn head_has_the_length_of_the_body_and_no_body() {
        for bytes in 2000..2006 {
            for accept in [None, Some("gzip"), Some("br")] {
                let answer = sent(Reply::json(&"x".repeat(bytes)).unwrap(), accept).unwrap();
                let octets = match answer.is_base64_encoded {
                    true => STANDARD.decode(&answer.body).unwrap().len(),
                    false => answer.body.len(),
                };
                let head = without_body(answer.clone());
                assert_eq!(head.headers["content-length"], octets.to_string());
                assert_eq!((&*head.body, head.is_base64_encoded), ("", false));
                let mut headers = head.headers;
                headers.remove("content-length");
                assert_eq!((head.status_code, headers), (answer.status_code, answer.headers));
            }
        }
    }

    #[test]
    fn the_escaped_length_is_that_of_the_serialiser() {
        for text in [
            String::new(),
            "é\u{7f}\u{2028}\u{1f600}/".to_owned(),
            (0..=0x7f_u8).map(char::from).collect(),
        ] {
            let serialised = serde_json::to_string(&text).unwrap();
            assert_eq!(escaped_len(&text), serialised.len(), "{text}");
        }
    }
}
