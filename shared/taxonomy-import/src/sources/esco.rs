//! The CSV files of ESCO (<https://esco.ec.europa.eu/en/use-esco/download>). Which of its files one is follows from its columns, and a
//! column from its header: columns came and moved over the versions.

mod columns;
mod concepts;
mod row;
mod trimmed;

use std::io::BufRead;

use super::paths::file_culture;
use super::rows;
use crate::concept::{SourcePlace, Statement};
use crate::graph::{Graph, Stop};
use crate::options::ImportOptions;
use crate::report::Code;
use columns::{Column, Columns, Kind};
use row::Row;
use trimmed::trimmed;

/// Under which source identifiers are kept.
const SCHEME: &str = "esco";

/// Reads a file of ESCO.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub fn read(input: &mut dyn BufRead, options: &ImportOptions, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(SCHEME);
    let mut rows = rows::separated(input, |_| options.delimiter.unwrap_or(b','), graph)?;
    let Some((line, header)) = rows::next(&mut rows, graph)? else {
        return Err(graph.refuse(Code::Malformed, SourcePlace::at(1, 1), || {
            "the file is empty".to_owned()
        }));
    };
    let place = SourcePlace::at(line, 1);
    let columns = Columns::new(&header, place, graph);
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
