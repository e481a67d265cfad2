//! SKOS as its authors write it: hierarchies, classes, IRIs, flags and collections that are not those of a textbook.

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Categories, ImportOptions};

use crate::support::{Imported, import, options, read, refused};

const PREFIXES: &str = "@prefix e: <https://voc.test/k/> . @prefix s: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix dct: <http://purl.org/dc/terms/> .\n";

fn imported(format: SourceFormat, text: &str, options: &ImportOptions) -> Imported {
    import(read(format, options, &[(Some("en-GB"), text)]), None, &[])
}

fn turtle(body: &str) -> Imported {
    imported(SourceFormat::Turtle, &[PREFIXES, body].concat(), &options())
}

/// The key and the message of each issue of a code.
fn found(imported: &Imported, code: &str) -> Vec<(String, String)> {
    let issues = imported.written.report.issues().into_iter();
    let of_code = issues.filter(|issue| issue.code.as_str() == code);
    of_code
        .map(|issue| (issue.key.clone().unwrap_or_default(), issue.message.clone()))
        .collect()
}

/// As W3C's own ODRL22.rdf has it.
#[test]
fn a_hierarchy_of_transitive_statements_alone_is_one() {
    let concepts = "e:use a s:Concept ; s:prefLabel 'use' . e:play a s:Concept ; s:prefLabel 'play' . e:stream a s:Concept ; s:prefLabel 'stream' .
        e:print a s:Concept ; s:prefLabel 'print' . ";
    for stated in [
        "e:play s:broaderTransitive e:use . e:stream s:broaderTransitive e:play . e:use s:narrowerTransitive e:print .",
        "e:play s:broaderTransitive e:use . e:stream s:broaderTransitive e:play , e:use . e:use s:narrowerTransitive e:print , e:stream .",
        "e:play s:broader e:use . e:stream s:broaderTransitive e:use , e:play . e:print s:broaderTransitive e:use , e:print .",
    ] {
        let found = turtle(&[concepts, stated].concat());
        assert_eq!(found.tree(), "use/play use/play/stream use/print", "{stated}");
        assert_eq!(found.codes(), [""; 0], "{stated}");
    }
    // A parent of its own is what counts.
    let found = turtle(
        &[
            concepts,
            "e:stream s:broader e:use ; s:broaderTransitive e:play .",
        ]
        .concat(),
    );
    assert_eq!(found.tree(), "use/stream");
    let circle = turtle(
        &[
            concepts,
            "e:play s:broaderTransitive e:use . e:use s:broaderTransitive e:play .",
        ]
        .concat(),
    );
    assert_eq!(
        (circle.tree().as_str(), circle.codes()),
        ("play/use", vec!["cycle"])
    );
}

