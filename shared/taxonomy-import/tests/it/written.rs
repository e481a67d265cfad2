//! SKOS as its authors write it: hierarchies, classes, IRIs, flags and collections that are not those of a textbook.

use proptest::prelude::*;
use taxonomy_import::Categories;
use taxonomy_import::sources::SourceFormat;

use crate::support::{file, turtle};

/// As W3C's own ODRL22.rdf has it.
#[test]
fn a_hierarchy_of_transitive_statements_alone_is_one() {
    let concepts = "e:use a s:Concept ; s:prefLabel 'use' . e:play a s:Concept ; s:prefLabel 'play' .
        e:stream a s:Concept ; s:prefLabel 'stream' . ";
    let check = |stated: &str, expect| turtle(&[concepts, stated].concat()).import().shows(expect);
    let forest = "use/play use/play/stream";
    let above = "e:play s:broaderTransitive e:use . e:stream s:broaderTransitive e:play , e:use .";
    check(above, forest);
    let below = "e:use s:narrowerTransitive e:play , e:stream . e:play s:narrowerTransitive e:stream .";
    check(below, forest);
    // A parent of its own is what counts.
    let own = "e:stream s:broader e:use ; s:broaderTransitive e:play .";
    check(own, "play/ use/stream");
    let circle = "e:play s:broaderTransitive e:use . e:use s:broaderTransitive e:play .";
    check(circle, "play/use stream/ # cycle");
}

#[test]
fn concepts_of_a_subclass_and_with_any_label_are_taken() {
    let classes = "e:Genre rdfs:subClassOf e:Kind . e:Kind rdfs:subClassOf s:Concept . ";
    let concepts = "e:a a e:Genre ; s:prefLabel 'A' . e:b a e:Kind ; s:prefLabel 'B' . e:c a e:Other ; s:prefLabel 'C' . ";
    for files in [
        turtle(&[classes, concepts].concat()),
        turtle(&[concepts, classes].concat()),
        turtle(concepts).and_turtle(classes),
    ] {
        files.import().shows("A/ B/");
    }
    // Without the statement: a label of any kind, and a place in a hierarchy on either side.
    let found = turtle(
        "e:a a e:Genre ; rdfs:label 'A' ; s:broader e:b . e:b a e:Genre ; dct:title 'B' . e:c a e:Genre ; rdfs:label 'C' ; s:related e:a .
        e:d s:prefLabel 'D' . e:e a s:Concept ; s:prefLabel 'E' ; s:related e:d .",
    );
    assert_eq!(found.import().tree(), "B/A C/ E/");
}

#[test]
fn iris_that_none_can_hold_are_written_with_percent_signs() {
    let body = "<http://v.test/a+b> a s:Concept ; s:prefLabel 'plus' .
        <http://v.test/\\u0020SERINE> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'space' ; s:exactMatch <http://o.test/x y> .
        <http://v.test/John_\"Jabo\"> a s:Concept ; s:broader <http://v.test/\\u0020SERINE> ; s:prefLabel 'quote' .
        <http://v.test/%C3%84> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'upper' .
        <http://v.test/%c3%84> a s:Concept ; s:broader <http://v.test/a+b> ; s:prefLabel 'lower' .";
    let imported = turtle(body).import();
    imported.shows("plus/lower plus/space plus/space/quote plus/upper # iri-changed");
    assert_eq!(imported.issues("iri-changed").len(), 2, "each once");
    imported.has("space relations: exact v.test:http://v.test/%20SERINE, exact o.test:http://o.test/x%20y");
    // It is the same IRI when it is written so.
    let written = turtle(&body.replace("\\u0020", "%20")).import();
    assert_eq!(written.ids(), imported.ids());
}

#[test]
fn relative_iris_need_a_base() {
    let with_base = |format, text: &str| {
        file(format, text).with(|options| options.base = Some("https://base.test/voc/".to_owned()))
    };
    let text = "@prefix s: <http://www.w3.org/2004/02/skos/core#> . <a> a s:Concept ; s:prefLabel 'A' .
        <sub/b> a s:Concept ; s:prefLabel 'B' ; s:broader <a> ; s:exactMatch <../c> .";
    let found = with_base(SourceFormat::Turtle, text).import();
    found.shows("A/B");
    let base = "exact base.test:https://base.test";
    found.has(&format!("B relations: {base}/voc/sub/b, {base}/c"));
    let xml = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:s='http://www.w3.org/2004/02/skos/core#'>
        <s:Concept rdf:about='a'><s:prefLabel>A</s:prefLabel></s:Concept>
        <s:Concept rdf:about='sub/b'><s:prefLabel>B</s:prefLabel><s:broader rdf:resource='a'/><s:exactMatch rdf:resource='../c'/></s:Concept></rdf:RDF>";
    let json_ld = r#"{"@context": {"s": "http://www.w3.org/2004/02/skos/core#"}, "@graph": [{"@id": "a", "@type": "s:Concept", "s:prefLabel": "A"},
        {"@id": "sub/b", "@type": "s:Concept", "s:prefLabel": "B", "s:broader": {"@id": "a"}, "s:exactMatch": {"@id": "../c"}}]}"#;
    for (format, text) in [(SourceFormat::RdfXml, xml), (SourceFormat::JsonLd, json_ld)] {
        assert_eq!(with_base(format, text).import().json, found.json, "{format:?}");
    }
    // A base of the file's own counts before it.
    let own = ["@base <http://own.test/> .\n", text].concat();
    let own = with_base(SourceFormat::Turtle, &own).import();
    assert!(own.ids().contains("http://own.test/sub/b,"), "{}", own.ids());

    let without = file(SourceFormat::Turtle, text);
    assert_eq!(without.report().count_of(taxonomy_import::Code::RelativeIri), 2);
    let wrong = without.with(|options| options.base = Some("voc".to_owned()));
    assert_eq!(wrong.errors(), "malformed 1:1");
}

