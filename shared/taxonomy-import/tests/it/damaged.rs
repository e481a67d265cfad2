//! Files whose bytes are cut, changed and moved: read to the end, or refused where the damage is.

use proptest::prelude::*;
use proptest::sample::Index;
use taxonomy_import::sources::SourceFormat::{self, *};
use taxonomy_import::{IdMap, Severity, Stop};

use crate::support::{file, sample, try_write};

fn samples() -> impl Iterator<Item = (SourceFormat, Vec<u8>)> {
    let samples = [
        (Turtle, "crafts.ttl"),
        (NQuads, "crafts.nq"),
        (JsonLd, "crafts.jsonld"),
        (RdfXml, "crafts.rdf"),
        (Esco, "esco-occupations_en.csv"),
        (Esco, "esco-broaderRelationsOccPillar_en.csv"),
        (Google, "google-1.en-GB.txt"),
        (Shopify, "shopify-1.txt"),
        (OpenFoodFacts, "open-food-facts.txt"),
        (Csv, "parents.csv"),
        (Csv, "levels.csv"),
    ];
    let samples = samples.into_iter();
    samples.map(|(format, name)| (format, sample(name).into_bytes()))
}

/// Imports a file, however far that goes; what refuses it has a place in it.
fn check(format: SourceFormat, text: &[u8]) {
    let lines = text.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1;
    let (graph, read) = file(format, text).without_culture().try_read();
    match read {
        Ok(()) => _ = try_write(graph, Some(IdMap::default()), &[]),
        Err(Stop::Refused) => {
            let issues = graph.report().issues();
            let mut errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
            let error = errors.next().unwrap();
            let (line, column) = (error.line.unwrap(), error.column.unwrap());
            assert_eq!(error.file.as_deref(), Some("file-1.txt"));
            assert!(line as usize <= lines && column > 0, "{lines} lines: {error:?}");
        }
        Err(Stop::Io(error)) => panic!("{error}"),
    }
}

/// The texts with a meaning in one of the syntaxes, separated by blanks.
const SPECIAL: &str =
    "\" ' < > { } [ ] & ; , . \\ \\u12 @ _: \n \r \u{feff} <!-- <![CDATA[ ]]> @graph null - # | : xx:";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_files_are_read_or_refused(
        at in any::<Index>(),
        end in any::<Index>(),
        to in any::<Index>(),
        bytes in proptest::collection::vec(any::<u8>(), 0..12),
        special in proptest::sample::select(SPECIAL.split(' ').collect::<Vec<_>>()),
    ) {
        for (format, file) in samples() {
            let (at, end) = (at.index(file.len()), end.index(file.len()));
            let (from, until) = (at.min(end), at.max(end));
            check(format, &bytes);
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
    for (format, text) in samples() {
        let windows = String::from_utf8(text.clone()).unwrap().replace('\n', "\r\n");
        for text in [
            text.clone(),
            [b"\xef\xbb\xbf", text.as_slice()].concat(),
            windows.into_bytes(),
        ] {
            assert!(file(format, text).try_read().1.is_ok(), "{format:?}");
        }
    }
}

/// A parser that calls itself for each level must not run out of stack.
#[test]
fn what_is_nested_is_read_or_refused() {
    let literal =
        "<a xmlns='urn:' xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#' r:parseType='Literal'>";
    for (format, [begin, open, close, end]) in [
        (JsonLd, ["", "[", "]", ""]),
        (JsonLd, ["", "{\"urn:a\":", "}", ""]),
        (JsonLd, ["", "{\"@graph\":", "}", ""]),
        (JsonLd, ["", "{\"urn:a\":{\"@list\":[", "]}}", ""]),
        (JsonLd, ["", "{\"@context\":[{}],\"@included\":[", "]}", ""]),
        (JsonLd, ["", "{\"@context\":", "}", ""]),
        (Turtle, ["<urn:a> <urn:b> ", "[ <urn:c> ", " ]", "."]),
        (Turtle, ["<urn:a> <urn:b> ", "(", ")", "."]),
        (RdfXml, ["", "<a xmlns='urn:'>", "</a>", ""]),
        (RdfXml, ["", literal, "</a>", ""]),
    ] {
        for depth in [100, 100_000] {
            let text = [begin, &open.repeat(depth), &close.repeat(depth), end].concat();
            check(format, text.as_bytes());
        }
    }
}
