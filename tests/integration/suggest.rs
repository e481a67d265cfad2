//! Tests of suggestions over HTTP: exact responses about a small file. `suggest/random.rs` compares random files with a search of every name.

mod damage;
mod facets;
mod nothing_found;
mod random;

use lookup::Lookup;
use taxonomy_tests::asking::body;
use taxonomy_tests::prelude::*;

/// Two categories, three levels, names in two cultures, alternative names, notations, a deprecated term and a name with a symbol of two units.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"notation":"S","names":[{"culture":"en-GB","name":"Sector"},{"culture":"fr-FR","name":"Secteur"}],"terms":[
    {"id":100,"notation":"62","names":[{"culture":"en-GB","name":"Information technology","path":"it"},{"culture":"fr-FR","name":"Informatique"}],
     "altNames":[{"culture":"en-GB","name":"IT"}],"children":[
      {"id":101,"notation":"62.01","names":[{"culture":"en-GB","name":"Rust developer","path":"it/rust"},{"culture":"fr-FR","name":"Développeur Rust"}],
       "altNames":[{"culture":"en-GB","name":"Rustacean"},{"culture":"fr-FR","name":"Rouillé"}],"children":[
        {"id":103,"names":[{"culture":"en-GB","name":"Async Rust developer"}]}]},
      {"id":102,"names":[{"culture":"en-GB","name":"COBOL developer"}],"deprecated":true,"replacedBy":[101]}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Skill"}],"terms":[
    {"id":200,"names":[{"culture":"en-GB","name":"🚀 Crème brûlée"}]},
    {"id":201,"names":[{"culture":"en-GB","name":"Rust removal"}]}]}]}"#;

/// Returns a text as it is encoded in a query.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Returns the hits of a query as lines: id, name that matches, kind, class, ranges.
async fn hits(lookup: &Lookup, query: &str) -> Vec<String> {
    let (text, rest) = query.split_once('&').unwrap_or((query, ""));
    let (status, body) = get(lookup, &format!("suggest?q={}&{rest}", escaped(text))).await;
    assert_eq!(
        (status, &body["truncated"]),
        (200, &json!(false)),
        "{query}: {body}"
    );
    let line = |item: &Value| {
        let matched = &item["matched"];
        let text = |member: &str| matched[member].as_str().unwrap().to_owned();
        let (name, kind, class) = (text("name"), text("kind"), text("class"));
        format!("{} {name} {kind} {class} {}", item["id"], matched["ranges"])
    };
    body["items"].as_array().unwrap().iter().map(line).collect()
}

