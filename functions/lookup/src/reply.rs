//! Answers and problems as API Gateway takes them: status, headers, body.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::authorise::Auth;
use crate::event::Answer;
use crate::problem::{Code, Problem};

/// Lambda passes on 6 MB, escaped and wrapped (Lambda quotas, "invocation payload"); quotes and backslashes are few in names.
const MAX_BODY: usize = 5_000_000;

/// What a handler found: a body, and the cultures it is in.
#[derive(Debug)]
pub(crate) struct Reply {
    body: String,
    languages: BTreeSet<String>,
}

impl Reply {
    /// An answer in no language.
    pub(crate) fn json(answer: &impl Serialize) -> Result<Self, Problem> {
        let body = serde_json::to_string(answer).map_err(Problem::internal)?;
        if body.len() > MAX_BODY {
            let detail = "The answer is larger than 5 MB; ask for fewer ids at once.";
            return Err(Problem::new(Code::AnswerTooLarge, detail));
        }
        Ok(Self {
            body,
            languages: BTreeSet::new(),
        })
    }

    /// The same in these languages, for `Content-Language`.
    pub(crate) fn in_languages<'a>(self, languages: impl Iterator<Item = &'a str>) -> Self {
        Self {
            languages: languages.map(str::to_owned).collect(),
            ..self
        }
    }
}

/// The answer to a request that went well.
pub(crate) fn found(reply: Reply) -> Answer {
    // Asked again each time, until answers carry what tells one version from the next.
    let mut headers = headers("application/json", "no-cache");
    if !reply.languages.is_empty() {
        let languages: Vec<String> = reply.languages.into_iter().collect();
        headers.insert("content-language", languages.join(", "));
    }
    answer(200, headers, reply.body)
}

/// The answer to one that did not.
pub(crate) fn refused(problem: &Problem, auth: &Auth) -> Answer {
    let mut headers = headers("application/problem+json", "no-store");
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

fn headers(content_type: &str, cache_control: &str) -> BTreeMap<&'static str, String> {
    let headers = [
        ("content-type", content_type),
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

    #[test]
    fn an_answer_that_the_platform_would_drop_is_a_problem_instead() {
        assert!(Reply::json(&"x".repeat(MAX_BODY - 2)).is_ok());
        let problem = Reply::json(&"x".repeat(MAX_BODY)).unwrap_err();
        assert_eq!(problem.code(), Code::AnswerTooLarge);
    }
}
