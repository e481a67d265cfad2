//! The import of one file, as far as it goes.

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Bounds, ConceptTree, Graph, IdMap, ImportOptions, Replacements, Severity, Stop};
use taxonomy_model::{Defaults, Limits, parse};

/// Imports a file. A refusal names the place; what is accepted is taken by the service's own parser.
pub fn check(format: SourceFormat, bytes: &[u8]) {
    let options = ImportOptions::new("en".parse().expect("a culture"));
    let mut graph = Graph::new(options, Bounds::default());
    graph.begin_file("input", None);
    match format.read(&mut &*bytes, &mut graph) {
        Ok(()) => {}
        Err(Stop::Refused) => {
            let issues = graph.report().issues();
            let errors = issues.iter().filter(|issue| issue.severity == Severity::Error);
            let last = errors.last().expect("a refusal has a reason");
            assert!(last.line.is_some() && last.column.is_some(), "{last:?}");
            return;
        }
        Err(Stop::Io(error)) => panic!("memory can be read: {error}"),
    }
    let ids = Some(IdMap::default());
    let Ok(tree) = ConceptTree::new(graph, ids, &Replacements::default(), Limits::default()) else {
        return;
    };
    let mut file = Vec::new();
    let written = tree.write(&mut file).expect("memory takes everything");
    if written.report.accepted() {
        let defaults = Defaults {
            tenant_culture: None,
            stack_culture: "en-GB".parse().expect("a culture"),
            fallback_chain: Vec::new(),
        };
        // What the source gives as our format has it is checked by the service's parser alone.
        let is_own = bytes.windows(16).any(|window| window == b"urn:x-taxonomy:v");
        if let Err(report) = parse(&file, &defaults, Limits::default())
            && !is_own
        {
            panic!("{report:?}\n{}", String::from_utf8_lossy(&file));
        }
    }
}
