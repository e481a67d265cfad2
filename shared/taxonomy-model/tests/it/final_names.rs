//! The number of terms whose FinalName differs between two versions, counted again from the names of both.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_model::{Changes, Defaults, Limits, Taxonomy, parse};

use taxonomy_testfiles::{defaults, files, taxonomy};

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

fn counted(old: Option<&Taxonomy>, new: &Taxonomy) -> u64 {
    Changes::between(old, new).final_names
}

/// The FinalName of each term by its id.
fn final_names(version: &Taxonomy) -> BTreeMap<u64, String> {
    let named = version.terms().map(|term| {
        let names = [term.category().node, term.node].map(|node| node.default_name().name);
        (term.id().get(), names.join(":"))
    });
    named.collect()
}

/// Names every node in every culture of [`DEFAULTS`], so that each can be the default. Nodes with an even id get the English name in
/// French too, so that a change of the default culture leaves some FinalNames as they were.
fn name_everywhere(node: &mut Value) {
    let is_even = node["id"].as_u64().unwrap().is_multiple_of(2);
    let names = node["names"].as_array_mut().unwrap();
    for culture in DEFAULTS {
        if !names.iter().any(|name| name["culture"] == culture) {
            let text = if is_even {
                names[0]["name"].clone()
            } else {
                json!("Nom")
            };
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
        let (old, new) = (version(&named_everywhere(&old), before), version(&named_everywhere(&new), after));
        let (had, has) = (final_names(&old), final_names(&new));
        let differ = has.iter().filter(|(id, name)| had.get(id).is_some_and(|before| before != *name));
        prop_assert_eq!(counted(Some(&old), &new), differ.count() as u64);
        prop_assert_eq!(counted(None, &new), 0, "every term of a first version is an added one");
        prop_assert_eq!(counted(Some(&new), &new), 0);
    }
}

/// Of a FinalName the text counts, whatever its parts are.
#[test]
fn a_final_name_of_other_parts_is_the_same_final_name() {
    let file = |of_one: &str, of_other: &str| {
        taxonomy(&format!(
            r#"{{"categories":[{{"id":1,"name":"A:B","terms":[{of_one}]}},{{"id":2,"name":"A","terms":[{of_other}]}}]}}"#
        ))
    };
    let term = |name: &str| format!(r#"{{"id":1,"name":"{name}"}}"#);
    let old = file(&term("C"), "");
    for (name, expect) in [("B:C", 0), ("BC", 1)] {
        let new = file("", &term(name));
        assert_eq!(counted(Some(&old), &new), expect, "A:B:C is A:{name} now");
    }
}
