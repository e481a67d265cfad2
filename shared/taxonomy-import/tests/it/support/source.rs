//! A source of statements.

use taxonomy_import::{ConceptRef, Graph, IdMap, ImportReport, SourcePlace, Statement};

use super::{Imported, graph, import, try_write};

/// A source of statements, each concept on a line of its own.
pub(crate) struct Source {
    pub(crate) graph: Graph,
    line: u64,
}

/// A text up to a mark and behind it.
fn split(text: &str, mark: char) -> (&str, &str) {
    text.split_once(mark).unwrap_or((text, ""))
}

impl Source {
    pub(crate) fn new() -> Self {
        let mut graph = graph();
        graph.begin_file("source.txt", None);
        graph.set_scheme("things");
        Self { graph, line: 0 }
    }

    /// Concepts in text: keys, each with `<` and its parents, `!` if it is deprecated, `>` and what replaces it.
    pub(crate) fn of(concepts: &str) -> Self {
        let mut source = Self::new();
        for concept in concepts.split_whitespace() {
            let (concept, replaced_by) = split(concept, '>');
            let (key, parents) = split(concept.trim_end_matches('!'), '<');
            source.concept(key);
            for parent in parents.split(',').filter(|parent| !parent.is_empty()) {
                source.link(key, Statement::Broader, parent);
            }
            if concept.ends_with('!') {
                source.state(key, Statement::Deprecated);
            }
            if !replaced_by.is_empty() {
                source.link(key, Statement::ReplacedBy, replaced_by);
            }
        }
        source
    }

    /// A concept with a name in the default culture that is its key in capitals.
    pub(crate) fn concept(&mut self, key: &str) {
        self.bare(key);
        self.state(key, Statement::Name(Some("en-GB"), &key.to_uppercase()));
    }

    /// Adds a concept without further statements.
    pub(crate) fn bare(&mut self, key: &str) -> ConceptRef {
        self.line += 1;
        self.state(key, Statement::Concept);
        self.graph.concept(key).unwrap()
    }

    pub(crate) fn state(&mut self, key: &str, statement: Statement<'_>) {
        let concept = self.graph.concept(key).unwrap();
        let place = SourcePlace::at(self.line, 1);
        self.graph.state(concept, statement, place).unwrap();
    }

    pub(crate) fn link(&mut self, key: &str, statement: fn(ConceptRef) -> Statement<'static>, other: &str) {
        let other = self.graph.concept(other).unwrap();
        self.state(key, statement(other));
    }

    pub(crate) fn import(self) -> Imported {
        import(self.graph, Some(IdMap::default()), &[])
    }

    pub(crate) fn after(self, last: &Imported, replaced: &[(&str, &str)]) -> Imported {
        import(self.graph, last.id_map(), replaced)
    }

    pub(crate) fn refused(self, ids: Option<IdMap>) -> ImportReport {
        try_write(self.graph, ids.or_else(|| Some(IdMap::default())), &[]).unwrap_err()
    }
}
