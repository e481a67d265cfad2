//! Files that cannot be read: errors with a place, or left out and reported with `lenient`, in the same way in all formats.

use taxonomy_import::sources::SourceFormat::{
    self, Csv, Esco, Google, JsonLd, NQuads, RdfXml, Shopify, Turtle,
};
use taxonomy_import::{IdMap, ImportReport, Replacements};

use crate::support::{file, files};

/// Each error with its line and column; nothing for a file that is imported.
fn check(format: SourceFormat, text: impl AsRef<[u8]>, expect: &str) {
    let found = file(format, &text).errors();
    let shown = String::from_utf8_lossy(&text.as_ref()[..text.as_ref().len().min(200)]).into_owned();
    assert_eq!(found, expect, "{format:?} {shown}");
}

#[test]
fn lines_of_paths() {
    check(Google, "1 - A\nB\n2 - A > B\n", "malformed 2:1");
    check(Google, "A\nA > B\n1 - C\n", "malformed 3:1");
    check(Google, "1 - A\n2 - A >  > C\n", "malformed 2:5");
    check(Google, "1 - A\n1 - B\n", "duplicate-key 2:1");
    check(Google, "A\nA > B\nA > B\n", "duplicate-key 3:1");
    check(Google, b"1 - \xC3\xA9A\n2 - \xC3\xA9\xFF\n", "invalid-utf8 2:6");
    check(Google, "x".repeat(1 << 21), "too-large 1:1");
    check(Google, vec!["A"; 65].join(" > "), "malformed 1:1");
    check(Shopify, "gid://a : A\nb : B\ngid://b:C\n", "malformed 2:1 3:1");
    // UTF-16, as some spreadsheets write it.
    check(Google, b"\xFF\xFE1\0 \0-\0 \0A\0\n\0", "invalid-utf8 1:1");
    // A file of Shopify is none of Google, and the other way round.
    check(Google, "# Shopify\n\ngid://shopify/a : Pets\n", "malformed 3:1");
    check(Google, "gid://shopify/1 : Black [Color]\n", "malformed 1:1");
    check(Shopify, "1 - Pets\n2 - Pets > Fish\n", "malformed 1:1 2:1");
}

#[test]
fn rows_of_tables() {
    check(Csv, "", "no-concepts 1:1");
    check(Csv, "name\nA\n", "missing-column 1:1");
    check(Csv, "id,name,ID\n1,A,2\n", "duplicate-column 1:1");
    check(Csv, "id,level1,level01\n1,A,2\n", "duplicate-column 1:1");
    check(Csv, "id,name\n1,A\n2\n3,C,D\n", "malformed 3:1 4:1");
    check(Csv, "id,name,\n1,A,x,y\n", "malformed 2:1");
    check(Csv, "id,name\n1,A\n ,B\n", "missing-key 3:1");
    check(Csv, "id,name\n1,\"A\nB\"\n1,C\n", "duplicate-key 4:1");
    check(Csv, "sep=;\nid;name\n1;A\n1;B\n", "duplicate-key 4:1");
    check(Csv, "level1,level2\nA > B,C\n", "malformed 2:1");
    let deep: Vec<String> = (0..=64).map(|level| format!("level{level}")).collect();
    check(Csv, deep.join(","), "too-large 1:1");
    check(Csv, "level1,level2,level3\nA,,C\n", "malformed 2:1");
    check(Csv, "level1,level2,level3\n,,C\n", "malformed 2:1");
    check(Csv, b"id,name\n1,A\n2,\xFF\n", "invalid-utf8 3:1");
    let long = |text: &str| text.repeat(5 << 20);
    check(Csv, format!("id,name\n1,{}\n", long("x")), "too-large 2:1");
    // Blank lines belong to no row.
    let blank = format!("id,name\n{}1\n", long("\n"));
    check(Csv, blank, "malformed 5242882:1");
}

/// A quote that is not closed would swallow the rest of a file, text after a closing one the rows up to the next.
#[test]
fn quotes_of_tables() {
    check(Csv, "id,name\n1,A\n2,\"B\n3,C\n4,D\n", "malformed 3:1");
    check(Csv, "id,name\n1,A\n2,\"B", "malformed 3:1");
    check(Csv, "id,name\n1,\"M5 \"zinc\" bolt\"\n2,B\n", "malformed 2:1");
    check(Csv, "id,name\n1,A\n2,\"5 m\n3,\"6 m\"\n4,D\n", "malformed 3:1");
    check(Csv, "id,name\n1,\"A\" \n2,B\n", "malformed 2:1");
    // Two quotes are one inside of a cell, so the last one is still open here.
    check(Csv, "id,name\n1,A\n2,\"B \"\"C\"\" D\n3,E\n", "malformed 3:1");
    check(Csv, "id,name\n1,\"B \"\"C\"\"\"\n", "");
    // Quotes inside of cells without quotes are text, as tables with TABs have them.
    check(Csv, "id\tname\n1\t5\" pipe\n", "");
}

