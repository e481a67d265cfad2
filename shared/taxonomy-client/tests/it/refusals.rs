//! Tests of errors, and of the predicates on them.

use std::time::Duration;

use serde_json::json;
use taxonomy_client::{Auth, Client, ClientError, MAX_BODY, PageRequest, RetryPolicy};
use taxonomy_keys::TermId;
use taxonomy_testkit::fixtures::GLOBEX;

use crate::api::{API, Api, Fault, acme, category, term};

/// Status, and whether it is not found, unauthenticated, retryable.
fn questions(error: &ClientError) -> (Option<u16>, bool, bool, bool) {
    (
        error.status(),
        error.is_not_found(),
        error.is_unauthenticated(),
        error.is_retryable(),
    )
}

#[tokio::test]
async fn a_problem_of_the_service_keeps_all_its_parts() {
    let api = Api::new().await;
    let error = api.acme().term(term(7), None).await.unwrap_err();
    assert_eq!(questions(&error), (Some(404), true, false, false));
    let problem = error.problem().unwrap();
    let said = (problem.code(), &*problem.title);
    assert_eq!(said, ("term-not-found", "No such term"));
    assert_eq!(serde_json::to_string(problem).unwrap(), api.only().answer);
    let text = "term-not-found: No version of this taxonomy has had a term with this id.";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let api = Api::new().await;
    let (acme, globex) = (api.acme(), api.client().tenant(GLOBEX.parse().unwrap()));
    let page = PageRequest::default();
    let children = acme.children_page(TermId::MAX, None, &page);
    for (error, code) in [
        (globex.head().await.err(), "tenant-not-found"),
        (acme.category(category(7), None).await.err(), "category-not-found"),
        (acme.category_stats(category(7)).await.err(), "stats-not-found"),
        (children.await.err(), "term-not-found"),
    ] {
        let error = error.unwrap();
        assert_eq!(error.problem().unwrap().code(), code);
        assert!(error.is_not_found());
    }
}

/// A problem of the service with this code.
fn problem(status: u16, code: &str) -> Fault {
    let kind = format!("/problems/{code}");
    let document = json!({"type": kind, "title": "t", "status": status, "detail": "d"});
    Fault::answer(status, &document.to_string())
}

#[tokio::test]
async fn an_address_without_the_api_is_another_matter() {
    let api = Api::new().await;
    let elsewhere = Client::builder(format!("{API}/wrong")).connector(api.connector());
    let error = acme(&elsewhere.build().unwrap()).head().await.unwrap_err();
    assert_eq!(api.lines(), ["GET /wrong/v1/tenants/acme"]);
    assert_eq!(questions(&error), (Some(404), false, false, false));
    assert_eq!(error.to_string(), "API Gateway answered 404: Not Found");
    let error = api.failed(problem(404, "route-not-found")).await;
    assert!(!error.is_not_found());
}

#[tokio::test]
async fn a_caller_who_is_not_let_in_has_to_sign_in() {
    let api = Api::new().await;
    let unsigned = Client::builder(API).connector(api.connector()).build().unwrap();
    for (error, status) in [
        (acme(&unsigned).head().await.unwrap_err(), 403),
        (api.failed(Fault::message(401, "Unauthorized")).await, 401),
        (api.failed(problem(401, "not-authenticated")).await, 401),
    ] {
        assert_eq!(questions(&error), (Some(status), false, true, false));
    }
}

#[tokio::test]
async fn other_answers_show_nothing_of_their_body_and_messages_are_short_and_printable() {
    let api = Api::new().await;
    let once = RetryPolicy {
        attempts: 1,
        ..RetryPolicy::default()
    };
    for (status, body) in [
        (400, "<html>secret</html>"),
        (502, "secret"),
        (404, ""),
        (204, ""),
        (500, r#"{"messages":"secret"}"#),
    ] {
        let acme = api.acme_by(|builder| builder.retry(once));
        api.inject([Fault::answer(status, body)]);
        let error = acme.head().await.unwrap_err();
        assert!(matches!(error, ClientError::UnknownAnswer { .. }), "{error:?}");
        assert_eq!(error.status(), Some(status));
        let text = format!("{API} answered {status}, and not as this API does");
        assert_eq!(error.to_string(), text);
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
    let api = Api::new().await;
    let long = format!("a\u{1b}[31m\n{}", "x".repeat(1_000));
    let error = api.failed(Fault::message(400, &long)).await;
    let ClientError::Gateway { message, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(message, format!("a [31m {}", "x".repeat(293)));
}

#[tokio::test]
async fn an_answer_of_another_form_names_the_place_and_not_the_text() {
    let api = Api::new().await;
    for (body, place) in [
        ("{\n  \"tenant\": \"not/secret\"}", "line 2, column 25"),
        ("{\"tenant\":\"acme\",\"version\":\"secret\"", "line 1, column 35"),
        ("<html>secret", "line 1, column 1"),
        ("", "line 1, column 0"),
    ] {
        let error = api.failed(Fault::body(body)).await;
        let text = format!("the answer to /v1/tenants/acme does not have the form of this route ({place})");
        assert_eq!(error.to_string(), text);
        assert!(!format!("{error:?}").contains("secret"));
        assert_eq!(questions(&error), (None, false, false, false));
    }
}

#[tokio::test]
async fn a_body_has_at_most_eight_mib() {
    let api = Api::new().await;
    let page = PageRequest::default();
    let body = |bytes: usize| r#"{"items":[]}"#.to_owned() + &" ".repeat(bytes - 12);
    api.inject([Fault::body(body(MAX_BODY))]);
    assert!(api.acme().categories_page(None, &page).await.is_ok());
    // With a stated length, and without one.
    for fault in [Fault::body(body(MAX_BODY + 1)), Fault::Endless(MAX_BODY + 1)] {
        api.inject([fault]);
        let error = api.acme().categories_page(None, &page).await.unwrap_err();
        assert_eq!(error.to_string(), "the answer has more than 8388608 bytes");
    }
    api.inject([Fault::Endless(MAX_BODY)]);
    let error = api.acme().categories_page(None, &page).await.unwrap_err();
    assert!(matches!(error, ClientError::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn settings_that_no_request_can_use_are_refused() {
    let address = "an address is written https://host, https://host:8443 or https://host/path";
    let exposed = "a bearer token is not sent over plain http to another machine";
    let builder = || Client::builder(API);
    let by_token = || builder().auth(Auth::bearer("t"));
    let two_hours = RetryPolicy {
        operation: Duration::from_secs(7_200),
        ..RetryPolicy::default()
    };
    let (below, times) = ("connect_to has no path", "times are above 0 and at most an hour");
    let over_http = Client::builder("http://example.org").auth(Auth::bearer("t"));
    for (builder, expect) in [
        (Client::builder("example.org"), address),
        (builder().connect_to("localhost"), address),
        (builder().connect_to("http://localhost/x"), below),
        (builder().user_agent("a\nb"), "a user agent is printable ASCII"),
        (builder().retry(two_hours), times),
        (over_http, exposed),
        (by_token().connect_to("http://10.0.0.1"), exposed),
    ] {
        assert_eq!(builder.build().unwrap_err().to_string(), expect);
    }
    assert!(by_token().connect_to("http://127.0.0.1:4566").build().is_ok());
}
