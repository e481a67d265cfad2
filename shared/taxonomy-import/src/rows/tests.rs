//! Rows of any text, in pieces of any size, are those of an oracle that takes the text as a whole.

use std::io::{BufRead, BufReader, Read};

use proptest::prelude::*;

use super::{BEGINNING, CsvRows, Unreadable};

/// A row by its line, from 1, and its cells.
type Row = (u64, Vec<String>);
/// The line of the row, the number of the cell and a part of the message.
type Fault = (u64, usize, &'static str);

const AFTER_QUOTE: &str = "text after its closing quote";
const OPEN_QUOTE: &str = "is not closed";

/// The rows of a text as RFC 4180 has them, blank lines left out, up to the first fault.
fn oracle(text: &str) -> (Vec<Row>, Option<Fault>) {
    let mut rows = Vec::new();
    let mut rest = text.trim_start_matches(['\r', '\n']);
    while !rest.is_empty() {
        let before = &text[..text.len() - rest.len()];
        let ends = before.replace("\r\n", "\n").replace('\r', "\n");
        let line = ends.matches('\n').count() as u64 + 1;
        let mut cells = Vec::new();
        loop {
            let (cell, after) = match rest.strip_prefix('"') {
                Some(quoted) => match quoted_cell(quoted) {
                    Ok(cell) => cell,
                    Err(fault) => return (rows, Some((line, cells.len() + 1, fault))),
                },
                None => {
                    let (cell, after) = rest.split_at(rest.find([',', '\r', '\n']).unwrap_or(rest.len()));
                    (cell.to_owned(), after)
                }
            };
            cells.push(cell);
            rest = after;
            match rest.strip_prefix(',') {
                Some(next) => rest = next,
                None => break,
            }
        }
        rows.push((line, cells));
        rest = rest.trim_start_matches(['\r', '\n']);
    }
    (rows, None)
}

/// A cell behind its first quote, and the text behind its last one.
fn quoted_cell(mut text: &str) -> Result<(String, &str), &'static str> {
    let mut cell = String::new();
    while let Some((piece, after)) = text.split_once('"') {
        cell.push_str(piece);
        match after.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                text = more;
            }
            None if after.is_empty() || after.starts_with([',', '\r', '\n']) => return Ok((cell, after)),
            None => return Err(AFTER_QUOTE),
        }
    }
    Err(OPEN_QUOTE)
}

/// An input that gives at most a number of bytes at once.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let most = into.len().min(self.1);
        self.0.read(&mut into[..most])
    }
}

fn read(input: impl BufRead) -> (Vec<Row>, Option<Unreadable>) {
    let mut rows = CsvRows::new(input, 1, |_, _| b',', u64::MAX).unwrap();
    let mut found = Vec::new();
    loop {
        match rows.next() {
            Ok(Some((line, record))) => found.push((line, record.iter().map(str::to_owned).collect())),
            Ok(None) => return (found, None),
            Err(unreadable) => return (found, Some(unreadable)),
        }
    }
}

fn check(text: &str, most: usize) {
    let pieces = Pieces(text.as_bytes(), most);
    let (rows, unreadable) = read(BufReader::with_capacity(most, pieces));
    let (expected, fault) = oracle(text);
    let text = text.trim_matches(['x', '\n']);
    let shown = format!("{text:?} in pieces of {most}: {unreadable:?}");
    assert_eq!(rows, expected, "{shown}");
    assert_eq!(unreadable.is_some(), fault.is_some(), "{shown}");
    if let (Some(found), Some((line, cell, message))) = (unreadable, fault) {
        let (reason, cell) = (found.reason.to_string(), format!("cell {cell} "));
        assert_eq!(found.line, line, "{shown}");
        assert!(reason.contains(&cell) && reason.contains(message), "{shown}");
    }
}

/// Texts whose rows end in each way, and texts with a fault in the last row.
const ENDS: [&str; 4] = [
    "1,\"c\r\nd\",e\r\n\r\n\"f \"\"g\"\"\",h\r\"i\n\nj\",k\n\"\",l\n",
    "a\n\"b\nc\",d\r\n\"e\"",
    "a,b\n\"c\"d,e\nf,g\n",
    "a,b\r\nc,\"d\r\ne,f\r\n",
];

#[test]
fn rows_around_the_border_of_a_buffer_are_read_at_every_offset() {
    let beginning = usize::try_from(BEGINNING).unwrap();
    let borders = [8 << 10, beginning, beginning + (8 << 10)];
    for end in ENDS {
        let around = |border: usize| border - end.len() - 1..border;
        for filled in borders.into_iter().flat_map(around) {
            check(&format!("{}\n{end}", "x".repeat(filled)), 8 << 10);
            check(&format!("{}\n{end}", "\n".repeat(filled)), 64 << 10);
        }
    }
}

#[test]
fn rows_are_read_in_pieces_of_every_size() {
    for end in ENDS {
        for most in 1..=end.len() + 1 {
            check(end, most);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn rows_of_any_text_are_those_of_the_oracle(text in "[ab\",\r\n]{0,40}", most in 1..50_usize) {
        check(&text, most);
    }
}
