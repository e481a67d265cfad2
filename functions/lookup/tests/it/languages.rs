//! The culture of an answer to a request without `culture=`.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::ACME;

use crate::stack::{SMALL, Stack, taxonomy};

const TERM: &str = "/v1/tenants/acme/terms/101";

fn speaks(languages: &str) -> [(&str, &str); 1] {
    [("accept-language", languages)]
}

#[tokio::test]
async fn accept_language_chooses_among_the_cultures_of_the_tenant() {
    let stack = Stack::new().await;
    for (header, expect) in [
        ("fr", "fr-FR"),
        ("fr-CA, en;q=0.5", "fr-FR"),
        ("en;q=0.5, fr;q=0.4", "en-GB"),
        ("it, fr;q=0.1", "fr-FR"),
        ("*", "en-GB"),
        ("it", "en-GB"),
        ("fr;q=0", "en-GB"),
        ("fr_FR", "en-GB"),
        ("fr;q=many", "en-GB"),
    ] {
        let got = stack.get_with(TERM, &speaks(header)).await;
        assert_eq!(got.headers["content-language"], expect, "{header}");
        let term = got.found();
        assert_eq!(
            (&term["culture"], term.get("requestedCulture")),
            (&json!(expect), None),
            "{header}"
        );
    }
}

#[tokio::test]
async fn the_answer_is_that_to_the_culture_it_chooses() {
    let stack = Stack::new().await;
    for target in [
        "/terms/101",
        "/terms/102",
        "/terms?ids=101,102,0",
        "/terms/100/children",
        "/categories",
        "/categories/1",
    ] {
        let target = format!("/v1/tenants/acme{target}");
        let chosen = stack.get_with(&target, &speaks("fr")).await.found();
        let separator = if target.contains('?') { '&' } else { '?' };
        let mut asked = stack
            .get(&format!("{target}{separator}culture=fr-FR"))
            .await
            .found();
        without_request(&mut asked);
        assert_eq!(chosen, asked, "{target}");
    }
    let mut event = stack.event_of(
        "POST",
        "/v1/tenants/acme/terms:batchGet",
        None,
        Some(r#"{"ids":[101]}"#),
    );
    event["headers"]["accept-language"] = json!("fr");
    let got = stack.send(event).await;
    assert_eq!(got.headers["content-language"], "fr-FR");
}

fn without_request(answer: &mut Value) {
    match answer {
        Value::Object(members) => {
            members.remove("requestedCulture");
            members.values_mut().for_each(without_request);
        }
        Value::Array(values) => values.iter_mut().for_each(without_request),
        _ => {}
    }
}

#[tokio::test]
async fn culture_in_the_query_leaves_nothing_to_choose() {
    let stack = Stack::new().await;
    let target = format!("{TERM}?culture=en");
    let plain = stack.get(&target).await;
    assert!(!plain.headers["vary"].contains("Accept-Language"));
    assert_eq!(stack.get_with(&target, &speaks("fr")).await, plain);
    let head = stack.get("/v1/tenants/acme").await;
    assert!(!head.headers["vary"].contains("Accept-Language"));
    assert_eq!(stack.get_with("/v1/tenants/acme", &speaks("fr")).await, head);
}

/// Under one URL a tag identifies one representation, by which a cache distinguishes several.
#[tokio::test]
async fn an_answer_in_a_chosen_language_has_a_tag_of_its_own() {
    let stack = Stack::new().await;
    let plain = stack.get(TERM).await;
    let french = stack.get_with(TERM, &speaks("fr")).await;
    assert_eq!(
        french.headers["etag"],
        plain.headers["etag"].replace("-1\"", "-1-fr-FR\"")
    );
    assert!(french.headers["vary"].contains("Accept-Language"));
    stack.requests();
    for (has, languages, status) in [
        (&french, "fr", 304),
        (&french, "fr-FR, en;q=0.1", 304),
        (&plain, "en", 304),
        (&plain, "it", 304),
    ] {
        let headers = [
            ("accept-language", languages),
            ("if-none-match", &has.headers["etag"]),
        ];
        let got = stack.get_with(TERM, &headers).await;
        assert_eq!(
            (got.status, &got.headers["etag"]),
            (status, &has.headers["etag"]),
            "{languages}"
        );
        assert!(got.headers["vary"].contains("Accept-Language"));
    }
    assert_eq!(stack.requests(), [""; 0], "the head alone");
    for (has, languages) in [(&french, "en"), (&plain, "fr")] {
        let headers = [
            ("accept-language", languages),
            ("if-none-match", &has.headers["etag"]),
        ];
        assert_eq!(stack.get_with(TERM, &headers).await.status, 200, "{languages}");
    }
}

#[tokio::test]
async fn the_default_culture_is_no_choice_and_costs_nothing_more() {
    let stack = Stack::new().await;
    let plain = stack.get(TERM).await;
    stack.requests();
    for languages in ["en-GB", "en-US,en;q=0.9", "*", "it"] {
        assert_eq!(
            stack.get_with(TERM, &speaks(languages)).await,
            plain,
            "{languages}"
        );
    }
    assert_eq!(stack.requests(), [""; 0]);
}

#[tokio::test]
async fn while_the_items_of_a_version_are_written_there_is_still_a_choice_and_a_tag() {
    let stack = Stack::new().await;
    let tag = stack.get_with(TERM, &speaks("fr")).await.headers["etag"].clone();
    let head = stack.committed(ACME).await;
    stack
        .commit(ACME, Some(&head), &taxonomy(&SMALL.replace("Remote", "Far")))
        .await;
    stack.wait_ms(2_000);
    let headers = [("accept-language", "fr"), ("if-none-match", &*tag)];
    let got = stack.get_with(TERM, &headers).await;
    assert_eq!(got.status, 200);
    assert!(got.headers["etag"].starts_with("\"2-"), "{:?}", got.headers);
    assert_eq!(got.headers["content-language"], "fr-FR");
}
