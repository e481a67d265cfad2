//! The line of an issue is the line on which its row begins, after blank lines, cells of several lines and any line ends.

use std::io::BufReader;

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{IdMap, ImportReport, Replacements};

use crate::support::{graph_of, options};

const LINE_ENDS: [&str; 3] = ["\n", "\r\n", "\r"];

/// A row of a drawn table.
#[derive(Debug, Clone)]
struct Row {
    /// Line ends of the blank lines before it.
    blank: Vec<&'static str>,
    /// The lines of its quoted cell.
    lines: Vec<&'static str>,
    /// It has one cell only.
    is_bad: bool,
    end: &'static str,
}

/// A table, and the bytes of it that a reader gets at once.
#[derive(Debug, Clone)]
struct Table {
    has_mark: bool,
    rows: Vec<Row>,
    buffer: usize,
}

fn line_ends(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&LINE_ENDS[..]), 0..most)
}

fn table() -> impl Strategy<Value = Table> {
    let end = prop::sample::select(&LINE_ENDS[..]);
    let row = (line_ends(4), line_ends(4), any::<bool>(), end);
    let row = row.prop_map(|(blank, lines, is_bad, end)| Row {
        blank,
        lines,
        is_bad,
        end,
    });
    // An issue of a code is listed 20 times at most.
    let rows = prop::collection::vec(row, 1..20);
    (any::<bool>(), rows, 1..200_usize).prop_map(|(has_mark, rows, buffer)| Table {
        has_mark,
        rows,
        buffer,
    })
}

/// The line of what is written next: a CRLF is one line end.
fn next_line(text: &str) -> u32 {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    u32::try_from(unix.matches('\n').count() + 1).unwrap()
}

impl Table {
    /// The text, with a `good` row of each number and quoted cell, and the lines of its bad rows.
    fn write(&self, header: &str, good: impl Fn(usize, &str) -> String) -> (String, Vec<u32>) {
        let mut text = String::new();
        if self.has_mark {
            text.push('\u{feff}');
        }
        let mut bad = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            text.extend(row.blank.iter().copied());
            let lines = row.lines.concat();
            if number == 0 {
                text.push_str(header);
            } else if row.is_bad {
                bad.push(next_line(&text));
                text.push_str(&format!("\"{lines}bad\""));
            } else {
                text.push_str(&good(number, &format!("\"a{lines}, and \"\"more\"\"\"")));
            }
            text.push_str(row.end);
        }
        (text, bad)
    }

    fn read(&self, format: SourceFormat, text: &str) -> Vec<(&'static str, u32)> {
        let mut graph = graph_of(&options());
        graph.begin_file("table.csv", Some("en-GB".parse().unwrap()));
        let mut input = BufReader::with_capacity(self.buffer, text.as_bytes());
        format.read(&mut input, &mut graph).unwrap();
        issues(graph.report())
    }
}

fn issues(report: &ImportReport) -> Vec<(&'static str, u32)> {
    let issues = report.issues().into_iter();
    let issues = issues.map(|issue| (issue.code.as_str(), issue.line.unwrap_or_default()));
    issues.collect()
}

fn expected(code: &'static str, lines: &[u32]) -> Vec<(&'static str, u32)> {
    lines.iter().map(|line| (code, *line)).collect()
}

proptest! {
    #[test]
    fn a_row_of_a_table_is_named_by_its_line(table in table()) {
        let (text, bad) = table.write("id;name", |number, cell| format!("{number};{cell}"));
        prop_assert_eq!(table.read(SourceFormat::Csv, &text), expected("malformed", &bad), "{:?}", text);
    }

    #[test]
    fn a_row_of_esco_is_named_by_its_line(table in table()) {
        let (text, bad) = table.write("conceptUri,preferredLabel", |number, cell| {
            format!("urn:{number},{cell}")
        });
        prop_assert_eq!(table.read(SourceFormat::Esco, &text), expected("malformed", &bad), "{:?}", text);
    }

    #[test]
    fn a_row_of_an_id_map_is_named_by_its_line(table in table()) {
        let (mut text, bad) = table.write("kind,key,id,parent,name,replaced_by", |number, cell| {
            format!("term,{number},{number},,{cell},")
        });
        // The last row of a map has an end.
        text.push('\n');
        let mut report = ImportReport::default();
        let input = BufReader::with_capacity(table.buffer, text.as_bytes());
        let read = IdMap::read(input, "ids.csv", &mut report);
        prop_assert_eq!(read.is_err(), !bad.is_empty());
        prop_assert_eq!(issues(&report), expected("invalid-id-map", &bad), "{:?}", text);
    }

    #[test]
    fn a_row_of_replacements_is_named_by_its_line(table in table()) {
        let (text, bad) = table.write("old,new", |number, cell| format!("{number},{cell}"));
        let mut report = ImportReport::default();
        let input = BufReader::with_capacity(table.buffer, text.as_bytes());
        let read = Replacements::read(input, "replaced.csv", &mut report);
        prop_assert_eq!(read.is_err(), !bad.is_empty());
        prop_assert_eq!(issues(&report), expected("invalid-replacements", &bad), "{:?}", text);
    }
}
