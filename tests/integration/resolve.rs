//! Tests of paths, notations and relations over HTTP, against an independent reading of the file.

use std::collections::BTreeSet;

use taxonomy_tests::prelude::*;

/// Terms and a category that share notations, paths and relations; a path that names one node in English and another in French.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"notation":"62","names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur","path":"secteur"}],
   "relations":[{"type":"exact","scheme":"isco","id":"62"},{"type":"broad","scheme":"esco","id":"http://example.org/62"}],
   "terms":[
    {"id":1,"notation":"62","names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"fr-FR","name":"Informatique","path":"sector"}],"children":[
      {"id":2,"notation":"6201","names":[{"culture":"en-GB","name":"Rust","path":"it/rust"}],
       "relations":[{"type":"close","scheme":"isco","id":"62"},{"type":"exact","scheme":"nace","id":"62"},{"type":"related","id":1}]},
      {"id":3,"names":[{"culture":"en-GB","name":"Go","path":"it/go"}],"deprecated":true,"replacedBy":[2],
       "relations":[{"type":"close","scheme":"isco","id":"1"}]}]}]}]}"#;

fn named(resolved: &Value) -> BTreeSet<String> {
    let items = resolved["items"].as_array().unwrap().iter();
    items
        .map(|item| {
            format!(
                "{} {} {}",
                item["kind"].as_str().unwrap(),
                item["id"],
                item["name"].as_str().unwrap()
            )
        })
        .collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

const QUESTIONS: &[(&str, &[&str])] = &[
    ("path=it%2Frust", &["term 2 Rust"]),
    ("path=it/rust&culture=fr-FR", &["term 2 Rust"]),
    ("path=sector", &["category 1 Sector"]),
    ("path=sector&culture=fr-FR", &["term 1 Informatique"]),
    ("path=secteur&culture=fr-FR", &["category 1 Secteur"]),
    ("path=secteur", &[]),
    ("path=IT", &[]),
    ("path=", &[]),
    ("notation=62", &["category 1 Sector", "term 1 IT"]),
    ("notation=6201", &["term 2 Rust"]),
    ("notation=7", &[]),
    ("scheme=isco&id=62", &["category 1 Sector", "term 2 Rust"]),
    ("scheme=isco&id=63", &[]),
    ("scheme=esco&id=62", &[]),
    ("scheme=&id=62", &[]),
    ("id=1", &["term 2 Rust", "term 3 Go"]),
    ("id=01", &[]),
    ("id=2", &[]),
    ("id=62", &["category 1 Sector", "term 2 Rust"]),
    ("id=http://example.org/62", &["category 1 Sector"]),
    ("id=http://example.org/63", &[]),
];

#[tokio::test]
async fn a_reference_names_all_that_it_names_and_nothing_else() {
    let (_world, lookup) = served(FILE).await;
    for (query, expected) in QUESTIONS {
        let (status, body) = get(&lookup, &format!("resolve?{query}")).await;
        assert_eq!(
            (status, named(&body), &body["truncated"]),
            (200, set(expected), &json!(false)),
            "{query}"
        );
    }
    let (_, body) = get(&lookup, "resolve?path=it/go").await;
    let go = json!({"kind": "term", "id": 3, "name": "Go", "culture": "en-GB", "finalName": "Sector:Go", "category": 1, "path": "it/go", "deprecated": true});
    assert_eq!(body["items"], json!([go]));
    let (_, body) = get(&lookup, "resolve?id=62").await;
    let relations = |place: usize| body["items"][place]["relations"].clone();
    assert_eq!(
        relations(0),
        json!([{"type": "exact", "scheme": "isco", "id": "62"}])
    );
    assert_eq!(
        relations(1),
        json!([{"type": "exact", "scheme": "nace", "id": "62"}, {"type": "close", "scheme": "isco", "id": "62"}])
    );
}

#[tokio::test]
async fn several_are_answered_in_the_order_asked() {
    let (_world, lookup) = served(FILE).await;
    let references = json!({"references": [
        {"notation": "6201"}, {"path": "x", "notation": "y"}, {"scheme": "isco", "id": "62"}, {"scheme": "isco"}, {}, {"path": "it"}]});
    let (status, body) = post(&lookup, "terms:resolve", &references).await;
    assert_eq!(status, 200, "{body}");
    let items = body["items"].as_array().unwrap();
    let statuses: Vec<u64> = items
        .iter()
        .map(|item| item["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [200, 400, 200, 400, 400, 200]);
    assert_eq!(named(&items[0]["resolved"]), set(&["term 2 Rust"]));
    assert_eq!(
        named(&items[2]["resolved"]),
        set(&["category 1 Sector", "term 2 Rust"])
    );
    assert_eq!(items[3]["problem"]["pointer"], "/body/references/3/id");
    let (status, _) = post(
        &lookup,
        "terms:resolve",
        &json!({"references": vec![json!({"path": "x"}); 101]}),
    )
    .await;
    assert_eq!(status, 400);
    let (status, _) = post(&lookup, "terms:resolve", &json!({"reference": []})).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_question_of_nothing_or_of_too_much_is_a_problem() {
    let (_world, lookup) = served(FILE).await;
    let long = format!("resolve?path={} 400 * /query/path", "x".repeat(2_049));
    problems(&lookup, &long).await;
    let table = "
        resolve                   400 * /query/path
        resolve?path=x&notation=y 400 * /query/path
        resolve?scheme=isco       400 * /query/id
        resolve?path=x&path=y     400 * /query/path
    ";
    problems(&lookup, table).await;
}

/// The same holds for an older version, which is not read from the table.
#[tokio::test]
async fn a_path_that_is_gone_is_found_in_the_version_that_had_it() {
    let (world, lookup) = served(FILE).await;
    world
        .push(TENANT, FILE.replace("it/rust", "it/crab").as_bytes())
        .await;
    drop(lookup);
    let lookup = process(&world);
    let (_, now) = get(&lookup, "resolve?path=it/rust").await;
    let (_, before) = get(&lookup, "resolve?path=it/rust&version=1").await;
    assert_eq!((named(&now), named(&before)), (set(&[]), set(&["term 2 Rust"])));
}
