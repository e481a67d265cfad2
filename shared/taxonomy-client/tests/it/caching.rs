//! Answers with an ETag.

use std::sync::Arc;

use taxonomy_keys::Culture;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::api::{Api, Fault};
use crate::routes::{category, french, term};
use crate::stack::{SMALL, Stack};

#[tokio::test]
async fn the_second_request_is_a_304_without_a_body() {
    let api = Api::new().await;
    let acme = api.acme();
    let first = acme.term(term(101), None).await.unwrap();
    let before = acme.client().requests();
    let second = acme.term(term(101), None).await.unwrap();
    assert_eq!(first, second);
    let [asked, again] = &api.seen()[..] else {
        panic!("two requests");
    };
    assert_eq!((asked.status, asked.header("if-none-match")), (Some(200), None));
    assert_eq!((again.status, again.answer.as_str()), (Some(304), ""));
    let tag = again.header("if-none-match").unwrap();
    assert!(tag.starts_with("\"1-") && tag.ends_with("-1\""), "{tag}");
    let after = acme.client().requests();
    assert_eq!((after.sent, after.not_modified, after.retries), (2, 1, 0));
    assert!(
        before.body_bytes > 100 && after.body_bytes == before.body_bytes,
        "{after:?}"
    );
}

#[tokio::test]
async fn every_route_with_a_tag_is_cached_and_the_counts_are_not() {
    let api = Api::new().await;
    let (acme, ids) = (api.acme(), [0, 101].map(term));
    let page = taxonomy_client::PageRequest::default();
    for _ in 0..2 {
        acme.head().await.unwrap();
        acme.term(term(0), None).await.unwrap();
        acme.terms(&ids, None).await.unwrap();
        acme.children_page(term(100), None, &page).await.unwrap();
        acme.categories_page(None, &page).await.unwrap();
        acme.category(category(1), None).await.unwrap();
        acme.stats().await.unwrap();
        acme.category_stats(category(1)).await.unwrap();
    }
    let seen = api.seen();
    let again = seen[8..].iter().map(|seen| seen.status.unwrap());
    assert_eq!(
        again.collect::<Vec<_>>(),
        [304, 304, 304, 304, 304, 304, 200, 200]
    );
}

#[tokio::test]
async fn another_culture_tenant_or_order_of_ids_is_what_it_is() {
    let stack = Stack::empty();
    for tenant in [ACME, GLOBEX] {
        stack.publish(tenant, SMALL).await;
    }
    let api = Api::over(stack);
    let client = api.client();
    let (acme, globex) = (
        client.tenant(ACME.parse().unwrap()),
        client.tenant(GLOBEX.parse().unwrap()),
    );
    let german: Culture = "de-DE".parse().unwrap();
    acme.term(term(101), None).await.unwrap();
    acme.term(term(101), french().as_ref()).await.unwrap();
    acme.term(term(101), Some(&german)).await.unwrap();
    globex.term(term(101), None).await.unwrap();
    let tags = api
        .seen()
        .into_iter()
        .map(|seen| seen.header("if-none-match").is_some());
    assert!(!tags.into_iter().any(|tag| tag), "each is another entry");
    assert_eq!(
        globex.term(term(101), None).await.unwrap().tenant.as_str(),
        GLOBEX
    );
    assert_eq!(
        acme.term(term(101), french().as_ref()).await.unwrap().name,
        "Rust"
    );
    acme.terms(&[0, 101].map(term), None).await.unwrap();
    let turned = acme.terms(&[101, 0, 101].map(term), None).await.unwrap();
    assert_eq!((turned.items.len(), turned.items[0].id), (3, term(101)));
    let statuses: Vec<u16> = api.seen().iter().map(|seen| seen.status.unwrap()).collect();
    assert_eq!(statuses, [304, 304, 200, 304]);
}

/// An answer with a tag and a body of so many bytes.
fn tagged(tag: &str, bytes: usize, cache_control: &str) -> Fault {
    let headers = [("etag", tag), ("cache-control", cache_control)];
    let headers = headers.map(|(name, value)| (name, value.to_owned()));
    let answer = r#"{"items":[]}"#;
    let spaces = " ".repeat(bytes - answer.len());
    Fault::Response(200, headers.to_vec(), format!("{answer}{spaces}"))
}

#[tokio::test]
async fn the_cache_is_bounded_by_bytes() {
    let api = Api::new().await;
    let client = api.builder().cache_bytes(20_000).build().unwrap();
    let acme = client.tenant(ACME.parse().unwrap());
    let page = taxonomy_client::PageRequest::default();
    for id in 0..100 {
        api.inject([tagged("\"1\"", 1_000, "private, no-cache")]);
        acme.children_page(term(id), None, &page).await.unwrap();
        assert!(client.cached_bytes() <= 20_000, "{}", client.cached_bytes());
    }
    assert!(client.cached_bytes() > 10_000, "{}", client.cached_bytes());
    let before = client.cached_bytes();
    // One that is larger than all of the cache is not kept.
    api.inject([tagged("\"1\"", 30_000, "private")]);
    acme.categories_page(None, &page).await.unwrap();
    assert!(client.cached_bytes() <= before);
    api.seen();
    acme.categories_page(None, &page).await.unwrap();
    assert_eq!(api.seen()[0].header("if-none-match"), None);
}

#[tokio::test]
async fn nothing_is_kept_where_the_cache_is_off_or_the_answer_forbids_it() {
    let api = Api::new().await;
    let off = api.builder().cache_bytes(0).build().unwrap();
    let acme = off.tenant(ACME.parse().unwrap());
    for _ in 0..2 {
        acme.term(term(101), None).await.unwrap();
    }
    assert_eq!((off.requests().not_modified, off.cached_bytes()), (0, 0));
    let acme = api.acme();
    let page = taxonomy_client::PageRequest::default();
    for fault in [
        tagged("\"1\"", 100, "private, No-Store"),
        tagged("no tag", 100, "private"),
        tagged(&"x".repeat(257), 100, "private"),
    ] {
        api.inject([fault]);
        acme.categories_page(None, &page).await.unwrap();
        assert_eq!(acme.client().cached_bytes(), 0);
    }
}

#[tokio::test]
async fn a_304_that_nothing_was_asked_for_is_no_answer() {
    let api = Api::new().await;
    api.inject([Fault::Response(304, Vec::new(), String::new())]);
    let error = api.acme().head().await.unwrap_err();
    assert_eq!((error.status(), error.is_retryable()), (Some(304), false));
}

#[tokio::test]
async fn an_answer_of_a_wrong_form_is_not_kept() {
    let api = Api::new().await;
    let acme = api.acme();
    let headers = vec![("etag", "\"1\"".to_owned())];
    api.inject([Fault::Response(200, headers, "{}".to_owned())]);
    acme.head().await.unwrap_err();
    assert_eq!(acme.client().cached_bytes(), 0);
    acme.head().await.unwrap();
}

#[tokio::test]
async fn clones_and_tenants_share_the_cache() {
    let api = Api::new().await;
    let acme = Arc::new(api.acme());
    acme.head().await.unwrap();
    let other = acme.client().clone().tenant(ACME.parse().unwrap());
    other.head().await.unwrap();
    assert_eq!(acme.client().requests().not_modified, 1);
}
