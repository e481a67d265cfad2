//! What cannot be read: an error, or left out and reported, in the same way in all formats.

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Code, Severity};

use crate::support::{graph_of, import, options, refused};

const PREFIX: &str = "@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n";

/// A file without its bad line, which is read with or without `lenient`.
fn check(format: SourceFormat, text: &[u8], tree: &str, errors: &[(&str, u32)]) {
    let options = options();
    let found = refused(format, &options, text);
    let found: Vec<(&str, u32)> = found.iter().map(|(code, line, _)| (*code, *line)).collect();
    assert_eq!(found, errors, "{format:?}");

    let mut graph = graph_of(&options);
    graph.options.is_lenient = true;
    graph.begin_file("file.txt", Some("en-GB".parse().unwrap()));
    format.read(&mut &*text, &mut graph).unwrap();
    let imported = import(graph, None, &[]);
    assert_eq!(imported.tree(), tree, "{format:?}");
    let report = &imported.written.report;
    assert_eq!(report.count(Severity::Error), 0);
    let issues = report.issues();
    let skipped = issues.iter().filter(|issue| issue.code == Code::Skipped);
    let lines: Vec<u32> = skipped.map(|issue| issue.line.unwrap()).collect();
    let mut expected: Vec<u32> = errors.iter().map(|(_, line)| *line).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected, "{format:?}");
}

#[test]
fn rows_lines_and_statements_that_cannot_be_read_are_left_out_with_lenient() {
    let google = b"1 - A\nB\n2 - A > C\n1 - D\n3 - A > E\xff\n4 - A >  > F\n";
    let errors = [("malformed", 2), ("duplicate-key", 4)];
    check(SourceFormat::Google, &google[..24], "A/C", &errors);
    check(
        SourceFormat::Google,
        b"1 - A\n3 - A > E\xff\n2 - A > C\nB\n",
        "A/C",
        &[("malformed", 4), ("invalid-utf8", 2)],
    );
    check(
        SourceFormat::Shopify,
        b"gid://a : A\nap-2 : B\ngid://a-1 : A > C\n",
        "A/C",
        &[("malformed", 2)],
    );
    check(
        SourceFormat::Csv,
        b"id,parent,name\n1,,A\n2,1,B\n3,1\n2,1,C\n ,1,D\n4,1,E\n",
        "A/B A/E",
        &[("malformed", 4), ("missing-key", 6), ("duplicate-key", 5)],
    );
    check(
        SourceFormat::Csv,
        b"id,parent,name\n1,,A\n2,1,\xff\n3,1,B\n4,1\n",
        "A/B",
        &[("malformed", 5), ("invalid-utf8", 3)],
    );
    let esco = b"conceptUri,preferredLabel,broaderConceptUri\nurn:a,A,\nurn:b,B\n,C,urn:a\nurn:a,D,\nurn:e,E,urn:a\n";
    check(
        SourceFormat::Esco,
        esco,
        "A/E",
        &[("malformed", 3), ("missing-key", 4), ("duplicate-key", 5)],
    );
    let turtle = format!(
        "{PREFIX}<urn:a> a s:Concept ; s:prefLabel 'A' .\n<urn:x> s:prefLabel ; .\n<urn:b> a s:Concept ; s:prefLabel 'B' ; s:broader <urn:a> .\n"
    );
    check(
        SourceFormat::Turtle,
        turtle.as_bytes(),
        "A/B",
        &[("malformed", 3)],
    );
}

/// A source of which a part may be missing without a word is no source.
#[test]
fn what_cannot_be_read_to_its_end_is_refused_all_the_same() {
    for (format, text) in [
        (SourceFormat::Csv, "id,name\n1,\"A\n2,B\n"),
        (SourceFormat::Csv, "id,name\n1,\"A\" x\n2,B\n"),
        (SourceFormat::JsonLd, "[{\"@id\": \"urn:a\"}, {"),
        (SourceFormat::RdfXml, "<a xmlns='urn:'>\n<b>\n</a>"),
    ] {
        let options = options();
        let mut graph = graph_of(&options);
        graph.options.is_lenient = true;
        graph.begin_file("file.txt", None);
        assert!(format.read(&mut text.as_bytes(), &mut graph).is_err(), "{text}");
        assert_eq!(graph.report().count(Severity::Error), 1, "{text}");
    }
}
