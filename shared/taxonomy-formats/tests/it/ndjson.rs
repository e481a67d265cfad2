//! Lines against the published schema and against the model.

use std::collections::HashMap;
use std::fs;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_collation::sibling_keys;
use taxonomy_formats::{SortedTaxonomy, ndjson};
use taxonomy_keys::{CategoryId, TermId};
use taxonomy_model::{Siblings, Taxonomy, items, stored};

use taxonomy_testfiles::nasty::nasty_files;
use taxonomy_testfiles::taxonomy;

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let file = format!("{}/../../docs/ndjson.schema.json", env!("CARGO_MANIFEST_DIR"));
    jsonschema::draft202012::new(&serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()).unwrap()
});

fn text(taxonomy: &Taxonomy) -> String {
    let mut bytes = Vec::new();
    ndjson::write(&SortedTaxonomy::new(taxonomy, sibling_keys), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn lines(taxonomy: &Taxonomy) -> Vec<Value> {
    let text = text(taxonomy);
    assert!(text.is_empty() || text.ends_with('\n'));
    let lines = text.split_terminator('\n');
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Type and id of each node by recursion over the lists of siblings.
fn tree_order(taxonomy: &Taxonomy) -> Vec<(String, u64)> {
    fn below(siblings: &Siblings<'_>, term: TermId, order: &mut Vec<(String, u64)>) {
        order.push(("term".to_owned(), term.get()));
        for child in siblings.children(term) {
            below(siblings, child.id(), order);
        }
    }
    let keys = sibling_keys(taxonomy, &taxonomy.settings().default_culture);
    let (siblings, mut order) = (Siblings::new(taxonomy, &*keys), Vec::new());
    for category in siblings.categories() {
        order.push(("category".to_owned(), category.id().get()));
        for term in siblings.top_terms(category.id()) {
            below(&siblings, term.id(), &mut order);
        }
    }
    order
}

/// Type and own fields of each node of a file, in the order of the file.
fn nodes_of_file(siblings: &Value, kind: &'static str, nodes: &mut Vec<(&'static str, Value)>) {
    for node in siblings.as_array().unwrap() {
        let mut own = node.clone();
        let lists = ["terms", "children"].map(|list| own.as_object_mut().unwrap().remove(list));
        nodes.push((kind, own));
        for below in lists.iter().flatten() {
            nodes_of_file(below, "term", nodes);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The state hash proves the JSON download; this proves that the fields of a line, other than its position, are those of that download.
    #[test]
    fn lines_are_the_nodes_of_the_json_download_in_tree_order_and_keep_the_schema(file in nasty_files()) {
        let taxonomy = taxonomy(&file);
        let mut nested = Vec::new();
        taxonomy_formats::json::write(&SortedTaxonomy::new(&taxonomy, sibling_keys), &mut nested).unwrap();
        let (nested, mut nodes): (Value, _) = (serde_json::from_slice(&nested).unwrap(), Vec::new());
        nodes_of_file(&nested["categories"], "category", &mut nodes);
        let order = nodes.iter().map(|(kind, node)| ((*kind).to_owned(), node["id"].as_u64().unwrap()));
        prop_assert_eq!(order.collect::<Vec<_>>(), tree_order(&taxonomy));
        let lines = lines(&taxonomy);
        prop_assert_eq!(lines.len(), nodes.len());
        for (mut line, (kind, node)) in lines.into_iter().zip(nodes) {
            let errors: Vec<String> = SCHEMA.iter_errors(&line).map(|error| error.to_string()).collect();
            prop_assert!(errors.is_empty(), "{line}: {errors:?}");
            prop_assert_eq!(line["type"].take(), kind);
            for member in ["type", "category", "parent", "depth", "lineage"] {
                line.as_object_mut().unwrap().remove(member);
            }
            for name in line["names"].as_array_mut().unwrap() {
                name.as_object_mut().unwrap().remove("finalName");
            }
            prop_assert_eq!(line, node);
        }
    }

    /// Place and FinalNames are those of the items that the service answers from.
    #[test]
    fn place_and_final_names_are_those_of_the_service(file in nasty_files()) {
        let taxonomy = taxonomy(&file);
        for line in lines(&taxonomy).into_iter().filter(|line| line["type"] == "term") {
            let id = line["id"].as_u64().and_then(TermId::new).unwrap();
            let mut final_names: HashMap<String, String> = HashMap::new();
            for item in items::of_term(&"acme".parse().unwrap(), taxonomy.term(id).unwrap()) {
                let stored: stored::StoredTerm = taxonomy_model::attribute::read(item.attributes).unwrap();
                let lineage: Vec<u64> = stored.lineage.iter().map(|above| above.id.get()).collect();
                prop_assert_eq!(&line["lineage"], &json!(lineage));
                prop_assert_eq!(&line["parent"], &json!(lineage.first()));
                prop_assert_eq!(&line["depth"], &json!(stored.depth()));
                prop_assert_eq!(line["category"].as_u64().and_then(CategoryId::new), Some(stored.category_id));
                final_names.insert(stored.culture.to_string(), stored.final_name);
            }
            let names = line["names"].as_array().unwrap().iter();
            let names = names.map(|name| (name["culture"].as_str().unwrap().to_owned(), name["finalName"].as_str().unwrap().to_owned()));
            prop_assert_eq!(names.collect::<HashMap<_, _>>(), final_names);
        }
    }
}

#[test]
fn lines_are_these() {
    let file = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","names":[{"culture":"fr-FR","name":"Secteur"}],"terms":[
        {"id":1,"names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"de-DE","name":"EDV"}],"children":[
            {"id":2,"name":"Web","notation":"W","deprecated":true}]}]}]}"#;
    let expect = [
        r#"{"type":"category","id":1,"names":[{"culture":"en-GB","name":"Sector"},{"culture":"fr-FR","name":"Secteur"}]}"#,
        r#"{"type":"term","id":1,"category":1,"parent":null,"depth":1,"lineage":[],"names":[{"culture":"de-DE","name":"EDV","finalName":"Sector:EDV"},{"culture":"en-GB","name":"IT","path":"it","finalName":"Sector:IT"}]}"#,
        r#"{"type":"term","id":2,"category":1,"parent":1,"depth":2,"lineage":[1],"names":[{"culture":"en-GB","name":"Web","finalName":"Sector:Web"}],"notation":"W","deprecated":true}"#,
    ];
    assert_eq!(text(&taxonomy(file)).lines().collect::<Vec<_>>(), expect);
}

