//! One term, in its default culture and in others; a head, a category and counts.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::ACME;

use crate::stack::{SMALL, Stack, smaller};

#[tokio::test]
async fn a_term_comes_with_its_category_and_its_ancestors_nearest_first() {
    let stack = Stack::new().await;
    let got = stack.get("terms/102").await;
    assert_eq!(got.headers["content-type"], "application/json");
    assert_eq!(got.headers["content-language"], "en-GB");
    assert_eq!(got.headers["x-content-type-options"], "nosniff");
    assert_eq!(
        got.found(),
        json!({
            "tenant": "acme", "version": 1, "id": 102, "name": "Async", "culture": "en-GB",
            "finalName": "Sector:Async", "path": "it/rust/async",
            "category": {"id": 1, "name": "Sector", "culture": "en-GB", "path": "sector"}, "depth": 3,
            "ancestors": [
                {"id": 101, "name": "Rust: the job", "finalName": "Sector:Rust: the job", "culture": "en-GB", "path": "it/rust"},
                {"id": 100, "name": "IT", "finalName": "Sector:IT", "culture": "en-GB", "path": "it"},
            ],
            "altNames": [], "metadata": {}, "deprecated": false, "replacedBy": [], "relations": [], "removed": false,
        })
    );
    let [head, item] = &stack.requests()[..] else {
        panic!("two requests")
    };
    let query = "DynamoDB.Query taxonomy :from=CHANGESET#000000000001 :pk=TAXONOMY#acme :to=HEAD";
    assert_eq!(*head, format!("{query} -> 200, 1 item, 1 units"));
    let get = "DynamoDB.GetItem taxonomy TERM#acme#102 TERM#acme#102";
    assert_eq!(*item, format!("{get} -> 200, 1 item, 0.5 units"));
}

#[tokio::test]
async fn another_culture_is_a_complete_answer() {
    let stack = Stack::new().await;
    let got = stack.get("terms/101?culture=FR-fr").await;
    assert_eq!(got.headers["content-language"], "fr-FR");
    let french = got.found();
    assert_eq!(
        french,
        json!({
            "tenant": "acme", "version": 1, "id": 101, "name": "Rust", "culture": "fr-FR", "requestedCulture": "fr-FR",
            "finalName": "Secteur:Rust", "path": "informatique/rust",
            "category": {"id": 1, "name": "Secteur", "culture": "fr-FR", "path": "secteur"}, "depth": 2,
            "ancestors": [{"id": 100, "name": "Informatique", "finalName": "Secteur:Informatique", "culture": "fr-FR", "path": "informatique"}],
            "notation": "6201", "altNames": [], "sortKey": "010", "metadata": {"a": "é", "b": [1, 2.5, 123_456_789_012_345_678_901_234_567_890.0]},
            "notes": {"definition": "F", "scopeNote": "S"},
            "relations": [{"type": "exact", "scheme": "esco", "id": "http://x"}, {"type": "related", "id": 102}],
            "deprecated": true, "deprecation": {"reason": "old", "since": "2026-01-31"}, "replacedBy": [100], "removed": false,
        })
    );
    // The third looks whether the replacement was itself replaced.
    assert_eq!(stack.costs(), ["Head 1", "GetItem 0.5", "GetItem 0.5"]);
    let default = stack.found("terms/101").await;
    assert_eq!(default["altNames"], json!(["Rustacean"]));
    assert_eq!(default["notes"], json!({"definition": "D\n\nD"}));
    let same = [
        "notation",
        "sortKey",
        "metadata",
        "relations",
        "deprecation",
        "replacedBy",
    ];
    for name in same {
        assert_eq!(default[name], french[name], "{name}");
    }
    let bare = stack.found("terms/0").await;
    for absent in ["path", "notation", "sortKey", "requestedCulture"] {
        assert!(bare.get(absent).is_none(), "{absent}");
    }
}

#[tokio::test]
async fn an_answer_falls_back_and_each_part_says_so() {
    let stack = Stack::new().await;
    for (target, served, name) in [
        ("terms/101?culture=fr", "fr-FR", "Secteur:Rust"),
        ("terms/101?culture=fr-CA", "fr-FR", "Secteur:Rust"),
        ("terms/101?culture=en-GB", "en-GB", "Sector:Rust: the job"),
        ("terms/101?culture=it", "en-GB", "Sector:Rust: the job"),
        ("terms/102?culture=fr-FR", "en-GB", "Secteur:Async"),
        ("terms/0?culture=de", "de-DE", "Place:Entfernt"),
        ("categories/1?culture=fr", "fr-FR", "Secteur"),
        ("categories/1?culture=fr-FR", "fr-FR", "Secteur"),
        ("categories/1?culture=de", "en-GB", "Sector"),
        ("categories/1?culture=en", "en-GB", "Sector"),
    ] {
        let got = stack.get(target).await;
        assert_eq!(got.headers["content-language"], served, "{target}");
        let found = got.found();
        let shown = found.get("finalName").unwrap_or(&found["name"]);
        let shown = [&found["culture"], shown];
        assert_eq!(shown, [served, name], "{target}");
        let asked = target.split_once('=').unwrap().1;
        assert_eq!(found["requestedCulture"], asked);
    }
    let german = stack.found("terms/0?culture=de-DE").await;
    // Without a path, as the file has none.
    let category = json!({"id": 2, "name": "Place", "culture": "en-GB"});
    assert_eq!(german["category"], category);
    stack.costs();
    let japanese = stack.found("terms/102?culture=ja").await;
    // As in the default culture.
    assert_eq!(japanese["ancestors"][0]["path"], "it/rust");
    assert_eq!(stack.costs(), ["GetItem 0.5"]);
}

