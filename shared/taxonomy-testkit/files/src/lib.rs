//! Files for tests: any taxonomy as the text of a file, files with everything that a format could trip over, and the real taxonomies.
#![expect(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, here as well"
)]

pub mod memory;
pub mod nasty;
pub mod real;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_model::{Defaults, Limits, Parsed, Report, Taxonomy, parse};

pub fn defaults() -> Defaults {
    Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    }
}

pub fn read(json: &str) -> Result<Parsed, Box<Report>> {
    parse(json.as_bytes(), &defaults(), Limits::default())
}

pub fn taxonomy(json: &str) -> Taxonomy {
    read(json).unwrap_or_else(|report| panic!("{report:#?}")).taxonomy
}

/// `code pointer` of every issue of a file.
pub fn issues(bytes: &[u8]) -> Vec<String> {
    let parsed = parse(bytes, &defaults(), Limits::default());
    let report = parsed.map_or_else(|report| *report, |parsed| parsed.report);
    let issue = |issue: &taxonomy_model::Issue| format!("{} {}", issue.code.as_str(), issue.pointer);
    let issues = report.issues.iter().map(issue);
    issues.map(|issue| issue.trim_end().to_owned()).collect()
}

const CULTURES: [&str; 4] = ["en-GB", "fr-FR", "de-DE", "de-AT"];

/// The names in some cultures, each with its number and whether it has a path.
fn names(drawn: [Option<(usize, bool)>; 4]) -> Value {
    let names = CULTURES.iter().zip(drawn).filter_map(|(culture, name)| {
        let (name, has_path) = name?;
        let mut entry = json!({"culture": culture, "name": format!("N{name}")});
        if has_path {
            // Shorter ones are beginnings of longer ones, as the paths of parents are.
            entry["path"] = json!(format!("p{}", "/q".repeat(name)));
        }
        Some(entry)
    });
    names.collect()
}

/// The fields of some nodes as JSON, without what lies below them.
fn nodes(ids: std::ops::Range<u64>, count: usize) -> impl Strategy<Value = Vec<String>> {
    use proptest::option::{of, weighted};
    let name = || (0..6_usize, any::<bool>());
    let few = || weighted(0.2, 0..3_u8);
    let values = (few(), few(), few(), few(), few(), weighted(0.2, 100..110_u64));
    let node = (
        (name(), of(name()), of(name()), of(name())),
        values,
        any::<bool>(),
    );
    let node = node.prop_map(|((en, fr, de, at), values, is_deprecated)| {
        let (notation, alt_name, sort_key, metadata, concept, replaced_by) = values;
        let relations = |value: u8| {
            let exact = json!({"type": "exact", "scheme": "esco", "id": format!("c{value}")});
            json!([exact, {"type": "broad", "id": 1000 + u64::from(value)}])
        };
        let notes = |value: u8| {
            let scope_note = json!({"culture": "fr-FR", "scopeNote": format!("S{value}\\n")});
            json!([scope_note, {"culture": "en-GB", "definition": format!("D{value}")}])
        };
        let since = |day: u8| json!({"reason": "R", "since": format!("2026-01-1{day}")});
        let fields = [
            ("names", Some(names([Some(en), fr, de, at]))),
            ("notation", notation.map(|value| json!(value.to_string()))),
            ("sortKey", sort_key.map(|value| json!(value.to_string()))),
            (
                "altNames",
                alt_name.map(|value| json!([{"culture": "fr-FR", "name": format!("A{value}")}])),
            ),
            (
                "metadata",
                metadata.map(|value| json!({"z": value, "a": [1.5, null, "x"]})),
            ),
            ("replacedBy", replaced_by.map(|id| json!([id]))),
            ("relations", concept.map(relations)),
            ("notes", concept.map(notes)),
            ("deprecation", metadata.filter(|_| is_deprecated).map(since)),
            ("deprecated", Some(json!(is_deprecated))),
        ];
        let fields = fields
            .into_iter()
            .filter_map(|(field, value)| Some(format!(r#","{field}":{}"#, value?)));
        fields.collect::<String>()
    });
    let ids = proptest::sample::subsequence(ids.collect::<Vec<_>>(), 1..=count);
    (ids, proptest::collection::vec(node, count)).prop_map(|(ids, nodes)| {
        let nodes = ids.into_iter().zip(nodes);
        nodes
            .map(|(id, fields)| format!(r#""id":{id}{fields}"#))
            .collect()
    })
}

/// A node with those below it, the last one first.
fn node(fields: &str, list: &str, mut below: Vec<String>) -> String {
    below.reverse();
    format!(r#"{{{fields},"{list}":[{}]}}"#, below.join(","))
}

/// Files over the same few ids, so that two of them differ by additions, removals, moves and changes of every kind.
pub fn files() -> impl Strategy<Value = String> {
    let places = proptest::collection::vec((0..3_usize, proptest::option::of(0..12_usize)), 12);
    let drawn = (
        nodes(0..3, 3),
        nodes(0..14, 12),
        places,
        any::<prop::sample::Index>(),
    );
    drawn.prop_map(|(categories, mut terms, places, rotation)| {
        // Which term comes first decides who can be whose parent; rotating the order makes parents and children swap.
        let middle = rotation.index(terms.len());
        terms.rotate_left(middle);
        let mut below: Vec<Vec<String>> = vec![Vec::new(); categories.len() + terms.len()];
        for (position, term) in terms.iter().enumerate().rev() {
            let (category, parent) = places[position];
            let above = match parent.filter(|parent| *parent < position) {
                Some(parent) => categories.len() + parent,
                None => category % categories.len(),
            };
            let children = std::mem::take(&mut below[categories.len() + position]);
            below[above].push(node(term, "children", children));
        }
        let categories = categories.iter().zip(below);
        let categories = categories.map(|(category, terms)| node(category, "terms", terms));
        let categories = categories.collect::<Vec<_>>().join(",");
        format!(r#"{{"defaultCulture":"en-GB","categories":[{categories}]}}"#)
    })
}
