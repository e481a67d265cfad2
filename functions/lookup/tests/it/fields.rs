//! `fields=` over the real answers.

use serde_json::{Value, json};

use crate::stack::{BATCH, Stack};

#[tokio::test]
async fn an_answer_has_the_fields_that_are_asked_for_and_a_page_its_cursor() {
    let stack = Stack::new().await;
    let rust = json!({"id": 101, "name": "Rust: the job"});
    let french = "terms/101?fields=finalName,category.name&culture=fr";
    for (target, expect) in [
        ("terms/101?fields=name", rust.clone()),
        (
            french,
            json!({"id": 101, "finalName": "Secteur:Rust", "category": {"name": "Secteur"}}),
        ),
        (
            "terms/101?fields=ancestors.id",
            json!({"id": 101, "ancestors": [{"id": 100}]}),
        ),
        ("terms/102?fields=notation", json!({"id": 102})),
        (
            "?fields=version,totals.terms",
            json!({"version": 1, "totals": {"terms": 4}}),
        ),
        (
            "categories?fields=name",
            json!({"items": [{"id": 1, "name": "Sector"}, {"id": 2, "name": "Place"}]}),
        ),
        (
            "terms/100/children?fields=descendantCount",
            json!({"items": [{"id": 101, "descendantCount": 1}]}),
        ),
    ] {
        assert_eq!(stack.found(target).await, expect, "{target}");
    }
    // A batch has them of each term, and keeps its problems.
    let batch = stack.found("terms?ids=101,7&fields=name").await;
    let expect = json!({"id": 101, "status": 200, "term": rust});
    assert_eq!(batch["items"][0], expect);
    assert_eq!(batch["items"][1]["problem"]["type"], "/problems/term-not-found");
    let fields = format!("{BATCH}?fields=name");
    let posted: Value = stack.post(&fields, r#"{"ids":[101,7]}"#).await.found();
    assert_eq!(posted, batch);
    let stack = Stack::new().await;
    let got = stack.get("categories?limit=1&fields=name").await;
    let link = got.headers["link"].clone();
    let page = got.found();
    let cursor = page["nextCursor"].as_str().unwrap();
    let expect = format!("<?limit=1&fields=name&cursor={cursor}>; rel=\"next\"");
    assert_eq!(link, expect);
}
