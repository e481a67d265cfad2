//! Turtle, parsed again: its statements keep the integrity conditions of SKOS. That the file comes back from them: `round_trip` of
//! `taxonomy-import`.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};
use taxonomy_collation::sibling_keys;
use taxonomy_formats::skos::{self, LeftOut, Options};
use taxonomy_formats::{Format, SortedTaxonomy};
use taxonomy_model::Taxonomy;

use crate::graph::{Graph, Object, closure, short};
use taxonomy_testfiles::nasty::nasty_files;
use taxonomy_testfiles::taxonomy;

const SCHEME: &str = "urn:x-taxonomy:tenants/acme";

fn written(taxonomy: &Taxonomy) -> (String, LeftOut) {
    let (tenant, base) = ("acme".parse().unwrap(), skos::Base::default());
    let options = Options {
        tenant: &tenant,
        base: &base,
        label: "",
    };
    let mut bytes = Vec::new();
    let left_out = skos::write(&SortedTaxonomy::new(taxonomy, sibling_keys), &options, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), left_out)
}

fn graph_of(taxonomy: &Taxonomy) -> Graph {
    Graph::of(&written(taxonomy).0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    /// S27, and no cycle, over the tree and all relations.
    #[test]
    fn nothing_is_above_itself_or_related_to_what_is_above_it(file in nasty_files()) {
        let graph = graph_of(&taxonomy(&file));
        let above = closure(&graph.pairs(&["skos:broader", "skos:broadMatch"], &["skos:narrower", "skos:narrowMatch"]));
        for (low, high) in &above {
            prop_assert!(low != high, "{low} is above itself");
        }
        for (one, other) in graph.pairs(&["skos:related", "skos:relatedMatch"], &[]) {
            prop_assert!(!above.contains(&(one.clone(), other.clone())) && !above.contains(&(other.clone(), one.clone())));
            prop_assert!(one != other);
        }
        for top in graph.texts(SCHEME, "skos:hasTopConcept") {
            prop_assert!(graph.texts(top, "skos:broader").is_empty());
        }
    }

    /// S13, S14, S46; `broader` and `narrower`, `related` are stated in both directions.
    #[test]
    fn labels_and_mappings_are_disjoint(file in nasty_files()) {
        let graph = graph_of(&taxonomy(&file));
        for subject in graph.0.keys() {
            let labels: Vec<&Object> = graph.objects(subject, "skos:prefLabel").collect();
            let languages: BTreeSet<Option<&str>> = labels.iter().map(|label| match label {
                Object::Text(text, language) if text.trim() == text => language.as_deref(),
                other => panic!("{other:?}"),
            }).collect();
            prop_assert!(languages.len() == labels.len() && !languages.contains(&None));
            prop_assert!(graph.objects(subject, "skos:altLabel").all(|label| !labels.contains(&label)));
            let exact: BTreeSet<&str> = graph.texts(subject, "skos:exactMatch").into_iter().collect();
            for other in ["skos:broadMatch", "skos:narrowMatch", "skos:relatedMatch"] {
                prop_assert!(graph.texts(subject, other).iter().all(|object| !exact.contains(object)));
            }
        }
        prop_assert_eq!(graph.pairs(&["skos:broader"], &[]), graph.pairs(&[], &["skos:narrower"]));
        prop_assert_eq!(graph.pairs(&["skos:related"], &[]), graph.pairs(&[], &["skos:related"]));
    }

    /// Each relation is among the statements or counted.
    #[test]
    fn every_relation_is_stated_or_counted(file in nasty_files()) {
        let taxonomy = taxonomy(&file);
        let (turtle, left_out) = written(&taxonomy);
        let graph = Graph::of(&turtle);
        let terms = taxonomy.terms().map(|term| (format!("terms/{}", term.id()), term.node));
        let nodes = terms.chain(taxonomy.categories().map(|category| (format!("categories/{}", category.id()), category.node)));
        let (mut stated, mut all) = (0, 0);
        for (subject, node) in nodes {
            for relation in &node.details().relations {
                let relation = serde_json::to_value(relation).unwrap();
                let kind = relation["type"].as_str().unwrap();
                let (object, predicate) = match (relation["id"].as_u64(), kind) {
                    (Some(id), "broad") => (format!("terms/{id}"), "skos:broader".to_owned()),
                    (Some(id), "narrow") => (format!("terms/{id}"), "skos:narrower".to_owned()),
                    (Some(id), "related") => (format!("terms/{id}"), "skos:related".to_owned()),
                    (Some(id), _) => (format!("terms/{id}"), format!("skos:{kind}Match")),
                    (None, _) => (short(relation["id"].as_str().unwrap()), format!("skos:{kind}Match")),
                };
                all += 1;
                // An IRI of the tenant's own is left out, though a relation inside the tenant may state the same.
                let is_own_iri = relation["id"].is_string() && object.starts_with("terms/");
                stated += u64::from(!is_own_iri && graph.texts(&subject, &predicate).contains(&object.as_str()));
            }
        }
        prop_assert_eq!(stated + left_out.total(), all, "{:?}\n{}", left_out, turtle);
        prop_assert_eq!(left_out.undecided, 0);
    }
}

/// Relations among the terms 1 to 5, of which 3 is below 2, and 2 below 1: subject, type and object, which is an id or a concept.
fn relating(relations: &str) -> (String, LeftOut) {
    let of = |subject: u64| {
        let words = relations.split(", ");
        let words = words.map(|relation| relation.split(' ').collect::<Vec<_>>());
        let own = words.filter(|words| words[0] == subject.to_string());
        let own = own.map(|words| match words[2].parse::<u64>() {
            Ok(id) => json!({"type": words[1], "id": id}),
            Err(_) => json!({"type": words[1], "scheme": "s", "id": words[2]}),
        });
        own.collect::<Vec<Value>>()
    };
    let term =
        |id: u64, children: Value| json!({"id": id, "name": "T", "relations": of(id), "children": children});
    let chain = term(1, json!([term(2, json!([term(3, json!([]))]))]));
    let terms = json!([chain, term(4, json!([])), term(5, json!([]))]);
    let file = json!({"defaultCulture": "en-GB", "categories": [{"id": 1, "name": "C", "terms": terms}]});
    written(&taxonomy(&file.to_string()))
}

/// The reasons that there are.
fn reasons(left_out: LeftOut) -> String {
    let text = format!("{left_out:?}");
    let text = text.trim_start_matches("LeftOut { ").trim_end_matches(" }");
    let reasons = text.split(", ").filter(|reason| !reason.ends_with(": 0"));
    reasons.collect::<Vec<_>>().join(", ")
}

#[test]
fn a_relation_is_left_out_for_a_reason() {
    let foreign = "1 broad http://e.io/1, 3 related http://e.io/1";
    for (relations, expect) in [
        ("4 broad 2, 2 related 5, 3 exact 1", ""),
        ("3 broad 2, 1 narrow 2", ""),
        ("4 broad 9, 4 related 8", "unknown: 2"),
        ("4 exact c1, 4 broad A:1", "without_iri: 2"),
        ("4 close urn:x-taxonomy:tenants/acme/terms/4", "without_iri: 1"),
        ("1 broad 3", "cycles: 1"),
        ("4 broad 5, 5 broad 4", "cycles: 1"),
        ("1 broad http://e.io/1, 3 narrow http://e.io/1", "cycles: 1"),
        ("3 broad 1", "implied: 1"),
        ("3 related 1, 1 related 2", "related_to_broader: 2"),
        ("4 broad 3, 1 related 4", "related_to_broader: 1"),
        (foreign, "related_to_broader: 1"),
        ("4 exact http://e.io/1, 4 broad http://e.io/1", "beside_exact: 1"),
    ] {
        let (turtle, left_out) = relating(relations);
        assert_eq!(reasons(left_out), expect, "{relations:?}\n{turtle}");
    }
}

/// A category is a top concept, which has nothing above it.
#[test]
fn a_category_lies_below_no_term() {
    let file = json!({"defaultCulture": "en-GB", "categories": [
        {"id": 1, "name": "A", "relations": [{"type": "broad", "id": 2}, {"type": "narrow", "id": 2}]},
        {"id": 2, "name": "B", "terms": [{"id": 2, "name": "T"}]}]});
    let (turtle, left_out) = written(&taxonomy(&file.to_string()));
    assert_eq!(reasons(left_out), "cycles: 1");
    let graph = Graph::of(&turtle);
    let above = graph.texts("terms/2", "skos:broader");
    assert_eq!(above, ["categories/1", "categories/2"]);
    assert_eq!(graph.one("terms/2", "tax:parent"), Some("categories/2"));
}

#[test]
fn statements_are_these() {
    let file = r#"{"defaultCulture":"en-GB","categories":[{"id":1,"name":"Sector","terms":[
        {"id":1,"names":[{"culture":"en-GB","name":"IT","path":"sector/it"},{"culture":"zh-Hant-TW","name":" 資訊 "}],
         "notation":"62","altNames":[{"culture":"en-GB","name":"ICT"},{"culture":"en-GB","name":"Computing"}],
         "notes":[{"culture":"en-GB","definition":"All of\n\"it\""}],"sortKey":"01","metadata":{"b":1,"a":0.1},
         "deprecation":{"reason":"R","since":"2026-01-31"},"replacedBy":[3,2],
         "relations":[{"type":"exact","scheme":"esco","id":"http://example.com/1"},{"type":"related","id":2}]},
        {"id":2,"name":"Web"}]}]}"#;
    let expect = r#"@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix category: <urn:x-taxonomy:tenants/acme/categories/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix term: <urn:x-taxonomy:tenants/acme/terms/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix tax: <urn:x-taxonomy:vocabulary#> .
