//! A table of concepts: a row each, with a column for the parent, or with a column for each level.
//!
//! Columns are named after the fields (`columns`), with a language tag after a dot: `name.fr-FR`. Rows of levels contain the path from the top;
//! a row that begins with blank cells continues that of the previous row.

mod columns;
mod levels;

use std::collections::HashMap;
use std::io::{self, BufRead, Read};

use csv::StringRecord;

use super::paths::whole_number;
use super::rows;
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::StatementKind;
use crate::graph::{Graph, Stop};
use crate::report::Code;
pub use columns::{COLUMN_FIELDS, is_column_field};
use columns::{ColumnField, TableColumns};
use levels::Levels;

/// Values of a parent that stand for none, unless a row has them as its key.
const NO_PARENT: [&str; 3] = ["NULL", "-", "0"];

/// Reads a table.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub(super) fn read(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    let mut banner = (&mut *input).take(graph.bounds.file_bytes);
    for _ in 0..graph.options.skip_rows {
        if !skip_line(&mut banner)? {
            break;
        }
    }
    let first_line = u64::from(graph.options.skip_rows) + 1;
    let (mut rows, place, header) = rows::begin(input, first_line, columns::delimiter, graph)?;
    graph.has_rows = true;
    let culture = graph.file_tag();
    let mut columns = TableColumns::new(&header, place, graph)?;
    let mut levels = Levels::default();
    while let Some((place, record)) = rows::next(&mut rows, graph)? {
        if let Some(message) = columns.fault_of(&record, place, graph) {
            graph.unreadable(Code::Malformed, place, None, message)?;
            continue;
        }
        let row = TableRow {
            columns: &columns,
            record: &record,
            culture: culture.as_deref(),
            place,
        };
        row.read(&mut levels, graph)?;
    }
    levels.link(culture.as_deref(), graph)
}

/// Passes over a line that ends with LF, CRLF or CR, as those of tables do. Returns false at the end.
fn skip_line(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = input.fill_buf()?;
        let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let (length, last) = (bytes.len(), end.map(|end| bytes[end]));
        input.consume(end.map_or(length, |end| end + 1));
        if last == Some(b'\r') && input.fill_buf()?.starts_with(b"\n") {
            input.consume(1);
        }
        if last.is_some() || length == 0 {
            return Ok(last.is_some());
        }
    }
}

/// Decides about the parents of all tables when their rows are read: words for no parent are keys if rows have them, and a name is none.
///
/// # Errors
/// [`Stop::Refused`] if the parents are names: where the rows belong is not known.
pub(crate) fn finish(graph: &mut Graph) -> Result<(), Stop> {
    if !graph.has_rows {
        return Ok(());
    }
    for (concept, parent) in std::mem::take(&mut graph.perhaps_parents) {
        if graph.is_declared(parent) {
            graph.state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)?;
        }
    }
    let mut unknown = Vec::new();
    for concept in graph.declared() {
        let parents = graph.others(concept, &[StatementKind::Broader]);
        let parents = parents.filter(|parent| !graph.is_declared(*parent));
        unknown.extend(parents.map(|parent| (concept, graph.key(parent))));
    }
    let mut named = HashMap::new();
    for concept in graph.declared().filter(|_| !unknown.is_empty()) {
        for row in graph.rows_of(concept, StatementKind::Name) {
            named.entry(graph.text(row).trim()).or_insert(concept);
        }
    }
    let found = unknown.into_iter().filter_map(|(concept, name)| {
        let key = graph.key(*named.get(name)?);
        let message = format!("the parent {name:?} is not a key but the name of {key}");
        Some((concept, message))
    });
    let found: Vec<(ConceptRef, String)> = found.collect();
    for (concept, message) in &found {
        graph.issue_of(Code::ParentIsName, *concept, message);
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(Stop::Refused),
    }
}

/// A row under its header.
struct TableRow<'a> {
    columns: &'a TableColumns,
    record: &'a StringRecord,
    /// The language of texts in columns without one, where the file has one.
    culture: Option<&'a str>,
    place: SourcePlace,
}