#[test]
fn concepts_of_a_subclass_and_with_any_label_are_taken() {
    let parts = [
        "e:Genre rdfs:subClassOf e:Kind . e:Kind rdfs:subClassOf s:Concept . ",
        "e:a a e:Genre ; s:prefLabel 'A' . e:b a e:Kind ; s:prefLabel 'B' . e:c a e:Other ; s:prefLabel 'C' .",
    ];
    let both = options();
    for text in [[parts[0], parts[1]], [parts[1], parts[0]]] {
        let found = turtle(&text.concat());
        assert_eq!((found.written.counts.concepts, found.codes()), (2, vec![]));
    }
    let files = parts.map(|part| [PREFIXES, part].concat());
    let files = [(None, files[1].as_str()), (None, files[0].as_str())];
    let found = import(read(SourceFormat::Turtle, &both, &files), None, &[]);
    assert_eq!(found.written.counts.concepts, 2);
    // Without the statement: a label of any kind, and a place in a hierarchy on either side.
    let found = turtle("e:a a e:Genre ; rdfs:label 'A' ; s:broader e:b . e:b a e:Genre ; dct:title 'B' . e:c a e:Genre ; rdfs:label 'C' ; s:related e:a .
        e:d s:prefLabel 'D' . e:e a s:Concept ; s:prefLabel 'E' ; s:related e:d .");
    assert_eq!(found.tree(), "B/A");
    assert_eq!(found.written.counts.concepts, 4);
}

#[test]
fn iris_that_none_can_hold_are_written_with_percent_signs() {
    let body = "<http://v.test/a+b> a s:Concept ; s:prefLabel 'plus' .
        <http://v.test/\\u0020SERINE> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'space' ; s:exactMatch <http://o.test/x y> .
        <http://v.test/John_\"Jabo\"> a s:Concept ; s:broader <http://v.test/\\u0020SERINE> ; s:prefLabel 'quote' .
        <http://v.test/ÄÖ/日本> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'letters' .
        <http://v.test/%C3%84> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'upper' .
        <http://v.test/%c3%84> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'lower' .";
    let imported = turtle(body);
    assert_eq!(
        imported.tree(),
        "plus/letters plus/lower plus/space plus/space/quote plus/upper"
    );
    assert_eq!(imported.codes(), ["iri-changed"]);
    assert_eq!(found(&imported, "iri-changed").len(), 2, "each once");
    let relations = &imported.node("space")["relations"];
    assert_eq!(relations[0]["id"], "http://v.test/%20SERINE");
    assert_eq!(relations[1]["id"], "http://o.test/x%20y");
    // It is the same IRI when it is written so.
    let again = turtle(&body.replace("\\u0020", "%20"));
    assert_eq!(again.ids(), imported.ids());
}

#[test]
fn relative_iris_need_a_base() {
    let turtle = "<a> a s:Concept ; s:prefLabel 'A' . <sub/b> a s:Concept ; s:prefLabel 'B' ; s:broader <a> ; s:exactMatch <../c> .";
    let with_base = ImportOptions {
        base: Some("https://base.test/voc/".to_owned()),
        ..options()
    };
    let text = [PREFIXES, turtle].concat();
    let read_with = imported(SourceFormat::Turtle, &text, &with_base);
    assert_eq!((read_with.tree().as_str(), read_with.codes()), ("A/B", vec![]));
    assert!(
        read_with.ids().contains("https://base.test/voc/sub/b,"),
        "{}",
        read_with.ids()
    );
    assert_eq!(read_with.node("B")["relations"][1]["id"], "https://base.test/c");
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:s='http://www.w3.org/2004/02/skos/core#'>
        <s:Concept rdf:about='a'><s:prefLabel>A</s:prefLabel></s:Concept>
        <s:Concept rdf:about='sub/b'><s:prefLabel>B</s:prefLabel><s:broader rdf:resource='a'/><s:exactMatch rdf:resource='../c'/></s:Concept></rdf:RDF>";
    let json_ld = r#"{"@context": {"s": "http://www.w3.org/2004/02/skos/core#"}, "@graph": [{"@id": "a", "@type": "s:Concept", "s:prefLabel": "A"},
        {"@id": "sub/b", "@type": "s:Concept", "s:prefLabel": "B", "s:broader": {"@id": "a"}, "s:exactMatch": {"@id": "../c"}}]}"#;
    for (format, text) in [(SourceFormat::RdfXml, xml), (SourceFormat::JsonLd, json_ld)] {
        assert_eq!(
            imported(format, text, &with_base).json,
            read_with.json,
            "{format:?}"
        );
    }
    // A base of the file's own counts before it.
    let own = imported(
        SourceFormat::Turtle,
        &["@base <http://own.test/> .\n", &text].concat(),
        &with_base,
    );
    assert!(own.ids().contains("http://own.test/sub/b,"), "{}", own.ids());

    let graph = read(SourceFormat::Turtle, &options(), &[(None, &text)]);
    assert_eq!(graph.report().count_of(taxonomy_import::Code::RelativeIri), 2);
    let wrong = ImportOptions {
        base: Some("voc".to_owned()),
        ..options()
    };
    assert_eq!(
        refused(SourceFormat::Turtle, &wrong, text.as_bytes()),
        [("malformed", 1, 1)]
    );
}

