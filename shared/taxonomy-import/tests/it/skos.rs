//! SKOS in its syntaxes: what is read, and what becomes of mistakes.

use std::io::BufRead;

use taxonomy_import::sources::skos::{read_json_ld, read_n_quads, read_rdf_xml, read_turtle};
use taxonomy_import::{Bounds, Categories, Graph, IdMap, ImportIssue, ImportOptions, ImportReport, Stop};

use crate::support::{self, Imported, codes, import};

type Read = fn(&mut dyn BufRead, &mut Graph) -> Result<(), Stop>;

const PREFIXES: &str = "@prefix : <http://example.com/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> . \
    @prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix dct: <http://purl.org/dc/terms/> . \
    @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . \
    @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix iso: <http://purl.org/iso25964/skos-thes#> .\n";

fn options() -> ImportOptions {
    ImportOptions {
        default_culture: Some("en".parse().unwrap()),
        ..support::options()
    }
}

fn graph() -> Graph {
    support::graph_of(&options())
}

fn read(read: Read, files: &[&str]) -> Graph {
    let mut graph = graph();
    for (number, file) in files.iter().enumerate() {
        graph.begin_file(&format!("file-{number}"), None);
        read(&mut file.as_bytes(), &mut graph)
            .unwrap_or_else(|stop| panic!("{stop}: {:#?}", graph.report().issues()));
    }
    graph
}

/// The import of Turtle under the usual prefixes, which take the first line.
fn turtle(body: &str) -> Imported {
    turtles(&[body], None, &options())
}

fn turtles(bodies: &[&str], ids: Option<IdMap>, options: &ImportOptions) -> Imported {
    let files: Vec<String> = bodies.iter().map(|body| [PREFIXES, body].concat()).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let mut graph = read(read_turtle, &files);
    graph.options = options.clone();
    import(graph, ids, &[])
}

/// The reason for which a file is refused: code, line, column.
fn refused(read: Read, file: &[u8]) -> (String, Option<u32>, Option<u32>, String) {
    let mut graph = graph();
    graph.begin_file("damaged", None);
    let stop = read(&mut &*file, &mut graph).unwrap_err();
    assert!(matches!(stop, Stop::Refused), "{stop}");
    let issues = graph.report().issues();
    let [issue] = issues.as_slice() else {
        panic!("{issues:#?}");
    };
    assert_eq!(issue.file.as_deref(), Some("damaged"));
    (
        issue.code.as_str().to_owned(),
        issue.line,
        issue.column,
        issue.message.clone(),
    )
}

fn find<'r>(report: &'r ImportReport, code: &str) -> Vec<&'r ImportIssue> {
    report
        .issues()
        .into_iter()
        .filter(|issue| issue.code.as_str() == code)
        .collect()
}

#[test]
fn four_syntaxes_say_the_same() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/import/crafts");
    let sample = |extension: &str| std::fs::read_to_string(format!("{folder}.{extension}")).unwrap();
    let of = |reader: Read, extension: &str| import(read(reader, &[&sample(extension)]), None, &[]);
    assert_eq!(read(read_turtle, &[&sample("ttl")]).release(), Some("2026-01"));
    let expect = of(read_turtle, "ttl");
    assert_eq!(
        expect.tree(),
        "Making/Carpentry Making/Carpentry/Furniture repair Making/Turnery Making/Upholstery"
    );
    assert_eq!(expect.codes(), ["further-parent"]);
    let carpentry = expect.node("Carpentry");
    assert_eq!(carpentry["notation"], "10");
    assert_eq!(carpentry["altNames"][0]["name"], "Joinery");
    assert_eq!(carpentry["notes"][0]["definition"], "Making things of wood.");
    assert_eq!(carpentry["relations"][0]["scheme"], "example.com");
    assert_eq!(expect.node("Turnery")["replacedBy"][0], expect.id("Carpentry"));
    let others = [
        (read_json_ld as Read, "jsonld"),
        (read_rdf_xml, "rdf"),
        (read_n_quads, "nq"),
    ];
    for (reader, extension) in others {
        let found = of(reader, extension);
        assert_eq!(
            (found.json, found.written.ids.rows().len()),
            (expect.json.clone(), expect.written.ids.rows().len()),
            "{extension}"
        );
        assert_eq!(codes(&found.written.report), ["further-parent"]);
    }
}

