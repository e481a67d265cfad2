//! Tags, and what caches may do with answers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use lookup::Auth;
use lookup::cache::{CachedEntries, SecondTier, VersionKey};
use serde_json::json;
use taxonomy_testkit::fixtures::{ACME, NEW_YEAR_MS};
use taxonomy_testkit::{Fault, When};

use crate::stack::{SMALL, Stack, smaller};

const TARGETS: [&str; 11] = [
    "",
    "/terms/102",
    "/terms/102?culture=fr",
    "/terms/101?culture=fr",
    "/terms?ids=102,7,100",
    "/terms?ids=101,102&culture=fr",
    "/categories",
    "/categories?limit=1&culture=fr",
    "/categories/1",
    "/terms/100/children",
    "/terms/100/children?limit=1&culture=fr",
];

fn path(target: &str) -> String {
    format!("/v1/tenants/acme{target}")
}

/// The head has no language, and `culture=` leaves nothing to `Accept-Language`.
fn vary(target: &str) -> &'static str {
    match target == path("") || target.contains("culture=") {
        true => "Authorization, Accept-Encoding",
        false => "Authorization, Accept-Encoding, Accept-Language",
    }
}

#[tokio::test]
async fn the_same_url_with_the_same_tag_is_the_same_answer_and_costs_nothing_the_second_time() {
    for target in TARGETS.map(path) {
        let stack = Stack::new().await;
        let first = stack.get(&target).await;
        let tag = &first.headers["etag"];
        let is_tag = tag.starts_with("\"1-") && tag.ends_with("-1\"") && tag.len() == "\"1--1\"".len() + 16;
        assert!(is_tag, "{target}: {tag}");
        assert_eq!(first.headers["cache-control"], "private, no-cache");
        assert_eq!(first.headers["vary"], vary(&target), "{target}");
        stack.requests();
        assert_eq!(stack.get(&target).await, first, "{target}");
        assert_eq!(stack.requests(), [""; 0], "{target}");
        let other = Stack::new().await;
        assert_eq!(other.get(&target).await, first, "{target}: another process");
    }
}

#[tokio::test]
async fn who_has_the_answer_is_told_so_by_the_head_alone() {
    let stack = Stack::new().await;
    for target in TARGETS.map(path) {
        let tag = stack.get(&target).await.headers["etag"].clone();
        stack.requests();
        for tags in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"a,b\", {tag}"),
            format!("{tag},\"x\""),
        ] {
            let got = stack.get_unless(&target, &tags).await;
            assert_eq!((got.status, &got.body), (304, &json!("")), "{target} {tags}");
            let headers = [
                ("cache-control", "private, no-cache"),
                ("etag", &tag),
                ("taxonomy-version", "1"),
                ("vary", vary(&target)),
                ("x-content-type-options", "nosniff"),
                ("x-request-id", "r-1"),
            ];
            let headers = headers.map(|(name, value)| (name, value.to_owned()));
            assert_eq!(got.headers, headers.into(), "{target}");
        }
        assert_eq!(stack.requests(), [""; 0], "{target}");
        stack.wait_ms(2_000);
        assert_eq!(stack.get_unless(&target, &tag).await.status, 304);
        assert_eq!(
            stack.requests(),
            [
                "DynamoDB.Query taxonomy :from=CHANGESET#000000000001 :pk=TAXONOMY#acme :to=HEAD -> 200, 1 item, 1 units"
            ]
        );
    }
}

#[tokio::test]
async fn who_has_something_else_gets_the_answer() {
    let stack = Stack::new().await;
    for target in TARGETS.map(path) {
        let answer = stack.get(&target).await;
        let older = answer.headers["etag"].replace("\"1-", "\"0-");
        for tags in ["*", "", "\"x\"", &older, "nonsense", &format!("{older}, *")] {
            assert_eq!(stack.get_unless(&target, tags).await, answer, "{target} {tags}");
        }
    }
}

#[tokio::test]
async fn a_new_version_has_other_tags() {
    let stack = Stack::new().await;
    let target = path("/terms/102");
    let before = stack.get(&target).await;
    let stack_of_two = Stack::empty(Auth::Iam);
    stack_of_two.publish(ACME, &[SMALL, &smaller()]).await;
    let after = stack_of_two.get_unless(&target, &before.headers["etag"]).await;
    assert_eq!(after.status, 200);
    assert!(after.headers["etag"].starts_with("\"2-"), "{after:?}");
    assert_eq!(after.body["removed"], true);
}

