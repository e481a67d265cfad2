//! SKOS in its syntaxes: what is read of a textbook's vocabulary.

use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Bounds, Categories};

use crate::support::{Files, codes, file, sample, turtle};

#[test]
fn four_syntaxes_say_the_same() {
    let of = |format, extension: &str| file(format, sample(&format!("crafts.{extension}")));
    let turtle = of(SourceFormat::Turtle, "ttl").by_default(Some("en"));
    assert_eq!(turtle.read().release(), Some("2026-01"));
    let expect = turtle.import();
    let crafts = "Making/Carpentry Making/Carpentry/Furniture repair Making/Turnery Making/Upholstery";
    expect.shows(&format!("{crafts} # further-parent"));
    let carpentry = |field| expect.field("Carpentry", field);
    assert_eq!(carpentry("notation"), "10");
    assert!(carpentry("altNames").contains("en=Joinery"));
    assert!(carpentry("notes").contains("en definition=Making things of wood."));
    assert!(carpentry("relations").starts_with("exact example.com:"));
    expect.has("Turnery replacedBy: #Carpentry");
    for (format, extension) in [
        (SourceFormat::JsonLd, "jsonld"),
        (SourceFormat::RdfXml, "rdf"),
        (SourceFormat::NQuads, "nq"),
    ] {
        let found = of(format, extension).by_default(Some("en")).import();
        assert_eq!((&found.json, found.ids()), (&expect.json, expect.ids()));
        assert_eq!(found.codes(), expect.codes());
    }
}

#[test]
fn either_direction_of_a_hierarchy_is_read() {
    let both = "e:a a s:Concept ; s:prefLabel 'A' . e:b a s:Concept ; s:prefLabel 'B' . ";
    for stated in [
        "e:b s:broader e:a .",
        "e:a s:narrower e:b .",
        "e:b iso:broaderPartitive e:a .",
        "e:a iso:narrowerGeneric e:b .",
        "e:b s:broader e:a . e:a s:narrower e:b .",
        "e:b s:broader e:a . e:b s:broader e:a .",
        "e:b s:broaderTransitive e:a ; s:broader e:a .",
    ] {
        turtle(&[both, stated].concat()).import().shows("A/B");
    }
    let further = "e:c a s:Concept ; s:prefLabel 'C' ; s:broader e:a . e:a s:narrower e:b .";
    let imported = turtle(&[both, further].concat()).import();
    imported.shows("A/B A/C # one-way");
}

/// S5, S8 and the domains of the SKOS Reference: a label alone, or a place alone, makes no concept.
#[test]
fn a_concept_is_what_is_typed_or_labelled_and_placed() {
    let imported = turtle(
        "e:typed a s:Concept ; s:prefLabel 'Typed' .
         e:placed s:broader e:typed ; s:prefLabel 'Placed' .
         e:top s:prefLabel 'Top' . e:scheme s:hasTopConcept e:top .
         e:label s:prefLabel 'Label' . e:named s:inScheme e:scheme ; s:prefLabel 'Named' .
         e:elsewhere s:narrower e:typed .",
    )
    .import();
    imported.shows("Top/ Typed/Placed # unknown-parent one-way");
    let relations = imported.field("Typed", "relations");
    assert!(relations.ends_with("https://voc.test/k/elsewhere"), "{relations}");
}

#[test]
fn a_statement_that_is_repeated_is_one() {
    let body = "e:a a s:Concept ; s:prefLabel 'A' ; s:altLabel 'B' , 'C' ; s:definition 'D' ; \
        s:notation '1' ; s:example 'E' , 'F' ; s:related e:b ; s:exactMatch <urn:c> . \
        e:b a s:Concept ; s:prefLabel 'B' ; s:broader e:a . e:a xl:prefLabel [ xl:literalForm 'A' ] .";
    let once = turtle(body).import();
    let twice = turtle(body).and_turtle(body).import();
    assert_eq!(once.codes(), [""; 0]);
    assert_eq!((twice.codes(), twice.json), (once.codes(), once.json));
}

