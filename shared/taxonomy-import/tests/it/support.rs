//! Imports in few words: a source of files or of statements, its import, and what became of it as text.

mod imported;
mod source;

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{
    Bounds, Categories, ConceptTree, Graph, IdMap, ImportOptions, ImportReport, Replacements, Severity, Stop,
    WrittenImport,
};
use taxonomy_model::{Defaults, Limits, Parsed, parse};

pub(crate) use imported::{Imported, with_codes};
pub(crate) use source::Source;

/// The options of most tests, which choose the categories and the default culture.
fn options() -> ImportOptions {
    ImportOptions {
        categories: Some(Categories::Tops),
        default_culture: Some("en-GB".parse().unwrap()),
        ..ImportOptions::new("en-GB".parse().unwrap())
    }
}

/// An empty graph with these options.
pub(crate) fn graph() -> Graph {
    Graph::new(options(), Bounds::default())
}

/// The text of a sample.
pub(crate) fn sample(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/import");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

/// Files to import, `file-1.txt` and so on.
#[derive(Clone)]
pub(crate) struct Files {
    format: SourceFormat,
    files: Vec<(Option<String>, Vec<u8>)>,
    options: ImportOptions,
    bounds: Bounds,
}

/// One file in the default culture.
pub(crate) fn file(format: SourceFormat, text: impl AsRef<[u8]>) -> Files {
    Files {
        format,
        files: vec![(Some("en-GB".to_owned()), text.as_ref().to_vec())],
        options: options(),
        bounds: Bounds::default(),
    }
}

/// Files with the culture of each.
pub(crate) fn files(format: SourceFormat, all: &[(Option<&str>, &str)]) -> Files {
    let all = all.iter();
    let all = all.map(|(culture, text)| (culture.map(str::to_owned), text.as_bytes().to_vec()));
    Files {
        files: all.collect(),
        ..file(format, "")
    }
}

/// The usual prefixes, which take the first line.
const PREFIXES: &str = "@prefix e: <https://voc.test/k/> . @prefix s: <http://www.w3.org/2004/02/skos/core#> . \
    @prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix dct: <http://purl.org/dc/terms/> . \
    @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . \
    @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix iso: <http://purl.org/iso25964/skos-thes#> .\n";

/// A file of Turtle behind the usual prefixes: `e:` for its own concepts, `s:` for SKOS.
pub(crate) fn turtle(body: &str) -> Files {
    file(SourceFormat::Turtle, [PREFIXES, body].concat())
}

impl Files {
    pub(crate) fn with(mut self, choose: impl FnOnce(&mut ImportOptions)) -> Self {
        choose(&mut self.options);
        self
    }

    pub(crate) fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    pub(crate) fn by_default(self, culture: Option<&str>) -> Self {
        self.with(|options| options.default_culture = culture.map(|tag| tag.parse().unwrap()))
    }

    pub(crate) fn in_categories(self, categories: Option<Categories>) -> Self {
        self.with(|options| options.categories = categories)
    }

    /// The same with another file behind the usual prefixes.
    pub(crate) fn and_turtle(mut self, body: &str) -> Self {
        let culture = self.files[0].0.clone();
        self.files.push((culture, [PREFIXES, body].concat().into_bytes()));
        self
    }

    /// The same without a culture of the first file.
    pub(crate) fn without_culture(mut self) -> Self {
        self.files[0].0 = None;
        self
    }

    /// Reads the files up to the first that cannot be read to its end.
    pub(crate) fn try_read(&self) -> (Graph, Result<(), Stop>) {
        let mut graph = Graph::new(self.options.clone(), self.bounds);
        for (number, (culture, text)) in self.files.iter().enumerate() {
            let culture = culture.as_ref().map(|tag| tag.parse().unwrap());
            graph.begin_file(&format!("file-{}.txt", number + 1), culture);
            if let Err(stop) = self.format.read(&mut text.as_slice(), &mut graph) {
                return (graph, Err(stop));
            }
        }
        (graph, Ok(()))
    }

    pub(crate) fn read(&self) -> Graph {
        self.try_read().0
    }

    pub(crate) fn import(&self) -> Imported {
        import(self.read(), Some(IdMap::default()), &[])
    }

    /// The import of the release behind another one, some of whose keys were replaced.
    pub(crate) fn after(&self, last: &Imported, replaced: &[(&str, &str)]) -> Imported {
        import(self.read(), last.id_map(), replaced)
    }

    /// The report of files, whether they are refused or not.
    pub(crate) fn report(&self) -> ImportReport {
        let (graph, read) = self.try_read();
        if read.is_err() {
            return graph.into_report();
        }
        match try_write(graph, Some(IdMap::default()), &[]) {
            Ok((written, _)) => written.report,
            Err(report) => report,
        }
    }

    /// The codes of the errors, each with its places; nothing where the files are imported.
    pub(crate) fn errors(&self) -> String {
        let report = self.report();
        let (mut errors, mut last) = (Vec::new(), "");
        let issues = report.issues().into_iter();
        for issue in issues.filter(|issue| issue.severity == Severity::Error) {
            assert!(issue.file.is_some(), "{issue:?}");
            let code = std::mem::replace(&mut last, issue.code.as_str());
            errors.extend((code != last).then(|| last.to_owned()));
            let (line, column) = (issue.line.unwrap_or_default(), issue.column.unwrap_or_default());
            errors.push(format!("{line}:{column}"));
        }
        errors.join(" ")
    }
}

/// Writes the import of a graph, or says why not.
pub(crate) fn try_write(
    graph: Graph,
    ids: Option<IdMap>,
    replaced: &[(&str, &str)],
) -> Result<(WrittenImport, Vec<u8>), ImportReport> {
    let mut replacements = Replacements::default();
    for (old, new) in replaced {
        replacements.push(old, new);
    }
    let tree = ConceptTree::new(graph, ids, &replacements, Limits::default()).map_err(|report| *report)?;
    let mut file = Vec::new();
    let written = tree.write(&mut file).unwrap();
    match written.report.accepted() {
        true => Ok((written, file)),
        false => Err(written.report),
    }
}

/// Imports a graph; the file has to be one that the service takes.
fn import(graph: Graph, ids: Option<IdMap>, replaced: &[(&str, &str)]) -> Imported {
    let written = try_write(graph, ids, replaced);
    let (written, file) = written.unwrap_or_else(|report| panic!("refused: {:#?}", report.issues()));
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "fr-FR".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    let Parsed { taxonomy, report, .. } = parse(&file, &defaults, Limits::default())
        .unwrap_or_else(|report| panic!("{}\n{report:#?}", String::from_utf8_lossy(&file)));
    let counts = &written.counts;
    let expect = (counts.categories, counts.terms, counts.names);
    assert_eq!((report.categories, report.terms, report.names), expect);
    let mut codes = report.issues.iter().map(|issue| issue.code.as_str());
    let is_unknown = |code| code == "unknown-field" || code == "unknown-relation";
    assert!(!codes.any(is_unknown), "{report:#?}");
    Imported {
        json: serde_json::from_slice(&file).unwrap(),
        written,
        taxonomy,
    }
}

/// The codes that were found.
pub(crate) fn codes(report: &ImportReport) -> Vec<&'static str> {
    let totals = report.totals().into_iter();
    totals.map(|total| total.code.as_str()).collect()
}