const QUERIES: &[(&str, &[&str])] = &[
    (
        "rust",
        &[
            "201 Rust removal name start [[0,4]]",
            "101 Rust developer name start [[0,4]]",
            "103 Async Rust developer name word [[6,10]]",
        ],
    ),
    ("RUSTAC", &["101 Rustacean altName start [[0,6]]"]),
    ("it", &["100 IT altName whole [[0,2]]"]),
    (
        "dev rust",
        &[
            "101 Rust developer name word [[0,4],[5,8]]",
            "103 Async Rust developer name word [[6,10],[11,14]]",
        ],
    ),
    ("6201", &["101 62.01 notation folded [[0,5]]"]),
    (
        "62",
        &[
            "100 62 notation whole [[0,2]]",
            "101 62.01 notation start [[0,2]]",
        ],
    ),
    // The rocket counts as two units.
    ("creme bru", &["200 🚀 Crème brûlée name word [[3,8],[9,12]]"]),
    ("brûlée", &["200 🚀 Crème brûlée name word [[9,15]]"]),
    ("removel", &["201 Rust removal name typo [[5,12]]"]),
    (
        "develoepr",
        &[
            "101 Rust developer name typo [[5,14]]",
            "103 Async Rust developer name typo [[11,20]]",
            "102 COBOL developer name typo [[6,15]]",
        ],
    ),
    ("sector", &["1 Sector name whole [[0,6]]"]),
    ("S", &["1 S notation whole [[0,1]]", "2 Skill name start [[0,1]]"]),
    ("s&kind=term", &[]),
    ("sec&kind=category", &["1 Sector name start [[0,3]]"]),
    // An id comes behind whole names.
    (
        "62&deprecated=exclude",
        &[
            "100 62 notation whole [[0,2]]",
            "101 62.01 notation start [[0,2]]",
        ],
    ),
    ("101", &["101 101 id whole [[0,3]]"]),
    ("101&category=2", &[]),
    ("2", &["2 2 id whole [[0,1]]"]),
    ("", &[]),
    ("!?", &[]),
    ("rust&category=2", &["201 Rust removal name start [[0,4]]"]),
    ("rust&below=101", &["103 Async Rust developer name word [[6,10]]"]),
    ("rust&below=103", &[]),
    ("rust&limit=1", &["201 Rust removal name start [[0,4]]"]),
    ("cobol&deprecated=exclude", &[]),
    ("dev&deprecated=only", &["102 COBOL developer name word [[6,9]]"]),
    (
        "dev&deprecated=include&limit=1",
        &["101 Rust developer name word [[5,8]]"],
    ),
    ("rouille", &[]),
    ("rouille&cultures=all", &["101 Rouillé altName folded [[0,7]]"]),
    (
        "developpeur&culture=fr-FR",
        &[
            "101 Développeur Rust name start [[0,11]]",
            "103 Async Rust developer name typo [[11,20]]",
            "102 COBOL developer name typo [[6,15]]",
        ],
    ),
    ("rouille&culture=fr", &["101 Rouillé altName folded [[0,7]]"]),
    // If no French name matches, English names are searched.
    (
        "rust rem&culture=fr-FR",
        &["201 Rust removal name start [[0,4],[5,8]]"],
    ),
    ("rustacean&culture=de", &["101 Rustacean altName whole [[0,9]]"]),
];

#[tokio::test]
async fn a_query_finds_the_names_that_it_begins_and_no_others() {
    let (_world, lookup) = served(FILE).await;
    for (query, expect) in QUERIES {
        assert_eq!(hits(&lookup, query).await, *expect, "{query}");
    }
}

#[tokio::test]
async fn a_suggestion_has_the_term_in_the_best_culture_and_the_name_that_matches() {
    let (_world, lookup) = served(FILE).await;
    let (status, body) = get(&lookup, "suggest?q=rustac").await;
    let english = json!({
        "kind": "term", "id": 101, "name": "Rust developer", "culture": "en-GB", "finalName": "Sector:Rust developer", "path": "it/rust", "category": 1,
        "notation": "62.01", "deprecated": false,
        "matched": {"name": "Rustacean", "culture": "en-GB", "kind": "altName", "class": "start", "ranges": [[0, 6]]},
    });
    assert_eq!(
        (status, body),
        (
            200,
            json!({"items": [english], "total": 1, "totalIsMinimum": false, "truncated": false})
        )
    );
    let (_, body) = get(&lookup, "suggest?q=rustac&culture=fr").await;
    let french = json!({
        "kind": "term", "id": 101, "name": "Développeur Rust", "culture": "fr-FR", "finalName": "Secteur:Développeur Rust", "category": 1,
        "notation": "62.01", "deprecated": false,
        "matched": {"name": "Rustacean", "culture": "en-GB", "kind": "altName", "class": "start", "ranges": [[0, 6]]},
    });
    assert_eq!(body["items"], json!([french]));
    let (_, body) = get(&lookup, "suggest?q=rustac&fields=name,matched.ranges").await;
    let chosen =
        json!({"kind": "term", "id": 101, "name": "Rust developer", "matched": {"ranges": [[0, 6]]}});
    assert_eq!(body["items"], json!([chosen]));
}

