//! The memory of an import is linear in the concepts, whatever the size of its output.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, Write};

use peak_alloc::PeakAlloc;
use taxonomy_import::{Bounds, Graph, Options, Place, Replacements, Statement, Tree};
use taxonomy_model::Limits;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes a concept with a key of 10 bytes, a name of 20, an alternative name of 16 and one parent, id map and report included.
const MOST_BYTES: usize = 400;

/// Counts bytes instead of keeping them.
#[derive(Default)]
struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Imports a tree in which each concept has ten children, and returns the peak of memory and the bytes written.
fn import(concepts: u64) -> (usize, usize) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let options = Options::new("en-GB".parse().unwrap());
    let mut graph = Graph::new(options.default_culture.clone(), Bounds::default());
    graph.begin_file("source", None);
    graph.set_scheme("things");
    for number in 0..concepts {
        let concept = graph.concept(&format!("c{number:09}")).unwrap();
        let place = Place::at(number + 1, 1);
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
    let limits = Limits { nodes: 1_000_000 };
    let tree = Tree::of(graph, &options, None, &Replacements::default(), limits).unwrap();
    let mut out = Counted::default();
    let written = tree.write(&mut out).unwrap();
    assert!(written.report.accepted(), "{:?}", written.report.issues());
    assert_eq!(written.counts.terms, concepts - 1);
    (MEMORY.peak_usage() - before, out.0)
}

/// One test, since the peak is the process's.
#[test]
fn a_million_concepts_take_bounded_memory() {
    for concepts in [100_000, 1_000_000] {
        let (peak, bytes) = import(concepts);
        let each = peak / usize::try_from(concepts).unwrap();
        assert!(bytes / usize::try_from(concepts).unwrap() > 150, "{bytes}");
        assert!(each <= MOST_BYTES, "{each} bytes a concept of {concepts}");
    }
}
