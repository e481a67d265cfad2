//! Lists over several pages.

use futures_util::{StreamExt, TryStreamExt};
use serde_json::json;
use taxonomy_client::{ClientError, Cursor, PageRequest};
use taxonomy_keys::TermId;
use taxonomy_testkit::fixtures::ACME;

use crate::api::{Api, Fault, category, french, term};

/// A term with 250 children, and 130 categories.
async fn wide() -> Api {
    let child = |n: u64| json!({"id": n, "name": format!("Child {n}")});
    let children: Vec<_> = (1..=250).map(child).collect();
    let top = json!({"id": 1000, "name": "Top", "children": children});
    let category = |n: u64| {
        let terms = if n == 1 { vec![top.clone()] } else { Vec::new() };
        json!({"id": n, "name": format!("Category {n}"), "terms": terms})
    };
    let categories: Vec<_> = (1..=130).map(category).collect();
    Api::of(&[ACME], &json!({ "categories": categories }).to_string()).await
}

fn request(limit: Option<u16>, cursor: Option<Cursor>) -> PageRequest {
    PageRequest { limit, cursor }
}

#[tokio::test]
async fn every_item_of_all_pages_comes_once() {
    let api = wide().await;
    let acme = api.acme();
    let children: Vec<_> = acme.children(term(1000), None).try_collect().await.unwrap();
    let all: Vec<TermId> = children.iter().map(|child| child.id).collect();
    let mut ids: Vec<u64> = all.iter().map(|id| id.get()).collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1..=250));
    let lines = api.lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|line| line.contains("limit=100")), "{lines:?}");
    let categories: Vec<_> = acme.categories(french().as_ref()).try_collect().await.unwrap();
    assert_eq!((categories.len(), categories[0].id), (130, category(1)));
    assert_eq!(api.lines().len(), 2);
    // Single pages go on where the one before ended.
    let page = async |request: PageRequest| acme.children_page(term(1000), None, &request).await.unwrap();
    let first = page(request(Some(99), None)).await;
    let second = page(request(Some(2), first.next_cursor)).await;
    let ids = first.items.iter().chain(&second.items).map(|child| child.id);
    assert_eq!(ids.collect::<Vec<_>>(), all[..101]);
}

#[tokio::test]
async fn a_page_is_asked_for_when_its_items_are() {
    let api = wide().await;
    let items = api.acme().children(term(1000), None).take(100);
    assert_eq!(items.count().await, 100);
    assert_eq!(api.lines().len(), 1);
}

#[tokio::test]
async fn a_cursor_is_escaped_and_refused_by_the_service_with_its_pointer() {
    let api = wide().await;
    let cursor = "a b&limit=1/é".to_owned().try_into().unwrap();
    let page = request(None, Some(cursor));
    let error = api.acme().categories_page(None, &page).await.unwrap_err();
    let problem = error.problem().unwrap();
    let said = (problem.code(), problem.pointer.as_deref());
    assert_eq!(said, ("invalid-parameter", Some("/query/cursor")));
    let line = "GET /v1/tenants/acme/categories?cursor=a%20b%26limit%3D1%2F%C3%A9";
    assert_eq!(api.lines(), [line]);
}

#[tokio::test]
async fn an_error_in_the_middle_ends_the_stream() {
    let api = wide().await;
    let acme = api.acme();
    acme.children(term(1000), None).take(1).count().await;
    let first = api.last();
    api.inject([Fault::body(first.to_string()), Fault::message(403, "Forbidden")]);
    let items: Vec<_> = acme.children(term(1000), None).collect().await;
    assert_eq!(items.len(), 101);
    assert!(items[100].as_ref().unwrap_err().is_unauthenticated());
}

fn page(cursor: &str) -> Fault {
    Fault::body(json!({"items": [], "nextCursor": cursor}).to_string())
}

#[tokio::test]
async fn a_list_without_an_end_is_an_error() {
    let api = wide().await;
    let acme = api.acme();
    // A circle of two, and then every page is empty and names a further one.
    api.inject(["a", "b", "a"].map(page));
    let error = acme.categories(None).try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!(error.to_string(), "the list has no end: a cursor came twice");
    assert_eq!(api.seen().len(), 3);
    api.inject((0..30_000).map(|n| page(&n.to_string())));
    let error = acme.categories(None).try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!(error.to_string(), "the list has no end: more than 20000 pages");
    assert_eq!(api.seen().len(), 20_000);
}

#[tokio::test]
async fn a_cursor_that_fits_into_no_url_is_no_cursor() {
    let api = wide().await;
    for cursor in [String::new(), "x".repeat(2_049)] {
        assert!(Cursor::try_from(cursor.clone()).is_err());
        api.inject([page(&cursor)]);
        let page = api.acme().categories_page(None, &PageRequest::default()).await;
        let error = page.unwrap_err();
        assert!(matches!(error, ClientError::Malformed { .. }), "{error:?}");
    }
}