#[test]
fn either_direction_of_a_hierarchy_is_read() {
    let both = ":a a skos:Concept ; skos:prefLabel 'A'@en . :b a skos:Concept ; skos:prefLabel 'B'@en . ";
    for (stated, codes) in [
        (":b skos:broader :a .", vec![]),
        (":a skos:narrower :b .", vec![]),
        (":b iso:broaderPartitive :a .", vec![]),
        (":a iso:narrowerGeneric :b .", vec![]),
        (":b skos:broader :a . :a skos:narrower :b .", vec![]),
        (":b skos:broader :a . :b skos:broader :a .", vec![]),
        (":b skos:broaderTransitive :a ; skos:broader :a .", vec![]),
    ] {
        let imported = turtle(&format!("{both}{stated}"));
        assert_eq!(
            (imported.tree(), imported.codes()),
            ("A/B".to_owned(), codes),
            "{stated}"
        );
    }
    let further = ":c a skos:Concept ; skos:prefLabel 'C'@en ; skos:broader :a . :a skos:narrower :b .";
    let imported = turtle(&format!("{both}{further}"));
    assert_eq!(
        (imported.tree().as_str(), imported.codes()),
        ("A/B A/C", vec!["one-way"])
    );
}

/// S5, S8 and the domains of the SKOS Reference: a label alone, or a place alone, makes no concept.
#[test]
fn a_concept_is_what_is_typed_or_labelled_and_placed() {
    let imported = turtle(
        ":typed a skos:Concept ; skos:prefLabel 'Typed'@en .
         :placed skos:broader :typed ; skos:prefLabel 'Placed'@en .
         :top skos:prefLabel 'Top'@en . :scheme skos:hasTopConcept :top .
         :label skos:prefLabel 'Label'@en . :named skos:inScheme :scheme ; skos:prefLabel 'Named'@en .
         :elsewhere skos:narrower :typed .",
    );
    assert_eq!(imported.tree(), "Typed/Placed");
    assert_eq!(imported.json["categories"].as_array().unwrap().len(), 2);
    assert_eq!(imported.codes(), ["unknown-parent", "one-way"]);
    let relations = &imported.node("Typed")["relations"];
    assert_eq!(relations[1]["id"], "http://example.com/elsewhere");
}

#[test]
fn a_statement_that_is_repeated_is_one() {
    let body = ":a a skos:Concept ; skos:prefLabel 'A'@en ; skos:altLabel 'B'@en , 'C'@en ; skos:definition 'D'@en ; \
        skos:notation '1' ; skos:example 'E'@en , 'F'@en ; skos:related :b ; skos:exactMatch <urn:c> . \
        :b a skos:Concept ; skos:prefLabel 'B'@en ; skos:broader :a . :a xl:prefLabel [ xl:literalForm 'A'@en ] .";
    let once = turtle(body);
    let twice = turtles(&[body, body], None, &options());
    assert_eq!(once.codes(), Vec::<&str>::new());
    assert_eq!((twice.codes(), twice.json), (once.codes(), once.json));
}

