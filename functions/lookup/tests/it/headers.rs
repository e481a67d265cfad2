//! `HEAD`, and the headers that every answer has: the request, the version, the next page, and on demand what it consumed.

use futures_util::future::join;
use serde_json::json;
use taxonomy_testkit::{Fault, When};

use crate::cache::tier::Tier;
use crate::stack::{BATCH, SMALL, Stack, ids, smaller};

const DEBUG: (&str, &str) = ("taxonomy-debug", "1");

#[tokio::test]
async fn head_has_the_status_and_the_headers_of_get_and_no_body() {
    let stack = Stack::new().await;
    for target in [
        "",
        "terms/101",
        "terms/101?culture=fr",
        "terms?ids=101,7",
        "terms/100/children?limit=1",
        "categories?limit=1",
        "categories/1",
        "terms/7",
        "terms/x",
        "stats",
        "categories/1/stats",
        "/v1/openapi.json",
        "/v1/health",
        "/v1/nothing",
    ] {
        for headers in [
            &[][..],
            &[("accept-encoding", "gzip")],
            &[("if-none-match", "\"x\"")],
        ] {
            let get = stack.get_with(target, headers).await;
            let mut head = stack.ask("HEAD", target, headers).await;
            assert_eq!((head.status, &head.body), (get.status, &json!("")), "{target}");
            let length: usize = head.headers.remove("content-length").unwrap().parse().unwrap();
            assert_eq!(head.headers, get.headers, "{target}");
            if !get.headers.contains_key("content-encoding") {
                // Members in another order are as long.
                assert_eq!(length, get.body.to_string().len(), "{target}");
            }
        }
    }
    // The gateway authorised one method: another one than the request has is another route.
    let mut event = stack.event_of("HEAD", "terms/101");
    event["routeKey"] = json!("GET /v1/tenants/{tenant}/terms/{id}");
    event["requestContext"]["routeKey"] = event["routeKey"].clone();
    assert_eq!(stack.send(event).await.status, 404);
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let stack = Stack::new().await;
    let tag = stack.tag("").await;
    for (target, status) in [
        ("", 304),
        ("terms/101", 200),
        ("terms/7", 404),
        ("terms/x", 400),
        ("/v1/health", 200),
        ("/v2", 404),
    ] {
        let mut event = stack.event_of("GET", target);
        event["requestContext"]["requestId"] = json!("JKJaXmPLvHcESHA=");
        event["headers"]["x-request-id"] = json!("of-the-caller");
        if status == 304 {
            event["headers"]["if-none-match"] = json!(tag);
        }
        let got = stack.send(event).await;
        let named = &*got.headers["x-request-id"];
        assert_eq!((got.status, named), (status, "JKJaXmPLvHcESHA="));
    }
}

