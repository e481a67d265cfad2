//! Tests of names in every culture, and of what has none in one, against a plain reading of the file.

use taxonomy_tests::plain::{Plain, members, nodes};
use taxonomy_tests::prelude::*;

/// Names in three cultures with all that may stand beside them, and gaps of every kind: categories, deprecated terms, whole branches.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":2,"names":[{"culture":"en-GB","name":"Place"}],"deprecated":true,"terms":[
    {"id":20,"names":[{"culture":"en-GB","name":"Remote"},{"culture":"de-DE","name":"Entfernt"}]},
    {"id":21,"names":[{"culture":"en-GB","name":"Office"}],"deprecated":true}]},
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur","path":"secteur"}],
   "altNames":[{"culture":"fr-FR","name":"Domaine"},{"culture":"fr-FR","name":"Branche"}],"notes":[{"culture":"en-GB","definition":"D"}],
   "terms":[
    {"id":1,"names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"fr-FR","name":"Informatique"}],"children":[
      {"id":4,"names":[{"culture":"en-GB","name":"Zig"}]},
      {"id":2,"names":[{"culture":"en-GB","name":"Rust","path":"it/rust"},{"culture":"fr-FR","name":"Rouille","path":"info/rouille"},{"culture":"de-DE","name":"Rost"}],
       "altNames":[{"culture":"en-GB","name":"Rustacean"}],"notes":[{"culture":"fr-FR","scopeNote":"S","definition":"F"}],
       "children":[{"id":5,"names":[{"culture":"en-GB","name":"Async"}]}]},
      {"id":3,"names":[{"culture":"en-GB","name":"Go"}],"deprecated":true,"replacedBy":[2]}]}]}]}"#;

/// The same without the terms 2 and 5, and without the category 2.
fn later() -> Value {
    let mut file: Value = serde_json::from_str(FILE).unwrap();
    file["categories"].as_array_mut().unwrap().remove(0);
    let children = file["categories"][0]["terms"][0]["children"]
        .as_array_mut()
        .unwrap();
    children.retain(|child| child["id"] != 2);
    file
}

/// Returns the member `names` of an answer about a node.
fn all_names(node: &Plain) -> Value {
    let beside = |member: &str, culture: &Value| -> Vec<Value> {
        let all = members(&node.raw, member).iter();
        all.filter(|entry| entry["culture"] == *culture)
            .cloned()
            .collect()
    };
    let mut names: Vec<Value> = members(&node.raw, "names").to_vec();
    names.sort_by_key(|name| name["culture"].as_str().unwrap().to_owned());
    for name in &mut names {
        let culture = name["culture"].clone();
        let others = beside("altNames", &culture);
        if !others.is_empty() {
            name["altNames"] = others.iter().map(|other| other["name"].clone()).collect();
        }
        for mut note in beside("notes", &culture) {
            note.as_object_mut().unwrap().remove("culture");
            name["notes"] = note;
        }
    }
    json!(names)
}

#[tokio::test]
async fn every_name_of_a_node_is_in_one_answer() {
    let (_world, lookup) = served(FILE).await;
    let nodes = nodes(&serde_json::from_str(FILE).unwrap());
    for node in &nodes {
        for culture in ["", "&culture=fr-FR", "&culture=de-DE&version=1"] {
            let (_, plain) = get(&lookup, &format!("{}?{culture}", node.path())).await;
            let (status, mut all) = get(&lookup, &format!("{}?names=all{culture}", node.path())).await;
            assert_eq!((status, &all["names"]), (200, &all_names(node)), "{node:?}");
            all.as_object_mut().unwrap().remove("names");
            assert_eq!(all, plain, "the rest is the same: {node:?} {culture}");
        }
    }
    let of = |kind: &str, id: &Value| {
        let mut found = nodes
            .iter()
            .filter(|node| node.kind == kind && node.raw["id"] == *id);
        all_names(found.next().unwrap())
    };
    for (list, kind) in [
        ("categories", "category"),
        ("terms/1/children", "term"),
        ("terms/1/descendants", "term"),
        ("categories/1/terms", "term"),
        ("categories/1/terms?include=details", "term"),
    ] {
        let join = if list.contains('?') { '&' } else { '?' };
        let items = pages(&lookup, &format!("{list}{join}names=all&limit=2")).await;
        assert!(items.len() > 1, "{list}");
        for item in &items {
            assert_eq!(item["names"], of(kind, &item["id"]), "{list}");
        }
        let mut brief = items.clone();
        brief
            .iter_mut()
            .for_each(|item| drop(item.as_object_mut().unwrap().remove("names")));
        assert_eq!(brief, pages(&lookup, list).await, "{list}");
    }
    let ids: Vec<u64> = [2, 9, 1, 2].to_vec();
    let (_, by_query) = get(&lookup, "terms?ids=2,9,1,2&names=all").await;
    let (_, by_body) = post(&lookup, "terms:batchGet?names=all", &json!({ "ids": ids })).await;
    assert_eq!(by_query, by_body);
    let items = by_query["items"].as_array().unwrap();
    assert_eq!(items[1]["status"], 404);
    for place in [0, 2, 3] {
        assert_eq!(items[place]["term"]["names"], of("term", &items[place]["id"]));
    }
}