@prefix dct: <http://purl.org/dc/terms/> .
"#;
    let (turtle, _) = written(&taxonomy(file));
    let rest = turtle.strip_prefix(expect).unwrap_or_else(|| panic!("{turtle}"));
    assert_eq!(rest, EXPECT_STATEMENTS, "{rest}");
    assert_eq!(Format::Skos.extension(), "ttl");
}

const EXPECT_STATEMENTS: &str = r#"<urn:x-taxonomy:tenants/acme> a skos:ConceptScheme ;
	skos:prefLabel "acme"@en-GB ;
	dct:title "acme"@en-GB ;
	tax:defaultCulture "en-GB" ;
	skos:hasTopConcept category:1 .
category:1 a skos:Concept , tax:Category ;
	dct:identifier "1" ;
	skos:inScheme <urn:x-taxonomy:tenants/acme> ;
	skos:topConceptOf <urn:x-taxonomy:tenants/acme> ;
	skos:narrower term:1 , term:2 ;
	skos:prefLabel "Sector"@en-GB .
term:1 a skos:Concept , tax:Term ;
	dct:identifier "1" ;
	skos:inScheme <urn:x-taxonomy:tenants/acme> ;
	skos:broader category:1 ;
	skos:prefLabel "IT"@en-GB , "資訊"@zh-Hant-TW ;
	tax:name " 資訊 "@zh-Hant-TW ;
	tax:path "sector/it"@en-GB ;
	skos:altLabel "Computing"@en-GB , "ICT"@en-GB ;
	tax:altNames "[{\"culture\":\"en-GB\",\"name\":\"ICT\"},{\"culture\":\"en-GB\",\"name\":\"Computing\"}]"^^rdf:JSON ;
	skos:definition "All of\n\"it\""@en-GB ;
	skos:notation "62" ;
	owl:deprecated true ;
	tax:deprecationReason "R" ;
	tax:deprecatedSince "2026-01-31"^^xsd:date ;
	dct:isReplacedBy term:3 , term:2 ;
	tax:replacedBy "[3,2]"^^rdf:JSON ;
	tax:sortKey "01" ;
	tax:metadata "{\"a\":0.1,\"b\":1}"^^rdf:JSON ;
	skos:exactMatch <http://example.com/1> ;
	skos:related term:2 ;
	tax:relations "[{\"type\":\"exact\",\"scheme\":\"esco\",\"id\":\"http://example.com/1\"},{\"type\":\"related\",\"id\":2}]"^^rdf:JSON .
term:2 skos:related term:1 ;
	a skos:Concept , tax:Term ;
	dct:identifier "2" ;
	skos:inScheme <urn:x-taxonomy:tenants/acme> ;
	skos:broader category:1 ;
	skos:prefLabel "Web"@en-GB .
"#;
