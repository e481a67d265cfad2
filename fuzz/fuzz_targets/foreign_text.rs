//! A file to import: any bytes are refused with a place or become a file that the service takes, the same again with its own id map.
#![no_main]

use libfuzzer_sys::fuzz_target;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{
    Bounds, Categories, ConceptTree, Graph, IdMap, ImportOptions, ImportReport, Replacements, Severity,
    WrittenImport,
};
use taxonomy_model::{Defaults, Limits, parse};

/// Small, so that the bounds are met by files of a few hundred bytes.
const BOUNDS: Bounds = Bounds {
    concepts: 60,
    statements: 600,
    file_bytes: 8_000,
};
const NODES: usize = 40;

/// Texts and tables; the formats of SKOS and ESCO have targets of their own.
const FORMATS: [SourceFormat; 4] = [
    SourceFormat::Google,
    SourceFormat::Shopify,
    SourceFormat::OpenFoodFacts,
    SourceFormat::Csv,
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, file)) = input.split_first() else {
        return;
    };
    let format = FORMATS[usize::from(*choice) % FORMATS.len()];
    let mut options = ImportOptions::new("en-GB".parse().expect("a culture"));
    if choice & 64 == 0 {
        options.categories = Some(Categories::One);
        options.category_name = Some("All".to_owned());
    }
    let Some((written, text)) = import(format, &options, file, IdMap::default()) else {
        return;
    };
    let mut csv = Vec::new();
    written.ids.write(&mut csv).expect("memory takes everything");
    let ids =
        IdMap::read(&*csv, "ids.csv", &mut ImportReport::default()).expect("what was written can be read");
    let (again, text_again) =
        import(format, &options, file, ids).expect("what was imported can be imported again");
    assert_eq!(text, text_again);
    assert_eq!(
        again.counts.ids.new + again.counts.ids.renumbered + again.counts.ids.gone,
        0
    );
});

fn import(
    format: SourceFormat,
    options: &ImportOptions,
    file: &[u8],
    ids: IdMap,
) -> Option<(WrittenImport, Vec<u8>)> {
    let mut graph = Graph::new(options.clone(), BOUNDS);
    graph.begin_file("file", None);
    let mut input = file;
    let read = format.read(&mut input, &mut graph);
    check_report(graph.report());
    if read.is_err() {
        assert!(!graph.report().accepted(), "a stop has a reason");
        return None;
    }
    let limits = Limits { nodes: NODES };
    let tree = match ConceptTree::new(graph, Some(ids), &Replacements::default(), limits) {
        Ok(tree) => tree,
        Err(report) => {
            assert!(!report.accepted(), "a refusal has a reason");
            check_report(&report);
            return None;
        }
    };
    let mut text = Vec::new();
    let written = tree.write(&mut text).expect("memory takes everything");
    check_report(&written.report);
    if !written.report.accepted() {
        return None;
    }
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: written.choices.default_culture.clone(),
        fallback_chain: Vec::new(),
    };
    let parsed = parse(&text, &defaults, limits).expect("what was imported is taken");
    assert_eq!(parsed.report.terms, written.counts.terms);
    assert_eq!(parsed.report.categories, written.counts.categories);
    Some((written, text))
}

fn check_report(report: &ImportReport) {
    let errors = report
        .issues()
        .into_iter()
        .filter(|issue| issue.severity == Severity::Error);
    for issue in errors {
        // The bounds of a source belong to no line.
        let is_bound = matches!(
            issue.code.as_str(),
            "too-large" | "too-many-nodes" | "no-concepts"
        );
        assert!(issue.file.is_some() || is_bound, "{issue:?}");
        assert!(
            issue.line.is_some() || issue.key.is_some() || is_bound,
            "{issue:?}"
        );
    }
    for total in report.totals() {
        let listed = report
            .issues()
            .iter()
            .filter(|issue| issue.code == total.code)
            .count() as u64;
        assert_eq!(listed, total.count);
    }
}