#[tokio::test]
async fn what_is_removed_keeps_what_it_had_last_and_is_not_listed() {
    let stack = Stack::of(&[SMALL, &smaller()]).await;
    let mut expect = Stack::new().await.found("terms/102").await;
    (expect["removed"], expect["deprecated"]) = (json!(true), json!(true));
    expect["version"] = json!(2);
    assert_eq!(stack.found("terms/102").await, expect);
    assert_eq!(stack.found("terms/100").await["version"], 2);
    for (target, culture) in [("terms/101?culture=fr-FR", "en-GB"), ("categories/2", "en-GB")] {
        let found = stack.found(target).await;
        let found = ["removed", "deprecated", "culture"].map(|name| found[name].clone());
        assert_eq!(json!(found), json!([true, true, culture]), "{target}");
    }
    for id in [0, 102] {
        let page = stack.found(&format!("terms/{id}/children?culture=fr")).await;
        assert_eq!(page, json!({"items": []}), "{id}");
    }
    let listed = stack.found("categories").await;
    assert_eq!(crate::stack::ids(&listed), [1]);
}

#[tokio::test]
async fn a_category_costs_one_get() {
    let stack = Stack::new().await;
    assert_eq!(
        stack.found("categories/1").await,
        json!({
            "tenant": "acme", "version": 1, "id": 1, "name": "Sector", "culture": "en-GB", "path": "sector",
            "notation": "S", "altNames": ["Domain"], "sortKey": "010", "metadata": {"facet": true, "n": 1.5},
            "notes": {"definition": "C", "scopeNote": "N"}, "deprecated": true, "replacedBy": [2],
            "deprecation": {"reason": "old", "since": "2026-01-31"},
            "relations": [{"type": "close", "scheme": "esco", "id": "http://c"}], "removed": false,
        })
    );
    assert_eq!(stack.costs()[1], "GetItem 0.5");
    let french = stack.found("categories/1?culture=fr").await;
    assert_eq!(french["path"], "secteur");
    assert_eq!(french["altNames"], json!(["Domaine"]));
}

#[tokio::test]
async fn a_head_says_what_is_served() {
    let stack = Stack::of(&[SMALL, &smaller()]).await;
    assert_eq!(
        stack.found("").await,
        json!({
            "tenant": "acme", "version": 2, "committedAt": "2026-01-01T00:01:00Z",
            "defaultCulture": "en-GB", "fallbackChain": [], "cultures": ["en-GB", "fr-FR"],
            "totals": {"categories": 1, "terms": 1},
        })
    );
}

#[tokio::test]
async fn counts_are_one_read_and_say_their_version_and_carry_no_tag() {
    let stack = Stack::new().await;
    for target in ["stats", "categories/1/stats"] {
        assert_eq!(stack.refused(target).await, "404 stats-not-found");
    }
    Box::pin(stack.writers().aggregate()).await;
    stack.publish(ACME, &[&smaller()]).await;
    Box::pin(stack.writers().aggregate()).await;
    stack.costs();
    let months: Value = stack.found("stats").await["months"].take();
    let expect = json!([{"month": "2026-01", "version": 2, "versions": 2, "added": 4, "changed": 0, "removed": 3,
        "renamed": 0, "moved": 0, "deprecated": 0, "restored": 0, "finalNames": 0}]);
    assert_eq!((months, stack.costs()[1].as_str()), (expect, "Query 0.5"));
    assert_eq!(
        stack.found("categories/1/stats").await,
        json!({
            "tenant": "acme", "version": 2, "changedAt": "2026-01-01T00:01:00Z", "id": 1, "removed": false,
            "counts": {"terms": 1, "leaves": 1, "deprecated": 0, "depths": [1], "names": {"en-GB": 1, "fr-FR": 1}},
        })
    );
    assert_eq!(stack.costs(), ["GetItem 0.5"]);
    let gone = stack.found("categories/2/stats").await;
    let counts = &gone["counts"];
    assert_eq!((&gone["version"], &gone["removed"]), (&json!(2), &json!(true)));
    assert_eq!((&counts["terms"], &counts["names"]), (&json!(0), &json!({})));
    for target in ["stats", "categories/1/stats"] {
        let got = stack.get(target).await;
        assert_eq!(got.headers["cache-control"], "no-cache");
        assert_eq!(got.headers["vary"], "Authorization, Accept-Encoding");
        assert!(!got.is_tagged(), "{target}");
    }
}
