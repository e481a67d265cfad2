//! A source made of statements, its import, and the import read back by the service's own parser.

use std::collections::BTreeMap;

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{
    Bounds, Categories, ConceptRef, ConceptTree, Graph, IdMap, ImportOptions, ImportReport, Replacements,
    SourcePlace, Statement, WrittenImport,
};
use taxonomy_model::{Defaults, Limits, Parsed, Taxonomy, parse};

/// A graph under construction.
pub(crate) struct Source {
    pub(crate) graph: Graph,
    line: u64,
}

/// An import that was accepted by the service's parser.
pub(crate) struct Imported {
    pub(crate) written: WrittenImport,
    pub(crate) taxonomy: Taxonomy,
    pub(crate) json: serde_json::Value,
}

/// The options of most tests, which choose the categories and the default culture.
pub(crate) fn options() -> ImportOptions {
    ImportOptions {
        categories: Some(Categories::Tops),
        default_culture: Some("en-GB".parse().unwrap()),
        ..ImportOptions::new("en-GB".parse().unwrap())
    }
}

/// An empty graph.
pub(crate) fn graph_of(options: &ImportOptions) -> Graph {
    Graph::new(options.clone(), Bounds::default())
}

impl Source {
    pub(crate) fn new() -> Self {
        let mut graph = graph_of(&options());
        graph.begin_file("source.txt", None);
        graph.set_scheme("things");
        Self { graph, line: 0 }
    }

    /// A concept with a name in the default culture that is its key in capitals.
    pub(crate) fn concept(&mut self, key: &str, parents: &[&str]) -> ConceptRef {
        let concept = self.bare(key);
        let name = key.to_uppercase();
        self.graph
            .state(
                concept,
                Statement::Name(Some("en-GB"), &name),
                SourcePlace::UNKNOWN,
            )
            .unwrap();
        for parent in parents {
            let parent = self.graph.concept(parent).unwrap();
            self.graph
                .state(concept, Statement::Broader(parent), SourcePlace::UNKNOWN)
                .unwrap();
        }
        concept
    }

    /// Adds a concept without further statements.
    pub(crate) fn bare(&mut self, key: &str) -> ConceptRef {
        self.line += 1;
        let concept = self.graph.concept(key).unwrap();
        self.graph
            .state(concept, Statement::Concept, SourcePlace::at(self.line, 1))
            .unwrap();
        concept
    }

    pub(crate) fn state(&mut self, key: &str, statement: Statement<'_>) {
        let concept = self.graph.concept(key).unwrap();
        self.graph
            .state(concept, statement, SourcePlace::at(self.line, 1))
            .unwrap();
    }

    pub(crate) fn key(&mut self, key: &str) -> ConceptRef {
        self.graph.concept(key).unwrap()
    }

    pub(crate) fn try_import(
        self,
        ids: Option<IdMap>,
        replaced: &[(&str, &str)],
    ) -> Result<WrittenImport, ImportReport> {
        try_write(self.graph, ids, replaced).map(|(written, _)| written)
    }

    pub(crate) fn import(self) -> Imported {
        self.import_with(None, &[])
    }

    pub(crate) fn import_with(self, ids: Option<IdMap>, replaced: &[(&str, &str)]) -> Imported {
        import(self.graph, ids, replaced)
    }
}

fn try_write(
    graph: Graph,
    ids: Option<IdMap>,
    replaced: &[(&str, &str)],
) -> Result<(WrittenImport, Vec<u8>), ImportReport> {
    let mut replacements = Replacements::default();
    for (old, new) in replaced {
        replacements.push(old, new);
    }
    let ids = Some(ids.unwrap_or_default());
    let tree = ConceptTree::new(graph, ids, &replacements, Limits::default()).map_err(|report| *report)?;
    let mut file = Vec::new();
    let written = tree.write(&mut file).unwrap();
    match written.report.accepted() {
        true => Ok((written, file)),
        false => Err(written.report),
    }
}

/// Imports a graph; the file has to be one that the service takes.
pub(crate) fn import(graph: Graph, ids: Option<IdMap>, replaced: &[(&str, &str)]) -> Imported {
    let (written, file) =
        try_write(graph, ids, replaced).unwrap_or_else(|report| panic!("refused: {:#?}", report.issues()));
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "fr-FR".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    let Parsed { taxonomy, report, .. } = parse(&file, &defaults, Limits::default())
        .unwrap_or_else(|report| panic!("{}\n{report:#?}", String::from_utf8_lossy(&file)));
    assert_eq!(report.names, written.counts.names);
    assert_eq!(
        (report.categories, report.terms),
        (written.counts.categories, written.counts.terms)
    );
    let unknown = report.issues.iter().any(|issue| {
        let code = issue.code.as_str();
        code == "unknown-field" || code == "unknown-relation"
    });
    assert!(!unknown, "{report:#?}");
    Imported {
        json: serde_json::from_slice(&file).unwrap(),
        written,
        taxonomy,
    }
}