#[tokio::test]
async fn names_are_chosen_by_fields_and_a_wrong_value_is_refused() {
    let (_world, lookup) = served(FILE).await;
    let (_, french) = get(
        &lookup,
        "terms/2?names=all&fields=names.culture,names.name&culture=fr-FR",
    )
    .await;
    let names = json!([{"culture": "de-DE", "name": "Rost"}, {"culture": "en-GB", "name": "Rust"}, {"culture": "fr-FR", "name": "Rouille"}]);
    assert_eq!(french, json!({"id": 2, "names": names}));
    let (_, page) = get(&lookup, "categories?names=all&fields=names.path").await;
    assert_eq!(
        page["items"][1],
        json!({"id": 1, "names": [{"path": "sector"}, {"path": "secteur"}]})
    );
    for target in [
        "terms/2?names=",
        "categories?names=fr-FR",
        "terms/1/children?names=all&names=all",
    ] {
        let (status, body) = get(&lookup, target).await;
        assert_eq!(
            (status, &body["pointer"]),
            (400, &json!("/query/names")),
            "{target}"
        );
    }
}

/// A removed term keeps its last name in the default culture, a removed category all of them.
#[tokio::test]
async fn what_was_removed_has_the_names_that_it_kept() {
    let world = World::of(&[FILE.as_bytes()]).await;
    world.replace(TENANT, later().to_string().as_bytes()).await;
    let lookup = process(&world);
    let (_, rust) = get(&lookup, "terms/2?names=all&culture=fr-FR").await;
    let last = json!([{"culture": "en-GB", "name": "Rust", "path": "it/rust", "altNames": ["Rustacean"]}]);
    assert_eq!((&rust["removed"], &rust["names"]), (&json!(true), &last));
    let (_, place) = get(&lookup, "categories/2?names=all").await;
    assert_eq!(place["names"], json!([{"culture": "en-GB", "name": "Place"}]));
    let (_, before) = get(&lookup, "terms/2?names=all&version=1").await;
    assert_eq!(before["names"].as_array().unwrap().len(), 3);
}

/// The names come from the file: no unit of the table beside the head.
#[tokio::test]
async fn all_names_cost_what_a_list_costs() {
    let (_world, lookup) = served(FILE).await;
    let debug = async |target: &str| {
        let answer = ask_with(&lookup, "GET", target, &json!({"taxonomy-debug": "1"}), None).await;
        answer.headers["taxonomy-debug"].to_string()
    };
    let first = debug("terms/2?names=all").await;
    assert!(first.starts_with("table-requests=1, read-units=1.0, "), "{first}");
    let batch = debug("terms?ids=1,2,3&names=all").await;
    assert!(batch.starts_with("table-requests=0, read-units=0.0, "), "{batch}");
    assert!(batch.contains("object-requests=0, "), "{batch}");
}

