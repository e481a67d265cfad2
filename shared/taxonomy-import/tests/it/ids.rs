//! Id maps as files.

use std::io::{self, Read};

use taxonomy_import::{Code, IdMap, ImportReport, Replacements};

const HEADER: &str = "kind,key,id,parent,name,replaced_by\n";

#[test]
fn a_map_is_written_as_it_was_read() {
    let rows = "category,food,1,,Food,\nterm,\"a, b\",7,food,\"Apples, \"\"red\"\"\",\"[\"\"c\"\"]\"\nterm,c,8,food,Cherries,\n";
    let text = [HEADER, rows].concat();
    let map = IdMap::read(text.as_bytes(), "ids.csv", &mut ImportReport::default()).unwrap();
    let mut written = Vec::new();
    map.write(&mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
}

/// The code and the line of the first issue.
fn first(report: &ImportReport) -> Option<(Code, Option<u32>)> {
    report.issues().first().map(|issue| (issue.code, issue.line))
}

#[test]
fn a_damaged_map_is_refused_with_the_line() {
    for (rows, line) in [
        ("term,a,1,,A,\nnode,b,2,,B,\n", 3),
        ("term,a,x,,A,\n", 2),
        ("\r\n\nterm,a,x,,A,\n", 4),
        ("term,a,9007199254740992,,A,\n", 2),
        ("term,a,1,,A,b\n", 2),
        ("term,a,1,,A,\nterm,b,2\n", 3),
        ("term,a,1,,A,\nterm,a,2,,A,\n", 3),
        // Cut off: the rows behind would get other ids.
        ("term,a,1,,A,", 2),
        ("term,a,1,,\"A\nterm,b,2,,B,\n", 2),
    ] {
        let mut report = ImportReport::default();
        IdMap::read([HEADER, rows].concat().as_bytes(), "ids.csv", &mut report).unwrap_err();
        assert_eq!(first(&report), Some((Code::InvalidIdMap, Some(line))), "{rows}");
    }
    for map in ["kind,key\n", ""] {
        let mut report = ImportReport::default();
        IdMap::read(map.as_bytes(), "ids.csv", &mut report).unwrap_err();
        assert_eq!(first(&report), Some((Code::InvalidIdMap, Some(1))), "{map}");
    }
}

#[test]
fn a_damaged_file_of_replacements_is_refused_with_the_line() {
    for (file, line) in [
        ("", None),
        ("old,new\na,b", None),
        ("a,b\n", Some(1)),
        ("old,new\na,b\nc\n", Some(3)),
        ("old,new\na,\n", Some(2)),
        ("old,new\na,\"b\nc,d\n", Some(2)),
    ] {
        let mut report = ImportReport::default();
        let read = Replacements::read(file.as_bytes(), "moved.csv", &mut report);
        assert_eq!(read.is_err(), line.is_some(), "{file}");
        let expect = line.map(|line| (Code::InvalidReplacements, Some(line)));
        assert_eq!(first(&report), expect, "{file}");
    }
}

/// Fails.
struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[test]
fn a_file_that_cannot_be_read_is_refused_once() {
    let mut report = ImportReport::default();
    IdMap::read(HEADER.as_bytes().chain(Failing), "ids.csv", &mut report).unwrap_err();
    Replacements::read("old,new\n".as_bytes().chain(Failing), "moved.csv", &mut report).unwrap_err();
    let issues = report.issues();
    let messages = issues.iter().map(|issue| &*issue.message);
    assert!(messages.eq(["the disk is gone"; 2]));
}