impl Imported {
    /// The path of names of each term, with its category and its id.
    pub(crate) fn paths(&self) -> BTreeMap<u64, String> {
        let terms = self.taxonomy.terms().map(|term| {
            let mut names: Vec<&str> = term
                .ancestors()
                .map(|above| above.node.default_name().name)
                .collect();
            names.insert(0, term.node.default_name().name);
            names.push(term.category().node.default_name().name);
            names.reverse();
            (term.id().get(), names.join("/"))
        });
        terms.collect()
    }

    /// The same without ids, in one line.
    pub(crate) fn tree(&self) -> String {
        let mut paths: Vec<String> = self.paths().into_values().collect();
        paths.sort();
        paths.join(" ")
    }

    /// The node of a name in the default culture, as it was written.
    pub(crate) fn node(&self, name: &str) -> &serde_json::Value {
        fn find<'a>(node: &'a serde_json::Value, name: &str) -> Option<&'a serde_json::Value> {
            let named = node["names"]
                .as_array()
                .is_some_and(|names| names.iter().any(|entry| entry["name"] == name));
            if named {
                return Some(node);
            }
            ["categories", "terms", "children"]
                .into_iter()
                .filter_map(|list| node[list].as_array())
                .flatten()
                .find_map(|node| find(node, name))
        }
        find(&self.json, name).unwrap_or_else(|| panic!("{name} is not in {}", self.json))
    }

    pub(crate) fn id(&self, name: &str) -> u64 {
        self.node(name)["id"].as_u64().unwrap()
    }

    pub(crate) fn codes(&self) -> Vec<&'static str> {
        codes(&self.written.report)
    }

    pub(crate) fn ids(&self) -> String {
        let mut csv = Vec::new();
        self.written.ids.write(&mut csv).unwrap();
        String::from_utf8(csv).unwrap()
    }

    /// The id map as the next import reads it.
    pub(crate) fn id_map(&self) -> Option<IdMap> {
        Some(IdMap::read(self.ids().as_bytes(), "ids.csv", &mut ImportReport::default()).unwrap())
    }
}

/// The codes that were found.
pub(crate) fn codes(report: &ImportReport) -> Vec<&'static str> {
    let totals = report.totals().into_iter();
    totals.map(|total| total.code.as_str()).collect()
}

/// Reads files, each with its culture, and continues after a reader's recoverable failures.
pub(crate) fn read(format: SourceFormat, options: &ImportOptions, files: &[(Option<&str>, &str)]) -> Graph {
    let mut graph = graph_of(options);
    for (number, (culture, text)) in files.iter().enumerate() {
        let culture = culture.map(|tag| tag.parse().unwrap());
        graph.begin_file(&format!("file-{}.txt", number + 1), culture);
        let mut input: &[u8] = text.as_bytes();
        if format.read(&mut input, &mut graph).is_err() {
            break;
        }
    }
    graph
}

/// Imports one file in the default culture.
pub(crate) fn import_text(format: SourceFormat, text: &str) -> Imported {
    let options = options();
    import(read(format, &options, &[(Some("en-GB"), text)]), None, &[])
}

/// The report of a file that is refused: code, line and column of each issue.
pub(crate) fn refused(
    format: SourceFormat,
    options: &ImportOptions,
    text: &[u8],
) -> Vec<(&'static str, u32, u32)> {
    let mut graph = graph_of(options);
    graph.begin_file("file.txt", Some("en-GB".parse().unwrap()));
    let mut input = text;
    let stop = format.read(&mut input, &mut graph);
    let report = match stop {
        Err(_) => graph.report().issues().into_iter().cloned().collect(),
        Ok(()) => match try_write(graph, None, &[]) {
            Ok(_) => Vec::new(),
            Err(report) => report.issues().into_iter().cloned().collect::<Vec<_>>(),
        },
    };
    let errors = report
        .into_iter()
        .filter(|issue| issue.severity == taxonomy_import::Severity::Error);
    errors
        .map(|issue| {
            assert_eq!(issue.file.as_deref(), Some("file.txt"), "{issue:?}");
            let (line, column) = (issue.line.unwrap_or_default(), issue.column.unwrap_or_default());
            (issue.code.as_str(), line, column)
        })
        .collect()
}
