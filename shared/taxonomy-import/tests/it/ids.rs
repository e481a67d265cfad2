//! Id maps as files.

use std::io::{self, Read};

use taxonomy_import::{Code, IdMap, ImportReport, Replacements};

const MAP: &str = "kind,key,id,parent,name,replaced_by\n\
    category,food,1,,Food,\n\
    term,\"a, b\",7,food,\"Apples, \"\"red\"\"\",\"[\"\"c\"\"]\"\n\
    term,c,8,food,Cherries,\n";

#[test]
fn a_map_is_written_as_it_was_read() {
    let map = IdMap::read(MAP.as_bytes(), "ids.csv", &mut ImportReport::default()).unwrap();
    let mut written = Vec::new();
    map.write(&mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), MAP);
}

#[test]
fn a_damaged_map_is_refused_with_the_line() {
    let header = "kind,key,id,parent,name,replaced_by\n";
    for (map, line) in [
        ("kind,key\n".to_owned(), Some(1)),
        (format!("{header}term,a,1,,A,\nnode,b,2,,B,\n"), Some(3)),
        (format!("{header}term,a,x,,A,\n"), Some(2)),
        (format!("{header}\r\n\nterm,a,x,,A,\n"), Some(4)),
        (format!("{header}term,a,9007199254740992,,A,\n"), Some(2)),
        (format!("{header}term,a,1,,A,b\n"), Some(2)),
        (format!("{header}term,a,1,,A,\nterm,b,2\n"), Some(3)),
        (format!("{header}term,a,1,,A,\nterm,a,2,,A,\n"), Some(3)),
        // Cut off: the rows behind would get other ids.
        (String::new(), Some(1)),
        (format!("{header}term,a,1,,A,"), Some(2)),
        (format!("{header}term,a,1,,\"A\nterm,b,2,,B,\n"), Some(2)),
    ] {
        let mut report = ImportReport::default();
        assert!(
            IdMap::read(map.as_bytes(), "ids.csv", &mut report).is_err(),
            "{map}"
        );
        let issues = report.issues();
        assert_eq!(
            (issues[0].code, issues[0].line),
            (Code::InvalidIdMap, line),
            "{map}"
        );
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
        let first = report.issues().first().and_then(|issue| issue.line);
        assert_eq!(first, line, "{file}");
    }
}

/// Gives a header, and fails from then on.
struct Failing(&'static [u8]);

impl Read for Failing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(io::Error::other("the disk is gone")),
            count => Ok(count),
        }
    }
}

#[test]
fn a_file_that_cannot_be_read_is_refused_once() {
    let mut report = ImportReport::default();
    let map = Failing(b"kind,key,id,parent,name,replaced_by\n");
    IdMap::read(map, "ids.csv", &mut report).unwrap_err();
    Replacements::read(Failing(b"old,new\n"), "moved.csv", &mut report).unwrap_err();
    let issues = report.issues();
    assert_eq!(issues.len(), 2);
    assert!(issues.iter().all(|issue| issue.message == "the disk is gone"));
}
