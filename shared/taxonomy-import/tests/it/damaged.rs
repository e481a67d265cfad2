//! Files of SKOS and ESCO whose bytes are cut, changed and moved: read to the end, or refused where the damage is.

use std::fs;

use proptest::prelude::*;
use proptest::sample::Index;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Bounds, ConceptTree, Graph, IdMap, ImportOptions, Replacements, Severity, Stop};
use taxonomy_model::Limits;

fn samples() -> Vec<(SourceFormat, Vec<u8>)> {
    let names = [
        (SourceFormat::Turtle, "crafts.ttl"),
        (SourceFormat::NQuads, "crafts.nq"),
        (SourceFormat::JsonLd, "crafts.jsonld"),
        (SourceFormat::RdfXml, "crafts.rdf"),
        (SourceFormat::Esco, "esco-occupations_en.csv"),
        (SourceFormat::Esco, "esco-broaderRelationsOccPillar_en.csv"),
    ];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/import");
    let read = |(format, name)| (format, fs::read(format!("{folder}/{name}")).unwrap());
    names.into_iter().map(read).collect()
}

/// Imports a file, however far that goes; what refuses it has a place in it.
fn check(format: SourceFormat, file: &[u8]) {
    let options = ImportOptions::new("en".parse().unwrap());
    let mut graph = Graph::new(options, Bounds::default());
    graph.begin_file("damaged", None);
    let lines = file.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    match format.read(&mut &*file, &mut graph) {
        Ok(()) => {
            let (ids, replaced) = (Some(IdMap::default()), Replacements::default());
            if let Ok(tree) = ConceptTree::new(graph, ids, &replaced, Limits::default()) {
                tree.write(Vec::new()).unwrap();
            }
        }
        Err(Stop::Refused) => {
            let issues = graph.report().issues();
            let error = issues
                .iter()
                .find(|issue| issue.severity == Severity::Error)
                .unwrap();
            let (line, column) = (error.line.unwrap(), error.column.unwrap());
            assert_eq!(error.file.as_deref(), Some("damaged"));
            assert!(
                line as usize <= lines && column > 0,
                "{line}:{column} of {lines} lines: {error:?}"
            );
        }
        Err(Stop::Io(error)) => panic!("{error}"),
    }
}

/// The texts with a meaning in one of the syntaxes.
const SPECIAL: [&str; 24] = [
    "\"",
    "'",
    "<",
    ">",
    "{",
    "}",
    "[",
    "]",
    "&",
    ";",
    ",",
    ".",
    "\\",
    "\\u12",
    "@",
    "_:",
    "\n",
    "\r",
    "\u{feff}",
    "<!--",
    "<![CDATA[",
    "]]>",
    "@graph",
    "null",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_files_are_read_or_refused(
        at in any::<Index>(),
        end in any::<Index>(),
        to in any::<Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..4),
        special in proptest::sample::select(&SPECIAL[..]),
    ) {
        for (format, file) in samples() {
            let (at, end) = (at.index(file.len()), end.index(file.len()));
            let (from, until) = (at.min(end), at.max(end));
            check(format, &file[..at]);
            let changed = |piece: &[u8], len: usize| {
                let mut changed = file.clone();
                changed.splice(at..(at + len).min(file.len()), piece.iter().copied());
                changed
            };
            check(format, &changed(&bytes, bytes.len()));
            check(format, &changed(special.as_bytes(), 0));
            check(format, &changed(special.as_bytes(), special.len()));
            check(format, &[&file[..from], &file[until..]].concat());
            let to = to.index(file.len());
            check(format, &[&file[..to], &file[from..until], &file[to..]].concat());
        }
    }
}

#[test]
fn samples_are_read() {
    for (format, file) in samples() {
        check(format, &file);
        check(format, &[b"\xef\xbb\xbf", file.as_slice()].concat());
        check(
            format,
            &String::from_utf8(file)
                .unwrap()
                .replace('\n', "\r\n")
                .into_bytes(),
        );
    }
}

/// A parser that calls itself for each level must not run out of stack.
#[test]
fn what_is_nested_is_read_or_refused() {
    for depth in [100, 100_000] {
        let around =
            |open: &str, close: &str| [open.repeat(depth), close.repeat(depth)].concat().into_bytes();
        check(SourceFormat::JsonLd, &around("[", "]"));
        check(SourceFormat::JsonLd, &around("{\"urn:a\":", "}"));
        check(SourceFormat::JsonLd, &around("{\"@graph\":", "}"));
        check(SourceFormat::JsonLd, &around("{\"urn:a\":{\"@list\":[", "]}}"));
        check(
            SourceFormat::JsonLd,
            &around("{\"@context\":[{}],\"@included\":[", "]}"),
        );
        check(SourceFormat::JsonLd, &around("{\"@context\":", "}"));
        check(
            SourceFormat::Turtle,
            &[
                b"<urn:a> <urn:b> ".to_vec(),
                around("[ <urn:c> ", " ]"),
                b".".to_vec(),
            ]
            .concat(),
        );
        check(
            SourceFormat::Turtle,
            &[b"<urn:a> <urn:b> ".to_vec(), around("(", ")"), b".".to_vec()].concat(),
        );
        check(SourceFormat::RdfXml, &around("<a xmlns='urn:'>", "</a>"));
        check(
            SourceFormat::RdfXml,
            &around(
                "<a xmlns='urn:' xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' r:parseType='Literal'>",
                "</a>",
            ),
        );
    }
}
