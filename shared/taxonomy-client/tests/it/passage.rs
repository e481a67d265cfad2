//! Requests that are handed on as they came, and their answers as they are.

use serde_json::Value;
use taxonomy_client::{ClientError, MAX_TARGET, RawResponse};

use crate::api::{Api, Fault};

fn header<'p>(passed: &'p RawResponse, name: &str) -> Option<&'p str> {
    let found = passed.headers.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str())
}

#[tokio::test]
async fn a_request_is_signed_and_its_answer_handed_back_whole() {
    let api = Api::new().await;
    let client = api.client();
    let (path, query) = ("/v1/tenants/acme/terms/101", "culture=fr-FR");
    let passed = client.pass(path, query, Vec::new()).await.unwrap();
    assert_eq!(passed.status, 200);
    let seen = api.only();
    let line = format!("{} {}", seen.method, seen.target());
    assert_eq!(line, format!("GET {path}?{query}"));
    let authorization = seen.header("authorization").unwrap();
    assert!(authorization.starts_with("AWS4-HMAC-SHA256 Credential="));
    assert_eq!(String::from_utf8(passed.body.clone()).unwrap(), seen.answer);
    assert_eq!(header(&passed, "taxonomy-version"), Some("1"));
    let tag = header(&passed, "etag").unwrap().to_owned();
    let again = client.pass(path, query, vec![("if-none-match", tag)]);
    let again = again.await.unwrap();
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[tokio::test]
async fn an_answer_of_any_status_is_an_answer_and_asked_for_once() {
    let api = Api::new().await;
    let client = api.client();
    let missing = client.pass("/v1/tenants/acme/terms/9", "", Vec::new()).await;
    let missing = missing.unwrap();
    let problem: Value = serde_json::from_slice(&missing.body).unwrap();
    let said = (missing.status, problem["type"].as_str());
    assert_eq!(said, (404, Some("/problems/term-not-found")));
    for status in [401, 403, 429, 500, 503] {
        api.inject([Fault::message(status, "no")]);
        drop(api.seen());
        let passed = client.pass("/v1/tenants/acme", "", Vec::new()).await.unwrap();
        let found = (passed.status, str::from_utf8(&passed.body).unwrap());
        assert_eq!(found, (status, r#"{"message":"no"}"#));
        api.only();
    }
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_an_error_within_bounds() {
    let api = Api::new().await;
    let client = api.client();
    for (fault, expect) in [
        (Fault::Drop, "transport"),
        (Fault::TornBody, "transport"),
        (Fault::Hang, "timeout"),
        (Fault::HungBody, "timeout"),
        (Fault::Endless(64 << 20), "too large"),
    ] {
        api.inject([fault.clone()]);
        let error = client.pass("/v1/tenants/acme", "", Vec::new()).await.unwrap_err();
        let kind = match error {
            ClientError::Transport { .. } => "transport",
            ClientError::Timeout { .. } => "timeout",
            ClientError::TooLarge { .. } => "too large",
            _ => "another",
        };
        assert_eq!(kind, expect, "{fault:?}");
    }
}

#[tokio::test]
async fn what_would_leave_the_api_is_not_sent() {
    let api = Api::new().await;
    let long = "x".repeat(MAX_TARGET);
    for (path, query) in [("/v1/../other", ""), ("/v1/x", long.as_str()), ("/v1/x", "q=%")] {
        let error = api.client().pass(path, query, Vec::new()).await.unwrap_err();
        assert!(matches!(error, ClientError::Configuration(_)), "{path}: {error}");
    }
    assert_eq!(api.seen().len(), 0);
}