#[test]
fn the_schema_refuses_what_no_line_is() {
    let term = json!({"type":"term","id":1,"category":1,"parent":null,"depth":1,"lineage":[],"names":[{"culture":"en-GB","name":"IT","finalName":"Sector:IT"}]});
    let category = json!({"type":"category","id":1,"names":[{"culture":"en-GB","name":"Sector"}]});
    assert!(SCHEMA.is_valid(&term) && SCHEMA.is_valid(&category));
    for line in [&term, &category] {
        for member in line.as_object().unwrap().keys() {
            let mut line = line.clone();
            line.as_object_mut().unwrap().remove(member);
            assert!(!SCHEMA.is_valid(&line), "without {member}: {line}");
        }
        for (member, value) in [
            ("deprecated", json!(false)),
            ("deprecation", json!({"reason": "R"})),
            ("altNames", json!([])),
            ("relations", json!([{"type": "exact", "scheme": "esco", "id": 1}])),
            ("relations", json!([{"type": "exact", "id": "c1"}])),
            ("notes", json!([{"culture": "en-GB"}])),
            ("other", json!(1)),
        ] {
            let mut line = line.clone();
            line[member] = value;
            assert!(!SCHEMA.is_valid(&line), "{line}");
        }
    }
    let mut other = term;
    other["names"][0]["other"] = json!(1);
    assert!(!SCHEMA.is_valid(&other));
    let mut other = category;
    other["names"][0]["finalName"] = json!("Sector");
    assert!(!SCHEMA.is_valid(&other), "a category has no FinalName");
}
