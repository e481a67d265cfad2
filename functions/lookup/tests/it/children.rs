//! Children of a term.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{ACME, GLOBEX};

use crate::stack::{SMALL, Stack, smaller};

/// Siblings in five cultures: by sort key, by name and by id; with and without names, paths and children of their own.
const FAMILY: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"s"},{"culture":"fr-FR","name":"Secteur","path":"f"},{"culture":"pt-BR","name":"Setor"}],
   "terms":[
    {"id":9,"names":[{"culture":"en-GB","name":"IT","path":"s/it"},{"culture":"fr-FR","name":"Info","path":"f/info"}],"children":[
      {"id":15,"names":[{"culture":"en-GB","name":"b: last","path":"elsewhere"},{"culture":"fr-CA","name":"b-ca"},{"culture":"fr-FR","name":"b-fr","path":"f/b"}]},
      {"id":14,"names":[{"culture":"en-GB","name":"A"},{"culture":"de-DE","name":"A-de"}],"deprecated":true,"replacedBy":[15]},
      {"id":13,"names":[{"culture":"en-GB","name":"a","path":"s/it/a"},{"culture":"pt-PT","name":"a-pt"}],"notation":"x",
       "children":[{"id":20,"names":[{"culture":"en-GB","name":"below"}]}]},
      {"id":12,"names":[{"culture":"en-GB","name":"z","path":"s/it"}],"sortKey":"0"},
      {"id":11,"names":[{"culture":"en-GB","name":"same"}]},
      {"id":10,"names":[{"culture":"en-GB","name":"Same"}]}]}]}]}"#;

async fn family() -> Stack {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[FAMILY]).await;
    stack
}

#[tokio::test]
async fn a_page_is_read_from_the_index_file() {
    let stack = Stack::new().await;
    let got = stack.get("/v1/tenants/acme/terms/100/children").await;
    assert_eq!(got.headers["content-language"], "en-GB");
    assert_eq!(
        got.found(),
        json!({"items": [
            {"id": 101, "name": "Rust: the job", "culture": "en-GB", "finalName": "Sector:Rust: the job", "path": "it/rust",
             "notation": "6201", "deprecated": true, "childCount": 1, "descendantCount": 1},
        ]})
    );
    let requests = stack.requests();
    assert_eq!(requests.len(), 2, "the head and the file: {requests:?}");
    assert!(requests[1].starts_with("S3.GetObject "), "{requests:?}");
}

#[tokio::test]
async fn another_culture_costs_nothing_more() {
    let stack = Stack::new().await;
    let got = stack.get("/v1/tenants/acme/terms/100/children?culture=fr").await;
    assert_eq!(got.headers["content-language"], "fr-FR");
    assert_eq!(
        got.found()["items"],
        json!([
            {"id": 101, "name": "Rust", "culture": "fr-FR", "finalName": "Secteur:Rust", "path": "informatique/rust", "notation": "6201", "deprecated": true, "childCount": 1, "descendantCount": 1},
        ])
    );
    let requests = stack.requests();
    assert_eq!(requests.len(), 2, "{requests:#?}");
}

#[tokio::test]
async fn children_stand_in_the_order_of_siblings() {
    let page = family()
        .await
        .get("/v1/tenants/acme/terms/9/children")
        .await
        .found();
    // A sort key, then names: of the same letters small ones come first.
    assert_eq!(ids(&page), [12, 13, 14, 15, 11, 10]);
}

/// The members of a child in a list equal those of the child's own response.
#[tokio::test]
async fn a_child_is_as_its_own_answer_says() {
    let stack = family().await;
    for culture in [
        "", "en-GB", "en", "fr", "fr-FR", "fr-CA", "fr-BE", "de", "pt", "pt-BR", "pt-PT", "ja",
    ] {
        let query = match culture {
            "" => String::new(),
            culture => format!("?culture={culture}"),
        };
        let page = stack
            .get(&format!("/v1/tenants/acme/terms/9/children{query}"))
            .await
            .found();
        assert_eq!(ids(&page).len(), 6);
        for child in page["items"].as_array().unwrap() {
            let target = format!("/v1/tenants/acme/terms/{}{query}", child["id"]);
            let own = stack.get(&target).await.found();
            for field in [
                "id",
                "name",
                "culture",
                "finalName",
                "path",
                "notation",
                "deprecated",
            ] {
                assert_eq!(child[field], own[field], "{target} {field}");
            }
            assert_eq!(child["childCount"], u64::from(child["id"] == 13), "{target}");
        }
    }
}

#[tokio::test]
async fn pages_follow_each_other_and_their_cursors_belong_to_one_list() {
    let stack = family().await;
    stack.publish(GLOBEX, &[FAMILY]).await;
    let list = "/v1/tenants/acme/terms/9/children";
    for limit in 1..=7 {
        let (mut seen, mut pages, mut target) = (Vec::new(), 0, format!("{list}?limit={limit}"));
        loop {
            let page = stack.get(&target).await.found();
            seen.extend(ids(&page));
            pages += 1;
            let Some(cursor) = page["nextCursor"].as_str() else {
                break;
            };
            target = format!("{list}?limit={limit}&cursor={cursor}");
        }
        assert_eq!(seen, [12, 13, 14, 15, 11, 10]);
        assert_eq!(pages, 6_usize.div_ceil(limit), "no page leads to an empty one");
    }
    let page = stack.get(&format!("{list}?limit=2")).await.found();
    let cursor = page["nextCursor"].as_str().unwrap();
    for other in [
        "/v1/tenants/acme/terms/13/children",
        "/v1/tenants/acme/categories",
        "/v1/tenants/globex/terms/9/children",
    ] {
        let got = stack.get(&format!("{other}?cursor={cursor}")).await;
        assert_eq!(got.refused(), "400 invalid-parameter /query/cursor", "{other}");
    }
}

#[tokio::test]
async fn a_term_without_children_has_an_empty_page_and_so_has_one_that_is_gone() {
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[SMALL, &smaller()]).await;
    let removed = stack.get("/v1/tenants/acme/terms/0").await.found();
    assert_eq!(removed["removed"], true);
    for id in [0, 102] {
        let page = stack
            .get(&format!("/v1/tenants/acme/terms/{id}/children?culture=fr"))
            .await
            .found();
        assert_eq!(page, json!({"items": []}), "{id}");
    }
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_what_is_not_there_is_not_found() {
    let stack = Stack::new().await;
    for (target, expect) in [
        ("acme/terms/7/children", "404 term-not-found"),
        ("acme/terms/1/children", "404 term-not-found"),
        ("acme/terms/x/children", "400 invalid-id /path/id"),
        (
            "acme/terms/100/children?limit=0",
            "400 invalid-parameter /query/limit",
        ),
        (
            "acme/terms/100/children?culture=-",
            "400 invalid-culture /query/culture",
        ),
        (
            "acme/terms/100/children?cursor=x",
            "400 invalid-parameter /query/cursor",
        ),
        ("nobody/terms/100/children", "404 tenant-not-found"),
        ("acme/terms/100/children/", "404 route-not-found"),
        ("acme/terms//children", "404 route-not-found"),
    ] {
        let got = stack.get(&format!("/v1/tenants/{target}")).await;
        assert_eq!(got.refused(), expect, "{target}");
    }
}

fn ids(page: &Value) -> Vec<u64> {
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["id"].as_u64().unwrap()).collect()
}