#[test]
fn labels_follow_the_rules_of_texts() {
    let imported = turtle(
        ":a a skos:Concept ; skos:prefLabel 'Wood'@en , 'Timber'@en , 'Holz'@de-de , 'Bois' ;
            skos:altLabel 'Timber'@en , 'Wald'@de-x ; skos:hiddenLabel 'Wod'@en .",
    );
    let names = &imported.node("Timber")["names"];
    assert_eq!(names[0]["culture"], "de-DE");
    assert_eq!(
        (&names[1]["culture"], &names[1]["name"]),
        (&"en".into(), &"Timber".into())
    );
    let alternative: Vec<&str> = imported.node("Timber")["altNames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name["name"].as_str().unwrap())
        .collect();
    assert_eq!(alternative, ["Wod", "Bois", "Wood"]);
    assert_eq!(
        imported.codes(),
        ["no-language", "invalid-tag", "several-names", "repeated-name"]
    );
    let invalid = find(&imported.written.report, "invalid-tag");
    assert_eq!(
        (invalid[0].line, invalid[0].key.as_deref()),
        (Some(3), Some("http://example.com/a"))
    );
}

#[test]
fn a_tag_with_an_underscore_is_written_with_a_hyphen() {
    let xml = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
        <skos:Concept rdf:about="urn:a"><skos:prefLabel xml:lang="en">A</skos:prefLabel><skos:altLabel xml:lang="de_AT">B</skos:altLabel>
        <skos:altLabel xml:lang="">C</skos:altLabel></skos:Concept></rdf:RDF>"#;
    let imported = import(read(read_rdf_xml, &[xml]), None, &[]);
    assert_eq!(imported.codes(), ["no-language", "tag-changed"]);
    assert_eq!(imported.node("A")["altNames"][0]["culture"], "de-AT");
}

#[test]
fn the_language_of_a_file_is_that_of_its_texts_without_one() {
    let mut graph = graph();
    graph.begin_file("thesaurus.de.ttl", Some("de".parse().unwrap()));
    let file = [PREFIXES, ":a a skos:Concept ; skos:prefLabel 'Holz' , 'Wood'@en ; skos:altLabel 'Wald' ; skos:definition 'D' ."].concat();
    read_turtle(&mut file.as_bytes(), &mut graph).unwrap();
    let imported = import(graph, None, &[]);
    assert_eq!(imported.codes(), Vec::<&str>::new());
    assert_eq!(imported.node("Wood")["names"][0]["culture"], "de");
    assert_eq!(imported.node("Wood")["notes"][0]["culture"], "de");
}

/// SKOS-XL, and notes that are resources, before and behind the concept and in another file.
#[test]
fn labels_and_notes_may_be_resources() {
    let concepts = ":a a skos:Concept ; xl:prefLabel :label ; xl:altLabel [ xl:literalForm 'Other'@en ] ; skos:definition [ rdf:value 'D'@en ] ;
        skos:scopeNote :note ; xl:altLabel :lost ; skos:definition <http://example.com/page> .
        :b a skos:Concept ; skos:broader :a ; xl:prefLabel _:x .";
    let labels = ":label xl:literalForm 'Wood'@en . :note rdf:value 'S'@en . _:x xl:literalForm 'Blank'@en .";
    let imported = turtles(&[labels, concepts], None, &options());
    let wood = imported.node("Wood");
    assert_eq!(wood["altNames"][0]["name"], "Other");
    assert_eq!(
        (&wood["notes"][0]["definition"], &wood["notes"][0]["scopeNote"]),
        (&"D".into(), &"S".into())
    );
    // The blank node of one file is none of another.
    assert_eq!(imported.tree(), "Wood/b");
    assert_eq!(imported.codes(), ["no-name", "invalid-value"]);
    assert_eq!(find(&imported.written.report, "invalid-value").len(), 3);
}

#[test]
fn a_title_names_what_has_no_preferred_label() {
    let options = ImportOptions {
        categories: Some(Categories::Schemes),
        ..options()
    };
    let body = ":s a skos:ConceptScheme ; rdfs:label 'Label'@en ; dct:title 'Title'@en . :t a skos:ConceptScheme ; skos:prefLabel 'T'@en ; dct:title 'U'@en .
        :a a skos:Concept ; skos:inScheme :s ; rdfs:label 'A'@en . :b a skos:Concept ; skos:topConceptOf :t ; skos:prefLabel 'B'@en ; rdfs:label 'C'@en .";
    let imported = turtles(&[body], None, &options);
    assert_eq!(
        (imported.tree().as_str(), imported.codes()),
        ("T/B Title/A", vec![])
    );
}

#[test]
fn a_collection_and_a_concept_without_an_iri_are_reported() {
    let imported = turtle(
        ":a a skos:Concept ; skos:prefLabel 'A'@en ; skos:broader _:b ; skos:exactMatch [] .
         _:b a skos:Concept ; skos:prefLabel 'B'@en .
         :c a skos:Collection ; skos:prefLabel 'C'@en ; skos:member :a .",
    );
    assert_eq!(
        (imported.taxonomy.terms().count(), imported.codes()),
        (0, vec!["blank-node", "ignored"])
    );
    let blank = find(&imported.written.report, "blank-node");
    assert_eq!(
        blank.iter().map(|issue| issue.line).collect::<Vec<_>>(),
        [Some(2), Some(2), Some(3)]
    );
    let ignored = find(&imported.written.report, "ignored");
    assert_eq!(ignored[0].message, "a collection; members: 1");
}

#[test]
fn what_a_statement_cannot_say_is_left_out() {
    let imported = turtle(
        ":a a skos:Concept ; skos:prefLabel 'A'@en , <urn:label> ;
           skos:broader 'text' , <no iri> ; skos:exactMatch <relative> ;
           owl:deprecated 'perhaps' ; skos:notation :n .
         <b c> skos:prefLabel 'B'@en .",
    );
    assert_eq!(imported.codes(), ["relative-iri", "invalid-value"]);
    let lines = |code: &str| -> Vec<Option<u32>> {
        let issues = find(&imported.written.report, code);
        issues.iter().map(|issue| issue.line).collect()
    };
    assert_eq!(lines("invalid-value"), [2, 3, 4, 4].map(Some));
    assert_eq!(lines("relative-iri"), [3, 3, 5].map(Some));
}

#[test]
fn what_is_replaced_keeps_its_id_or_stays() {
    let of = |body: &str, ids| {
        turtles(
            &[&[":top a skos:Concept ; skos:prefLabel 'Top'@en . ", body].concat()],
            ids,
            &options(),
        )
    };
    let first = of(
        ":old a skos:Concept ; skos:prefLabel 'Old'@en ; skos:broader :top .",
        None,
    );
    let renamed = ":new a skos:Concept ; skos:prefLabel 'New'@en ; skos:broader :top .";
    for stated in [":old dct:isReplacedBy :new .", ":new dct:replaces :old ."] {
        let second = of(&[renamed, stated].concat(), first.id_map());
        assert_eq!(second.id("New"), first.id("Old"), "{stated}");
        assert_eq!(second.codes(), ["renumbered"]);
    }
    let beside = of(&[renamed, ":old a skos:Concept ; skos:prefLabel 'Old'@en ; skos:broader :top ; owl:deprecated true ; dct:isReplacedBy :new ."].concat(), first.id_map());
    assert_eq!(beside.node("Old")["replacedBy"][0], beside.id("New"));
    assert_eq!(beside.node("Old")["deprecated"], true);
}

#[test]
fn other_notes_and_mappings_are_kept() {
    let imported = turtle(
        ":a a skos:Concept ; skos:prefLabel 'A'@en ; skos:example 'E'@en ; skos:historyNote 'H'@de ;
           skos:closeMatch <http://other.example/1> ; skos:broadMatch :b .
         :b a skos:Concept ; skos:prefLabel 'B'@en ; skos:broader :a .",
    );
    let node = imported.node("A");
    assert_eq!(
        (
            &node["metadata"]["example"]["en"][0],
            &node["metadata"]["historyNote"]["de"][0]
        ),
        (&"E".into(), &"H".into())
    );
    let relations = serde_json::json!([
        {"type": "exact", "scheme": "example.com", "id": "http://example.com/a"},
        {"type": "close", "scheme": "other.example", "id": "http://other.example/1"},
        {"type": "broad", "id": imported.id("B")},
    ]);
    let found: std::collections::BTreeSet<String> = node["relations"]
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let expect = relations
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found, expect);
}