/// Turtle with a default culture, whose texts without a language are in none.
fn english(body: &str) -> Files {
    turtle(body).without_culture().by_default(Some("en"))
}

#[test]
fn labels_follow_the_rules_of_texts() {
    let imported = english(
        "e:a a s:Concept ; s:prefLabel 'Wood'@en , 'Timber'@en , 'Holz'@de-de , 'Bois' ;
            s:altLabel 'Timber'@en , 'Wald'@de-x ; s:hiddenLabel 'Wod'@en .",
    )
    .import();
    imported.has("Timber names: de-DE=Holz, en=Timber");
    imported.has("Timber altNames: en=Wod, en=Bois, en=Wood");
    imported.shows("Timber/ # no-language invalid-tag several-names repeated-name");
    assert_eq!(imported.places("invalid-tag"), "file-1:3");
    let key = imported.issues("invalid-tag")[0].key.as_deref();
    assert_eq!(key, Some("https://voc.test/k/a"));
}

#[test]
fn a_tag_with_an_underscore_is_written_with_a_hyphen() {
    let xml = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
        <skos:Concept rdf:about="urn:a"><skos:prefLabel xml:lang="en-GB">A</skos:prefLabel><skos:altLabel xml:lang="de_AT">B</skos:altLabel>
        <skos:altLabel xml:lang="">C</skos:altLabel></skos:Concept></rdf:RDF>"#;
    let imported = file(SourceFormat::RdfXml, xml).without_culture().import();
    assert_eq!(imported.codes(), ["no-language", "tag-changed"]);
    imported.has("A altNames: de-AT=B, en-GB=C");
}

#[test]
fn the_language_of_a_file_is_that_of_its_texts_without_one() {
    let body = "e:a a s:Concept ; s:prefLabel 'Wood' , 'Holz'@de ; s:altLabel 'Tree' ; s:definition 'D' .";
    let imported = turtle(body).by_default(Some("de")).import();
    assert_eq!(imported.codes(), [""; 0]);
    imported.has("Wood names: de=Holz, en-GB=Wood");
    imported.has("Wood altNames: en-GB=Tree");
    imported.has("Wood notes: en-GB definition=D");
}

/// SKOS-XL, and notes that are resources, before and behind the concept and in another file.
#[test]
fn labels_and_notes_may_be_resources() {
    let labels = "e:label xl:literalForm 'Wood' . e:note rdf:value 'S' . _:x xl:literalForm 'Blank' .";
    let concepts = "e:a a s:Concept ; xl:prefLabel e:label ; xl:altLabel [ xl:literalForm 'Other' ] ; s:definition [ rdf:value 'D' ] ;
        s:scopeNote e:note ; xl:altLabel e:lost ; s:definition <http://example.com/page> .
        e:b a s:Concept ; s:broader e:a ; xl:prefLabel _:x .";
    let imported = turtle(labels).and_turtle(concepts).import();
    imported.has("Wood altNames: en-GB=Other");
    imported.has("Wood notes: en-GB definition=D scopeNote=S");
    // The blank node of one file is none of another.
    imported.shows("Wood/b # no-name invalid-value");
    assert_eq!(imported.issues("invalid-value").len(), 3);
}

#[test]
fn a_title_names_what_has_no_preferred_label() {
    let body = "e:s a s:ConceptScheme ; rdfs:label 'Label' ; dct:title 'Title' . e:t a s:ConceptScheme ; s:prefLabel 'T' ; dct:title 'U' .
        e:a a s:Concept ; s:inScheme e:s ; rdfs:label 'A' . e:b a s:Concept ; s:topConceptOf e:t ; s:prefLabel 'B' ; rdfs:label 'C' .";
    let imported = turtle(body).in_categories(Some(Categories::Schemes)).import();
    imported.shows("T/B Title/A");
}

