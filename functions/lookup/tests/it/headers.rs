//! `HEAD`, and the headers that every answer has: the request, the version, the next page, and on demand what it consumed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join, ready};
use lookup::cache::{CachedEntries, SecondTier, VersionKey};
use serde_json::json;
use taxonomy_testkit::fixtures::ACME;
use taxonomy_testkit::{Fault, When};

use crate::stack::{SMALL, Stack, smaller};

const DEBUG: (&str, &str) = ("taxonomy-debug", "1");

fn path(target: &str) -> String {
    format!("/v1/tenants/acme{target}")
}

#[tokio::test]
async fn head_has_the_status_and_the_headers_of_get_and_no_body() {
    let stack = Stack::new().await;
    let targets = [
        "",
        "/terms/101",
        "/terms/101?culture=fr",
        "/terms?ids=101,7",
        "/terms/100/children?limit=1",
        "/categories?limit=1",
        "/categories/1",
        "/terms/7",
        "/terms/x",
        "/stats",
        "/categories/1/stats",
    ];
    let about = ["/v1/openapi.json", "/v1/health", "/v1/nothing"].map(str::to_owned);
    for target in targets.map(path).into_iter().chain(about) {
        for headers in [
            &[][..],
            &[("accept-encoding", "gzip")],
            &[("if-none-match", "\"x\"")],
        ] {
            let get = stack.get_with(&target, headers).await;
            let mut head = stack.ask("HEAD", &target, headers).await;
            assert_eq!((head.status, &head.body), (get.status, &json!("")), "{target}");
            let length = head.headers.remove("content-length").unwrap();
            assert_eq!(head.headers, get.headers, "{target}");
            if !get.headers.contains_key("content-encoding") {
                let body = serde_json::to_string(&get.body).unwrap();
                let differs = length.parse::<usize>().unwrap().abs_diff(body.len());
                assert_eq!(differs, 0, "{target}: members in another order are as long");
            }
        }
    }
}

/// The gateway authorised one method: another one than the request has is another route.
#[tokio::test]
async fn a_head_that_was_authorised_as_a_get_is_refused() {
    let stack = Stack::new().await;
    let mut event = stack.event_of("HEAD", &path("/terms/101"), None, None);
    event["routeKey"] = json!("GET /v1/tenants/{tenant}/terms/{id}");
    event["requestContext"]["routeKey"] = event["routeKey"].clone();
    assert_eq!(stack.send(event).await.status, 404);
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let stack = Stack::new().await;
    let tag = stack.get(&path("")).await.headers["etag"].clone();
    for (target, status) in [
        (path(""), 304),
        (path("/terms/101"), 200),
        (path("/terms/7"), 404),
        (path("/terms/x"), 400),
        ("/v1/health".to_owned(), 200),
        ("/v2".to_owned(), 404),
    ] {
        let mut event = stack.event_of("GET", &target, None, None);
        event["requestContext"]["requestId"] = json!("JKJaXmPLvHcESHA=");
        event["headers"]["x-request-id"] = json!("of-the-caller");
        if status == 304 {
            event["headers"]["if-none-match"] = json!(tag);
        }
        let got = stack.send(event).await;
        assert_eq!(
            (got.status, &*got.headers["x-request-id"]),
            (status, "JKJaXmPLvHcESHA=")
        );
    }
}

#[tokio::test]
async fn every_answer_about_a_version_names_it() {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[SMALL, &smaller()]).await;
    for target in [
        "",
        "/terms/102",
        "/terms?ids=102",
        "/terms/100/children",
        "/categories",
        "/categories/1",
    ] {
        let got = stack.get(&path(target)).await;
        assert_eq!(
            (got.status, &*got.headers["taxonomy-version"]),
            (200, "2"),
            "{target}"
        );
        let unchanged = stack.get_unless(&path(target), &got.headers["etag"]).await;
        assert_eq!(
            (unchanged.status, &*unchanged.headers["taxonomy-version"]),
            (304, "2"),
            "{target}"
        );
    }
    let posted = stack.post(&path("/terms:batchGet"), r#"{"ids":[102]}"#).await;
    assert_eq!((posted.status, &*posted.headers["taxonomy-version"]), (200, "2"));
    for target in ["/v1/health", "/v1/tenants/globex", "/v1/tenants/acme/terms/7"] {
        assert!(
            !stack.get(target).await.headers.contains_key("taxonomy-version"),
            "{target}"
        );
    }
}