/// Memory follows from the bytes of JSON-LD, so their number is bounded.
#[test]
fn json_ld_has_a_size_that_it_may_not_exceed() {
    let text = format!("[{}]", " ".repeat(64 << 20));
    let (code, ..) = refused(read_json_ld, text.as_bytes());
    assert_eq!(code, "too-large");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn malformed_files_are_refused_where_they_are() {
    let json_text = format!(r#"{{"@id": "urn:a", "urn:b": "{}"#, "x".repeat(17 << 20));
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let long_text = format!("<urn:a> <urn:b> \"{}", "x".repeat(17 << 20));
    let comments = "# nothing\n".repeat(2 << 20);
    let cases: [(Read, &[u8], &str, u32, u32); 20] = [
        (read_turtle, b"<urn:a> <urn:b> .\n", "malformed", 1, 17),
        (read_turtle, b"<urn:a> <urn:b> <urn:c>", "malformed", 1, 24),
        (read_turtle, b"\n  a:b a a:c .", "malformed", 2, 3),
        (read_turtle, b"<urn:a> <urn:b> \"c", "malformed", 1, 17),
        (read_turtle, b"<urn:a> <urn:b> \"\xff\" .", "invalid-utf8", 1, 18),
        (read_turtle, b"<urn:a> <urn:b> \"\xc3", "invalid-utf8", 1, 18),
        (read_turtle, long_text.as_bytes(), "too-large", 1, 1),
        (read_turtle, comments.as_bytes(), "too-large", 1, 1),
        (read_json_ld, b"{\n \"@id\": }", "malformed", 2, 9),
        (read_json_ld, b"{\"@id\": \"urn:a\"", "malformed", 1, 16),
        (
            read_json_ld,
            b"{\n \"@context\": \"http://example.com/context\", \"@id\": \"urn:a\"}",
            "malformed",
            2,
            2,
        ),
        (
            read_json_ld,
            b"{\"@context\": [{}, {\"@import\": \"http://example.com/c\"}]}",
            "malformed",
            1,
            1,
        ),
        (read_json_ld, b"{\"@id\": 1,\n \"urn:b\": 2}", "malformed", 2, 2),
        (read_json_ld, deep.as_bytes(), "malformed", 1, 1),
        (read_json_ld, json_text.as_bytes(), "malformed", 1, 1),
        (read_json_ld, b"{\"a\": \"\xe9\"}", "invalid-utf8", 1, 8),
        (read_rdf_xml, b"<a xmlns='urn:'>\n<b>\n</a>", "malformed", 3, 1),
        (
            read_rdf_xml,
            b"<?xml version='1.0' encoding='UTF-16'?>\n<a/>",
            "invalid-utf8",
            1,
            1,
        ),
        (
            read_rdf_xml,
            b"<!DOCTYPE a [\n<!ENTITY b \"c\">\n<!ENTITY d \"&b;&b;\">]><a/>",
            "malformed",
            3,
            1,
        ),
        (read_rdf_xml, b"<a xmlns='urn:a:'>\n  <b", "malformed", 2, 5),
    ];
    for (reader, file, code, line, column) in cases {
        let (found, at_line, at_column, message) = refused(reader, file);
        let shown = String::from_utf8_lossy(&file[..file.len().min(80)]).into_owned();
        let at_line = at_line.filter(|_| file.len() < 1000).or(Some(line));
        assert_eq!(
            (found.as_str(), at_line),
            (code, Some(line)),
            "{shown}: {message}"
        );
        if file.len() < 1000 {
            assert_eq!(at_column, Some(column), "{shown}: {message}");
        }
        assert!(at_column.is_some(), "{shown}: {message}");
    }
}

#[test]
fn a_source_beyond_its_bounds_is_refused() {
    let body = [PREFIXES, ":a a skos:Concept ; skos:prefLabel 'A'@en , 'B'@en . :b a skos:Concept . :a rdfs:label 'C' , 'D' , 'E' , 'F' ."].concat();
    for bounds in [
        Bounds {
            concepts: 1,
            ..Bounds::default()
        },
        Bounds {
            statements: 3,
            ..Bounds::default()
        },
        Bounds {
            file_bytes: 100,
            ..Bounds::default()
        },
    ] {
        let mut graph = Graph::new(options(), bounds);
        graph.begin_file("a.ttl", None);
        assert!(
            read_turtle(&mut body.as_bytes(), &mut graph).is_err(),
            "{bounds:?}"
        );
        assert_eq!(codes(graph.report()), ["too-large"], "{bounds:?}");
    }
}
