//! The CSV files of ESCO (<https://esco.ec.europa.eu/en/use-esco/download>). Which of its files one is follows from its columns, and a
//! column from its header: columns came and moved over the versions.

mod columns;
mod concepts;

use std::io::BufRead;

use csv::StringRecord;

use super::paths::file_culture;
use super::rows;
use crate::concept::{ConceptRef, SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::options::ImportOptions;
use crate::report::Code;
use columns::{Column, Columns, Kind};

/// Under which source identifiers are kept.
const SCHEME: &str = "esco";

/// Reads a file of ESCO.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub fn read(input: &mut dyn BufRead, options: &ImportOptions, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(SCHEME);
    let mut rows = rows::of(input, |_| options.delimiter.unwrap_or(b','), graph)?;
    let Some((line, header)) = rows::next(&mut rows, graph)? else {
        return Err(graph.refuse(Code::Malformed, SourcePlace::at(1, 1), || {
            "the file is empty".to_owned()
        }));
    };
    let place = SourcePlace::at(line, 1);
    let columns = Columns::of(&header, place, graph);
    let Some(kind) = columns.kind() else {
        let message = || "no file of ESCO has these columns".to_owned();
        return Err(graph.refuse(Code::Malformed, place, message));
    };
    if kind == Kind::Dictionary {
        graph.issue(Code::Ignored, place, None, || {
            "the file describes the others".to_owned()
        });
        return Ok(());
    }
    let culture = file_culture(graph);
    while let Some((line, record)) = rows::next(&mut rows, graph)? {
        let place = SourcePlace::at(line, 1);
        if record.iter().all(|cell| trimmed(cell).is_empty()) {
            continue;
        }
        if record.len() != header.len() {
            let message = || format!("the row has {} cells, the header {}", record.len(), header.len());
            graph.issue(Code::Malformed, place, None, message);
            continue;
        }
        let row = Row {
            columns: &columns,
            record: &record,
            culture: &culture,
            place,
        };
        match kind {
            Kind::Concepts => concepts::read(&row, graph)?,
            Kind::Schemes => concepts::read_scheme(&row, graph)?,
            Kind::Broader => row.link(Column::ConceptUri, Column::BroaderUri, Statement::Broader, graph)?,
            Kind::OccupationSkills => {
                row.link(Column::OccupationUri, Column::SkillUri, Statement::Related, graph)?;
            }
            Kind::SkillSkills => {
                row.link(
                    Column::OriginalSkillUri,
                    Column::RelatedSkillUri,
                    Statement::Related,
                    graph,
                )?;
            }
            Kind::Hierarchy => row.levels(graph)?,
            Kind::Dictionary => {}
        }
    }
    Ok(())
}

/// A row, by its columns.
struct Row<'a> {
    columns: &'a Columns,
    record: &'a StringRecord,
    /// The language of its texts.
    culture: &'a str,
    place: SourcePlace,
}

impl<'a> Row<'a> {
    /// The cell of a column as it is; empty without such a column.
    fn text(&self, column: Column) -> &'a str {
        let position = self.columns.position(column);
        position
            .and_then(|position| self.record.get(position))
            .unwrap_or_default()
    }

    /// The cell of a column without white space and invisible characters at its ends.
    fn value(&self, column: Column) -> &'a str {
        trimmed(self.text(column))
    }

    /// The URIs of a cell that holds several.
    fn uris(&self, column: Column) -> impl Iterator<Item = &'a str> {
        let parts = self
            .text(column)
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | '|'));
        parts.map(trimmed).filter(|uri| !uri.is_empty())
    }

    /// Adds the statement of a row of two URIs about the first one.
    fn link(
        &self,
        subject: Column,
        object: Column,
        statement: fn(ConceptRef) -> Statement<'static>,
        graph: &mut Graph,
    ) -> Result<(), Stop> {
        for column in [subject, object] {
            if self.value(column).is_empty() {
                let message = || format!("the {} is empty", column.header());
                graph.issue(Code::InvalidValue, self.place, None, message);
                return Ok(());
            }
        }
        let subject = graph.concept(self.value(subject))?;
        let object = graph.concept(self.value(object))?;
        graph.state(subject, statement(object), self.place)
    }

    /// States each level of a way through the skill groups to be below the one before.
    fn levels(&self, graph: &mut Graph) -> Result<(), Stop> {
        let mut above = None;
        for column in Column::LEVELS {
            let uri = self.value(column);
            if uri.is_empty() {
                break;
            }
            let concept = graph.concept(uri)?;
            if let Some(above) = above {
                graph.state(concept, Statement::Broader(above), self.place)?;
            }
            above = Some(concept);
        }
        Ok(())
    }
}

/// A text without white space and invisible characters at its ends.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c))
}

/// Characters without a width, as exports of ESCO have them: soft hyphens, joiners, marks of direction, byte order marks.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}
