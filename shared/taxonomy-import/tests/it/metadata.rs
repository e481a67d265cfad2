//! Properties of the metadata: the values that are kept, and their order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{ImportOptions, Statement};

use crate::support::{Imported, Source, import, options, read};

/// The bytes that the metadata of a node takes at most (docs/decisions/0022-import.md).
const MOST_BYTES: usize = 8_000;

fn imported(properties: &[(&str, usize)]) -> Imported {
    let mut source = Source::new();
    source.concept("a", &[]);
    for (name, bytes) in properties {
        source.state("a", Statement::Property(name, None, &"x".repeat(*bytes)));
    }
    source.import()
}

#[test]
fn a_property_that_does_not_fit_leaves_room_for_later_ones() {
    let found = imported(&[
        ("a", 10),
        ("b", 9_000),
        ("c", 10),
        ("d", 4_000),
        ("e", 4_000),
        ("f", 10),
    ]);
    let metadata = found.node("A")["metadata"].as_object().unwrap();
    let names: Vec<&str> = metadata.keys().map(String::as_str).collect();
    assert_eq!(names, ["a", "c", "d", "f"]);
    assert_eq!(found.codes(), ["value-left-out"]);
    let issues = found.written.report.issues();
    let messages: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
    for name in ["\"b\"", "\"e\""] {
        assert!(
            messages.iter().any(|message| message.contains(name)),
            "{messages:?}"
        );
    }
}

#[test]
fn a_property_that_fits_alone_only_is_kept() {
    // The name, the culture and the punctuation take 20 to 30 bytes.
    assert!(imported(&[("a", 7_970)]).node("A").get("metadata").is_some());
    assert!(imported(&[("a", 8_000)]).node("A").get("metadata").is_none());
}

/// A note in Turtle: its property, its language, its text.
type Note = (&'static str, &'static str, String);

fn note() -> impl Strategy<Value = Note> {
    let properties = vec!["changeNote", "editorialNote", "example", "historyNote", "note"];
    let languages = vec!["", "de", "en", "en-GB"];
    let text = ("[a-c]{1,2}", prop::sample::select(vec![1, 1, 1, 1_000, 3_000]));
    let text = text.prop_map(|(text, times)| text.repeat(times));
    (
        prop::sample::select(properties),
        prop::sample::select(languages),
        text,
    )
}

/// Imports statements in Turtle, so many of them in a first file and the others in a second one.
fn import_turtle(statements: &[String], first: usize, options: &ImportOptions) -> Imported {
    let prefixes = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix tax: <urn:x-taxonomy:vocabulary#> .\n";
    let (first, second) = statements.split_at(first);
    let [first, second] = [first, second].map(|statements| [prefixes, &statements.concat()].concat());
    let files = [(None, first.as_str()), (None, second.as_str())];
    import(read(SourceFormat::Turtle, options, &files), None, &[])
}

/// The metadata by the rules, from notes in any order.
fn expected(notes: &[Note]) -> serde_json::Value {
    let mut properties: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for (property, language, text) in notes {
        let culture = if language.is_empty() { "en-GB" } else { language };
        let values = properties.entry(property).or_default();
        values.entry(culture).or_default().insert(text);
    }
    let mut kept = serde_json::Map::new();
    let mut bytes = 0;
    for (property, values) in properties {
        // A pair as an array has one byte more than as a member of an object with its comma.
        let size = json!([property, values]).to_string().len();
        if bytes + size <= MOST_BYTES {
            bytes += size;
            kept.insert(property.to_owned(), json!(values));
        }
    }
    kept.into()
}

proptest! {
    #[test]
    fn the_order_of_statements_of_rdf_does_not_count(
        notes in prop::collection::vec(note(), 0..12),
        (order, first) in Just((0..16).collect::<Vec<usize>>()).prop_shuffle().prop_flat_map(|order| (Just(order), 0..17_usize)),
    ) {
        let mut statements = vec![
            "<urn:a> a skos:Concept .\n".to_owned(),
            "<urn:a> skos:prefLabel \"A\"@en-GB .\n".to_owned(),
            "<urn:s> tax:defaultCulture \"en-GB\" .\n".to_owned(),
            "<urn:s> tax:defaultCulture \"fr\" .\n".to_owned(),
        ];
        for (property, language, text) in &notes {
            let tag = if language.is_empty() { String::new() } else { format!("@{language}") };
            statements.push(format!("<urn:a> skos:{property} \"{text}\"{tag} .\n"));
        }
        let shuffled: Vec<String> = order.iter().filter_map(|at| statements.get(*at).cloned()).collect();
        let options = options();
        let one = import_turtle(&statements, statements.len(), &options);
        let other = import_turtle(&shuffled, first.min(shuffled.len()), &options);
        prop_assert_eq!(&one.json, &other.json);
        prop_assert_eq!(&one.json["defaultCulture"], "en-GB");
        let found = one.node("A").get("metadata").cloned().unwrap_or_else(|| json!({}));
        prop_assert_eq!(found, expected(&notes));
    }
}
