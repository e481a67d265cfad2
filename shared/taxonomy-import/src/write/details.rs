//! The fields of a node beside its id, its names and its relations.

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use taxonomy_keys::Culture;
use taxonomy_model::{Deprecation, Relation, is_day};

use super::names::Name;
use super::value::{FieldValue, Issues};
use super::{relations, text};
use crate::concept::{ConceptRef, ExactField};
use crate::graph::{Graph, StatementKind};
use crate::report::Code;
use crate::tree::ConceptTree;

const NOTATION: usize = 200;
const SORT_KEY: usize = 200;
const REASON: usize = 500;
/// The format takes 8 KiB of metadata; a little less, so that its count and this one may differ.
const METADATA: usize = 8_000;

/// Properties by name, language and order.
type MetadataValue<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a str>>>;

/// The notes of a node in one culture.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct NotesIn<'a> {
    culture: &'a Culture,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope_note: Option<String>,
}

/// The fields of a node beside its id and its names.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    notation: Option<&'a str>,
    #[serde(skip_serializing_if = "FieldValue::is_absent")]
    alt_names: FieldValue<'a, Vec<Name<'a>>>,
    #[serde(skip_serializing_if = "FieldValue::is_absent")]
    notes: FieldValue<'a, Vec<NotesIn<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key: Option<&'a str>,
    #[serde(skip_serializing_if = "FieldValue::is_absent")]
    metadata: FieldValue<'a, MetadataValue<'a>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<Deprecation>,
    #[serde(skip_serializing_if = "FieldValue::is_absent")]
    replaced_by: FieldValue<'a, Vec<u64>>,
    #[serde(skip_serializing_if = "FieldValue::is_absent")]
    relations: FieldValue<'a, Vec<Relation>>,
}

impl<'a> Details<'a> {
    pub(super) fn new(
        tree: &'a ConceptTree,
        node: ConceptRef,
        alt_names: Vec<Name<'a>>,
        issues: &mut Issues,
    ) -> Self {
        let graph = &tree.graph;
        let notation = first(graph, node, StatementKind::Notation, "notation", issues);
        let sort_key = first(graph, node, StatementKind::SortKey, "sort key", issues);
        let reason = first(graph, node, StatementKind::DeprecationReason, "reason", issues);
        let since = first(graph, node, StatementKind::DeprecatedSince, "date", issues);
        let reason = reason.and_then(|reason| {
            text::value("reason", reason, REASON, text::characters, issues).map(str::to_owned)
        });
        let deprecation = Deprecation {
            reason,
            since: since.and_then(|since| day(since, issues)),
        };
        let notation =
            notation.and_then(|code| text::value("notation", code, NOTATION, text::characters, issues));
        let alt_names =
            exact(graph, node, ExactField::AltNames, issues).unwrap_or_else(|| FieldValue::list(alt_names));
        let notes = exact(graph, node, ExactField::Notes, issues)
            .unwrap_or_else(|| FieldValue::list(notes(graph, node, issues)));
        let sort_key = sort_key.and_then(|key| text::value("sort key", key, SORT_KEY, str::len, issues));
        let metadata =
            exact(graph, node, ExactField::Metadata, issues).unwrap_or_else(|| metadata(graph, node, issues));
        let relations = relations::relations(tree, node, issues);
        Self {
            notation,
            alt_names,
            notes,
            sort_key,
            metadata,
            deprecated: graph.has(node, StatementKind::Deprecated),
            deprecation: Some(deprecation).filter(|found| *found != Deprecation::default()),
            replaced_by: relations::replaced_by(tree, node, issues),
            relations,
        }
    }
}

/// The first of the values of a kind, in RDF the smallest; others are reported.
fn first<'a>(
    graph: &'a Graph,
    node: ConceptRef,
    kind: StatementKind,
    field: &str,
    issues: &mut Issues,
) -> Option<&'a str> {
    let rows = graph.rows(node).filter(|row| row.kind == kind);
    let mut values: Vec<&str> = rows.map(|row| graph.text(row)).collect();
    if graph.is_unordered {
        values.sort_unstable();
    }
    let first = *values.first()?;
    if let Some(other) = values.iter().find(|value| **value != first) {
        issues.push((
            Code::SeveralValues,
            format!("has the {field} {first:?} and {other:?}"),
        ));
    }
    Some(first)
}