#[tokio::test]
async fn a_request_that_cannot_be_answered_names_the_parameter() {
    let (_world, lookup) = served(FILE).await;
    let long = format!("suggest?q={} 400 invalid-parameter /query/q", "x".repeat(501));
    problems(&lookup, &long).await;
    let table = "
        suggest?                                  400 invalid-parameter /query/q
        suggest?q=a&q=b                           400 invalid-parameter /query/q
        suggest?q=a&limit=0                       400 invalid-parameter /query/limit
        suggest?q=a&limit=51                      400 invalid-parameter /query/limit
        suggest?q=a&category=x                    400 invalid-id /query/category
        suggest?q=a&below=-1                      400 invalid-id /query/below
        suggest?q=a&category=1&below=101          400 invalid-parameter /query/below
        suggest?q=a&counts=all                    400 invalid-parameter /query/counts
        suggest?q=a&deprecated=no                 400 invalid-parameter /query/deprecated
        suggest?q=a&culture=en_GB                 400 invalid-culture /query/culture
        suggest?q=a&category=7                    404 category-not-found -
        suggest?q=a&below=7                       404 term-not-found -
        suggest?q=a&kind=node                     400 invalid-parameter /query/kind
        suggest?q=a&missing=_                     400 invalid-parameter /query/missing
        suggest?q=a&cultures=some                 400 invalid-parameter /query/cultures
        suggest?q=a&total=no                      400 invalid-parameter /query/total
        suggest?q=a&depth=0                       400 invalid-parameter /query/depth
        suggest?q=a&parents=all                   400 invalid-parameter /query/parents
        suggest?q=a&category=1&parents=all        400 invalid-parameter /query/parents
        suggest?q=a&below=101&parents=all&depth=1 400 invalid-parameter /query/depth
        suggest?q=a&cursor=x                      400 invalid-parameter /query/cursor
        suggest?q=a&version=2                     404 version-not-found -
    ";
    problems(&lookup, table).await;
    for query in [
        format!("q={}", "x".repeat(500)),
        format!("q={}", "a%20".repeat(100)),
    ] {
        let (answered, _) = get(&lookup, &format!("suggest?{query}&limit=50")).await;
        assert_eq!(answered, 200, "{query}");
    }
}

/// Each version is searched in its own search objects; the ordinals of terms differ between them.
#[tokio::test]
async fn an_older_version_suggests_what_it_had() {
    let (world, _) = served(FILE).await;
    let second = FILE.replace("Rust removal", "Oxide removal").replace(
        r#"{"id":200,"names":[{"culture":"en-GB","name":"🚀 Crème brûlée"}]},"#,
        "",
    );
    world.replace(TENANT, second.as_bytes()).await;
    let lookup = process(&world);
    for (query, expect) in [
        ("removal", "201 Oxide removal name word [[6,13]]"),
        ("removal&version=1", "201 Rust removal name word [[5,12]]"),
        ("removal&version=2", "201 Oxide removal name word [[6,13]]"),
        ("creme&version=1", "200 🚀 Crème brûlée name word [[3,8]]"),
    ] {
        assert_eq!(hits(&lookup, query).await, [expect], "{query}");
    }
    // A removed term is neither suggested nor unknown.
    for query in ["creme", "a&below=200"] {
        assert_eq!(hits(&lookup, query).await, [""; 0], "{query}");
    }
}

#[tokio::test]
async fn an_answer_has_the_tag_of_its_version_and_head_has_no_body() {
    let (_world, lookup) = served(FILE).await;
    let found = ask(&lookup, "GET", "suggest?q=rust", None).await;
    let tag = found.headers["etag"].clone();
    assert_eq!(found.headers["taxonomy-version"], "1");
    let head = ask(&lookup, "HEAD", "suggest?q=rust", None).await;
    assert_eq!(
        (head.status_code, &*head.body, &head.headers["etag"]),
        (200, "", &tag)
    );
    let send = async |name: &str, value: &str| {
        ask_with(&lookup, "GET", "suggest?q=rouill", &json!({name: value}), None).await
    };
    let unchanged = send("if-none-match", &tag).await;
    assert_eq!((unchanged.status_code, &*unchanged.body), (304, ""));
    assert_eq!(body(&send("accept", "*/*").await)["items"], json!([]));
    let french = send("accept-language", "fr;q=0.9, it").await;
    assert_eq!(body(&french)["items"][0]["matched"]["name"], "Rouillé");
    assert_eq!(french.headers["content-language"], "fr-FR");
    assert_ne!(french.headers["etag"], tag);
}