#[test]
fn a_flag_is_one_in_capitals_too() {
    let found = turtle("e:a a s:Concept ; s:prefLabel 'A' . e:b a s:Concept ; s:prefLabel 'B' ; s:broader e:a ; owl:deprecated 'TRUE' .
        e:c a s:Concept ; s:prefLabel 'C' ; s:broader e:a ; owl:deprecated ' True ' . e:d a s:Concept ; s:prefLabel 'D' ; s:broader e:a ; owl:deprecated 'False' .
        e:f a s:Concept ; s:prefLabel 'F' ; s:broader e:a ; owl:deprecated 'yes' .");
    let flags = ["B", "C", "D", "F"].map(|name| found.node(name).get("deprecated").is_some());
    assert_eq!(
        (flags, found.codes()),
        ([true, true, false, false], vec!["invalid-value"])
    );
}

#[test]
fn a_blank_notation_beside_a_real_one_is_none() {
    for values in ["'' , 'HP 01.02'", "'HP 01.02' , ' '", "'\\n' , 'HP 01.02'"] {
        let found = turtle(&format!(
            "e:a a s:Concept ; s:prefLabel 'A' ; s:notation {values} ."
        ));
        assert_eq!(found.node("A")["notation"], "HP 01.02", "{values}");
    }
    let alone = turtle("e:a a s:Concept ; s:prefLabel 'A' ; s:notation '' .");
    assert_eq!(alone.codes(), ["empty-text"]);
}

#[test]
fn collections_and_further_schemes_are_counted() {
    let concepts: String = (1..5)
        .map(|number| format!("e:m{number} a s:Concept ; s:prefLabel 'M{number}' ; s:inScheme e:s , e:t . "))
        .collect();
    let found_in = turtle(&format!("{concepts} e:s a s:ConceptScheme ; s:prefLabel 'S' . e:m5 a s:Concept ; s:prefLabel 'M5' ; s:inScheme e:s .
        e:g1 a s:Collection ; s:prefLabel 'History' ; s:member e:m1, e:m2, e:g2 . e:g2 a s:Collection ; s:member e:m3 .
        e:o a s:OrderedCollection ; s:memberList ( e:m3 e:m1 ) . e:empty a s:OrderedCollection ; s:memberList () . e:untyped s:member e:m1 .
        e:both s:memberList ( e:m1 e:m2 ) ; s:member e:m1, e:m2 ."));
    let key = |name: &str| format!("https://voc.test/k/{name}");
    let expected = [
        (key("both"), "a collection; members: 2".to_owned()),
        (key("empty"), "a collection; members: 0".to_owned()),
        (key("g1"), "a collection; members: 3".to_owned()),
        (key("g2"), "a collection; members: 1".to_owned()),
        (key("o"), "a collection; members: 2".to_owned()),
        (key("untyped"), "a collection; members: 1".to_owned()),
        (
            key("s"),
            "concepts of this scheme that are elsewhere: 5".to_owned(),
        ),
        (
            key("t"),
            "concepts of this scheme that are elsewhere: 4".to_owned(),
        ),
    ];
    assert_eq!(found(&found_in, "ignored"), expected);
    // Of one scheme there is nothing to say.
    let one = turtle(
        "e:a a s:Concept ; s:prefLabel 'A' ; s:inScheme e:s . e:b a s:Concept ; s:prefLabel 'B' ; s:broader e:a ; s:inScheme e:s .",
    );
    assert_eq!((one.tree().as_str(), one.codes()), ("A/B", vec![]));
}

#[test]
fn named_graphs_are_read_as_one() {
    let of = |graph: &str| {
        format!("<urn:1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> {graph} .
<urn:1> <http://www.w3.org/2004/02/skos/core#prefLabel> \"Energ\\u00EDa\"@es {graph} .
<urn:2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> {graph} .
<urn:2> <http://www.w3.org/2004/02/skos/core#prefLabel> \"Solar\"@es {graph} .
<urn:2> <http://www.w3.org/2004/02/skos/core#broader> <urn:1> {graph} .\n")
    };
    let tri_g = format!(
        "{PREFIXES} e:g {{ <urn:1> a s:Concept ; s:prefLabel 'Energía'@es . }} GRAPH e:h {{ <urn:2> a s:Concept ; s:prefLabel 'Solar'@es ; s:broader <urn:1> }}"
    );
    for (format, text) in [
        (SourceFormat::NQuads, of("<urn:g>")),
        (SourceFormat::NQuads, of("")),
        (SourceFormat::NQuads, of("_:g")),
        (SourceFormat::Turtle, of("")),
        (SourceFormat::Turtle, tri_g),
    ] {
        let found = imported(format, &text, &options());
        assert_eq!(found.tree(), "Energía/Solar", "{format:?} {text}");
    }
    assert_eq!(
        refused(
            SourceFormat::NQuads,
            &options(),
            b"<urn:a> <urn:b> <urn:c> .\n<urn:a> urn:b .\n"
        ),
        [("malformed", 2, 9)]
    );
}

#[test]
fn another_encoding_of_xml_is_called_so() {
    for declaration in [
        "encoding='ISO-8859-1'",
        "encoding=\"windows-1252\"",
        "standalone='yes' encoding = 'UTF-16'",
    ] {
        let text = format!("<?xml version='1.0' {declaration}?>\n<a/>");
        assert_eq!(
            refused(SourceFormat::RdfXml, &options(), text.as_bytes()),
            [("invalid-utf8", 1, 1)],
            "{declaration}"
        );
    }
    for declaration in ["", "encoding='utf-8'"] {
        let text = format!(
            "<?xml version='1.0' {declaration}?>\n<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>"
        );
        assert_eq!(
            refused(SourceFormat::RdfXml, &options(), text.as_bytes()),
            [("no-concepts", 0, 0)],
            "{declaration}"
        );
    }
}

/// A forest in which each concept has an earlier one above it, or none.
fn forest() -> impl Strategy<Value = Vec<Option<usize>>> {
    prop::collection::vec(prop::option::weighted(0.8, any::<prop::sample::Index>()), 1..25).prop_map(
        |drawn| {
            let parents = drawn
                .into_iter()
                .enumerate()
                .map(|(at, parent)| parent.filter(|_| at > 0).map(|parent| parent.index(at)));
            parents.collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The transitive closure of a forest, stated in either direction and partly with its direct statements, is the forest again.
    #[test]
    fn a_closure_gives_its_forest_back(parents in forest(), seed in any::<u64>()) {
        let mut text = PREFIXES.to_owned();
        let is = |number: usize, bit: usize| (seed >> ((number + bit) % 64)) & 1 == 1;
        let (mut expected, mut options) = (Vec::new(), options());
        options.categories = Some(Categories::One);
        options.category_name = Some("All".to_owned());
        for number in 0..parents.len() {
            text += &format!("e:k{number} a s:Concept ; s:prefLabel 'K{number}' .\n");
            let above: Vec<usize> = std::iter::successors(parents[number], |above| parents[*above]).collect();
            for (distance, above) in above.iter().enumerate() {
                text += &match is(number, distance) {
                    true => format!("e:k{number} s:broaderTransitive e:k{above} .\n"),
                    false => format!("e:k{above} s:narrowerTransitive e:k{number} .\n"),
                };
            }
            if let Some(parent) = parents[number].filter(|_| is(number, 31)) {
                text += &format!("e:k{number} s:broader e:k{parent} .\n");
            }
            let mut path: Vec<String> = above.iter().map(|above| format!("K{above}")).collect();
            path.insert(0, format!("K{number}"));
            path.push("All".to_owned());
            path.reverse();
            expected.push(path.join("/"));
        }
        expected.sort();
        let imported = imported(SourceFormat::Turtle, &text, &options);
        let mut paths: Vec<String> = imported.paths().into_values().collect();
        paths.sort();
        prop_assert_eq!(paths, expected, "{}", text);
        prop_assert_eq!(imported.codes(), Vec::<&str>::new());
    }

    /// Any characters in IRIs: each concept is there once, and what it refers to is found.
    #[test]
    fn any_iri_is_the_key_of_its_concept(paths in prop::collection::btree_set("[a-z0-9 <>\"{}|^`äß日%/]{1,6}", 2..6)) {
        let escaped = |path: &str| -> String {
            path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{:04X}", u32::from(c)) }).collect()
        };
        let mut text = PREFIXES.to_owned();
        let paths: Vec<&String> = paths.iter().collect();
        for (number, path) in paths.iter().enumerate() {
            text += &format!("<urn:x:{}> a s:Concept ; s:prefLabel 'K{number}' .\n", escaped(path));
            if number > 0 {
                text += &format!("<urn:x:{}> s:broader <urn:x:{}> .\n", escaped(path), escaped(paths[0]));
            }
        }
        let imported = imported(SourceFormat::Turtle, &text, &options());
        prop_assert_eq!(imported.written.counts.terms, paths.len() as u64 - 1, "{}", text);
        for (number, path) in paths.iter().enumerate() {
            // RFC 3986: the characters that only percent signs can stand for.
            let mut key = String::from("urn:x:");
            for c in path.chars() {
                match c {
                    ' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' => key += &format!("%{:02X}", u32::from(c)),
                    c => key.push(c),
                }
            }
            let relations = imported.node(&format!("K{number}"))["relations"].clone();
            let is_key = |relation: &serde_json::Value| relation["type"] == "exact" && relation["id"] == key;
            prop_assert!(relations.as_array().unwrap().iter().any(is_key), "{relations} {key}");
        }
    }
}
