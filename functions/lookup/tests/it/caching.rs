//! Tags, and what caches may do with answers.

use std::time::Duration;

use lookup::Auth;
use serde_json::json;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_testkit::{Fault, When};

use crate::stack::{BATCH, SMALL, Stack};

const TARGETS: [&str; 12] = [
    "",
    "terms/102",
    "terms/102?culture=fr",
    "terms/101?culture=fr",
    "terms/101?fields=name",
    "terms?ids=102,7,100",
    "terms?ids=101,102&culture=fr",
    "categories",
    "categories?limit=1&culture=fr",
    "categories/1",
    "terms/100/children",
    "terms/100/children?limit=1&culture=fr",
];

/// The head has no language, and `culture=` leaves nothing to `Accept-Language`.
fn vary(target: &str) -> &'static str {
    match target.is_empty() || target.contains("culture=") {
        true => "Authorization, Accept-Encoding",
        false => "Authorization, Accept-Encoding, Accept-Language",
    }
}

#[tokio::test]
async fn the_same_url_with_the_same_tag_is_the_same_answer_and_costs_nothing_the_second_time() {
    let (stack, other) = (Stack::new().await, Stack::new().await);
    for target in TARGETS {
        let first = stack.get(target).await;
        let tag = &first.headers["etag"];
        let is_tag = tag.starts_with("\"1-") && tag.ends_with("-1\"") && tag.len() == "\"1--1\"".len() + 16;
        assert!(is_tag, "{target}: {tag}");
        assert_eq!(first.headers["cache-control"], "private, no-cache");
        assert_eq!(first.headers["vary"], vary(target), "{target}");
        assert_eq!(first.headers["taxonomy-version"], "1");
        stack.requests();
        assert_eq!(stack.get(target).await, first, "{target}");
        assert_eq!(stack.requests(), [""; 0], "{target}");
        assert_eq!(other.get(target).await, first, "{target}: another process");
    }
}

#[tokio::test]
async fn who_has_the_answer_is_told_so_by_the_head_alone_and_others_get_it() {
    let stack = Stack::new().await;
    for target in TARGETS {
        let answer = stack.get(target).await;
        let tag = &answer.headers["etag"];
        stack.costs();
        for tags in [&format!("W/{tag}"), &format!("\"a,b\", {tag}"), tag] {
            let got = stack.get_unless(target, tags).await;
            assert_eq!((got.status, &got.body), (304, &json!("")), "{target} {tags}");
            let headers = [
                ("cache-control", "private, no-cache"),
                ("etag", tag),
                ("taxonomy-version", "1"),
                ("vary", vary(target)),
                ("x-content-type-options", "nosniff"),
                ("x-request-id", "r-1"),
            ];
            let headers = headers.map(|(name, value)| (name, value.to_owned()));
            assert_eq!(got.headers, headers.into(), "{target}");
        }
        assert_eq!(stack.costs(), [""; 0], "{target}");
        stack.world.pass(2);
        assert_eq!(stack.get_unless(target, tag).await.status, 304);
        assert_eq!(stack.costs(), ["Head 1"]);
        let older = tag.replace("\"1-", "\"0-");
        for tags in ["*", &format!("{older}, \"x\"")] {
            assert_eq!(stack.get_unless(target, tags).await, answer, "{target} {tags}");
        }
    }
}

#[tokio::test]
async fn problems_and_what_is_posted_carry_no_tag() {
    let stack = Stack::new().await;
    let tag = stack.tag("terms/102").await;
    for target in ["terms/7", "terms/x", "categories/7", "nothing"] {
        let got = stack.get(target).await;
        assert_eq!(got.headers["cache-control"], "no-store");
        assert!(!got.is_tagged() && !got.headers.contains_key("vary"));
    }
    // What cannot be asked has no answer to have.
    assert_eq!(stack.get_unless("terms/x", &tag).await.status, 400);
    let has = [("if-none-match", tag.as_str())];
    let posted = stack.post_with(BATCH, &has, r#"{"ids":[102]}"#).await;
    let health = stack.get_unless("/v1/health", &tag).await;
    let description = stack.get_unless("/v1/openapi.json", &tag).await;
    for got in [&posted, &health, &description] {
        let caches = got.headers["cache-control"].as_str();
        assert_eq!((got.status, caches, got.is_tagged()), (200, "no-cache", false));
    }
    assert_eq!(health.headers["vary"], "Accept-Encoding");
    assert_eq!(description.headers["vary"], "Accept-Encoding");
}

#[tokio::test]
async fn where_nobody_proves_who_they_are_nothing_depends_on_it() {
    let stack = Stack::empty(Auth::None);
    stack.publish(ACME, &[SMALL]).await;
    let got = stack.get("terms/102").await;
    assert!(got.is_tagged());
    assert_eq!(got.headers["vary"], "Accept-Encoding, Accept-Language");
}

/// One try of the table may take three seconds, and a request makes several of them.
#[tokio::test(start_paused = true)]
async fn a_lookup_takes_eight_seconds_at_most() {
    for (operation, target) in [
        ("GetItem", "terms/102"),
        ("BatchGetItem", "terms?ids=101,102"),
        ("GetObject", "categories"),
    ] {
        let stack = Stack::new().await;
        let slow = Fault::SlowAnswer(Duration::from_secs(60));
        stack.inject(When::always().operation(operation), slow);
        let started = tokio::time::Instant::now();
        let got = stack.get(target).await;
        assert_eq!(got.refused(), "503 upstream-unavailable", "{operation}");
        assert_eq!(got.headers["retry-after"], "1");
        assert_eq!(started.elapsed(), Duration::from_secs(8), "{operation}");
        stack.world.transport.reset_faults();
        stack.found(target).await;
    }
}