#[tokio::test]
async fn problems_and_what_is_posted_carry_no_tag() {
    let stack = Stack::new().await;
    let tag = stack.get(&path("/terms/102")).await.headers["etag"].clone();
    for (target, status) in [
        ("/terms/7", 404),
        ("/terms/x", 400),
        ("/categories/7", 404),
        ("/nothing", 404),
    ] {
        let got = stack.get(&path(target)).await;
        assert_eq!(
            (got.status, got.headers["cache-control"].as_str()),
            (status, "no-store")
        );
        assert!(!got.headers.contains_key("etag") && !got.headers.contains_key("vary"));
    }
    let refused = stack.get_unless(&path("/terms/x"), &tag).await;
    assert_eq!(refused.status, 400, "what cannot be asked has no answer to have");
    let post = stack.event_of(
        "POST",
        &path("/terms:batchGet"),
        Some(&tag),
        Some(r#"{"ids":[102]}"#),
    );
    let posted = stack.send(post).await;
    assert_eq!(
        (posted.status, posted.headers["cache-control"].as_str()),
        (200, "no-cache")
    );
    assert!(!posted.headers.contains_key("etag"));
    for target in ["/v1/health", "/v1/openapi.json"] {
        let got = stack.get_unless(target, &tag).await;
        assert_eq!(
            (got.status, got.headers["cache-control"].as_str()),
            (200, "no-cache")
        );
        assert!(!got.headers.contains_key("etag"));
        assert_eq!(got.headers["vary"], "Accept-Encoding");
    }
}

#[tokio::test]
async fn a_missing_term_is_asked_for_once() {
    let stack = Stack::new().await;
    for _ in 0..3 {
        assert_eq!(stack.get(&path("/terms/7")).await.status, 404);
        assert_eq!(stack.get(&path("/categories/7")).await.status, 404);
    }
    assert_eq!(
        stack.requests().len(),
        4,
        "the head, the term, the category, and the end of the file, which has the ids"
    );
}

#[tokio::test]
async fn where_nobody_proves_who_they_are_nothing_depends_on_it() {
    let stack = Stack::empty(Auth::None);
    stack.publish(ACME, &[SMALL]).await;
    let got = stack.get(&path("/terms/102")).await;
    assert!(got.headers.contains_key("etag"));
    assert_eq!(got.headers["vary"], "Accept-Encoding, Accept-Language");
}

/// One try of the table may take three seconds, and a request makes several of them.
#[tokio::test(start_paused = true)]
async fn a_lookup_takes_eight_seconds_at_most() {
    for (operation, target) in [
        ("GetItem", "/terms/102"),
        ("BatchGetItem", "/terms?ids=101,102"),
        ("GetObject", "/categories"),
    ] {
        let stack = Stack::new().await;
        let slow = Fault::SlowAnswer(Duration::from_secs(60));
        stack
            .db
            .transport()
            .inject(When::always().operation(operation), slow);
        let started = tokio::time::Instant::now();
        let got = stack.get(&path(target)).await;
        assert_eq!(got.refused(), "503 upstream-unavailable", "{operation}");
        assert_eq!(got.headers["retry-after"], "1");
        assert_eq!(started.elapsed(), Duration::from_secs(8), "{operation}");
        stack.db.transport().reset_faults();
        stack.get(&path(target)).await.found();
    }
}

/// Knows of a version and of nothing else.
#[derive(Debug)]
struct Hint(AtomicU64);

impl SecondTier for Hint {
    fn get<'a>(&'a self, _: &'a VersionKey, _: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        let newest_version = Some(self.0.load(Ordering::SeqCst));
        async move {
            CachedEntries {
                newest_version,
                values: Vec::new(),
            }
        }
        .boxed()
    }

    fn put<'a>(&'a self, _: &'a VersionKey, _: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        async {}.boxed()
    }
}

#[tokio::test]
async fn who_hears_of_a_newer_version_begins_again_with_that() {
    let hint = std::sync::Arc::new(Hint(AtomicU64::new(1)));
    let stack = Stack::over(Auth::Iam, |reader| reader.with_second_tier(hint.clone()));
    stack.publish(ACME, &[SMALL]).await;
    assert_eq!(stack.get(&path("/terms/102")).await.found()["version"], 1);
    let head = stack.committed(ACME).await;
    stack.go_on(ACME, &head, SMALL, &smaller(), NEW_YEAR_MS).await;
    hint.0.store(2, Ordering::SeqCst);
    let known = stack.get(&path("/terms/102")).await.found();
    assert_eq!(known["version"], 1, "a hit asks nobody");
    let missed = stack.get(&path("/terms/100?culture=fr")).await.found();
    assert_eq!(missed["version"], 2);
    let known = stack.get(&path("/terms/102")).await.found();
    assert_eq!(known["version"], 2);
}
