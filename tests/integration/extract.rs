//! Tests of the terms in a text over HTTP: exact responses about a small file, and the bounds. The mentions themselves are compared with a reference in
//! `taxonomy-index`, `tests/search/mention`.

use lookup::Lookup;
use taxonomy_tests::asking::body;
use taxonomy_tests::prelude::*;

/// Two categories with names in three cultures, alternative names, an ambiguous name, deprecated terms and a chain of replacements.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Occupation"},{"culture":"fr-FR","name":"Métier"}],"terms":[
    {"id":100,"notation":"62","names":[{"culture":"en-GB","name":"Information technology"}],"altNames":[{"culture":"en-GB","name":"IT"}],"children":[
      {"id":101,"names":[{"culture":"en-GB","name":"Rust developer","path":"it/rust"},{"culture":"fr-FR","name":"Développeur Rust"},{"culture":"en-US","name":"Rust engineer"}],
       "altNames":[{"culture":"en-GB","name":"Rustacean"}]},
      {"id":102,"names":[{"culture":"en-GB","name":"COBOL developer"}],"deprecated":true,"replacedBy":[104]},
      {"id":104,"names":[{"culture":"en-GB","name":"Mainframe developer"}],"deprecated":true,"replacedBy":[101]}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Skill"}],"terms":[
    {"id":200,"names":[{"culture":"en-GB","name":"Rust"},{"culture":"fr-FR","name":"Rust"}]},
    {"id":201,"names":[{"culture":"en-GB","name":"Rustacean"}],"deprecated":true},
    {"id":202,"names":[{"culture":"en-GB","name":"Wi-Fi"}]},
    {"id":203,"names":[{"culture":"en-GB","name":"C++"},{"culture":"fr-FR","name":"C++ et Rust"}]}]}]}"#;

async fn extract(lookup: &Lookup, query: &str, sent: &Value) -> Value {
    let (status, body) = post(lookup, &format!("terms:extract{query}"), sent).await;
    assert_eq!(status, 200, "{query} {sent}: {body}");
    body
}

/// Returns the mentions as lines: range, piece, and of each candidate id, class and kind.
fn lines(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let candidate = |term: &Value| {
        let [class, kind] = ["class", "kind"].map(|member| text(&term["mentioned"][member]));
        format!(" {}={class}/{kind}", term["id"])
    };
    let line = |item: &Value| {
        let candidates = item["candidates"].as_array().unwrap().iter().map(candidate);
        let candidates: String = candidates.collect();
        format!("{} {}{candidates}", item["range"], text(&item["text"]))
    };
    answer["items"].as_array().unwrap().iter().map(line).collect()
}

const TEXT: &str = "🚀 Rust developers (IT), a RUSTACEAN or a cobol developer: it takes rust, wifi. Développeur Rust, Rust engineer";

#[tokio::test]
async fn a_text_names_its_terms() {
    let (_world, lookup) = served(FILE).await;
    let text = TEXT.replace("developers", "developer");
    for (query, cultures, expect) in [
        (
            "",
            json!([]),
            &[
                "[3,17] Rust developer 101=whole/name",
                "[19,21] IT 100=whole/altName",
                "[26,35] RUSTACEAN 201=whole/name 101=whole/altName",
                "[41,56] cobol developer 102=whole/name",
                "[67,71] rust 200=whole/name",
                "[73,77] wifi 202=folded/name",
                "[91,95] Rust 200=whole/name",
                "[97,110] Rust engineer 101=whole/name",
            ][..],
        ),
        (
            "?culture=fr-FR",
            json!([]),
            &[
                "[3,7] Rust 200=whole/name",
                "[67,71] rust 200=whole/name",
                "[79,95] Développeur Rust 101=whole/name",
                "[97,101] Rust 200=whole/name",
            ],
        ),
        (
            "?category=2",
            json!(["fr"]),
            &[
                "[3,7] Rust 200=whole/name",
                "[67,71] rust 200=whole/name",
                "[91,95] Rust 200=whole/name",
                "[97,101] Rust 200=whole/name",
            ],
        ),
        (
            "?below=100&deprecated=exclude",
            json!(["fr-FR", "en-US"]),
            &[
                "[3,17] Rust developer 101=whole/name",
                "[26,35] RUSTACEAN 101=whole/altName",
                "[79,95] Développeur Rust 101=whole/name",
                "[97,110] Rust engineer 101=whole/name",
            ],
        ),
        (
            "?deprecated=only&category=1",
            json!([]),
            &["[41,56] cobol developer 102=whole/name"],
        ),
    ] {
        let answer = extract(&lookup, query, &json!({"text": text, "cultures": cultures})).await;
        assert_eq!(lines(&answer), expect, "{query} {cultures}");
    }
}

