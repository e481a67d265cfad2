//! Categories.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::stack::{SMALL, Stack, smaller};

#[tokio::test]
async fn a_category_costs_one_get() {
    let stack = Stack::new().await;
    let category = stack.get("/v1/tenants/acme/categories/1").await.found();
    assert_eq!(
        category,
        json!({
            "tenant": "acme", "version": 1, "id": 1, "name": "Sector", "culture": "en-GB", "path": "sector",
            "notation": "S", "altNames": [], "sortKey": "010", "metadata": {"facet": true},
            "deprecated": false, "replacedBy": [], "relations": [], "removed": false,
        })
    );
    assert_eq!(
        stack.requests()[1..],
        ["DynamoDB.GetItem taxonomy CATEGORY#acme#1 CATEGORY#acme#1 -> 200, 1 item, 0.5 units"]
    );
}

#[tokio::test]
async fn its_best_name_answers() {
    let stack = Stack::new().await;
    for (asked, served, name) in [
        ("fr", "fr-FR", "Secteur"),
        ("fr-FR", "fr-FR", "Secteur"),
        ("de", "en-GB", "Sector"),
        ("en", "en-GB", "Sector"),
    ] {
        let got = stack
            .get(&format!("/v1/tenants/acme/categories/1?culture={asked}"))
            .await;
        assert_eq!(got.headers["content-language"], served);
        let category = got.found();
        assert_eq!(
            (&category["culture"], &category["name"]),
            (&json!(served), &json!(name)),
            "{asked}"
        );
        assert_eq!(category["requestedCulture"], asked);
    }
    let french = stack
        .get("/v1/tenants/acme/categories/1?culture=fr")
        .await
        .found();
    assert_eq!(
        (&french["path"], &french["altNames"]),
        (&json!("secteur"), &json!(["Domaine"]))
    );
}

#[tokio::test]
async fn a_removed_category_is_found_and_not_listed() {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[SMALL, &smaller()]).await;
    let category = stack.get("/v1/tenants/acme/categories/2").await.found();
    assert_eq!(
        (&category["removed"], &category["deprecated"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(ids(&stack.get("/v1/tenants/acme/categories").await.found()), [1]);
}

#[tokio::test]
async fn a_listing_is_read_from_the_index_file() {
    let stack = Stack::new().await;
    let got = stack.get("/v1/tenants/acme/categories?culture=fr").await;
    assert_eq!(got.headers["content-language"], "en-GB, fr-FR");
    assert_eq!(
        got.found(),
        json!({"items": [
            {"id": 1, "name": "Secteur", "culture": "fr-FR", "path": "secteur", "notation": "S", "deprecated": false, "childCount": 1, "descendantCount": 3},
            {"id": 2, "name": "Place", "culture": "en-GB", "deprecated": false, "childCount": 1, "descendantCount": 1},
        ]})
    );
    let requests = stack.requests();
    assert_eq!(requests.len(), 2, "the head and the file: {requests:?}");
    assert!(requests[1].starts_with("S3.GetObject "), "{requests:?}");
}

#[tokio::test]
async fn a_listing_goes_on_where_its_page_ended() {
    let categories: Vec<Value> = (1..=5)
        .map(|id| json!({"id": id, "names": [{"culture": "en-GB", "name": format!("#{id}")}]}))
        .collect();
    let stack = Stack::empty(lookup::Auth::Iam);
    stack
        .publish(
            ACME,
            &[&json!({"defaultCulture": "en-GB", "categories": categories}).to_string()],
        )
        .await;
    let (mut seen, mut pages, mut target) = (Vec::new(), 0, "/v1/tenants/acme/categories?limit=2".to_owned());
    loop {
        let page = stack.get(&target).await.found();
        seen.extend(ids(&page));
        pages += 1;
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        target = format!("/v1/tenants/acme/categories?limit=2&cursor={cursor}");
    }
    assert_eq!((seen, pages), (vec![1, 2, 3, 4, 5], 3));
}

#[tokio::test]
async fn a_cursor_works_for_its_tenant_alone_and_only_unchanged() {
    let stack = Stack::new().await;
    stack.publish(GLOBEX, &[SMALL]).await;
    let page = stack.get("/v1/tenants/acme/categories?limit=1").await.found();
    let cursor = page["nextCursor"].as_str().unwrap();
    for target in [
        format!("/v1/tenants/globex/categories?cursor={cursor}"),
        format!("/v1/tenants/acme/categories?cursor={}", &cursor[1..]),
        format!("/v1/tenants/acme/categories?cursor={cursor}AAAA"),
        "/v1/tenants/acme/categories?cursor=nonsense".to_owned(),
        "/v1/tenants/acme/categories?cursor=".to_owned(),
    ] {
        assert_eq!(
            stack.get(&target).await.refused(),
            "400 invalid-parameter /query/cursor",
            "{target}"
        );
    }
    let target = format!("/v1/tenants/acme/categories?cursor={cursor}");
    assert_eq!(ids(&stack.get(&target).await.found()), [2]);
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_what_is_not_there_is_not_found() {
    let stack = Stack::new().await;
    for (target, expect) in [
        ("/v1/tenants/acme/categories/7", "404 category-not-found"),
        ("/v1/tenants/acme/categories/100", "404 category-not-found"),
        ("/v1/tenants/acme/categories/x", "400 invalid-id /path/id"),
        (
            "/v1/tenants/acme/categories?limit=0",
            "400 invalid-parameter /query/limit",
        ),
        (
            "/v1/tenants/acme/categories?limit=101",
            "400 invalid-parameter /query/limit",
        ),
        (
            "/v1/tenants/acme/categories?culture=",
            "400 invalid-culture /query/culture",
        ),
        ("/v1/tenants/nobody/categories", "404 tenant-not-found"),
        ("/v1/tenants/nobody/categories/1", "404 tenant-not-found"),
    ] {
        assert_eq!(stack.get(target).await.refused(), expect, "{target}");
    }
}

fn ids(page: &Value) -> Vec<u64> {
    page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_u64().unwrap())
        .collect()
}