#[test]
fn what_a_statement_cannot_say_is_left_out() {
    let imported = turtle(
        "e:a a s:Concept ; s:prefLabel 'A' , <urn:label> ;
           s:broader 'text' , <no iri> ; s:exactMatch <relative> ;
           owl:deprecated 'perhaps' ; s:notation e:n .
         <b c> s:prefLabel 'B' .",
    )
    .import();
    assert_eq!(imported.codes(), ["relative-iri", "invalid-value"]);
    let lines = |code| imported.places(code).replace("file-1:", "");
    assert_eq!(lines("invalid-value"), "2 3 4 4");
    assert_eq!(lines("relative-iri"), "3 3 5");
    // Without an IRI a concept would be another one in each release.
    let blank = turtle(
        "e:a a s:Concept ; s:prefLabel 'A' ; s:broader _:b ; s:exactMatch [] .
         _:b a s:Concept ; s:prefLabel 'B' .",
    )
    .import();
    blank.shows("A/ # blank-node");
    assert_eq!(blank.places("blank-node"), "file-1:2 file-1:2 file-1:3");
}

#[test]
fn what_is_replaced_keeps_its_id_or_stays() {
    let of = |body: &str| turtle(&["e:top a s:Concept ; s:prefLabel 'Top' . ", body].concat());
    let first = of("e:old a s:Concept ; s:prefLabel 'Old' ; s:broader e:top .").import();
    let renamed = "e:new a s:Concept ; s:prefLabel 'New' ; s:broader e:top . ";
    for stated in ["e:old dct:isReplacedBy e:new .", "e:new dct:replaces e:old ."] {
        let second = of(&[renamed, stated].concat()).after(&first, &[]);
        assert_eq!(second.id("New"), first.id("Old"), "{stated}");
        assert_eq!(second.codes(), ["renumbered"]);
    }
    let both = "e:old a s:Concept ; s:prefLabel 'Old' ; s:broader e:top ; owl:deprecated true ; dct:isReplacedBy e:new .";
    let beside = of(&[renamed, both].concat()).after(&first, &[]);
    beside.has("Old replacedBy: #New");
    assert_eq!(beside.node("Old")["deprecated"], true);
}

#[test]
fn other_notes_and_mappings_are_kept() {
    let imported = turtle(
        "e:a a s:Concept ; s:prefLabel 'A' ; s:example 'E' ; s:historyNote 'H'@de ;
           s:closeMatch <http://o.io/1> ; s:broadMatch e:b .
         e:b a s:Concept ; s:prefLabel 'B' ; s:broader e:a .",
    )
    .import();
    imported.has(r#"A metadata: {"example":{"en-GB":["E"]},"historyNote":{"de":["H"]}}"#);
    let relations = imported.field("A", "relations");
    let own = "exact voc.test:https://voc.test/k/a";
    for expect in ["broad #B", "close o.io:http://o.io/1", own] {
        assert!(relations.contains(expect), "{relations}");
    }
    assert_eq!(relations.matches(", ").count(), 2);
}

#[test]
fn a_source_beyond_its_bounds_is_refused() {
    let concepts = "e:a a s:Concept ; s:prefLabel 'A' , 'B' . e:b a s:Concept . ";
    let body = turtle(&[concepts, "e:a rdfs:label 'C' , 'D' , 'E' , 'F' ."].concat());
    let bounds = |concepts, statements, file_bytes| Bounds {
        concepts,
        statements,
        file_bytes,
    };
    for bounds in [bounds(1, 99, 9_999), bounds(99, 3, 9_999), bounds(99, 99, 100)] {
        let report = body.clone().within(bounds).report();
        assert_eq!(codes(&report), ["too-large"], "{bounds:?}");
    }
    body.within(bounds(99, 99, 9_999)).import();
}
