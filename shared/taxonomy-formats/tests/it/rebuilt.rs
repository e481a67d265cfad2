//! A file, built from the statements of a download as SKOS.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::graph::{Graph, Object};
use crate::skos::SCHEME;

/// A file, built from the statements by the rules of docs/decisions/0020-downloads.md.
pub(crate) fn file(graph: &Graph) -> String {
    let categories = graph.texts(SCHEME, "skos:hasTopConcept");
    let categories: Vec<Value> = categories.iter().map(|category| node(graph, category)).collect();
    json!({"defaultCulture": graph.one(SCHEME, "tax:defaultCulture"), "categories": categories}).to_string()
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn node(graph: &Graph, subject: &str) -> Value {
    let mut node = Map::new();
    let id: u64 = graph.one(subject, "dct:identifier").unwrap().parse().unwrap();
    node.insert("id".to_owned(), json!(id));
    let in_language = |predicate: &str| {
        let texts = graph.objects(subject, predicate).map(|object| match object {
            Object::Text(text, Some(language)) => (language.clone(), text.clone()),
            other => panic!("{other:?}"),
        });
        texts.collect::<BTreeMap<String, String>>()
    };
    let mut names = in_language("skos:prefLabel");
    names.extend(in_language("tax:name"));
    let paths = in_language("tax:path");
    let names = names
        .iter()
        .map(|(culture, name)| json!({"culture": culture, "name": name, "path": paths.get(culture)}));
    node.insert("names".to_owned(), names.collect());
    let alt_names = graph
        .objects(subject, "skos:altLabel")
        .map(|object| match object {
            Object::Text(name, culture) => json!({"culture": culture, "name": name}),
            Object::Node(_) => panic!("{object:?}"),
        });
    let alt_names = graph
        .json(subject, "tax:altNames")
        .unwrap_or_else(|| alt_names.collect());
    node.insert("altNames".to_owned(), alt_names);
    let (definitions, scope_notes) = (in_language("skos:definition"), in_language("skos:scopeNote"));
    let cultures: BTreeSet<&String> = definitions.keys().chain(scope_notes.keys()).collect();
    let notes = cultures.into_iter().map(|culture| {
        json!({"culture": culture, "definition": definitions.get(culture), "scopeNote": scope_notes.get(culture)})
    });
    node.insert(
        "notes".to_owned(),
        graph
            .json(subject, "tax:notes")
            .unwrap_or_else(|| notes.collect()),
    );
    for (field, predicate) in [("notation", "skos:notation"), ("sortKey", "tax:sortKey")] {
        node.insert(field.to_owned(), json!(graph.one(subject, predicate)));
    }
    for (field, predicate) in [("metadata", "tax:metadata"), ("relations", "tax:relations")] {
        node.insert(field.to_owned(), json!(graph.json(subject, predicate)));
    }
    let is_deprecated = graph.one(subject, "owl:deprecated") == Some("true");
    node.insert("deprecated".to_owned(), json!(is_deprecated));
    let (reason, since) = (
        graph.one(subject, "tax:deprecationReason"),
        graph.one(subject, "tax:deprecatedSince"),
    );
    node.insert(
        "deprecation".to_owned(),
        json!({"reason": reason, "since": since}),
    );
    let id_of = |object: &str| object.rsplit('/').next().unwrap().parse::<u64>().unwrap();
    let mut replaced_by: Vec<u64> = graph
        .texts(subject, "dct:isReplacedBy")
        .into_iter()
        .map(id_of)
        .collect();
    replaced_by.sort_unstable();
    let replaced_by = graph
        .json(subject, "tax:replacedBy")
        .unwrap_or_else(|| json!(replaced_by));
    node.insert("replacedBy".to_owned(), replaced_by);
    let list = if subject.starts_with("categories/") {
        "terms"
    } else {
        "children"
    };
    let parent_of = |child: &str| {
        graph
            .one(child, "tax:parent")
            .or_else(|| graph.one(child, "skos:broader"))
    };
    let below = graph
        .texts(subject, "skos:narrower")
        .into_iter()
        .filter(|child| parent_of(child) == Some(subject));
    node.insert(
        list.to_owned(),
        below.map(|child| self::node(graph, child)).collect(),
    );
    Value::Object(node)
}