#[test]
fn rows_of_esco() {
    let rows = |rows: &[u8]| [b"conceptUri,preferredLabel,status\n", rows].concat();
    check(Esco, rows(b"urn:a,\"A\nB\",\nurn:b\n"), "malformed 4:1");
    check(Esco, rows(b"urn:a,A,\n,,\n,B,\n"), "missing-key 4:1");
    check(Esco, rows(b"urn:a,A,\nurn:a,B,\n"), "duplicate-key 3:1");
    check(Esco, rows(b"urn:a,\"A,\n"), "malformed 2:1");
    check(Esco, rows(b"urn:a,A,\nurn:b,\xff,\n"), "invalid-utf8 3:1");
    check(Esco, "", "no-concepts 1:1");
    for header in ["a,b\n", "conceptUri,title\n", "conceptUri\u{0}preferredLabel\n"] {
        check(Esco, header, "malformed 1:1");
    }
    let twice = "conceptUri,preferredLabel,conceptURI\nurn:a,A,urn:b\n";
    check(Esco, twice, "duplicate-column 1:1");
}

#[test]
fn statements_of_rdf() {
    check(Turtle, "<urn:a> <urn:b> .\n", "malformed 1:17");
    check(Turtle, "<urn:a> <urn:b> <urn:c>", "malformed 1:24");
    check(Turtle, "\n  a:b a a:c .", "malformed 2:3");
    check(Turtle, "<urn:a> <urn:b> \"c", "malformed 1:17");
    check(Turtle, b"<urn:a> <urn:b> \"\xff\" .", "invalid-utf8 1:18");
    check(Turtle, b"<urn:a> <urn:b> \"\xc3", "invalid-utf8 1:18");
    check(NQuads, "<urn:a> <b:c> <b:c> .\n<urn:a> b:c .\n", "malformed 2:9");
    check(JsonLd, "{\n \"@id\": }", "malformed 2:9");
    check(JsonLd, "{\"@id\": \"urn:a\"", "malformed 1:16");
    check(JsonLd, "{\n \"@context\": \"http://a/c\"}", "malformed 2:2");
    let imported = "{\"@context\": [{}, {\"@import\": \"http://example.com/c\"}]}";
    check(JsonLd, imported, "malformed 1:1");
    check(JsonLd, "{\"@id\": 1,\n \"urn:b\": 2}", "malformed 2:2");
    check(JsonLd, b"{\"a\": \"\xe9\"}", "invalid-utf8 1:8");
    check(RdfXml, "<a xmlns='urn:'>\n<b>\n</a>", "malformed 3:1");
    check(RdfXml, "<a xmlns='urn:a:'>\n  <b", "malformed 2:5");
    let entities = "<!DOCTYPE a [\n<!ENTITY b \"c\">\n<!ENTITY d \"&b;&b;\">]><a/>";
    check(RdfXml, entities, "malformed 3:1");
    let empty = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>";
    for (declared, expect) in [
        ("encoding='ISO-8859-1'", "invalid-utf8 1:1"),
        ("encoding=\"windows-1252\"", "invalid-utf8 1:1"),
        ("standalone='yes' encoding = 'UTF-16'", "invalid-utf8 1:1"),
        ("", "no-concepts 0:0"),
        ("encoding='utf-8'", "no-concepts 0:0"),
    ] {
        let text = format!("<?xml version='1.0' {declared}?>\n{empty}");
        check(RdfXml, text, expect);
    }
}

/// The place is where the parser noticed it.
#[test]
fn what_takes_more_memory_than_a_source_is_worth() {
    let long = "x".repeat(17 << 20);
    let deep = ["[", "1", "]"].map(|piece| piece.repeat(200)).concat();
    // Memory follows from the bytes of JSON-LD, so their number is bounded.
    let blank = format!("[{}]", " ".repeat(64 << 20));
    for (format, text, expect) in [
        (Turtle, format!("<urn:a> <urn:b> \"{long}"), "too-large"),
        (Turtle, "# nothing\n".repeat(2 << 20), "too-large"),
        (JsonLd, deep, "malformed"),
        (JsonLd, format!("{{\"urn:b\": \"{long}"), "malformed"),
        (JsonLd, blank, "too-large"),
    ] {
        let found = file(format, text).errors();
        let (code, place) = found.split_once(' ').unwrap();
        assert!(code == expect && !place.ends_with(":0"), "{format:?} {found}");
    }
}