#[test]
fn a_flag_is_one_in_capitals_too() {
    let yes = "voc.test/B";
    for (flag, expect) in [
        ("'TRUE'", yes),
        ("' True '", yes),
        ("'False'", "B/"),
        ("'yes'", "B/ # invalid-value"),
    ] {
        // A retired concept is no category.
        let body = format!("e:b a s:Concept ; s:prefLabel 'B' ; owl:deprecated {flag} .");
        turtle(&body).import().shows(expect);
    }
}

#[test]
fn a_blank_notation_beside_a_real_one_is_none() {
    for (values, expect) in [
        ("'' , 'HP 01.02'", "HP 01.02"),
        ("'HP 01.02' , ' '", "HP 01.02"),
        ("'\\n' , 'HP 01.02'", "HP 01.02"),
        ("''", ""),
    ] {
        let body = format!("e:a a s:Concept ; s:prefLabel 'A' ; s:notation {values} .");
        let found = turtle(&body).import();
        assert_eq!(found.field("A", "notation"), expect, "{values}");
        assert_eq!(found.codes() == ["empty-text"], expect.is_empty(), "{values}");
    }
}

#[test]
fn collections_and_further_schemes_are_counted() {
    let concept = |n| format!("e:m{n} a s:Concept ; s:prefLabel 'M{n}' ; s:inScheme e:s , e:t . ");
    let concepts: String = (1..5).map(concept).collect();
    let found = turtle(&format!(
        "{concepts} e:s a s:ConceptScheme ; s:prefLabel 'S' . e:m5 a s:Concept ; s:prefLabel 'M5' ; s:inScheme e:s .
        e:g1 a s:Collection ; s:prefLabel 'History' ; s:member e:m1, e:m2, e:g2 . e:g2 a s:Collection ; s:member e:m3 .
        e:o a s:OrderedCollection ; s:memberList ( e:m3 e:m1 ) . e:empty a s:OrderedCollection ; s:memberList () . e:untyped s:member e:m1 .
        e:both s:memberList ( e:m1 e:m2 ) ; s:member e:m1, e:m2 ."
    ));
    let members = "both: 2, empty: 0, g1: 3, g2: 1, o: 2, untyped: 1";
    let members = members.replace(": ", ": a collection; members: ");
    let elsewhere = "s: 5, t: 4".replace(": ", ": concepts of this scheme that are elsewhere: ");
    let expect = format!("{members}, {elsewhere}").replace(", ", " | https://voc.test/k/");
    let found = found.import();
    found.says(&format!("ignored https://voc.test/k/{expect}"));
    // Of one scheme there is nothing to say.
    let one = "e:a a s:Concept ; s:prefLabel 'A' ; s:inScheme e:s . e:b a s:Concept ; s:prefLabel 'B' ; s:broader e:a ; s:inScheme e:s .";
    turtle(one).import().shows("A/B");
}

/// A forest in which each concept has an earlier one above it, or none.
fn forest() -> impl Strategy<Value = Vec<Option<usize>>> {
    let parent = prop::option::weighted(0.8, any::<prop::sample::Index>());
    prop::collection::vec(parent, 1..25).prop_map(|drawn| {
        let drawn = drawn.into_iter().enumerate();
        let parents = drawn.map(|(at, parent)| parent.filter(|_| at > 0).map(|parent| parent.index(at)));
        parents.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The transitive closure of a forest, stated in either direction and partly with its direct statements, is the forest again.
    #[test]
    fn a_closure_gives_its_forest_back(parents in forest(), seed in any::<u64>()) {
        let mut text = String::new();
        let is = |number: usize, bit: usize| (seed >> ((number + bit) % 64)) & 1 == 1;
        let mut expected = Vec::new();
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
            let path = above.iter().fold(format!("K{number}"), |path, above| format!("K{above}/{path}"));
            expected.push(format!("voc.test/{path}"));
        }
        expected.sort();
        let imported = turtle(&text).in_categories(Some(Categories::One)).import();
        prop_assert_eq!(imported.sorted_paths(), expected, "{}", text);
        prop_assert_eq!(imported.codes(), Vec::<&str>::new());
    }

    /// Any characters in IRIs: each concept is there once, and what it refers to is found.
    #[test]
    fn any_iri_is_the_key_of_its_concept(paths in prop::collection::btree_set("[a-z0-9 <>\"{}|^`äß日%/]{1,6}", 2..6)) {
        let escaped = |path: &str| -> String {
            path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\u{:04X}", u32::from(c)) }).collect()
        };
        let mut text = String::new();
        let paths: Vec<&String> = paths.iter().collect();
        for (number, path) in paths.iter().enumerate() {
            text += &format!("<urn:x:{}> a s:Concept ; s:prefLabel 'K{number}' .\n", escaped(path));
            if number > 0 {
                text += &format!("<urn:x:{}> s:broader <urn:x:{}> .\n", escaped(path), escaped(paths[0]));
            }
        }
        let imported = turtle(&text).import();
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
            let relations = imported.node(&format!("K{number}"))["relations"].as_array().unwrap();
            prop_assert!(relations.iter().any(|relation| relation["type"] == "exact" && relation["id"] == key), "{key}");
        }
    }
}
