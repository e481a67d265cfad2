//! An import of Turtle: the file itself is never held.

use std::fmt::Write as _;
use std::io::{self, BufReader, Read};

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Bounds, ConceptTree, Graph, IdMap, ImportOptions, Replacements};
use taxonomy_model::Limits;

use crate::measured;

/// Bytes a concept with an IRI of 34 bytes, two preferred and one alternative label of 20, a definition of 45, a notation of 7, one
/// parent and its scheme, id map and report included. Its Turtle has about 320 bytes, its JSON 400.
const MOST_BYTES: usize = 700;

const PREFIXES: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix c: <http://example.com/concepts/id/> .\n\
    c:scheme a skos:ConceptScheme ; skos:prefLabel \"Concepts\"@en .\n";

/// Writes a tree in which each concept has ten children, concept by concept.
struct Turtle {
    concepts: usize,
    next: usize,
    buffer: String,
    given: usize,
    bytes: usize,
}

impl Read for Turtle {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.buffer.len() && self.next < self.concepts {
            self.buffer.clear();
            self.given = 0;
            let number = self.next;
            self.next += 1;
            write!(
                self.buffer,
                "c:{number:07} a skos:Concept ; skos:inScheme c:scheme ;\n    skos:prefLabel \"Concept no {number:09}\"@en , \"Begriff Nr {number:09}\"@de ;\n    \
                 skos:altLabel \"Another no {number:09}\"@en ;\n    skos:definition \"\"\"The concept that has the number {number:09}.\nIt is one.\"\"\"@en ;\n    \
                 skos:notation \"{number:07}\""
            )
            .unwrap();
            if let Some(before) = number.checked_sub(1) {
                write!(self.buffer, " ;\n    skos:broader c:{:07}", before / 10).unwrap();
            }
            self.buffer.push_str(" .\n");
            self.bytes += self.buffer.len();
        }
        let left = &self.buffer.as_bytes()[self.given..];
        let count = left.len().min(into.len());
        into[..count].copy_from_slice(&left[..count]);
        self.given += count;
        Ok(count)
    }
}

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn concepts_of_turtle_take_bounded_memory() {
    let concepts = 50_000;
    let mut read = 0;
    let (peak, written) = measured(|out| {
        let options = ImportOptions::new("en".parse().unwrap());
        let mut graph = Graph::new(options, Bounds::default());
        graph.begin_file("concepts.ttl", None);
        let turtle = Turtle {
            concepts,
            next: 0,
            buffer: PREFIXES.to_owned(),
            given: 0,
            bytes: 0,
        };
        let mut input = BufReader::new(turtle);
        SourceFormat::Turtle
            .read(&mut input, &mut graph)
            .unwrap_or_else(|stop| panic!("{stop}: {:?}", graph.report().issues()));
        read = input.into_inner().bytes;
        let limits = Limits { nodes: 2 * concepts };
        let tree = ConceptTree::new(graph, Some(IdMap::default()), &Replacements::default(), limits)
            .unwrap_or_else(|report| panic!("{:?}", report.issues()));
        let written = tree.write(out).unwrap();
        assert_eq!(written.counts.terms, concepts as u64 - 1);
    });
    assert!(
        read / concepts > 300 && written / concepts > 300,
        "{read} {written}"
    );
    let each = peak / concepts;
    assert!(each <= MOST_BYTES, "{each} bytes a concept");
}