/// Follows `Link` alone, as a client that knows nothing of `nextCursor`.
#[tokio::test]
async fn the_link_of_a_page_leads_through_all_of_them() {
    let stack = Stack::new().await;
    for (list, query) in [
        ("/categories", "culture=fr&limit=1"),
        ("/terms/100/children", "limit=1"),
        ("/categories", "q=%3C&limit=1"),
    ] {
        let (mut query, mut seen) = (query.to_owned(), Vec::new());
        for _ in 0..5 {
            let got = stack.get(&path(&format!("{list}?{query}"))).await;
            let link = got.headers.get("link").cloned();
            let page = got.found();
            seen.extend(
                page["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|item| item["id"].clone()),
            );
            let Some(link) = link else {
                assert!(page.get("nextCursor").is_none());
                break;
            };
            let cursor = page["nextCursor"].as_str().unwrap();
            let next = link
                .strip_prefix("<?")
                .unwrap()
                .strip_suffix(">; rel=\"next\"")
                .unwrap();
            assert!(next.ends_with(&format!("&cursor={cursor}")), "{next}");
            let same = query.split("&cursor=").next().unwrap();
            assert!(next.starts_with(&format!("{same}&")), "{next} after {query}");
            query = next.to_owned();
        }
        let all = stack.get(&path(list)).await.found();
        let all: Vec<_> = all["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["id"].clone())
            .collect();
        assert_eq!(seen, all, "{list}");
    }
}

#[tokio::test]
async fn an_answer_says_what_it_consumed_where_it_is_asked_to() {
    let stack = Stack::new().await;
    for (target, expect) in [
        (
            "/terms/100",
            "table-requests=2, read-units=1.5, cache-hits=0, second-tier-hits=0, cache-misses=2, object-requests=0, object-bytes=0",
        ),
        (
            "/terms/100",
            "table-requests=0, read-units=0.0, cache-hits=2, second-tier-hits=0, cache-misses=0, object-requests=0, object-bytes=0",
        ),
        (
            "/terms/100?culture=fr",
            "table-requests=1, read-units=0.5, cache-hits=1, second-tier-hits=0, cache-misses=1, object-requests=0, object-bytes=0",
        ),
        (
            "/terms?ids=100,101,102",
            // Two terms, and the one that replaces the second, of which the answer alone is kept.
            "table-requests=2, read-units=1.5, cache-hits=2, second-tier-hits=0, cache-misses=3, object-requests=0, object-bytes=0",
        ),
        (
            "/terms/x",
            "table-requests=0, read-units=0.0, cache-hits=0, second-tier-hits=0, cache-misses=0, object-requests=0, object-bytes=0",
        ),
    ] {
        stack.requests();
        let got = stack.get_with(&path(target), &[DEBUG]).await;
        assert_eq!(got.headers["taxonomy-debug"], expect, "{target}");
        let requests = stack.requests().len();
        assert!(
            expect.starts_with(&format!("table-requests={requests},")),
            "{target}"
        );
    }
    let tag = stack.get(&path("/terms/100")).await.headers["etag"].clone();
    let known = stack
        .get_with(&path("/terms/100"), &[DEBUG, ("if-none-match", &tag)])
        .await;
    let expect = "table-requests=0, read-units=0.0, cache-hits=1, second-tier-hits=0, cache-misses=0, object-requests=0, object-bytes=0";
    assert_eq!((known.status, &*known.headers["taxonomy-debug"]), (304, expect));
    for value in ["0", "true", "", "1, 1"] {
        let got = stack
            .get_with(&path("/terms/100"), &[("taxonomy-debug", value)])
            .await;
        assert!(!got.headers.contains_key("taxonomy-debug"), "{value}");
    }
}

/// Keeps what it is given, for every process.
#[derive(Debug, Default)]
struct Shared(Mutex<HashMap<String, Vec<u8>>>);

impl SecondTier for Shared {
    fn get<'a>(&'a self, _: &'a VersionKey, names: &'a [String]) -> BoxFuture<'a, CachedEntries> {
        let kept = self.0.lock().unwrap();
        let values = names.iter().map(|name| kept.get(name).cloned()).collect();
        let newest_version = None;
        ready(CachedEntries {
            newest_version,
            values,
        })
        .boxed()
    }

    fn put<'a>(&'a self, _: &'a VersionKey, entries: Vec<(String, Vec<u8>)>) -> BoxFuture<'a, ()> {
        self.0.lock().unwrap().extend(entries);
        ready(()).boxed()
    }
}

#[tokio::test]
async fn what_the_second_tier_had_is_neither_hit_nor_miss() {
    let tier = Arc::new(Shared::default());
    for expect in [
        "cache-hits=0, second-tier-hits=0, cache-misses=2, object-requests=0, object-bytes=0",
        "cache-hits=0, second-tier-hits=1, cache-misses=1, object-requests=0, object-bytes=0",
    ] {
        let process = Stack::over(lookup::Auth::Iam, |reader| reader.with_second_tier(tier.clone()));
        process.publish(ACME, &[SMALL]).await;
        let got = process.get_with(&path("/terms/100"), &[DEBUG]).await;
        let said = &got.headers["taxonomy-debug"];
        assert!(said.ends_with(expect), "{said}");
    }
}

/// A request that is answered at the same time, or waits for the same read, is not counted.
#[tokio::test]
async fn what_is_consumed_is_counted_for_each_request_by_itself() {
    let stack = Stack::new().await;
    stack.get(&path("")).await.found();
    let (term, page) = (path("/terms/100"), path("/categories"));
    let answers = join(stack.get_with(&term, &[DEBUG]), stack.get_with(&page, &[DEBUG])).await;
    let [term, page] = [answers.0, answers.1].map(|got| got.headers["taxonomy-debug"].clone());
    assert!(term.starts_with("table-requests=1, read-units=0.5, "), "{term}");
    assert!(page.starts_with("table-requests=0, read-units=0.0, "), "{page}");
    assert!(page.contains("object-requests=1, "), "{page}");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_fails_says_what_it_consumed_until_then() {
    let stack = Stack::new().await;
    stack
        .db
        .transport()
        .inject(When::always().containing("TERM#"), Fault::Throttle);
    let got = stack.get_with(&path("/terms/101"), &[DEBUG]).await;
    assert_eq!((got.status, &*got.headers["retry-after"]), (503, "1"));
    let expect = "table-requests=1, read-units=1.0, cache-hits=0, second-tier-hits=0, cache-misses=2, object-requests=0, object-bytes=0";
    assert_eq!(got.headers["taxonomy-debug"], expect);
}
