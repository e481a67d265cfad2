//! The fields of a node beside its id, its names and its relations.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::Serialize;
use serde_json::value::to_raw_value;
use taxonomy_keys::Culture;
use taxonomy_model::{Deprecation, Notes, is_day};

use super::names::Name;
use super::node::{FieldJson, Issues, NodeWriter, list};
use super::text;
use crate::concept::ExactField;
use crate::graph::StatementKind;
use crate::report::Code;

const NOTATION: usize = 200;
const SORT_KEY: usize = 200;
const REASON: usize = 500;
/// The format takes 8 KiB of metadata; a little less, so that its count and this one may differ.
const METADATA: usize = 8_000;

/// The notes of a node in one culture.
#[derive(Debug, Serialize)]
struct NotesIn<'a> {
    culture: &'a Culture,
    #[serde(flatten)]
    notes: Notes,
}

/// The fields of a node beside its id and its names.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Details<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    notation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alt_names: FieldJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: FieldJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sort_key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: FieldJson<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deprecated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<Deprecation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: FieldJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relations: FieldJson<'a>,
}

impl<'a> NodeWriter<'a> {
    pub(super) fn details(&mut self, alt_names: &[Name<'a>]) -> Details<'a> {
        let notation = self.first(StatementKind::Notation, "notation");
        let sort_key = self.first(StatementKind::SortKey, "sort key");
        let sort_key = sort_key.or(notation.filter(|_| self.graph.options.sorts_by_notation));
        let reason = self.first(StatementKind::DeprecationReason, "reason");
        let since = self.first(StatementKind::DeprecatedSince, "date");
        let reason = reason.and_then(|reason| self.value("reason", reason, REASON, text::characters));
        let deprecation = Deprecation {
            reason: reason.map(str::to_owned),
            since: since.and_then(|since| day(since, &mut self.issues)),
        };
        // The report has the issues in this order.
        Details {
            notation: notation.and_then(|code| self.value("notation", code, NOTATION, text::characters)),
            alt_names: self.exact(ExactField::AltNames).or_else(|| list(alt_names)),
            notes: self.exact(ExactField::Notes).or_else(|| list(&self.notes())),
            sort_key: sort_key.and_then(|key| self.value("sort key", key, SORT_KEY, str::len)),
            metadata: self.exact(ExactField::Metadata).or_else(|| self.metadata()),
            relations: self.relations(),
            deprecated: self.graph.has(self.node, StatementKind::Deprecated),
            deprecation: Some(deprecation).filter(|found| *found != Deprecation::default()),
            replaced_by: self.replaced_by(),
        }
    }

    /// The first of the values of a kind, in RDF the smallest; others are reported.
    fn first(&mut self, kind: StatementKind, field: &str) -> Option<&'a str> {
        let rows = self.graph.rows_of(self.node, kind);
        let mut values: Vec<&str> = rows.map(|row| self.graph.text(row)).collect();
        if self.graph.is_unordered {
            values.sort_unstable();
        }
        // A blank value counts only if there is no other.
        values.sort_by_key(|value| value.trim().is_empty());
        let first = *values.first()?;
        if let Some(other) = values.iter().find(|value| **value != first) {
            let message = format!("has the {field} {first:?} and {other:?}");
            self.issue(Code::SeveralValues, message);
        }
        Some(first)
    }

    fn notes(&mut self) -> Vec<NotesIn<'a>> {
        let mut texts: BTreeMap<&Culture, [Vec<&str>; 2]> = BTreeMap::new();
        let mut seen = HashSet::new();
        for row in self.graph.rows(self.node) {
            let position = match row.kind {
                StatementKind::Definition => 0,
                StatementKind::ScopeNote => 1,
                _ => continue,
            };
            let culture = self.graph.culture_of(row).unwrap_or_else(|| {
                self.no_language("a note has no language");
                self.graph.default_culture()
            });
            let text = self.graph.text(row);
            if seen.insert((culture, position, text)) {
                texts.entry(culture).or_default()[position].push(text);
            }
        }
        let mut found = Vec::with_capacity(texts.len());
        for (culture, lists) in texts {
            let [definition, scope_note] = lists.map(|mut list| {
                if self.graph.is_unordered {
                    list.sort_unstable();
                }
                match list.is_empty() {
                    true => None,
                    false => text::note(&list.join("\n"), &mut self.issues),
                }
            });
            let notes = Notes {
                definition,
                scope_note,
            };
            if notes != Notes::default() {
                found.push(NotesIn { culture, notes });
            }
        }
        found
    }

    /// The properties by name, language and order, as many as fit: one that does not leaves its room to those behind it.
    fn metadata(&mut self) -> FieldJson<'a> {
        let mut properties = BTreeMap::<&str, BTreeMap<&str, Vec<&str>>>::new();
        let mut seen = HashSet::new();
        let graph = self.graph;
        for row in graph.rows_of(self.node, StatementKind::Property) {
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
                let message =
                    format!("the metadata has no room for the {more} bytes of the property {name:?}");
                self.issue(Code::ValueLeftOut, message);
            }
            fits
        });
        match properties.is_empty() {
            true => None,
            false => to_raw_value(&properties).ok().map(Cow::Owned),
        }
    }
}

/// The day of a date or of a point in time.
fn day(text: &str, issues: &mut Issues) -> Option<String> {
    let day = text.get(..10).filter(|day| is_day(day));
    let rest = text.get(10..).unwrap_or_default();
    let day = day.filter(|_| rest.is_empty() || rest.starts_with(['T', ' ', 'Z', '+', '-']));
    if day.is_none() {
        issues.push((Code::InvalidValue, format!("{text:?} is not a day")));
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