#[test]
fn workbooks_and_archives_are_called_so() {
    let [xlsx, ods] = ["a workbook (.xlsx)", "a workbook (.ods)"];
    for (bytes, what) in [
        (&b"PK\x03\x04\x14\0\x06\0[Content_Types].xml"[..], xlsx),
        (b"PK\x03\x04\0\0xl/workbook.xml", xlsx),
        (b"PK\x03\x04 application/vnd.oasis.opendocument.spreadsheet", ods),
        (b"PK\x03\x04occupations_en.csv", "a zip archive"),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "a workbook (.xls)"),
    ] {
        for format in SourceFormat::ALL {
            let files = file(*format, bytes);
            assert_eq!(files.errors(), "packed-file 1:1");
            let report = files.report();
            assert_eq!(report.issues()[0].message, format!("the file is {what}"));
        }
    }
}

#[test]
fn two_files_of_one_culture() {
    for (format, row) in [(Google, "1 - A\n"), (Shopify, "gid://shopify/a : A\n")] {
        for (culture, message) in [
            (Some("fr"), "file-1.txt is in fr as well"),
            (None, "file-1.txt names no culture either"),
        ] {
            let report = files(format, &[(culture, row), (culture, row)]).report();
            let issue = report.issues()[0];
            assert_eq!((issue.code.as_str(), &*issue.message), ("same-culture", message));
            assert_eq!(issue.file.as_deref(), Some("file-2.txt"));
        }
        let differ = files(format, &[(Some("fr"), row), (Some("fr-CA"), row), (None, row)]);
        assert!(differ.read().report().accepted());
    }
}

#[test]
fn rows_lines_and_statements_that_cannot_be_read_are_left_out_with_lenient() {
    let esco = b"conceptUri,preferredLabel,broaderConceptUri\nurn:a,A,\nurn:b,B\n,C,urn:a\nurn:a,D,\nurn:e,E,urn:a\n";
    let turtle =
        b"@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n<urn:a> a s:Concept ; s:prefLabel 'A' .
        <urn:x> s:prefLabel ; .\n<urn:b> a s:Concept ; s:prefLabel 'B' ; s:broader <urn:a> .\n";
    let rows = b"id,parent,name\n1,,A\n3,1\n1,,C\n ,1,D\n4,1,E\n";
    for (format, text, tree, lines) in [
        (Google, &b"1 - A\nB\n2 - A > C\n1 - D\n"[..], "A/C", "2 4"),
        (Google, b"1 - A\n3 - A > E\xff\n2 - A > C\nB\n", "A/C", "2 4"),
        (Shopify, b"gid://a : A\nb : B\ngid://a-1 : A > C\n", "A/C", "2"),
        (Csv, rows, "A/E", "3 4 5"),
        (Csv, b"id,parent,name\n1,,A\n2,1,\xff\n3,1,B\n4,1\n", "A/B", "3 5"),
        (Esco, esco, "A/E", "3 4 5"),
        (Turtle, turtle, "A/B", "3"),
    ] {
        let files = file(format, text);
        assert_ne!(files.errors(), "", "{format:?}");
        let imported = files.with(|options| options.is_lenient = true).import();
        assert_eq!(imported.tree(), tree, "{format:?}");
        let skipped = imported.places("skipped").replace("file-1:", "");
        assert_eq!(skipped, lines, "{format:?}");
    }
    // A source of which a part may be missing without a word is no source.
    for (format, text) in [
        (Csv, "id,name\n1,\"A\n2,B\n"),
        (Csv, "id,name\n1,\"A\" x\n2,B\n"),
        (JsonLd, "[{\"@id\": \"urn:a\"}, {"),
        (RdfXml, "<a xmlns='urn:'>\n<b>\n</a>"),
    ] {
        let lenient = file(format, text).with(|options| options.is_lenient = true);
        assert!(lenient.try_read().1.is_err(), "{text}");
        assert!(lenient.errors().starts_with("malformed"), "{text}");
    }
}

/// The line on which its row begins, after a mark, blank lines, cells of several lines and any line ends.
#[test]
fn an_issue_of_a_row_has_its_line() {
    let text = |header: &str, [before, after]: [&str; 2]| {
        let good = format!("{before}\"a\r\n\rb \"\"c\"\"\"{after}");
        format!("\u{feff}\r\n\n{header}\r\r\n{good}\n\n\"b\n\"\rb\n")
    };
    for (format, header) in [(Csv, "id,name"), (Esco, "conceptUri,preferredLabel")] {
        check(format, text(header, ["urn:a,", ""]), "malformed 9:1 11:1");
    }
    let mut report = ImportReport::default();
    let map = text("kind,key,id,parent,name,replaced_by", ["term,a,1,,", ","]);
    IdMap::read(map.as_bytes(), "ids.csv", &mut report).unwrap_err();
    let replaced = text("old,new", ["a,", ""]);
    Replacements::read(replaced.as_bytes(), "replaced.csv", &mut report).unwrap_err();
    let lines: Vec<Option<u32>> = report.issues().iter().map(|issue| issue.line).collect();
    assert_eq!(lines, [9, 11, 9, 11].map(Some));
}