impl TableRow<'_> {
    fn read(&self, levels: &mut Levels, graph: &mut Graph) -> Result<(), Stop> {
        let key = self.cells(&ColumnField::Id).next().map(str::trim);
        let path = match self.columns.levels.as_slice() {
            [] => None,
            columns => {
                let cells = columns
                    .iter()
                    .map(|column| self.record.get(*column).unwrap_or_default());
                match levels.path(cells) {
                    Ok(path) => Some(path),
                    Err(message) => {
                        return graph.unreadable(Code::Malformed, self.place, None, message);
                    }
                }
            }
        };
        let key = match (key, &path) {
            (Some(""), _) | (None, None) => {
                return graph.unreadable(Code::MissingKey, self.place, None, "the id is blank");
            }
            (Some(key), _) => key.to_owned(),
            (None, Some(path)) => {
                graph.has_path_keys = true;
                path.clone()
            }
        };
        let concept = graph.concept(&key)?;
        if graph.is_declared_here(concept) {
            return graph.second_row(concept, self.place);
        }
        graph.state(concept, Statement::Concept, self.place)?;
        if let Some(number) = whole_number(&key) {
            graph.state(concept, Statement::Number(number), self.place)?;
        }
        if let Some(path) = path {
            let name = levels.last_name().to_owned();
            graph.state(concept, Statement::Name(self.culture, &name), self.place)?;
            levels.add(&path, concept);
        }
        self.state(concept, graph)
    }

    /// The cells of a field.
    fn cells(&self, field: &ColumnField) -> impl Iterator<Item = &str> {
        let columns = self
            .columns
            .fields
            .iter()
            .filter(move |(_, found)| found == field);
        columns.map(|(column, _)| self.record.get(*column).unwrap_or_default())
    }

    fn state(&self, concept: ConceptRef, graph: &mut Graph) -> Result<(), Stop> {
        for (column, field) in &self.columns.fields {
            let cell = self.record.get(*column).unwrap_or_default();
            if field.has_several() {
                let values = cell.split([graph.options.separator, '\n']).map(str::trim);
                for value in values.filter(|value| !value.is_empty()) {
                    self.state_value(concept, field, value, graph)?;
                }
            } else if !cell.trim().is_empty() {
                self.state_value(concept, field, cell, graph)?;
            }
        }
        Ok(())
    }

    /// States a cell, or a value of one that may hold several.
    fn state_value(
        &self,
        concept: ConceptRef,
        field: &ColumnField,
        value: &str,
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        fn tag<'t>(tag: &'t Option<String>, culture: Option<&'t str>) -> Option<&'t str> {
            tag.as_deref().or(culture)
        }
        let statement = match field {
            ColumnField::Id | ColumnField::Level(_) => return Ok(()),
            ColumnField::Name(of) => Statement::Name(tag(of, self.culture), value),
            ColumnField::AltName(of) => Statement::AltName(tag(of, self.culture), value),
            ColumnField::Definition(of) => Statement::Definition(tag(of, self.culture), value),
            ColumnField::ScopeNote(of) => Statement::ScopeNote(tag(of, self.culture), value),
            ColumnField::Notation => Statement::Notation(value.trim()),
            ColumnField::SortKey => Statement::SortKey(value.trim()),
            ColumnField::DeprecationReason => Statement::DeprecationReason(value.trim()),
            ColumnField::DeprecatedSince => Statement::DeprecatedSince(value.trim()),
            ColumnField::Property(name) => Statement::Property(name, None, value),
            ColumnField::Parent => {
                let parent = graph.concept(value)?;
                if NO_PARENT.iter().any(|word| word.eq_ignore_ascii_case(value)) {
                    graph.perhaps_parents.push((concept, parent));
                    return Ok(());
                }
                Statement::Broader(parent)
            }
            ColumnField::Related => Statement::Related(graph.concept(value)?),
            ColumnField::ReplacedBy => Statement::ReplacedBy(graph.concept(value)?),
            ColumnField::Match(kind) => Statement::Mapping(*kind, None, value),
            ColumnField::Deprecated => match flag(value.trim()) {
                Some(true) => Statement::Deprecated,
                Some(false) => return Ok(()),
                None => {
                    let message = format_args!("deprecated is {value:?}");
                    graph.issue(Code::InvalidValue, self.place, Some(concept), message);
                    return Ok(());
                }
            },
        };
        graph.state(concept, statement, self.place)
    }
}

fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "y" | "1" | "x" => Some(true),
        "false" | "no" | "n" | "0" => Some(false),
        _ => None,
    }
}