/// Tests of tags have the answers by `GET`.
#[tokio::test]
async fn every_answer_about_a_version_names_it() {
    let stack = Stack::of(&[SMALL, &smaller()]).await;
    let posted = stack.post(BATCH, r#"{"ids":[102]}"#).await;
    for got in [stack.get("terms/102").await, posted] {
        assert_eq!(got.headers["taxonomy-version"], "2");
    }
    for target in ["/v1/health", "/v1/tenants/globex", "terms/7"] {
        let got = stack.get(target).await;
        assert!(!got.headers.contains_key("taxonomy-version"), "{target}");
    }
}

/// Follows `Link` alone, as a client that knows nothing of `nextCursor`.
#[tokio::test]
async fn the_link_of_a_page_leads_through_all_of_them() {
    let stack = Stack::new().await;
    for (list, first) in [
        ("categories", "culture=fr&limit=1"),
        ("terms/100/children", "limit=1"),
        ("categories", "q=%3C&limit=1"),
    ] {
        let (mut query, mut seen) = (first.to_owned(), Vec::new());
        loop {
            let got = stack.get(&format!("{list}?{query}")).await;
            let link = got.headers.get("link").cloned();
            let page = got.found();
            seen.extend(ids(&page));
            let Some(link) = link else {
                assert!(page.get("nextCursor").is_none());
                break;
            };
            assert!(seen.len() < 5, "{seen:?}");
            let cursor = page["nextCursor"].as_str().unwrap();
            let next = format!("{first}&cursor={cursor}");
            assert_eq!(link, format!("<?{next}>; rel=\"next\""));
            query = next;
        }
        assert_eq!(seen, ids(&stack.found(list).await), "{list}");
    }
}

/// What an answer says that it consumed: requests to the table, units, hits, misses.
fn consumed(requests: u32, units: f64, hits: u32, misses: u32) -> String {
    format!(
        "table-requests={requests}, read-units={units:.1}, cache-hits={hits}, second-tier-hits=0, cache-misses={misses}, object-requests=0, object-bytes=0"
    )
}

#[tokio::test]
async fn an_answer_says_what_it_consumed_where_it_is_asked_to() {
    let stack = Stack::new().await;
    for (target, expect) in [
        ("terms/100", consumed(2, 1.5, 0, 2)),
        ("terms/100", consumed(0, 0.0, 2, 0)),
        ("terms/100?culture=fr", consumed(1, 0.5, 1, 1)),
        // Two terms, and the one that replaces the second, of which the answer alone is kept.
        ("terms?ids=100,101,102", consumed(2, 1.5, 2, 3)),
        ("terms/x", consumed(0, 0.0, 0, 0)),
    ] {
        stack.requests();
        let got = stack.get_with(target, &[DEBUG]).await;
        assert_eq!(got.headers["taxonomy-debug"], expect, "{target}");
        let requests = stack.requests().len();
        assert!(
            expect.starts_with(&format!("table-requests={requests},")),
            "{target}"
        );
    }
    let tag = stack.tag("terms/100").await;
    let known = stack
        .get_with("terms/100", &[DEBUG, ("if-none-match", &tag)])
        .await;
    assert_eq!(known.status, 304);
    assert_eq!(known.headers["taxonomy-debug"], consumed(0, 0.0, 1, 0));
    for value in ["0", "true", "", "1, 1"] {
        let got = stack.get_with("terms/100", &[("taxonomy-debug", value)]).await;
        assert!(!got.headers.contains_key("taxonomy-debug"), "{value}");
    }
}

#[tokio::test]
async fn what_the_second_tier_had_is_neither_hit_nor_miss() {
    let (stack, tier) = (Stack::new().await, Tier::new());
    for expect in [
        "cache-hits=0, second-tier-hits=0, cache-misses=2, object-requests=0, object-bytes=0",
        "cache-hits=0, second-tier-hits=1, cache-misses=1, object-requests=0, object-bytes=0",
    ] {
        let process = stack.with_tier(tier.clone());
        let got = process.get_with("terms/100", &[DEBUG]).await;
        let said = &got.headers["taxonomy-debug"];
        assert!(said.ends_with(expect), "{said}");
    }
}

/// A request that is answered at the same time, or waits for the same read, is not counted.
#[tokio::test]
async fn what_is_consumed_is_counted_for_each_request_by_itself() {
    let stack = Stack::new().await;
    stack.found("").await;
    let debug = [DEBUG];
    let both = join(
        stack.get_with("terms/100", &debug),
        stack.get_with("categories", &debug),
    );
    let (term, page) = both.await;
    let [term, page] = [term, page].map(|got| got.headers["taxonomy-debug"].clone());
    assert!(term.starts_with("table-requests=1, read-units=0.5, "), "{term}");
    assert!(page.starts_with("table-requests=0, read-units=0.0, "), "{page}");
    assert!(page.contains("object-requests=1, "), "{page}");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_fails_says_what_it_consumed_until_then() {
    let stack = Stack::new().await;
    stack.inject(When::always().containing("TERM#"), Fault::Throttle);
    let got = stack.get_with("terms/101", &[DEBUG]).await;
    assert_eq!((got.status, &*got.headers["retry-after"]), (503, "1"));
    assert_eq!(got.headers["taxonomy-debug"], consumed(1, 1.0, 0, 2));
}
