//! The rows of a table of a source.

use std::io::BufRead;

use csv::StringRecord;
use taxonomy_model::is_invisible;

use crate::concept::SourcePlace;
use crate::graph::{Graph, Stop};
use crate::report::Code;
use crate::rows::{RowFault, Unreadable, UnreadableReason};

/// The maximum number of blank rows on end: twice those of a spreadsheet.
const MOST_BLANK: u32 = 2 << 20;

pub(super) type CsvRows<'a> = crate::rows::CsvRows<&'a mut dyn BufRead>;

/// The rows of a table whose first line has this number, and its header with the place where it begins. The delimiter is that of the options, else
/// the one that the file states, else found in its beginning.
///
/// # Errors
/// [`Stop`] as for [`next`], and for a file without a header.
pub(super) fn begin<'a>(
    input: &'a mut dyn BufRead,
    first_line: u64,
    found: impl FnOnce(&[u8]) -> u8,
    graph: &mut Graph,
) -> Result<(CsvRows<'a>, SourcePlace, StringRecord), Stop> {
    let chosen = graph.options.delimiter;
    let delimiter = |beginning: &[u8], stated| chosen.or(stated).unwrap_or_else(|| found(beginning));
    let mut rows = CsvRows::new(input, first_line, delimiter, graph.bounds.file_bytes)?;
    match next(&mut rows, graph)? {
        Some((place, header)) => Ok((rows, place, header)),
        None => Err(graph.refuse(Code::NoConcepts, SourcePlace::at(1, 1), "the file has no rows")),
    }
}

/// The next row that has a value, and the place where it begins.
///
/// # Errors
/// [`Stop`] for an I/O error, a row or file that is too long, a quote that is not closed, and for text behind one that is.
pub(super) fn next(
    rows: &mut CsvRows<'_>,
    graph: &mut Graph,
) -> Result<Option<(SourcePlace, StringRecord)>, Stop> {
    let mut blank = 0;
    loop {
        let Unreadable { line, reason } = match rows.next() {
            Ok(Some((line, record))) if record.iter().all(|cell| trimmed(cell).is_empty()) => {
                blank += 1;
                if blank > MOST_BLANK {
                    let message = format_args!("more than {MOST_BLANK} blank rows");
                    return Err(graph.refuse(Code::TooLarge, SourcePlace::at(line, 1), message));
                }
                continue;
            }
            Ok(row) => return Ok(row.map(|(line, record)| (SourcePlace::at(line, 1), record))),
            Err(unreadable) => unreadable,
        };
        let place = SourcePlace::at(line, 1);
        let code = match reason {
            UnreadableReason::Io(error) => return Err(Stop::Io(error)),
            UnreadableReason::InvalidUtf8(_) => {
                graph.unreadable(Code::InvalidUtf8, place, None, &reason)?;
                continue;
            }
            UnreadableReason::Fault(RowFault::TooLarge) => Code::TooLarge,
            UnreadableReason::Fault(RowFault::OpenQuote(_) | RowFault::TextAfterQuote(..)) => Code::Malformed,
        };
        return Err(graph.refuse(code, place, &reason));
    }
}

/// Says that a row has another length than its header.
pub(super) fn other_length(row: &StringRecord, header: usize) -> String {
    format!("cells: {} in the row, {header} in the header", row.len())
}

/// A text without white space and invisible characters at its ends.
pub(super) fn trimmed(text: &str) -> &str {
    // Joiners join nothing there.
    let is_joiner = |c| matches!(c, '\u{200c}' | '\u{200d}');
    text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || is_invisible(c) || is_joiner(c))
}
