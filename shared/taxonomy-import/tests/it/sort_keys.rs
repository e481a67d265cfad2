//! The notation as the sort key, on request, whatever the format of the source is.

use taxonomy_import::ImportOptions;
use taxonomy_import::sources::SourceFormat;

use crate::support::{import, options, read};

const TURTLE: &str = "@prefix e: <https://voc.test/k/> . @prefix s: <http://www.w3.org/2004/02/skos/core#> .
    e:a a s:Concept ; s:prefLabel 'A' ; s:notation 'J10' . e:b a s:Concept ; s:prefLabel 'B' ; s:notation 'J9' .
    e:c a s:Concept ; s:prefLabel 'C' .";
const N_QUADS: &str = "<https://voc.test/k/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2004/02/skos/core#Concept> .
<https://voc.test/k/a> <http://www.w3.org/2004/02/skos/core#prefLabel> \"A\" .
<https://voc.test/k/a> <http://www.w3.org/2004/02/skos/core#notation> \"J10\" .
";
const JSON_LD: &str = r#"{"@id": "https://voc.test/k/a", "@type": "http://www.w3.org/2004/02/skos/core#Concept",
    "http://www.w3.org/2004/02/skos/core#prefLabel": "A", "http://www.w3.org/2004/02/skos/core#notation": "J10"}"#;
const RDF_XML: &str = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://www.w3.org/2004/02/skos/core#">
    <s:Concept rdf:about="https://voc.test/k/a"><s:prefLabel>A</s:prefLabel><s:notation>J10</s:notation></s:Concept></rdf:RDF>"#;
const ESCO: &str =
    "conceptType,conceptUri,code,preferredLabel\nISCOGroup,http://data.europa.eu/esco/isco/J10,J10,A\n";
const TABLE: &str = "id,name,notation,sortKey\n1,A,J10,\n2,B,J9,first\n3,C,,\n";

#[test]
fn the_notation_is_the_sort_key_where_it_is_asked_for() {
    for (format, text) in [
        (SourceFormat::Turtle, TURTLE),
        (SourceFormat::NQuads, N_QUADS),
        (SourceFormat::JsonLd, JSON_LD),
        (SourceFormat::RdfXml, RDF_XML),
        (SourceFormat::Esco, ESCO),
        (SourceFormat::Csv, TABLE),
    ] {
        for sorts_by_notation in [false, true] {
            let options = ImportOptions {
                sorts_by_notation,
                ..options()
            };
            let imported = import(read(format, &options, &[(Some("en-GB"), text)]), None, &[]);
            let node = imported.node("A");
            assert_eq!(node["notation"], "J10", "{format:?}");
            let expect = sorts_by_notation.then_some("J10");
            assert_eq!(node["sortKey"].as_str(), expect, "{format:?}");
        }
    }
}

#[test]
fn a_sort_key_of_the_source_stays() {
    let options = ImportOptions {
        sorts_by_notation: true,
        ..options()
    };
    let imported = import(
        read(SourceFormat::Csv, &options, &[(Some("en-GB"), TABLE)]),
        None,
        &[],
    );
    assert_eq!(imported.node("B")["sortKey"], "first");
    assert!(imported.node("C").get("sortKey").is_none(), "no notation");
}
