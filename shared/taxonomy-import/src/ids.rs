//! The id map of a source: the id and kind of every concept that any release of it had, and the choices of its imports. It is a CSV file that
//! the owner keeps beside the source.
//!
//! An id is never given to another concept. A concept that got another key keeps its id: the row of the old key stays and names the new one.

use std::io::{Read, Write};

use csv::{Terminator, WriterBuilder};
use serde::Serialize;
use taxonomy_keys::Culture;

use crate::concept::{NodeKind, SourcePlace};
use crate::options::Categories;
use crate::report::{Code, ImportReport};
use crate::rows::{OwnFile, Refused};
use crate::texts::{Span, Texts};

/// The columns. These names are published.
const COLUMNS: [&str; 6] = ["kind", "key", "id", "parent", "name", "replaced_by"];

/// The key of the one category, which no concept of a source has.
pub(crate) const ONE: &str = "";
/// The kind of the rows that keep choices, and their keys.
const CHOICE: &str = "choice";
const CATEGORIES: &str = "categories";
const DEFAULT_CULTURE: &str = "defaultCulture";

/// The largest id: 2^53-1.
pub(crate) const MAX_ID: u64 = (1 << 53) - 1;

/// A row of an id map; its fields are the columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdRow<'a> {
    /// The kind of node that the concept became.
    pub kind: NodeKind,
    /// Its key in the source.
    pub key: &'a str,
    /// Its id.
    pub id: u64,
    /// The key of its last parent; empty for a category and for a term right below the one category.
    pub parent: &'a str,
    /// Its last name in the default culture.
    pub name: &'a str,
    /// A JSON array of the keys that replaced it; empty for none.
    pub replaced_by: &'a str,
}

impl IdRow<'_> {
    /// The keys that replaced it.
    pub(crate) fn replaced_by_keys(&self) -> Vec<String> {
        match self.replaced_by {
            "" => Vec::new(),
            // It is checked when it is read.
            keys => serde_json::from_str(keys).unwrap_or_default(),
        }
    }
}

/// The ids of a source. A key has one row.
#[derive(Debug, Default)]
pub struct IdMap {
    rows: Vec<StoredRow>,
    texts: Texts,
    /// The concepts that became categories, where it keeps the choice.
    pub(crate) categories: Option<Categories>,
    /// The culture of its names, where it keeps the choice.
    pub(crate) default_culture: Option<Culture>,
}

#[derive(Debug, Clone, Copy)]
struct StoredRow {
    id: u64,
    key: Span,
    parent: Span,
    name: Span,
    replaced_by: Span,
    kind: NodeKind,
    /// The line in the file that was read, 0 for a row that was not.
    line: u32,
}

impl IdMap {
    /// Reads an id map.
    ///
    /// # Errors
    /// The errors are in the report, each with its line.
    pub fn read(input: impl Read, file: &str, report: &mut ImportReport) -> Result<Self, Refused> {
        let mut map = Self::default();
        let own = OwnFile {
            name: file,
            columns: &COLUMNS,
            code: Code::InvalidIdMap,
            last_row_has_end: true,
        };
        let read = own.read(input, report, |line, cells| map.take(line, cells));
        map.finish(file, report);
        match report.count_of(Code::InvalidIdMap) {
            0 => read.map(|()| map),
            _ => Err(Refused),
        }
    }

    fn take(&mut self, line: u64, cells: &[&str]) -> Result<(), &'static str> {
        let &[kind, key, id, parent, name, replaced_by] = cells else {
            return Err("a row has six cells");
        };
        let kind = match kind {
            "category" => NodeKind::Category,
            "term" => NodeKind::Term,
            CHOICE => return self.take_choice(key, name),
            _ => return Err("the kind is category, term or choice"),
        };
        let id = id.parse().ok().filter(|id| *id <= MAX_ID);
        let id = id.ok_or("the id is a whole number from 0 to 9007199254740991")?;
        if !replaced_by.is_empty() && serde_json::from_str::<Vec<String>>(replaced_by).is_err() {
            return Err("replaced_by is a JSON array of keys, or empty");
        }
        let row = IdRow {
            kind,
            key,
            id,
            parent,
            name,
            replaced_by,
        };
        self.push(line, &row).ok_or("the texts are too many")
    }

    fn take_choice(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        match key {
            CATEGORIES => {
                let found = Categories::ALL
                    .into_iter()
                    .find(|choice| choice.as_str() == value);
                self.categories = Some(found.ok_or("the categories are tops, schemes or one")?);
            }
            DEFAULT_CULTURE => {
                let culture = value.parse();
                self.default_culture = Some(culture.map_err(|_| "the default culture is a language tag")?);
            }
            _ => return Err("a choice is categories or defaultCulture"),
        }
        Ok(())
    }

    /// Adds a row of a line, 0 for none; [`finish`](Self::finish) sorts. None where there is no room for its texts.
    pub(crate) fn push(&mut self, line: u64, row: &IdRow<'_>) -> Option<()> {
        let texts = &mut self.texts;
        self.rows.push(StoredRow {
            id: row.id,
            key: texts.push(row.key)?,
            parent: texts.push(row.parent)?,
            name: texts.push(row.name)?,
            replaced_by: texts.push(row.replaced_by)?,
            kind: row.kind,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        Some(())
    }

    /// Sorts the rows, and reports duplicate keys.
    pub(crate) fn finish(&mut self, file: &str, report: &mut ImportReport) {
        let texts = &self.texts;
        self.rows.sort_by_key(|row| texts.get(row.key));
        for pair in self.rows.windows(2) {
            let [one, other] = pair else { continue };
            let key = texts.get(one.key);
            if key == texts.get(other.key) {
                let line = u64::from(other.line);
                let place = SourcePlace::at(line, line.min(1));
                report.add(
                    Code::InvalidIdMap,
                    Some(file),
                    place,
                    Some(key),
                    "a second row of the key",
                );
            }
        }
    }

    /// The rows, ascending by key.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = IdRow<'_>> {
        self.rows.iter().map(|row| self.row(row))
    }

    /// The row of a key.
    pub(crate) fn get(&self, key: &str) -> Option<IdRow<'_>> {
        let found = self
            .rows
            .binary_search_by_key(&key, |row| self.texts.get(row.key));
        self.rows.get(found.ok()?).map(|row| self.row(row))
    }

    fn row(&self, row: &StoredRow) -> IdRow<'_> {
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
        let mut builder = WriterBuilder::new();
        builder.terminator(Terminator::Any(b'\n')).has_headers(false);
        let mut writer = builder.from_writer(out);
        writer.write_record(COLUMNS)?;
        let choices = [
            (CATEGORIES, self.categories.map(Categories::as_str)),
            (
                DEFAULT_CULTURE,
                self.default_culture.as_ref().map(Culture::as_str),
            ),
        ];
        for (key, value) in choices.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            writer.write_record([CHOICE, key, "", "", value, ""])?;
        }
        for kind in [NodeKind::Category, NodeKind::Term] {
            for row in self.rows().filter(|row| row.kind == kind) {
                writer.serialize(row)?;
            }
        }
        writer.flush()
    }
}