/// The exact JSON of a field.
pub(super) fn exact<'a, T>(
    graph: &'a Graph,
    node: ConceptRef,
    field: ExactField,
    issues: &mut Issues,
) -> Option<FieldValue<'a, T>> {
    let row = graph
        .rows(node)
        .find(|row| row.kind == StatementKind::Exact(field))?;
    match serde_json::from_str(graph.text(row)) {
        Ok(json) => Some(FieldValue::Exact(json)),
        Err(error) => {
            issues.push((
                Code::InvalidField,
                format!("{} is no JSON: {error}", field.as_str()),
            ));
            None
        }
    }
}

fn notes<'a>(graph: &'a Graph, node: ConceptRef, issues: &mut Issues) -> Vec<NotesIn<'a>> {
    let mut texts: BTreeMap<&Culture, [Vec<&str>; 2]> = BTreeMap::new();
    let mut seen = HashSet::new();
    for row in graph.rows(node) {
        let position = match row.kind {
            StatementKind::Definition => 0,
            StatementKind::ScopeNote => 1,
            _ => continue,
        };
        let culture = graph.culture_of(row).unwrap_or_else(|| {
            issues.push((Code::NoLanguage, "a note has no language".to_owned()));
            graph.default_culture()
        });
        let text = graph.text(row);
        if seen.insert((culture, position, text)) {
            texts.entry(culture).or_default()[position].push(text);
        }
    }
    let mut notes = Vec::with_capacity(texts.len());
    for (culture, lists) in texts {
        let [definition, scope_note] = lists.map(|mut list| {
            if graph.is_unordered {
                list.sort_unstable();
            }
            match list.is_empty() {
                true => None,
                false => text::note(&list.join("\n"), issues),
            }
        });
        if definition.is_some() || scope_note.is_some() {
            notes.push(NotesIn {
                culture,
                definition,
                scope_note,
            });
        }
    }
    notes
}

/// The properties by name, as many as fit: one that does not leaves its room to those behind it.
fn metadata<'a>(
    graph: &'a Graph,
    node: ConceptRef,
    issues: &mut Issues,
) -> FieldValue<'a, MetadataValue<'a>> {
    let mut properties = MetadataValue::new();
    let mut seen = HashSet::new();
    for row in graph.rows(node).filter(|row| row.kind == StatementKind::Property) {
        let (name, value) = graph.pair(row);
        let culture = graph.culture_of(row).unwrap_or(graph.default_culture());
        // The file of each language has a value without a language.
        if seen.insert((name, culture, value)) {
            let values = properties.entry(name).or_default();
            values.entry(culture.as_str()).or_default().push(value);
        }
    }
    let mut bytes = 0;
    properties.retain(|name, values| {
        if graph.is_unordered {
            values.values_mut().for_each(|list| list.sort_unstable());
        }
        // A list of texts always serializes.
        let more = serde_json::to_string(&(*name, &*values)).map_or(METADATA + 1, |json| json.len());
        let fits = bytes + more <= METADATA;
        if fits {
            bytes += more;
        } else {
            let message = format!("the metadata has no room for the {more} bytes of the property {name:?}");
            issues.push((Code::ValueLeftOut, message));
        }
        fits
    });
    match properties.is_empty() {
        true => FieldValue::Absent,
        false => FieldValue::Made(properties),
    }
}

/// The day of a date or of a point in time.
fn day(text: &str, issues: &mut Issues) -> Option<String> {
    let day = text.get(..10).filter(|day| is_day(day));
    let rest = text.get(10..).unwrap_or_default();
    let day = day.filter(|_| rest.is_empty() || rest.starts_with(['T', ' ', 'Z', '+', '-']));
    if day.is_none() {
        issues.push((Code::InvalidValue, format!("{text:?} is no day")));
    }
    day.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_one_of_the_calendar() {
        for (text, expect) in [
            ("2024-02-29", Some("2024-02-29")),
            ("2023-02-29", None),
            ("2026-01-31T10:00:00Z", Some("2026-01-31")),
            ("2026-01-315", None),
            ("2026-1-31", None),
            ("x", None),
            ("20é6-01-31", None),
        ] {
            assert_eq!(day(text, &mut Issues::new()).as_deref(), expect, "{text}");
        }
    }
}
