//! Properties of the metadata: the values that are kept, and their order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_import::{Code, Statement};

use crate::support::{Imported, Source, turtle};

/// The bytes that the metadata of a node takes at most (docs/decisions/0022-import.md).
const MOST_BYTES: usize = 8_000;

fn metadata(imported: &Imported) -> Value {
    let metadata = imported.node("A").get("metadata");
    metadata.cloned().unwrap_or_else(|| json!({}))
}

#[test]
fn properties_have_the_values_stated_and_leave_room_for_later_ones() {
    let large = |bytes| "x".repeat(bytes);
    let import = |properties: &[(&str, Option<&str>, &str)]| {
        let mut source = Source::of("a");
        for (name, culture, value) in properties {
            source.state("a", Statement::Property(name, *culture, value));
        }
        source.import()
    };
    let colours = [(None, "red"), (Some("de"), "rot"), (None, "dark"), (None, "red")];
    let values = colours.map(|(culture, colour)| ("colour", culture, colour));
    import(&values).has(r#"A metadata: {"colour":{"de":["rot"],"en-GB":["red","dark"]}}"#);
    // The name, the culture and the punctuation take 20 to 30 bytes.
    for (bytes, kept) in [(7_970, 1), (8_000, 0)] {
        let found = import(&[("a", None, &large(bytes))]);
        assert_eq!(metadata(&found).as_object().unwrap().len(), kept);
    }
    let found = import(&[("b", None, &large(7_990)), ("a", None, "x"), ("c", None, "y")]);
    found.has(r#"A metadata: {"a":{"en-GB":["x"]},"c":{"en-GB":["y"]}}"#);
    found.says("value-left-out a: the metadata has no room for the 8010 bytes of the property \"b\"");
}

/// A note in Turtle: its property, its language, its text.
type Note = (&'static str, &'static str, String);

fn note() -> impl Strategy<Value = Note> {
    let properties = vec!["changeNote", "editorialNote", "example", "historyNote", "note"];
    let languages = vec!["", "de", "en", "en-GB"];
    let text = ("[a-c]{1,2}", prop::sample::select(vec![1, 1, 1, 1_000, 3_000]));
    let text = text.prop_map(|(text, times)| text.repeat(times));
    let (properties, languages) = (prop::sample::select(properties), prop::sample::select(languages));
    (properties, languages, text)
}

/// Imports statements in Turtle, so many of them in a first file and the others in a second one.
fn import_turtle(statements: &[String], first: usize) -> Imported {
    let (first, second) = statements.split_at(first);
    let files = turtle(&first.concat()).without_culture();
    files.and_turtle(&second.concat()).import()
}

/// The metadata by the rules, from notes in any order, and the number of properties that are left out.
fn expected(notes: &[Note]) -> (Value, u64) {
    let mut properties: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for (property, language, text) in notes {
        let culture = if language.is_empty() { "en-GB" } else { language };
        let values = properties.entry(property).or_default();
        values.entry(culture).or_default().insert(text);
    }
    let (mut kept, mut bytes, mut left_out) = (serde_json::Map::new(), 0, 0);
    for (property, values) in properties {
        // A pair as an array has one byte more than as a member of an object with its comma.
        let size = json!([property, values]).to_string().len();
        if bytes + size <= MOST_BYTES {
            bytes += size;
            kept.insert(property.to_owned(), json!(values));
        } else {
            left_out += 1;
        }
    }
    (kept.into(), left_out)
}

proptest! {
    #[test]
    fn the_order_of_statements_of_rdf_does_not_count(
        notes in prop::collection::vec(note(), 0..12),
        (order, first) in Just((0..16).collect::<Vec<usize>>()).prop_shuffle().prop_flat_map(|order| (Just(order), 0..17_usize)),
    ) {
        let mut statements = vec![
            "e:a a s:Concept .\n".to_owned(),
            "e:a s:prefLabel \"A\"@en-GB .\n".to_owned(),
            "e:s <urn:x-taxonomy:vocabulary#defaultCulture> \"en-GB\" .\n".to_owned(),
            "e:s <urn:x-taxonomy:vocabulary#defaultCulture> \"fr\" .\n".to_owned(),
        ];
        for (property, language, text) in &notes {
            let tag = if language.is_empty() { String::new() } else { format!("@{language}") };
            statements.push(format!("e:a s:{property} \"{text}\"{tag} .\n"));
        }
        let shuffled: Vec<String> = order.iter().filter_map(|at| statements.get(*at).cloned()).collect();
        let one = import_turtle(&statements, statements.len());
        let other = import_turtle(&shuffled, first.min(shuffled.len()));
        prop_assert_eq!(&one.json, &other.json);
        prop_assert_eq!(&one.json["defaultCulture"], "en-GB");
        let left_out = one.written.report.count_of(Code::ValueLeftOut);
        prop_assert_eq!((metadata(&one), left_out), expected(&notes));
    }
}
