//! The rows of a table of a source.

use std::io::BufRead;

use csv::StringRecord;

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;
use crate::rows::{RowFault, Unreadable, UnreadableReason};

pub(super) type CsvRows<'a> = crate::rows::CsvRows<&'a mut dyn BufRead>;

/// The next row and the place where it begins.
///
/// # Errors
/// [`Stop`] for an I/O error, a row or file that is too long, a quote that is not closed, text behind one that is, and bytes that
/// are no UTF-8.
pub(super) fn next(
    rows: &mut CsvRows<'_>,
    graph: &mut Graph,
) -> Result<Option<(SourcePlace, StringRecord)>, Stop> {
    let next = rows.next().map_err(|Unreadable { line, reason }| {
        let code = match reason {
            UnreadableReason::Io(error) => return Stop::Io(error),
            UnreadableReason::Fault(RowFault::TooLarge) => Code::TooLarge,
            UnreadableReason::Fault(RowFault::OpenQuote(_) | RowFault::TextAfterQuote(..)) => Code::Malformed,
            UnreadableReason::InvalidUtf8(_) => Code::InvalidUtf8,
        };
        graph.refuse(code, SourcePlace::at(line, 1), &reason)
    });
    Ok(next?.map(|(line, record)| (SourcePlace::at(line, 1), record)))
}
