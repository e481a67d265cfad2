//! Answers and problems as API Gateway takes them: status, headers, body.

use std::collections::BTreeMap;

use serde::Serialize;
use taxonomy_cache::View;

use crate::authorise::Auth;
use crate::conditional::{etag, names};
use crate::config::CacheControl;
use crate::event::Answer;
use crate::problem::{Code, Problem};

/// Lambda passes on 6,291,556 bytes (Lambda quotas, "invocation payload") of the answer as JSON, in which the body is a text; what is left
/// is for the headers.
const MAX_ESCAPED: usize = 6_000_000;
/// The most bytes that a byte of text becomes in JSON: a control character, `\u0001`.
const LONGEST_ESCAPE: usize = 6;

/// Bytes that hold most answers about one term: a buffer that grows is copied four times on the way.
const USUAL_BODY: usize = 2048;

/// What a handler found: a body, the cultures it is in, and what caches may do with it.
#[derive(Debug)]
pub(crate) struct Reply {
    body: String,
    /// `Content-Language`; empty where the answer is in none.
    languages: String,
    caching: Caching,
}

#[derive(Debug)]
enum Caching {
    /// Of no tenant, or no answer to a GET.
    Unsaid,
    /// Of a tenant, but perhaps not exactly what its version says.
    Untagged,
    /// Exactly that: the same URL with the same tag is the same bytes.
    Tagged(String),
    /// The caller has it.
    Unchanged(String),
}

impl Reply {
    /// An answer in no language, of which caches are told nothing.
    pub(crate) fn json(answer: &impl Serialize) -> Result<Self, Problem> {
        let mut body = Vec::with_capacity(USUAL_BODY);
        serde_json::to_writer(&mut body, answer).map_err(Problem::internal)?;
        let body = String::from_utf8(body).map_err(Problem::internal)?;
        if !is_passed_on(&body) {
            let detail = "The answer is larger than 6 MB; ask for fewer ids at once.";
            return Err(Problem::new(Code::AnswerTooLarge, detail));
        }
        Ok(Self {
            body,
            languages: String::new(),
            caching: Caching::Unsaid,
        })
    }

    /// Nothing but that the caller has what would be answered, if one of its tags says so.
    pub(crate) fn unchanged(view: &View, if_none_match: &str) -> Option<Self> {
        let current = etag(&view.tag()?);
        names(if_none_match, &current).then(|| Self {
            body: String::new(),
            languages: String::new(),
            caching: Caching::Unchanged(current),
        })
    }

    /// The answer to a GET, after everything in it was read through `view`.
    pub(crate) fn of(self, view: &View) -> Self {
        let caching = match view.tag() {
            Some(tag) => Caching::Tagged(etag(&tag)),
            None => Caching::Untagged,
        };
        Self { caching, ..self }
    }

    /// The answer to a GET about a tenant that follows its version by a moment, so that no tag can stand for it.
    pub(crate) fn untagged(self) -> Self {
        Self {
            caching: Caching::Untagged,
            ..self
        }
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

/// The answer to a request that went well.
pub(crate) fn found(reply: Reply, auth: &Auth, cache_control: &CacheControl) -> Answer {
    let cache_control = match &reply.caching {
        Caching::Unsaid | Caching::Untagged => "no-cache",
        Caching::Tagged(_) | Caching::Unchanged(_) => cache_control.as_str(),
    };
    let mut headers = headers(cache_control);
    if *auth != Auth::None && !matches!(reply.caching, Caching::Unsaid) {
        headers.insert("vary", "Authorization".to_owned());
    }
    match reply.caching {
        Caching::Unsaid | Caching::Untagged => {}
        Caching::Tagged(tag) => drop(headers.insert("etag", tag)),
        Caching::Unchanged(tag) => {
            headers.insert("etag", tag);
            return answer(304, headers, reply.body);
        }
    }
    headers.insert("content-type", "application/json".to_owned());
    if !reply.languages.is_empty() {
        headers.insert("content-language", reply.languages);
    }
    answer(200, headers, reply.body)
}

/// The answer to one that did not.
pub(crate) fn refused(problem: &Problem, auth: &Auth) -> Answer {
    let mut headers = headers("no-store");
    headers.insert("content-type", "application/problem+json".to_owned());
    if let Some(allow) = problem.allow() {
        headers.insert("allow", allow.to_owned());
    }
    match problem.code() {
        Code::NotAuthenticated => drop(headers.insert("www-authenticate", auth.challenge().to_owned())),
        Code::UpstreamUnavailable => drop(headers.insert("retry-after", "1".to_owned())),
        _ => {}
    }
    // Texts and numbers alone: it cannot fail, and an empty body with the right status would still be an answer.
    let body = serde_json::to_string(&problem.document()).unwrap_or_default();
    answer(problem.code().status(), headers, body)
}

fn headers(cache_control: &str) -> BTreeMap<&'static str, String> {
    let headers = [
        ("cache-control", cache_control),
        ("x-content-type-options", "nosniff"),
    ];
    headers.map(|(name, value)| (name, value.to_owned())).into()
}

fn answer(status_code: u16, headers: BTreeMap<&'static str, String>, body: String) -> Answer {
    Answer {
        status_code,
        headers,
        body,
        is_base64_encoded: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented limit of Lambda.
    const PASSED_ON: usize = 6_291_556;

    fn code(answer: &str) -> Result<(), Code> {
        let reply = Reply::json(&answer).map_err(|problem| problem.code())?;
        let answer = found(reply, &Auth::Iam, &CacheControl::default());
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
