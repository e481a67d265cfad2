//! The memory of an import is linear in the concepts, and a file is never held.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, BufReader, Cursor, Read};

use peak_alloc::PeakAlloc;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{
    Bounds, ConceptTree, Graph, IdMap, ImportOptions, Replacements, SourcePlace, Statement,
};
use taxonomy_model::Limits;
use taxonomy_testfiles::memory::measured;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Imports a source of one category, id map and report included, in at most so many bytes a concept. It writes at least 150 of each.
fn import(concepts: usize, most_bytes: usize, read: impl FnOnce(&mut Graph)) {
    let (peak, bytes) = measured(&MEMORY, |out| {
        let mut graph = Graph::new(ImportOptions::new("en".parse().unwrap()), Bounds::default());
        graph.begin_file("source", None);
        read(&mut graph);
        let (ids, none) = (Some(IdMap::default()), Replacements::default());
        let tree = ConceptTree::new(graph, ids, &none, Limits { nodes: concepts + 1 }).unwrap();
        let written = tree.write(out).unwrap();
        assert!(written.report.accepted(), "{:?}", written.report.issues());
        assert_eq!(written.counts.terms, concepts as u64 - 1);
    });
    assert!(bytes / concepts > 150, "{bytes}");
    let each = peak / concepts;
    assert!(each <= most_bytes, "{each} bytes a concept of {concepts}");
}

/// A tree in which each concept has ten children, a key of 10 bytes, a name of 20, and an alternative name of 16.
fn state(graph: &mut Graph, concepts: usize) {
    graph.set_scheme("things");
    for number in 0..concepts {
        let concept = graph.concept(&format!("c{number:09}")).unwrap();
        let place = SourcePlace::at(number as u64 + 1, 1);
        let (name, alternative) = (format!("Concept no {number:09}"), format!("Numéro {number:08}"));
        for statement in [
            Statement::Concept,
            Statement::Name(Some("en-GB"), &name),
            Statement::AltName(Some("fr-FR"), &alternative),
        ] {
            graph.state(concept, statement, place).unwrap();
        }
        if number > 0 {
            let parent = graph.concept(&format!("c{:09}", (number - 1) / 10)).unwrap();
            graph.state(concept, Statement::Broader(parent), place).unwrap();
        }
    }
}

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn a_million_concepts_take_bounded_memory() {
    for concepts in [100_000, 1_000_000] {
        import(concepts, 400, |graph| state(graph, concepts));
    }
}

/// Texts, one after the other.
struct Texts<I>(I, Cursor<String>);

impl<I: Iterator<Item = String>> Read for Texts<I> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.1.read(into)?;
        if count == 0
            && let Some(next) = self.0.next()
        {
            self.1 = Cursor::new(next);
            return self.1.read(into);
        }
        Ok(count)
    }
}

const PREFIXES: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix c: <http://example.com/concepts/id/> .\n\
    c:scheme a skos:ConceptScheme ; skos:prefLabel \"Concepts\"@en .\n";

/// A concept with an IRI of 34 bytes, two preferred and one alternative label of 20, a definition of 45, a notation of 7, one parent and its
/// scheme. Its Turtle has about 320 bytes, its JSON 400.
fn concept(number: usize) -> String {
    let broader = number
        .checked_sub(1)
        .map(|before| format!(" ;\n    skos:broader c:{:07}", before / 10));
    format!(
        "c:{number:07} a skos:Concept ; skos:inScheme c:scheme ;\n    skos:prefLabel \"Concept no {number:09}\"@en , \"Begriff Nr {number:09}\"@de ;\n    \
         skos:altLabel \"Another no {number:09}\"@en ;\n    skos:definition \"\"\"The concept that has the number {number:09}.\nIt is one.\"\"\"@en ;\n    \
         skos:notation \"{number:07}\"{} .\n",
        broader.unwrap_or_default()
    )
}

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn concepts_of_turtle_take_bounded_memory() {
    let concepts = 50_000;
    import(concepts, 700, |graph| {
        let texts = Texts((0..concepts).map(concept), Cursor::new(PREFIXES.to_owned()));
        let read = SourceFormat::Turtle.read(&mut BufReader::new(texts), graph);
        assert!(read.is_ok(), "{:?}", graph.report().issues());
    });
}
