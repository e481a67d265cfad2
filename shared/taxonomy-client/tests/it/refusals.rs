//! Tests of errors, and of the predicates on them.

use std::time::Duration;

use taxonomy_client::{Auth, Client, ClientError, MAX_BODY, RetryPolicy};
use taxonomy_keys::TermId;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::api::{API, Api, Fault};
use crate::routes::{category, term};

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
    assert_eq!(
        (problem.code(), &*problem.title),
        ("term-not-found", "No such term")
    );
    let answered = &api.seen()[0].answer;
    assert_eq!(serde_json::to_string(problem).unwrap(), *answered);
    assert_eq!(
        error.to_string(),
        "term-not-found: No version of this taxonomy has had a term with this id."
    );
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let api = Api::new().await;
    let (acme, globex) = (api.acme(), api.client().tenant(GLOBEX.parse().unwrap()));
    for (error, code) in [
        (globex.head().await.unwrap_err(), "tenant-not-found"),
        (
            acme.category(category(7), None).await.unwrap_err(),
            "category-not-found",
        ),
        (
            acme.category_stats(category(7)).await.unwrap_err(),
            "stats-not-found",
        ),
        (
            acme.children_page(TermId::MAX, None, &Default::default())
                .await
                .unwrap_err(),
            "term-not-found",
        ),
    ] {
        assert_eq!(error.problem().unwrap().code(), code);
        assert!(error.is_not_found());
    }
}

#[tokio::test]
async fn an_address_without_the_api_is_another_matter() {
    let api = Api::new().await;
    let elsewhere = Client::builder(format!("{API}/wrong"))
        .connector(api.connector())
        .build()
        .unwrap();
    let error = elsewhere.tenant(ACME.parse().unwrap()).head().await.unwrap_err();
    assert_eq!(api.lines(), ["GET /wrong/v1/tenants/acme"]);
    assert_eq!(questions(&error), (Some(404), false, false, false));
    assert_eq!(error.to_string(), "API Gateway answered 404: Not Found");
    let document = r#"{"type":"/problems/route-not-found","title":"t","status":404,"detail":"d"}"#;
    api.inject([Fault::Response(404, Vec::new(), document.to_owned())]);
    assert!(!api.acme().head().await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_caller_who_is_not_let_in_has_to_sign_in() {
    let api = Api::new().await;
    let unsigned = Client::builder(API).connector(api.connector()).build().unwrap();
    let error = unsigned.tenant(ACME.parse().unwrap()).head().await.unwrap_err();
    assert_eq!(questions(&error), (Some(403), false, true, false));
    api.inject([Fault::message(401, "Unauthorized")]);
    let error = api.acme().head().await.unwrap_err();
    assert_eq!(questions(&error), (Some(401), false, true, false));
    let document = r#"{"type":"/problems/not-authenticated","title":"t","status":401,"detail":"d"}"#;
    api.inject([Fault::Response(401, Vec::new(), document.to_owned())]);
    let error = api.acme().head().await.unwrap_err();
    assert_eq!(questions(&error), (Some(401), false, true, false));
}

#[tokio::test]
async fn other_answers_are_unknown_and_show_nothing_of_their_body() {
    let api = Api::new().await;
    for (status, body) in [
        (400, "<html>secret</html>"),
        (502, "secret"),
        (404, ""),
        (204, ""),
        (500, r#"{"messages":"secret"}"#),
    ] {
        let once = RetryPolicy {
            attempts: 1,
            ..RetryPolicy::default()
        };
        let client = api.builder().retry(once).build().unwrap();
        api.inject([Fault::Response(status, Vec::new(), body.to_owned())]);
        let error = client.tenant(ACME.parse().unwrap()).head().await.unwrap_err();
        assert!(matches!(error, ClientError::UnknownAnswer { .. }), "{error:?}");
        assert_eq!(error.status(), Some(status));
        let text = format!("{API} answered {status}, and not as this API does");
        assert_eq!(error.to_string(), text);
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}

#[tokio::test]
async fn a_message_of_the_gateway_is_short_and_printable() {
    let api = Api::new().await;
    api.inject([Fault::message(
        400,
        &format!("a\u{1b}[31m\n{}", "x".repeat(1_000)),
    )]);
    let error = api.acme().head().await.unwrap_err();
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
        api.inject([Fault::body(body)]);
        let error = api.acme().head().await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the answer to /v1/tenants/acme does not have the form of this route ({place})")
        );
        assert!(!format!("{error:?}").contains("secret"));
        assert_eq!(questions(&error), (None, false, false, false));
    }
}

#[tokio::test]
async fn a_body_has_at_most_eight_mib() {
    let api = Api::new().await;
    let page = taxonomy_client::PageRequest::default();
    let body = |bytes: usize| format!("{}{}", r#"{"items":[]}"#, " ".repeat(bytes - 12));
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
    let hour = Duration::from_secs(3600);
    let builder = || Client::builder(API);
    for (builder, expect) in [
        (
            Client::builder("example.org"),
            "an address is written https://host, https://host:8443 or https://host/path",
        ),
        (
            builder().connect_to("localhost"),
            "an address is written https://host, https://host:8443 or https://host/path",
        ),
        (
            builder().connect_to("http://localhost/x"),
            "connect_to has no path",
        ),
        (builder().user_agent("a\nb"), "a user agent is printable ASCII"),
        (
            builder().retry(RetryPolicy {
                operation: hour * 2,
                ..RetryPolicy::default()
            }),
            "times are above 0 and at most an hour",
        ),
        (
            Client::builder("http://example.org").auth(Auth::bearer("t")),
            "a bearer token is not sent over plain http to another machine",
        ),
        (
            builder().auth(Auth::bearer("t")).connect_to("http://10.0.0.1"),
            "a bearer token is not sent over plain http to another machine",
        ),
    ] {
        let error = builder.build().unwrap_err();
        assert_eq!(error.to_string(), expect);
    }
    let local = builder()
        .auth(Auth::bearer("t"))
        .connect_to("http://127.0.0.1:4566");
    assert!(local.build().is_ok());
}