#[tokio::test]
async fn a_name_has_other_forms_in_its_language() {
    let (_world, lookup) = served(FILE).await;
    for (culture, text, expect) in [
        (
            "en-GB",
            "C++, C, C# and Rust developers (c++)",
            &[
                "[0,3] C++ 203=whole/name",
                "[15,30] Rust developers 101=plural/name",
                "[32,35] c++ 203=whole/name",
            ][..],
        ),
        (
            "fr-FR",
            "c++ & Rust, développeurs Rust, C++ and Rust",
            &[
                "[0,10] c++ & Rust 203=folded/name",
                "[12,29] développeurs Rust 101=plural/name",
                "[39,43] Rust 200=whole/name",
            ],
        ),
    ] {
        let answer = extract(&lookup, "", &json!({"text": text, "cultures": [culture]})).await;
        assert_eq!(lines(&answer), expect, "{culture}");
    }
}

#[tokio::test]
async fn a_candidate_has_the_term_and_its_replacement() {
    let (_world, lookup) = served(FILE).await;
    let text = json!({"text": "cobol developer", "cultures": ["en-GB"]});
    let answer = extract(&lookup, "?culture=fr", &text).await;
    let term = json!({
        "id": 102, "name": "COBOL developer", "culture": "en-GB", "finalName": "Métier:COBOL developer", "category": 1, "deprecated": true, "replacedBy": [101],
        "mentioned": {"name": "COBOL developer", "culture": "en-GB", "kind": "name", "class": "whole"},
    });
    let item = json!({"range": [0, 15], "text": "cobol developer", "candidates": [term], "truncated": false});
    let expect = json!({"version": 1, "cultures": ["en-GB", "en-US"], "items": [item]});
    assert_eq!(answer, expect);
    let answer = extract(&lookup, "?fields=range,candidates.id", &json!({"text": "Rust!"})).await;
    let expect = json!([{"range": [0, 4], "candidates": [{"id": 200}]}]);
    assert_eq!(answer["items"], expect);
}

#[tokio::test]
async fn pages_of_a_text_are_the_whole() {
    let (world, lookup) = served(FILE).await;
    let whole = extract(&lookup, "", &json!({"text": TEXT})).await;
    assert_eq!(whole["next"], Value::Null);
    let (mut items, mut from) = (Vec::new(), json!(0));
    while !from.is_null() {
        let page = extract(&lookup, "?limit=2", &json!({"text": TEXT, "from": from})).await;
        items.extend(page["items"].as_array().unwrap().clone());
        // A whole number, however it is written.
        from = page["next"].as_f64().map_or(Value::Null, |next| json!(next));
    }
    assert_eq!(whole["items"], json!(items));
    // Another version has other names; that of the first page is asked for by its number.
    world
        .push(TENANT, FILE.replace("COBOL", "Fortran").as_bytes())
        .await;
    let lookup = process(&world);
    let text = json!({"text": "cobol developer"});
    assert_eq!(extract(&lookup, "", &text).await["items"], json!([]));
    assert_eq!(
        lines(&extract(&lookup, "?version=1", &text).await),
        ["[0,15] cobol developer 102=whole/name"]
    );
}

