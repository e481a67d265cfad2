//! The number of terms whose FinalName differs between two versions, counted again from the JSON of both files.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_model::{Changes, Defaults, Limits, Taxonomy, parse};

use taxonomy_testfiles::{defaults, files};

/// The cultures that a version of these tests may have as its default.
const DEFAULTS: [&str; 2] = ["en-GB", "fr-FR"];

/// A file as a version whose tenant is configured to a default culture, which goes before the file's own.
fn version(file: &Value, culture: &str) -> Taxonomy {
    let defaults = Defaults {
        tenant_culture: Some(culture.parse().unwrap()),
        ..defaults()
    };
    let parsed = parse(file.to_string().as_bytes(), &defaults, Limits::default());
    parsed.unwrap_or_else(|report| panic!("{report:#?}")).taxonomy
}

fn counted(old: Option<(&Value, &str)>, new: (&Value, &str)) -> u64 {
    let old = old.map(|(file, culture)| version(file, culture));
    Changes::between(old.as_ref(), &version(new.0, new.1)).final_names
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The name of a node of a file in a culture.
fn name(node: &Value, culture: &str) -> String {
    let of_culture = |name: &&Value| name["culture"] == culture;
    let found = list(&node["names"]).iter().find(of_culture).unwrap();
    found["name"].as_str().unwrap().to_owned()
}

/// The FinalName of each term of a file, by its id.
fn final_names(file: &Value, culture: &str) -> BTreeMap<u64, String> {
    let mut found = BTreeMap::new();
    for category in list(&file["categories"]) {
        let mut rest: Vec<&Value> = list(&category["terms"]).iter().collect();
        while let Some(term) = rest.pop() {
            let text = format!("{}:{}", name(category, culture), name(term, culture));
            found.insert(term["id"].as_u64().unwrap(), text);
            rest.extend(list(&term["children"]));
        }
    }
    found
}

/// Names every node in every culture of [`DEFAULTS`], so that each can be the default. Nodes with an even id get the English name in
/// French too, so that a change of the default culture leaves some FinalNames as they were.
fn name_everywhere(node: &mut Value) {
    for culture in DEFAULTS {
        let names = node["names"].as_array_mut().unwrap();
        if !names.iter().any(|name| name["culture"] == culture) {
            let english = names[0]["name"].clone();
            let text = if node["id"].as_u64().unwrap().is_multiple_of(2) {
                english
            } else {
                json!("Nom")
            };
            let names = node["names"].as_array_mut().unwrap();
            names.push(json!({"culture": culture, "name": text}));
        }
    }
    for field in ["terms", "children"] {
        if let Some(below) = node[field].as_array_mut() {
            below.iter_mut().for_each(name_everywhere);
        }
    }
}

fn named_everywhere(file: &str) -> Value {
    let mut file: Value = serde_json::from_str(file).unwrap();
    let categories = file["categories"].as_array_mut().unwrap();
    categories.iter_mut().for_each(name_everywhere);
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn terms_of_both_versions_with_another_final_name_are_counted(
        old in files(), new in files(), before in prop::sample::select(&DEFAULTS[..]), after in prop::sample::select(&DEFAULTS[..]),
    ) {
        let (old, new) = (named_everywhere(&old), named_everywhere(&new));
        let (had, has) = (final_names(&old, before), final_names(&new, after));
        let differ = has.iter().filter(|(id, name)| had.get(id).is_some_and(|before| before != *name));
        prop_assert_eq!(counted(Some((&old, before)), (&new, after)), differ.count() as u64);
        prop_assert_eq!(counted(None, (&new, after)), 0, "every term of a first version is an added one");
        prop_assert_eq!(counted(Some((&new, after)), (&new, after)), 0);
    }
}

/// Of a FinalName the text counts, whatever its parts are.
#[test]
fn a_final_name_of_other_parts_is_the_same_final_name() {
    let node = |id: u64, name: &str, field: &str, below: &[Value]| json!({"id": id, "names": [{"culture": "en-GB", "name": name}], field: below});
    let file = |names: [&str; 2], category: usize, term: &str| {
        let term = node(1, term, "children", &[]);
        let categories = (0..).zip(names).map(|(number, name)| {
            let terms = if number == category {
                vec![term.clone()]
            } else {
                Vec::new()
            };
            node(number as u64 + 1, name, "terms", &terms)
        });
        json!({"categories": categories.collect::<Vec<Value>>()})
    };
    let old = file(["A:B", "A"], 0, "C");
    for (term, expect) in [("B:C", 0), ("BC", 1)] {
        let new = file(["A:B", "A"], 1, term);
        assert_eq!(
            counted(Some((&old, "en-GB")), (&new, "en-GB")),
            expect,
            "A:B:C is A:{term} now"
        );
    }
}
