//! `fields=` over the real answers.

use serde_json::json;

use crate::stack::Stack;

fn path(target: &str) -> String {
    format!("/v1/tenants/acme{target}")
}

#[tokio::test]
async fn an_answer_has_the_fields_that_are_asked_for_and_its_id() {
    let stack = Stack::new().await;
    for (target, expect) in [
        (
            "/terms/101?fields=name",
            json!({"id": 101, "name": "Rust: the job"}),
        ),
        (
            "/terms/101?fields=finalName,category.name&culture=fr",
            json!({"id": 101, "finalName": "Secteur:Rust", "category": {"name": "Secteur"}}),
        ),
        (
            "/terms/101?fields=ancestors.id",
            json!({"id": 101, "ancestors": [{"id": 100}]}),
        ),
        ("/terms/102?fields=notation", json!({"id": 102})),
        (
            "?fields=version,totals.terms",
            json!({"version": 1, "totals": {"terms": 4}}),
        ),
        (
            "/categories?fields=name",
            json!({"items": [{"id": 2, "name": "Place"}, {"id": 1, "name": "Sector"}]}),
        ),
        (
            "/terms/100/children?fields=descendantCount",
            json!({"items": [{"id": 101, "descendantCount": 1}]}),
        ),
    ] {
        let mut found = stack.get(&path(target)).await.found();
        let mut expect = expect;
        for answer in [&mut found, &mut expect] {
            if let Some(items) = answer["items"].as_array_mut() {
                items.sort_by_key(|item| item["id"].as_u64());
            }
            if answer["items"].is_null() {
                answer.as_object_mut().unwrap().remove("items");
            }
        }
        assert_eq!(found, expect, "{target}");
    }
}

#[tokio::test]
async fn a_batch_has_them_of_each_term_and_keeps_its_problems() {
    let stack = Stack::new().await;
    let items = stack.get(&path("/terms?ids=101,7&fields=name")).await.found();
    assert_eq!(
        items["items"][0],
        json!({"id": 101, "status": 200, "term": {"id": 101, "name": "Rust: the job"}})
    );
    assert_eq!(items["items"][1]["problem"]["type"], "/problems/term-not-found");
    let posted = stack
        .post(&path("/terms:batchGet?fields=name"), r#"{"ids":[101,7]}"#)
        .await;
    assert_eq!(posted.found(), items);
}

#[tokio::test]
async fn a_page_keeps_its_cursor_and_its_link_the_fields() {
    let stack = Stack::new().await;
    let got = stack.get(&path("/categories?limit=1&fields=name")).await;
    let link = got.headers["link"].clone();
    let page = got.found();
    let cursor = page["nextCursor"].as_str().unwrap();
    assert_eq!(
        link,
        format!("<?limit=1&fields=name&cursor={cursor}>; rel=\"next\"")
    );
}

#[tokio::test]
async fn unknown_fields_are_refused_before_anything_is_read() {
    let stack = Stack::new().await;
    for (target, expect) in [
        (
            "/terms/101?fields=colour",
            "400 invalid-parameter /query/fields/0",
        ),
        ("/terms/101?fields=name,", "400 invalid-parameter /query/fields/1"),
        ("/terms/101?fields=", "400 invalid-parameter /query/fields/0"),
        (
            "/terms/101?fields=name&fields=id",
            "400 invalid-parameter /query/fields",
        ),
        (
            "/categories?fields=nextCursor",
            "400 invalid-parameter /query/fields/0",
        ),
    ] {
        let got = stack.get(&path(target)).await;
        assert_eq!(got.refused(), expect, "{target}");
    }
    let detail = stack.get(&path("/categories?fields=colour")).await.body["detail"].clone();
    assert_eq!(
        detail,
        "There is no such member. There are: childCount, culture, deprecated, descendantCount, details, id, name, names, notation, path."
    );
    assert_eq!(stack.requests(), [""; 0]);
}

#[tokio::test]
async fn who_has_the_fields_is_told_so_by_the_head_alone() {
    let stack = Stack::new().await;
    let target = path("/terms/101?fields=name");
    let tag = stack.get(&target).await.headers["etag"].clone();
    stack.requests();
    assert_eq!(stack.get_unless(&target, &tag).await.status, 304);
    assert_eq!(stack.requests(), [""; 0]);
}