#[tokio::test]
async fn gaps_are_what_has_no_name_in_the_culture() {
    let job_board = sample("job-board-v1.json");
    for file in [FILE.as_bytes(), &job_board] {
        let world = World::of(&[file]).await;
        let lookup = process(&world);
        let nodes = nodes(&serde_json::from_slice(file).unwrap());
        let mut filters = vec![String::new()];
        filters.extend(nodes.iter().map(|node| match node.kind {
            "category" => format!("&category={}", node.id()),
            _ => format!("&below={}", node.id()),
        }));
        for culture in ["en-GB", "fr-FR", "de-DE", "fr", "it-IT"] {
            for (place, filter) in filters.iter().enumerate().take(40) {
                let is_within = |node: &&Plain| match place.checked_sub(1).map(|place| &nodes[place]) {
                    None => true,
                    Some(above) if above.kind == "category" => node.category == above.id(),
                    Some(above) => node.kind == "term" && node.above.contains(&above.id()),
                };
                let gaps = nodes
                    .iter()
                    .filter(is_within)
                    .filter(|node| node.name_in(culture).is_none());
                let all: Vec<&Plain> = gaps.collect();
                let target = format!("gaps?culture={culture}{filter}");
                check(&lookup, &target, &all).await;
                for (deprecated, wanted) in [("exclude", false), ("only", true)] {
                    let is_listed = |node: &&&Plain| node.is_deprecated() == wanted;
                    let listed: Vec<&Plain> = all.iter().filter(is_listed).copied().collect();
                    check(&lookup, &format!("{target}&deprecated={deprecated}"), &listed).await;
                }
            }
        }
    }
}

async fn check(lookup: &lookup::Lookup, target: &str, expected: &[&Plain]) {
    let key = |item: &Value| {
        (
            item["kind"].as_str().unwrap().to_owned(),
            item["id"].as_u64().unwrap(),
        )
    };
    let wanted: Vec<_> = expected
        .iter()
        .map(|node| (node.kind.to_owned(), node.id()))
        .collect();
    for limit in [3, 100] {
        let target = format!("{target}&limit={limit}");
        let items = pages(lookup, &target).await;
        assert_eq!(items.iter().map(key).collect::<Vec<_>>(), wanted, "{target}");
        let (_, first) = get(lookup, &target).await;
        assert_eq!(first["total"], wanted.len(), "{target}");
    }
}

/// A gap reads as the list of its category or its parent shows it.
#[tokio::test]
async fn a_gap_has_the_name_that_readers_get_instead() {
    let (_world, lookup) = served(FILE).await;
    let (_, page) = get(&lookup, "gaps?culture=fr-FR&names=all").await;
    let gap = |id: u64, kind: &str| {
        let mut items = page["items"].as_array().unwrap().iter();
        items
            .find(|item| item["id"] == id && item["kind"] == kind)
            .unwrap()
            .clone()
    };
    assert_eq!(
        gap(5, "term"),
        json!({"kind": "term", "id": 5, "name": "Async", "culture": "en-GB", "finalName": "Secteur:Async", "category": 1, "parent": 2,
            "deprecated": false, "childCount": 0, "descendantCount": 0, "names": [{"culture": "en-GB", "name": "Async"}]})
    );
    assert_eq!(
        gap(2, "category"),
        json!({"kind": "category", "id": 2, "name": "Place", "culture": "en-GB", "deprecated": true, "childCount": 2, "descendantCount": 2,
            "names": [{"culture": "en-GB", "name": "Place"}]})
    );
}

#[tokio::test]
async fn gaps_of_nothing_are_refused() {
    let (_world, lookup) = served(FILE).await;
    let table = "
        gaps?                                 400 * /query/culture
        gaps?culture=                         400 * /query/culture
        gaps?culture=fr-FR&category=1&below=1 400 * /query/below
        gaps?culture=fr-FR&category=x         400 * /query/category
        gaps?culture=fr-FR&category=9         404 category-not-found
        gaps?culture=fr-FR&below=9            404 term-not-found
        gaps?culture=fr-FR&cursor=x           400 * /query/cursor
    ";
    problems(&lookup, table).await;
    let (_, first) = get(&lookup, "gaps?culture=fr-FR&limit=1").await;
    let cursor = first["nextCursor"].as_str().unwrap();
    for other in [
        "culture=de-DE",
        "culture=fr-FR&category=1",
        "culture=fr-FR&deprecated=only",
    ] {
        assert_eq!(
            get(&lookup, &format!("gaps?{other}&cursor={cursor}")).await.0,
            400,
            "{other}"
        );
    }
}
