//! A file, built from the statements of a download as SKOS.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::graph::{Graph, Object};
use crate::skos::SCHEME;

/// A file, built from the statements by the rules of docs/decisions/0020-downloads.md.
pub(crate) fn file(graph: &Graph) -> String {
    let categories = graph.texts(SCHEME, "skos:hasTopConcept");
    let categories: Vec<Value> = categories.iter().map(|category| node(graph, category)).collect();
    json!({"defaultCulture": graph.one(SCHEME, "tax:defaultCulture"), "categories": categories}).to_string()
}

fn node(graph: &Graph, subject: &str) -> Value {
    let text = |predicate: &str| graph.one(subject, predicate);
    let json = |predicate: &str| graph.json(subject, predicate);
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
    let names = names.iter();
    let names =
        names.map(|(culture, name)| json!({"culture": culture, "name": name, "path": paths.get(culture)}));
    let alt_names = graph
        .objects(subject, "skos:altLabel")
        .map(|object| match object {
            Object::Text(name, culture) => json!({"culture": culture, "name": name}),
            Object::Node(_) => panic!("{object:?}"),
        });
    let (definitions, scope_notes) = (in_language("skos:definition"), in_language("skos:scopeNote"));
    let cultures: BTreeSet<&String> = definitions.keys().chain(scope_notes.keys()).collect();
    let notes = cultures.into_iter().map(|culture| {
        json!({"culture": culture, "definition": definitions.get(culture), "scopeNote": scope_notes.get(culture)})
    });
    let replaced_by = graph.texts(subject, "dct:isReplacedBy").into_iter();
    let replaced_by = replaced_by.map(|object| object.rsplit('/').next().unwrap().parse().unwrap());
    let replaced_by: BTreeSet<u64> = replaced_by.collect();
    let parent_of = |child: &str| {
        graph
            .one(child, "tax:parent")
            .or_else(|| graph.one(child, "skos:broader"))
    };
    let below = graph.texts(subject, "skos:narrower").into_iter();
    let below = below.filter(|child| parent_of(child) == Some(subject));
    let list = if subject.starts_with("categories/") {
        "terms"
    } else {
        "children"
    };
    json!({
        "id": text("dct:identifier").unwrap().parse::<u64>().unwrap(),
        "names": names.collect::<Value>(),
        "altNames": json("tax:altNames").unwrap_or_else(|| alt_names.collect()),
        "notes": json("tax:notes").unwrap_or_else(|| notes.collect()),
        "notation": text("skos:notation"),
        "sortKey": text("tax:sortKey"),
        "metadata": json("tax:metadata"),
        "relations": json("tax:relations"),
        "deprecated": text("owl:deprecated") == Some("true"),
        "deprecation": {"reason": text("tax:deprecationReason"), "since": text("tax:deprecatedSince")},
        "replacedBy": json("tax:replacedBy").unwrap_or_else(|| json!(replaced_by)),
        list: below.map(|child| node(graph, child)).collect::<Value>(),
    })
}
