//! The id map of a source: the id of every concept that any release of it had. It is a CSV file that the owner keeps beside the source.
//!
//! An id is never given to another concept. A concept that got another key keeps its id: the row of the old key stays and names the new one.

use std::io::{Read, Write};

use csv::{ReaderBuilder, Terminator, WriterBuilder};

use crate::concept::{NodeKind, Place};
use crate::quotes::Quotes;
use crate::report::{Code, Report};
use crate::texts::{Span, Texts};

/// The columns. These names are published.
pub const COLUMNS: [&str; 6] = ["kind", "key", "id", "parent", "name", "replaced_by"];

/// The largest id: 2^53-1.
pub(crate) const MAX_ID: u64 = (1 << 53) - 1;

/// A row of an id map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdRow<'a> {
    /// The kind of node that the concept became.
    pub kind: NodeKind,
    /// Its key in the source.
    pub key: &'a str,
    /// Its id.
    pub id: u64,
    /// The key of the parent under which it stood last; empty for a category.
    pub parent: &'a str,
    /// Its last name in the default culture.
    pub name: &'a str,
    /// A JSON array of the keys that replaced it; empty for none.
    pub replaced_by: &'a str,
}

/// The ids of a source, ascending by kind and key.
#[derive(Debug, Default)]
pub struct IdMap {
    rows: Vec<Row>,
    texts: Texts,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    id: u64,
    key: Span,
    parent: Span,
    name: Span,
    replaced_by: Span,
    kind: NodeKind,
}

impl IdMap {
    /// Reads an id map.
    ///
    /// # Errors
    /// The errors are in the report, each with its line.
    pub fn read(input: impl Read, file: &str, report: &mut Report) -> Result<Self, Refused> {
        let input = Quotes::new(input, b',');
        let mut reader = ReaderBuilder::new().has_headers(false).from_reader(input);
        let mut map = Self::default();
        let mut record = csv::StringRecord::new();
        let (mut is_first, mut last) = (true, 1);
        let mut found = false;
        loop {
            let issue = match reader.read_record(&mut record) {
                Ok(false) => break,
                Ok(true) if is_first => {
                    is_first = false;
                    let is_header = record.iter().eq(COLUMNS);
                    (!is_header).then(|| format!("the columns are {}", COLUMNS.join(",")))
                }
                Ok(true) => map.take(&record).err().map(str::to_owned),
                Err(error) => Some(error.to_string()),
            };
            last = record.position().map_or(last, csv::Position::line);
            if let Some(message) = issue {
                let line = record.position().map_or(1, csv::Position::line);
                report.add(Code::InvalidIdMap, Some(file), Place::at(line, 1), None, || {
                    message
                });
                found = true;
                if is_first || record.position().is_some_and(|position| position.line() == 1) {
                    break;
                }
            }
        }
        if !found && !reader.get_ref().is_whole() {
            let message = || "the last row has no end: the file is cut off".to_owned();
            report.add(Code::InvalidIdMap, Some(file), Place::at(last, 1), None, message);
        }
        map.finish(file, report);
        if found || report.count_of(Code::InvalidIdMap) > 0 {
            return Err(Refused);
        }
        Ok(map)
    }

    fn take(&mut self, record: &csv::StringRecord) -> Result<(), &'static str> {
        let cell = |position| record.get(position).unwrap_or_default();
        let kind = match cell(0) {
            "category" => NodeKind::Category,
            "term" => NodeKind::Term,
            _ => return Err("the kind is category or term"),
        };
        let id = cell(2).parse().ok().filter(|id| *id <= MAX_ID);
        let id = id.ok_or("the id is a whole number from 0 to 9007199254740991")?;
        if !cell(5).is_empty() && serde_json::from_str::<Vec<String>>(cell(5)).is_err() {
            return Err("replaced_by is a JSON array of keys, or empty");
        }
        self.push(&IdRow {
            kind,
            key: cell(1),
            id,
            parent: cell(3),
            name: cell(4),
            replaced_by: cell(5),
        })
        .ok_or("the texts are too many")
    }

    /// Adds a row; [`finish`](Self::finish) sorts.
    pub(crate) fn push(&mut self, row: &IdRow<'_>) -> Option<()> {
        let texts = &mut self.texts;
        self.rows.push(Row {
            id: row.id,
            key: texts.push(row.key)?,
            parent: texts.push(row.parent)?,
            name: texts.push(row.name)?,
            replaced_by: texts.push(row.replaced_by)?,
            kind: row.kind,
        });
        Some(())
    }

    /// Sorts the rows, and reports keys that stand there twice.
    pub(crate) fn finish(&mut self, file: &str, report: &mut Report) {
        let texts = &self.texts;
        self.rows.sort_by_key(|row| (row.kind, texts.get(row.key)));
        for pair in self.rows.windows(2) {
            let keys = (texts.get(pair[0].key), texts.get(pair[1].key));
            if pair[0].kind == pair[1].kind && keys.0 == keys.1 {
                report.add(
                    Code::InvalidIdMap,
                    Some(file),
                    Place::UNKNOWN,
                    Some(keys.0),
                    || format!("the {} stands there twice", pair[0].kind.as_str()),
                );
            }
        }
    }

    /// The rows, ascending by kind and key.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = IdRow<'_>> {
        self.rows.iter().map(|row| self.row(row))
    }

    /// The row of a key.
    #[must_use]
    pub fn get(&self, kind: NodeKind, key: &str) -> Option<IdRow<'_>> {
        let found = self
            .rows
            .binary_search_by_key(&(kind, key), |row| (row.kind, self.texts.get(row.key)))
            .ok()?;
        self.rows.get(found).map(|row| self.row(row))
    }

    fn row(&self, row: &Row) -> IdRow<'_> {
        IdRow {
            kind: row.kind,
            key: self.texts.get(row.key),
            id: row.id,
            parent: self.texts.get(row.parent),
            name: self.texts.get(row.name),
            replaced_by: self.texts.get(row.replaced_by),
        }
    }

    /// Writes the id map.
    ///
    /// # Errors
    /// An I/O error of `out`.
    pub fn write(&self, out: impl Write) -> std::io::Result<()> {
        let mut writer = WriterBuilder::new()
            .terminator(Terminator::Any(b'\n'))
            .from_writer(out);
        writer.write_record(COLUMNS)?;
        for row in self.rows() {
            let id = row.id.to_string();
            writer.write_record([
                row.kind.as_str(),
                row.key,
                &id,
                row.parent,
                row.name,
                row.replaced_by,
            ])?;
        }
        writer.flush()
    }
}

/// The file cannot be used; the report says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file cannot be used")]
pub struct Refused;
