//! The rows of a table of a source.

use std::io::BufRead;

use csv::StringRecord;

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;
use crate::rows::{Fault, Reason, Unreadable};

pub(super) type Rows<'a> = crate::rows::Rows<&'a mut dyn BufRead>;

/// The rows of a file that has just begun.
///
/// # Errors
/// [`Stop::Io`].
pub(super) fn separated<'a>(
    input: &'a mut dyn BufRead,
    delimiter: impl FnOnce(&[u8]) -> u8,
    graph: &Graph,
) -> Result<Rows<'a>, Stop> {
    Ok(Rows::new(input, delimiter, graph.bounds().file_bytes)?)
}

/// The next row and the line on which it begins.
///
/// # Errors
/// [`Stop`] for an I/O error, a row or file that is too long, a quote that is not closed, text behind one that is, and bytes that
/// are no UTF-8.
pub(super) fn next(rows: &mut Rows<'_>, graph: &mut Graph) -> Result<Option<(u64, StringRecord)>, Stop> {
    rows.next().map_err(|Unreadable { line, reason }| {
        let code = match reason {
            Reason::Io(error) => return Stop::Io(error),
            Reason::Fault(Fault::TooLarge) => Code::TooLarge,
            Reason::Fault(Fault::OpenQuote(_) | Fault::TextAfterQuote(..)) => Code::Malformed,
            Reason::InvalidUtf8(_) => Code::InvalidUtf8,
        };
        graph.refuse(code, SourcePlace::at(line, 1), || reason.to_string())
    })
}
