//! An import of statements, whatever the size of its output.

use taxonomy_import::{
    Bounds, ConceptTree, Graph, IdMap, ImportOptions, Replacements, SourcePlace, Statement,
};
use taxonomy_model::Limits;

use crate::measured;

/// Bytes a concept with a key of 10 bytes, a name of 20, an alternative name of 16 and one parent, id map and report included.
const MOST_BYTES: usize = 400;

/// Imports a tree in which each concept has ten children.
fn import(concepts: usize) {
    let (peak, bytes) = measured(|out| {
        let options = ImportOptions::new("en-GB".parse().unwrap());
        let mut graph = Graph::new(options, Bounds::default());
        graph.begin_file("source", None);
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
        let limits = Limits { nodes: 1_000_000 };
        let tree = ConceptTree::new(graph, Some(IdMap::default()), &Replacements::default(), limits).unwrap();
        let written = tree.write(out).unwrap();
        assert!(written.report.accepted(), "{:?}", written.report.issues());
        assert_eq!(written.counts.terms, concepts as u64 - 1);
    });
    assert!(bytes / concepts > 150, "{bytes}");
    let each = peak / concepts;
    assert!(each <= MOST_BYTES, "{each} bytes a concept of {concepts}");
}

#[test]
#[ignore = "peak memory: make prove NAMES=memory"]
fn a_million_concepts_take_bounded_memory() {
    import(100_000);
    import(1_000_000);
}
