//! Tests of lists with details and without deprecated items, against the responses by id.

use serde_json::{Value, json};
use taxonomy_tests::world::{TENANT, World};

use crate::sweep::stray;
use taxonomy_tests::asking::{get, pages, problems, process, served};

/// Two categories, one of them deprecated; terms with every detail.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur"}],
   "altNames":[{"culture":"fr-FR","name":"Domaine"},{"culture":"en-GB","name":"Field"}],"sortKey":"2","metadata":{"facet":true},
   "notes":[{"culture":"en-GB","definition":"D"}],
   "terms":[
    {"id":1,"names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"fr-FR","name":"Informatique"}],"children":[
      {"id":2,"names":[{"culture":"en-GB","name":"Rust","path":"it/rust"},{"culture":"fr-FR","name":"Rouille"}],
       "altNames":[{"culture":"en-GB","name":"Rustacean"}],"sortKey":"010","metadata":{"b":[1,2.5]},
       "relations":[{"type":"exact","scheme":"esco","id":"http://x"}],"notes":[{"culture":"fr-FR","scopeNote":"S"}]},
      {"id":3,"names":[{"culture":"en-GB","name":"Go"}],"deprecated":true,"replacedBy":[2],"deprecation":{"reason":"old","since":"2026-01-31"}},
      {"id":4,"names":[{"culture":"en-GB","name":"Zig"}]}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Place"}],"deprecated":true,"replacedBy":[1],"sortKey":"1","terms":[]}]}"#;

const DETAILS: [&str; 8] = [
    "ancestors",
    "altNames",
    "notes",
    "sortKey",
    "metadata",
    "deprecation",
    "replacedBy",
    "relations",
];

/// Returns the members of a response by id that are details.
fn details(whole: &Value) -> Value {
    let members = whole.as_object().unwrap().iter();
    let kept = members.filter(|(name, _)| DETAILS.contains(&name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn ids(items: &[Value]) -> Vec<u64> {
    items.iter().map(|item| item["id"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn details_are_what_the_answer_by_id_has_and_the_list_leaves_out() {
    let (_world, lookup) = served(FILE).await;
    let mut compared = 0;
    for culture in ["en-GB", "fr-FR"] {
        for (list, kind) in [
            ("terms/1/children", "terms"),
            ("terms/1/descendants", "terms"),
            ("categories/1/terms", "terms"),
            ("categories", "categories"),
        ] {
            let items = pages(
                &lookup,
                &format!("{list}?include=details&culture={culture}&limit=2"),
            )
            .await;
            let brief = pages(&lookup, &format!("{list}?culture={culture}")).await;
            assert_eq!(ids(&items), ids(&brief), "{list}");
            for (item, brief) in items.iter().zip(&brief) {
                let (_, whole) = get(&lookup, &format!("{kind}/{}?culture={culture}", item["id"])).await;
                assert_eq!(item["details"], details(&whole), "{list} {culture}");
                let mut item = item.clone();
                item.as_object_mut().unwrap().remove("details");
                assert_eq!(item, *brief, "{list} {culture}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 2 * (3 + 3 + 4 + 2));
}

#[tokio::test]
async fn ancestors_are_those_of_the_term() {
    let (_world, lookup) = served(FILE).await;
    for id in [1, 2, 3] {
        for culture in ["en-GB", "fr-FR"] {
            let (_, term) = get(&lookup, &format!("terms/{id}?culture={culture}")).await;
            let above = get(&lookup, &format!("terms/{id}/ancestors?culture={culture}")).await;
            assert_eq!(
                above,
                (
                    200,
                    json!({"category": term["category"], "items": term["ancestors"]})
                )
            );
        }
    }
    assert_eq!(get(&lookup, "terms/9/ancestors").await.0, 404);
}

#[tokio::test]
async fn deprecated_items_are_left_out_or_listed_alone() {
    let (_world, lookup) = served(FILE).await;
    for (list, include, exclude, only) in [
        ("terms/1/children", vec![2, 3, 4], vec![2, 4], vec![3]),
        ("terms/1/descendants", vec![2, 3, 4], vec![2, 4], vec![3]),
        ("categories", vec![2, 1], vec![1], vec![2]),
    ] {
        for limit in [1, 2, 100] {
            for (filter, expected) in [("include", &include), ("exclude", &exclude), ("only", &only)] {
                let target = format!("{list}?deprecated={filter}&limit={limit}");
                let listed = pages(&lookup, &target).await;
                assert_eq!(ids(&listed), *expected, "{target}");
                let (_, first) = get(&lookup, &target).await;
                let is_first = first["items"].as_array().unwrap().len();
                assert_eq!(
                    is_first,
                    expected.len().min(limit),
                    "a page is full but for the last one: {target}"
                );
            }
        }
        for wrong in [
            "deprecated=no 400 * /query/deprecated",
            "include=children 400 * /query/include",
            "include=details&include=details 400 * /query/include",
        ] {
            problems(&lookup, &format!("{list}?{wrong}")).await;
        }
    }
}

/// The response about the tenant at a version equals the response while that version was served.
#[tokio::test]
async fn the_head_of_a_version_is_the_one_that_it_was() {
    let (world, lookup) = served(FILE).await;
    let target = format!("/v1/tenants/{TENANT}");
    let (_, first) = get(&lookup, &target).await;
    world
        .replace(TENANT, FILE.replace("fr-FR", "de-DE").as_bytes())
        .await;
    let lookup = process(&world);
    let (_, second) = get(&lookup, &target).await;
    assert_ne!(first["cultures"], second["cultures"]);
    assert_eq!(get(&lookup, &format!("{target}?version=1")).await, (200, first));
    assert_eq!(
        get(&lookup, &format!("{target}?version=2")).await,
        (200, second.clone())
    );
    assert_eq!(
        get(&lookup, &format!("{target}?asOf=2099-01-01T00:00:00Z")).await,
        (200, second)
    );
    assert_eq!(get(&lookup, &format!("{target}?version=3")).await.0, 404);
}

/// A page of tenants with a damaged entry has fewer items than its limit, and still links to the next.
#[tokio::test]
async fn a_damaged_entry_does_not_end_the_list_of_tenants() {
    let world = World::new();
    for tenant in ["a", "b", "c", "d"] {
        world.push(tenant, FILE.as_bytes()).await;
    }
    for place in ["0", "aa", "bb"] {
        world.put_by_hand(stray("TENANTS", place)).await;
    }
    let lookup = process(&world);
    for limit in 1..=8 {
        let listed = pages(&lookup, &format!("/v1/tenants?limit={limit}")).await;
        let listed: Vec<&str> = listed.iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!(listed, ["a", "b", "c", "d"], "{limit}");
    }
}
