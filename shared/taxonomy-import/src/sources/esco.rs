//! The CSV files of ESCO (<https://esco.ec.europa.eu/en/use-esco/download>). Which of its files one is follows from its columns, and a
//! column from its header: columns came and moved over the versions.

mod columns;
mod concepts;
mod row;

use std::io::BufRead;

use super::rows;
use crate::graph::{Graph, Stop};
use crate::report::Code;
use columns::{EscoColumns, EscoFile};
use row::EscoRow;

/// Under which source identifiers are kept.
const SCHEME: &str = "esco";

/// Reads a file of ESCO.
///
/// # Errors
/// [`Stop`] for an I/O error and for an error that ends the reading, which is in the report.
pub fn read(input: &mut dyn BufRead, graph: &mut Graph) -> Result<(), Stop> {
    graph.set_scheme(SCHEME);
    let (mut rows, place, header) = rows::begin(input, 1, |_| b',', graph)?;
    let columns = EscoColumns::new(&header, place, graph);
    let Some(file) = columns.file() else {
        return Err(graph.refuse(Code::Malformed, place, "no file of ESCO has these columns"));
    };
    if let EscoFile::Dictionary = file {
        graph.issue(Code::Ignored, place, None, "the file describes the others");
        return Ok(());
    }
    let culture = graph.file_tag();
    while let Some((place, record)) = rows::next(&mut rows, graph)? {
        if record.len() != header.len() {
            let message = rows::other_length(&record, header.len());
            graph.unreadable(Code::Malformed, place, None, message)?;
            continue;
        }
        let row = EscoRow {
            columns: &columns,
            record: &record,
            culture: culture.as_deref(),
            place,
        };
        match file {
            EscoFile::Concepts => concepts::read(&row, graph)?,
            EscoFile::Schemes => concepts::read_scheme(&row, graph)?,
            EscoFile::Links(subject, object, statement) => row.link(subject, object, statement, graph)?,
            EscoFile::Hierarchy => row.levels(graph)?,
            EscoFile::Dictionary => {}
        }
    }
    Ok(())
}
