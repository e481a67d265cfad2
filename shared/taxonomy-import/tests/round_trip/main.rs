//! A download as SKOS, imported again, is the same version: in each syntax, and in whatever order the statements come.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::BufRead;

use oxrdf::Triple;
use oxttl::TurtleParser;
use proptest::prelude::*;
use taxonomy_collation::sibling_keys;
use taxonomy_formats::{SortedTaxonomy, skos};
use taxonomy_import::sources::skos::{read_json_ld, read_n_quads, read_rdf_xml, read_turtle};
use taxonomy_import::{Bounds, ConceptTree, Graph, ImportOptions, Replacements, Stop};
use taxonomy_model::{Limits, Taxonomy, snapshot};

use taxonomy_testfiles::nasty::nasty_files;
use taxonomy_testfiles::{files, real, taxonomy};

type Read = fn(&mut dyn BufRead, &mut Graph) -> Result<(), Stop>;

type Write = fn(&[Triple]) -> String;

fn download(taxonomy: &Taxonomy) -> String {
    let (tenant, base) = ("acme".parse().unwrap(), skos::Base::default());
    let options = skos::Options {
        tenant: &tenant,
        base: &base,
        label: "",
    };
    let mut bytes = Vec::new();
    skos::write(&SortedTaxonomy::new(taxonomy, sibling_keys), &options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The file that the import of some files writes, and the codes of its report.
fn import(read: Read, files: &[String]) -> (String, Vec<&'static str>) {
    // The source names the default culture itself.
    let options = ImportOptions::new("fr-CA".parse().unwrap());
    let mut graph = Graph::new(options, Bounds::default());
    for (number, file) in files.iter().enumerate() {
        graph.begin_file(&format!("{number}"), None);
        read(&mut file.as_bytes(), &mut graph)
            .unwrap_or_else(|stop| panic!("{stop}: {:#?}\n{file}", graph.report().issues()));
    }
    let tree = ConceptTree::new(graph, None, &Replacements::default(), Limits::default());
    let tree = tree.unwrap_or_else(|report| panic!("{:#?}", report.issues()));
    let mut file = Vec::new();
    let report = tree.write(&mut file).unwrap().report;
    assert!(report.accepted(), "{:#?}", report.issues());
    let totals = report.totals().into_iter();
    let codes = totals.map(|total| total.code.as_str()).collect();
    (String::from_utf8(file).unwrap(), codes)
}

fn comes_back(original: &Taxonomy, read: Read, files: &[String]) -> Vec<&'static str> {
    let (file, codes) = import(read, files);
    let hash = snapshot::hash(&taxonomy(&file));
    assert_eq!(hash, snapshot::hash(original), "{file}\n{files:#?}");
    codes
}

fn triples(turtle: &str) -> Vec<Triple> {
    let triples = TurtleParser::new().for_slice(turtle);
    triples.map(Result::unwrap).collect()
}

fn rdf_xml(triples: &[Triple]) -> String {
    let mut writer = oxrdfxml::RdfXmlSerializer::new().for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn json_ld(triples: &[Triple]) -> String {
    let mut writer = oxjsonld::JsonLdSerializer::new().for_writer(Vec::new());
    for triple in triples {
        let quad = triple.as_ref().in_graph(oxrdf::GraphNameRef::DefaultGraph);
        writer.serialize_quad(quad).unwrap();
    }
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

fn n_triples(triples: &[Triple]) -> String {
    triples.iter().map(|triple| format!("{triple} .\n")).collect()
}

/// Each statement in a graph of its own.
fn n_quads(triples: &[Triple]) -> String {
    let line = |(number, triple): (usize, &Triple)| format!("{triple} <urn:x:g{number}> .\n");
    triples.iter().enumerate().map(line).collect()
}

fn tri_g(triples: &[Triple]) -> String {
    let (one, other) = triples.split_at(triples.len() / 2);
    format!("GRAPH <urn:x:g> {{\n{}}}\n{}", n_triples(one), n_triples(other))
}

/// The syntaxes that hold every character: what reads each, and what writes it.
const SYNTAXES: [(Read, Write); 4] = [
    (read_turtle, n_triples),
    (read_n_quads, n_quads),
    (read_turtle, tri_g),
    (read_json_ld, json_ld),
];

/// The statements of a download in some files are the same version in each syntax.
fn come_back_in_every_syntax(original: &Taxonomy, files: &[&[Triple]]) {
    let mut triples = files.iter().copied().flatten();
    let has_xml = triples.all(|triple| fits_xml(&format!("{triple} {:?}", triple.object)));
    let xml = has_xml.then_some((read_rdf_xml as Read, rdf_xml as Write));
    for (read, write) in SYNTAXES.into_iter().chain(xml) {
        let written: Vec<String> = files.iter().map(|file| write(file)).collect();
        comes_back(original, read, &written);
    }
}

/// What others add to a file, and what changes nothing: all that is above, a collection, a second scheme, its language, repetitions.
fn added(triples: &[Triple]) -> String {
    let core = "http://www.w3.org/2004/02/skos/core#";
    let broader = format!("{core}broader");
    let mut text = format!(
        "<urn:x:c> a <{core}Collection> . <urn:x:s> a <{core}ConceptScheme> ; <http://purl.org/dc/terms/language> \"da\" .\n"
    );
    let is_broader = |triple: &&Triple| triple.predicate.as_str() == broader;
    for triple in triples.iter().filter(is_broader) {
        let (below, above) = (&triple.subject, &triple.object);
        text += &format!(
            "{below} <{core}broaderTransitive> {above} ; <{core}inScheme> <urn:x:s> .\n{triple} .\n{triple} .\n"
        );
        text += &format!("{above} <{core}narrowerTransitive> {below} . <urn:x:c> <{core}member> {below} .\n");
    }
    text
}

/// XML cannot hold every character, and its parser folds line ends.
fn fits_xml(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t')
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn a_download_gives_the_same_version(plain in files(), nasty in nasty_files()) {
        for original in [taxonomy(&plain), taxonomy(&nasty)] {
            let codes = comes_back(&original, read_turtle, &[download(&original)]);
            // Names alike, and relations that SKOS statements of a download repeat, are no news.
            let news = codes.iter().filter(|code| !["ids-not-kept", "duplicate-name", "further-parent"].contains(code));
            prop_assert_eq!(news.count(), 0, "{:?}\n{}", codes, download(&original));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn neither_syntax_nor_order_counts(
        file in nasty_files(),
        seed in any::<u64>(),
        parts in 1..4_usize,
    ) {
        let original = taxonomy(&file);
        let mut triples = triples(&download(&original));
        let mut state = seed | 1;
        for last in (1..triples.len()).rev() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let other = usize::try_from(state % (last as u64 + 1)).unwrap();
            triples.swap(last, other);
        }
        let pieces: Vec<&[Triple]> = triples.chunks(triples.len().div_ceil(parts)).collect();
        come_back_in_every_syntax(&original, &pieces);
        comes_back(&original, read_turtle, &[n_triples(&triples), added(&triples)]);
    }
}

#[test]
#[ignore = "real taxonomies: make prove NAMES=memory"]
fn real_files_come_back() {
    for file in real::files() {
        // One version of each: the largest file, and three of the same, would take minutes in a debug build.
        if file.to_string_lossy().ends_with("-v1.json") {
            let original = real::taxonomy(&file);
            let turtle = download(&original);
            come_back_in_every_syntax(&original, &[&triples(&turtle)]);
            comes_back(&original, read_turtle, &[turtle]);
        }
    }
}
