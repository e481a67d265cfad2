//! An answer without items says what would have matched.

use lookup::Lookup;
use taxonomy_tests::prelude::*;

use super::{FILE, escaped};

async fn nothing_found(lookup: &Lookup, query: &str) -> Value {
    let (text, rest) = query.split_once('&').unwrap_or((query, ""));
    let (status, body) = get(lookup, &format!("suggest?q={}&{rest}", escaped(text))).await;
    assert_eq!(
        (status, &body["items"], &body["total"]),
        (200, &json!([]), &json!(0)),
        "{query}: {body}"
    );
    body["nothingFound"].clone()
}

#[tokio::test]
async fn each_restriction_is_lifted() {
    let (_world, lookup) = served(FILE).await;
    for (query, cultures, in_any_state, unfiltered, others) in [
        ("cobol&deprecated=exclude", json!(["en-GB"]), 1, 1, json!([])),
        ("async&deprecated=only", json!(["en-GB"]), 1, 1, json!([])),
        ("rust&below=103", json!(["en-GB"]), 0, 3, json!([])),
        (
            "cobol&category=2&deprecated=exclude",
            json!(["en-GB"]),
            0,
            1,
            json!([]),
        ),
        ("rust&kind=category", json!(["en-GB"]), 0, 3, json!([])),
        ("101&kind=category", json!(["en-GB"]), 0, 1, json!([])),
        (
            "informatique",
            json!(["en-GB"]),
            0,
            0,
            json!([{"culture": "fr-FR", "total": 1}]),
        ),
        ("informatique&kind=category", json!(["en-GB"]), 0, 0, json!([])),
        ("rustique&culture=fr", json!(["fr-FR", "en-GB"]), 0, 0, json!([])),
        (
            "rustique&cultures=all",
            json!(["en-GB", "fr-FR"]),
            0,
            0,
            json!([]),
        ),
        ("!?", json!(["en-GB"]), 0, 0, json!([])),
    ] {
        let expect = json!({
            "cultures": cultures, "inAnyState": in_any_state, "unfiltered": unfiltered, "otherCultures": others, "removed": [],
        });
        assert_eq!(nothing_found(&lookup, query).await, expect, "{query}");
    }
}

#[tokio::test]
async fn what_was_removed_is_found_by_its_last_name() {
    let (world, _) = served(FILE).await;
    let second = FILE.replace("Rust removal", "Oxide removal");
    world.replace(TENANT, second.as_bytes()).await;
    let third = FILE
        .replace(
            r#"{"id":200,"names":[{"culture":"en-GB","name":"🚀 Crème brûlée"}]},"#,
            "",
        )
        .replace(r#",{"id":2,"names":"#, r#",{"id":3,"names":"#)
        .replace(r#"{"id":201,"#, r#"{"id":202,"#);
    world.replace(TENANT, third.as_bytes()).await;
    let lookup = process(&world);
    let creme = json!([{"kind": "term", "id": 200, "name": "🚀 Crème brûlée", "removedIn": 3}]);
    assert_eq!(nothing_found(&lookup, "🚀 creme-brulee").await["removed"], creme);
    // A beginning may mean anything.
    assert_eq!(
        nothing_found(&lookup, "🚀 creme brul").await["removed"],
        json!([])
    );
    let oxide = json!([{"kind": "term", "id": 201, "name": "Oxide removal", "removedIn": 3}]);
    assert_eq!(nothing_found(&lookup, "OXIDE REMOVAL").await["removed"], oxide);
    // A version that has the name or the id no more says so of the id as well.
    assert_eq!(nothing_found(&lookup, "200").await["removed"], creme);
    // The version before had it.
    let (_, body) = get(&lookup, "suggest?q=oxide%20removal&version=2").await;
    assert_eq!(body["items"][0]["id"], 201);
    assert_eq!(body.get("nothingFound"), None);
}
