//! Tests that compare every response about the two samples at the limits, in every culture, with the files.

use std::collections::BTreeSet;

use taxonomy_tests::plain::{Plain, cultures, id, members, nodes};
use taxonomy_tests::prelude::*;

use super::{Asking, body};

/// Returns what an answer about a node has in a culture: each part is named in that culture, or else in the default one.
fn in_culture(node: &Plain, all: &[Plain], culture: &str, default: &str) -> Value {
    let find = |kind: &str, id: u64| all.iter().find(|node| node.kind == kind && node.id() == id);
    let mut expected = node.best(culture, default).clone();
    if node.kind == "category" {
        return expected;
    }
    let mut category = find("category", node.category)
        .unwrap()
        .best(culture, default)
        .clone();
    let prefix = category["name"].as_str().unwrap().to_owned();
    category["id"] = json!(node.category);
    let final_name = |name: &Value| json!(format!("{prefix}:{}", name["name"].as_str().unwrap()));
    let ancestors = node.above.iter().map(|id| {
        let mut name = find("term", *id).unwrap().best(culture, default).clone();
        (name["id"], name["finalName"]) = (json!(id), final_name(&name));
        name
    });
    expected["depth"] = json!(node.above.len() + 1);
    expected["ancestors"] = ancestors.collect();
    expected["finalName"] = final_name(&expected);
    expected["category"] = category;
    expected
}

fn assert_has(answer: &Value, expected: &Value, what: &str) {
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&answer[member], value, "{member} of {what}");
    }
}

/// Uploads a sample, and compares every item and every answer with the file. Returns its nodes.
async fn every_answer_is_what_the_file_says(name: &str) -> Vec<Plain> {
    let file = sample(name);
    let world = World::of(&[&file]).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &file));
    answers_what_the_file_says(&world, TENANT, &file).await
}

/// Compares what is answered about categories and terms with a file. Returns its nodes.
pub(crate) async fn answers_what_the_file_says(world: &World, tenant: &str, file: &[u8]) -> Vec<Plain> {
    let file: Value = serde_json::from_slice(file).unwrap();
    let (root, nodes) = (format!("/v1/tenants/{tenant}"), nodes(&file));
    let asking = Asking::of(world);
    let cultures = cultures(&nodes);
    assert_eq!(asking.found(&root).await["cultures"], json!(cultures));
    for node in &nodes {
        let below = if node.kind == "category" {
            "terms?depth=1"
        } else {
            "children"
        };
        let listed = pages(&asking.0, &format!("{root}/{}/{below}", node.path())).await;
        let ids = |nodes: &[Value]| nodes.iter().map(id).collect::<BTreeSet<u64>>();
        assert_eq!(ids(&listed), ids(node.children()), "{}", node.path());
    }
    let default = file["defaultCulture"].as_str().unwrap();
    for asked in cultures.into_iter().map(Some).chain([None]) {
        let culture = asked.unwrap_or(default);
        let query = asked.map_or(String::new(), |culture| format!("?culture={culture}"));
        let listed = asking.found(&format!("{root}/categories{query}")).await;
        let categories = nodes.iter().filter(|node| node.kind == "category");
        assert_eq!(members(&listed, "items").len(), categories.count());
        for node in &nodes {
            let target = format!("{root}/{}{query}", node.path());
            let expected = in_culture(node, &nodes, culture, default);
            assert_has(&asking.found(&target).await, &expected, &target);
            let mut items = members(&listed, "items").iter();
            if node.kind == "category" {
                let item = items.find(|item| id(item) == node.id()).unwrap();
                assert_has(item, &expected, "the list of categories");
            }
        }
        let terms: Vec<&Plain> = nodes.iter().filter(|node| node.kind == "term").collect();
        let target = format!("{root}/terms:batchGet{query}");
        for terms in terms.chunks(100) {
            let ids: Vec<u64> = terms.iter().map(|term| term.id()).collect();
            let batch = body(&target, &asking.batch(&target, &ids).await);
            for (item, term) in members(&batch, "items").iter().zip(terms) {
                let expected = in_culture(term, &nodes, culture, default);
                assert_has(&item["term"], &expected, &target);
            }
        }
    }
    nodes
}

#[tokio::test]
async fn a_node_in_148_cultures_is_served_in_each_of_them() {
    let nodes = every_answer_is_what_the_file_says("many-cultures.json").await;
    let named = |node: &Plain| members(&node.raw, "names").len();
    let most = |kind| {
        nodes
            .iter()
            .filter(move |node| node.kind == kind)
            .map(named)
            .max()
    };
    assert_eq!((most("category"), most("term")), (Some(148), Some(148)));
    assert!(nodes.iter().any(|node| named(node) < 100));
}

#[tokio::test]
async fn paths_of_up_to_1285_bytes_are_served_whole() {
    let nodes = every_answer_is_what_the_file_says("long-paths.json").await;
    let names = nodes.iter().flat_map(|node| members(&node.raw, "names"));
    let paths: Vec<&str> = names.map(|name| name["path"].as_str().unwrap()).collect();
    for edge in [1000, 1001, 1284, 1285] {
        assert!(
            paths.iter().any(|path| path.len() == edge),
            "no path of {edge} bytes"
        );
    }
    assert!(paths.iter().any(|path| path.len() == 1285 && !path.is_ascii()));
}
