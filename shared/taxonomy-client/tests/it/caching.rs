//! Answers with an ETag.

use taxonomy_client::PageRequest;
use taxonomy_keys::Culture;
use taxonomy_testkit::fixtures::{ACME, GLOBEX};
use taxonomy_tests::files::SMALL;

use crate::api::{Api, Fault, acme, category, french, term};

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
    // Clones of the client share the cache.
    let other = self::acme(&acme.client().clone());
    other.term(term(101), None).await.unwrap();
    let after = acme.client().requests();
    assert_eq!((after.sent, after.not_modified, after.retries), (3, 2, 0));
    assert!(before.body_bytes > 100, "{before:?}");
    assert_eq!(after.body_bytes, before.body_bytes);
}

#[tokio::test]
async fn every_route_with_a_tag_is_cached_and_the_counts_are_not() {
    let api = Api::new().await;
    let (acme, ids) = (api.acme(), [0, 101].map(term));
    let page = PageRequest::default();
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
    assert_eq!(api.statuses()[8..], [304, 304, 304, 304, 304, 304, 200, 200]);
}

#[tokio::test]
async fn another_culture_tenant_or_order_of_ids_is_what_it_is() {
    let api = Api::of(&[ACME, GLOBEX], SMALL).await;
    let client = api.client();
    let (acme, globex) = (acme(&client), client.tenant(GLOBEX.parse().unwrap()));
    let german: Culture = "de-DE".parse().unwrap();
    acme.term(term(101), None).await.unwrap();
    acme.term(term(101), french().as_ref()).await.unwrap();
    acme.term(term(101), Some(&german)).await.unwrap();
    globex.term(term(101), None).await.unwrap();
    assert_eq!(api.statuses(), [200; 4], "each is another entry");
    let of_globex = globex.term(term(101), None).await.unwrap();
    assert_eq!(of_globex.tenant.as_str(), GLOBEX);
    let in_french = acme.term(term(101), french().as_ref()).await.unwrap();
    assert_eq!(in_french.name, "Rust");
    acme.terms(&[0, 101].map(term), None).await.unwrap();
    let turned = acme.terms(&[101, 0, 101].map(term), None).await.unwrap();
    assert_eq!((turned.items.len(), turned.items[0].id), (3, term(101)));
    assert_eq!(api.statuses(), [304, 304, 200, 304]);
}

/// An answer with a tag and a body of so many bytes.
fn tagged(tag: &str, bytes: usize, cache_control: &str) -> Fault {
    let headers = [("etag", tag), ("cache-control", cache_control)];
    let headers = headers.map(|(name, value)| (name, value.to_owned()));
    let answer = format!("{:bytes$}", r#"{"items":[]}"#);
    Fault::Response(200, headers.to_vec(), answer)
}

#[tokio::test]
async fn the_cache_is_bounded_by_bytes() {
    let api = Api::new().await;
    let acme = api.acme_by(|builder| builder.cache_bytes(20_000));
    let (client, page) = (acme.client(), PageRequest::default());
    for id in 0..100 {
        api.inject([tagged("\"1\"", 1_000, "private, no-cache")]);
        acme.children_page(term(id), None, &page).await.unwrap();
        assert!(client.cached_bytes() <= 20_000, "{}", client.cached_bytes());
    }
    let before = client.cached_bytes();
    assert!(before > 10_000, "{before}");
    // One that is larger than all of the cache is not kept.
    api.inject([tagged("\"1\"", 30_000, "private")]);
    acme.categories_page(None, &page).await.unwrap();
    assert!(client.cached_bytes() <= before);
    api.seen();
    acme.categories_page(None, &page).await.unwrap();
    assert_eq!(api.only().header("if-none-match"), None);
}

#[tokio::test]
async fn nothing_is_kept_where_the_cache_is_off_or_the_answer_is_not_to_be_kept() {
    let api = Api::new().await;
    let off = api.acme_by(|builder| builder.cache_bytes(0));
    for _ in 0..2 {
        off.term(term(101), None).await.unwrap();
    }
    let requests = off.client().requests();
    assert_eq!((requests.not_modified, off.client().cached_bytes()), (0, 0));
    let acme = api.acme();
    for fault in [
        tagged("\"1\"", 100, "private, No-Store"),
        tagged("no tag", 100, "private"),
        tagged(&"x".repeat(257), 100, "private"),
    ] {
        api.inject([fault]);
        acme.categories_page(None, &PageRequest::default()).await.unwrap();
        assert_eq!(acme.client().cached_bytes(), 0);
    }
    // A page is no head.
    api.inject([tagged("\"1\"", 100, "private")]);
    acme.head().await.unwrap_err();
    assert_eq!(acme.client().cached_bytes(), 0);
    acme.head().await.unwrap();
    let error = Api::new().await.failed(Fault::answer(304, "")).await;
    assert_eq!((error.status(), error.is_retryable()), (Some(304), false));
}