#[tokio::test]
async fn a_request_that_is_none_is_refused_with_its_place() {
    let (_world, lookup) = served(FILE).await;
    let text = |length: usize| json!({"text": "a ".repeat(length / 2)});
    let check = async |query: &str, sent: &Value, expected: &str| {
        let (status, body) = post(&lookup, &format!("terms:extract{query}"), sent).await;
        let code = body["type"].as_str().unwrap().replace("/problems/", "");
        let pointer = body["pointer"].as_str().unwrap_or("-");
        assert_eq!(format!("{status} {code} {pointer}"), expected, "{query} {sent}");
    };
    for (sent, expected) in [
        (json!({}), "400 invalid-body /body"),
        (json!({"text": 1}), "400 invalid-body /body"),
        (json!({"text": "", "texts": []}), "400 invalid-body /body"),
        (text(102_402), "413 body-too-large /body/text"),
        (text(400_000), "413 body-too-large /body"),
        (
            json!({"text": "", "cultures": ["en", "_"]}),
            "400 invalid-culture /body/cultures/1",
        ),
        (
            json!({"text": "", "cultures": vec!["a"; 6]}),
            "400 invalid-parameter /body/cultures",
        ),
    ] {
        check("", &sent, expected).await;
    }
    for (query, expected) in [
        ("?limit=0", "400 invalid-parameter /query/limit"),
        ("?limit=501", "400 invalid-parameter /query/limit"),
        ("?category=1&below=100", "400 invalid-parameter /query/below"),
        ("?category=7", "404 category-not-found -"),
        ("?below=7", "404 term-not-found -"),
        ("?version=9", "404 version-not-found -"),
    ] {
        check(query, &json!({"text": ""}), expected).await;
    }
    let whole = extract(&lookup, "", &text(102_400)).await;
    assert_eq!(whole["items"], json!([]));
    let japanese = extract(&lookup, "", &json!({"text": "", "cultures": ["ja"]})).await;
    assert_eq!(japanese["cultures"], json!(["en-GB", "en-US"]));
}

#[tokio::test]
async fn an_automaton_is_read_once() {
    let (world, _) = served(FILE).await;
    let lookup = process(&world);
    let text = json!({"text": TEXT});
    let debug = json!({"taxonomy-debug": "1"});
    let mut reads = Vec::new();
    for _ in 0..2 {
        world.exchanges().clear();
        let answer = ask_with(&lookup, "POST", "terms:extract", &debug, Some(&text)).await;
        assert_eq!(answer.status_code, 200, "{}", body(&answer));
        reads.push(["GetObject", "BatchGetItem"].map(|operation| world.exchanges().count(operation)));
    }
    // Index file, and the objects of two cultures; a small one is in the first read of it whole.
    assert_eq!(reads, [[3, 0], [0, 0]]);
}

#[tokio::test]
async fn a_damaged_object_is_a_problem_and_no_other_answer() {
    let (world, lookup) = served(FILE).await;
    let text = json!({"text": TEXT});
    let expect = extract(&lookup, "", &text).await;
    let key = world.keys(|key| key.ends_with(".search-en-GB")).remove(0);

    let sound = world.body(&key);
    let mut refused = 0;
    for at in (0..sound.len()).step_by(17) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x40;
        world.put_body(&key, bytes);
        match post(&process(&world), "terms:extract", &text).await {
            (200, body) => assert_eq!(body, expect, "byte {at}"),
            (status, body) => {
                refused += 1;
                assert_eq!(status, 503, "byte {at}");
                assert_eq!(body["type"], "/problems/archive-unavailable");
            }
        }
    }
    assert!(refused > 10, "{refused} of {}", sound.len() / 17);
    world.lose(&key);
    assert_eq!(post(&process(&world), "terms:extract", &text).await.0, 503);
    let (status, _) = get(&process(&world), "terms/101").await;
    assert_eq!(status, 200);
}
