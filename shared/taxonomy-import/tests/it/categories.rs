//! What becomes a category: chosen by the source, kept by the id map.

use std::collections::BTreeMap;

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;
use taxonomy_import::{Categories, ChosenBy, ImportOptions, Statement};

use crate::support::{self, Imported, Source, import, read};

/// The options of a person who names none.
fn options() -> ImportOptions {
    ImportOptions {
        categories: None,
        ..support::options()
    }
}

fn imported(format: SourceFormat, text: &str, before: Option<&Imported>) -> Imported {
    let options = options();
    let graph = read(format, &options, &[(Some("en-GB"), text)]);
    import(graph, before.and_then(Imported::id_map), &[])
}

fn turtle(body: &str) -> Imported {
    let prefixes = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix dct: <http://purl.org/dc/terms/> . @prefix e: <https://voc.test/k/> .\n";
    imported(SourceFormat::Turtle, &[prefixes, body].concat(), None)
}

fn choice(imported: &Imported) -> (Categories, ChosenBy) {
    let choices = &imported.written.choices;
    (choices.categories, choices.categories_by)
}

const COLOURS: &str = "e:s a skos:ConceptScheme ; skos:prefLabel 'Colours'@en-GB, 'Farben'@de ; skos:hasTopConcept e:a , e:b .
    e:a a skos:Concept ; skos:inScheme e:s ; skos:prefLabel 'red'@en-GB . e:b a skos:Concept ; skos:inScheme e:s ; skos:prefLabel 'green'@en-GB .";

#[test]
fn a_flat_list_is_one_category_with_terms() {
    let of_scheme = turtle(COLOURS);
    assert_eq!(
        (of_scheme.tree(), choice(&of_scheme)),
        (
            "Colours/green Colours/red".to_owned(),
            (Categories::Schemes, ChosenBy::Source)
        )
    );
    assert_eq!(of_scheme.node("Colours")["names"].as_array().unwrap().len(), 2);
    assert_eq!(of_scheme.codes(), [""; 0]);
    for (format, text, tree) in [
        (
            SourceFormat::Turtle,
            "<urn:a> a <http://www.w3.org/2004/02/skos/core#Concept> ; <http://www.w3.org/2004/02/skos/core#prefLabel> 'red'@en-GB .",
            "urn/red",
        ),
        (
            SourceFormat::Csv,
            "id,name\n1,red\n2,green\n",
            "file-1/green file-1/red",
        ),
        (
            SourceFormat::OpenFoodFacts,
            "en-GB: red\n\nen-GB: green\n",
            "open-food-facts/green open-food-facts/red",
        ),
        (
            SourceFormat::Shopify,
            "gid://shopify/TaxonomyValue/1 : Black [Color]\ngid://shopify/TaxonomyValue/2 : Red [Color]\n",
            "shopify-product-taxonomy/Black [Color] shopify-product-taxonomy/Red [Color]",
        ),
        (
            SourceFormat::Google,
            "1 - red\n2 - green\n",
            "google-product-taxonomy/green google-product-taxonomy/red",
        ),
    ] {
        let found = imported(format, text, None);
        assert_eq!(
            (found.tree().as_str(), choice(&found)),
            (tree, (Categories::One, ChosenBy::Source)),
            "{format:?}"
        );
    }
}

#[test]
fn few_concepts_without_a_parent_are_categories() {
    let table = |rows: &str| {
        imported(
            SourceFormat::Csv,
            &["id,parent,name,deprecated\n", rows].concat(),
            None,
        )
    };
    let found = table("1,,Food,\n2,1,Fruit,\n3,,Tools,\n");
    assert_eq!(
        (found.tree().as_str(), choice(&found)),
        ("Food/Fruit", (Categories::Tops, ChosenBy::Source))
    );
    assert_eq!(
        (
            found.written.counts.categories,
            found.written.counts.empty_categories
        ),
        (2, 1)
    );
    // Fewer than half of them have concepts below; what is retired does not count.
    assert_eq!(
        choice(&table("1,,Food,\n2,1,Fruit,\n3,,Tools,\n4,,Toys,\n")).0,
        Categories::One
    );
    let retired = table("1,,Food,\n2,1,Fruit,\n3,,Tools,yes\n4,,Toys,yes\n");
    assert_eq!(
        (retired.tree().as_str(), choice(&retired).0),
        ("Food/Fruit file-1/Tools file-1/Toys", Categories::Tops)
    );
}

#[test]
fn each_concept_is_in_its_own_of_several_schemes() {
    let found = turtle(
        "e:s1 a skos:ConceptScheme , owl:Ontology ; skos:prefLabel 'Places'@en-GB . e:s2 a skos:ConceptScheme ; skos:prefLabel 'Topics'@en-GB .
         e:s3 a skos:ConceptScheme ; skos:prefLabel 'Empty scheme'@en-GB .
         e:a a skos:Concept ; skos:inScheme e:s1, e:s2 ; skos:topConceptOf e:s1 ; skos:prefLabel 'city'@en-GB .
         e:b a skos:Concept ; skos:inScheme e:s2 ; skos:topConceptOf e:s2 ; skos:prefLabel 'settlement'@en-GB ; skos:narrower e:a .
         e:c a skos:Concept ; skos:inScheme e:s1 ; skos:broader e:a ; skos:prefLabel 'harbour'@en-GB .
         e:d a skos:Concept ; skos:inScheme e:s1 ; skos:prefLabel 'loose one'@en-GB .",
    );
    assert_eq!(
        found.tree(),
        "Places/city Places/city/harbour Places/loose one Topics/settlement"
    );
    assert_eq!(
        (choice(&found), found.written.counts.categories),
        ((Categories::Schemes, ChosenBy::Source), 2)
    );
    assert_eq!(found.codes(), ["other-scheme", "one-way", "ignored"]);
    let relations = found.node("city")["relations"].as_array().unwrap();
    assert!(
        relations.contains(&serde_json::json!({"type": "broad", "id": found.id("settlement")})),
        "{relations:?}"
    );
    let issues = found.written.report.issues();
    let lost = issues
        .iter()
        .find(|issue| issue.code.as_str() == "ignored")
        .unwrap();
    assert_eq!(
        (lost.key.as_deref(), lost.message.as_str()),
        (
            Some("https://voc.test/k/s2"),
            "concepts of this scheme that are elsewhere: 1"
        )
    );
}

#[test]
fn a_concept_of_two_schemes_stays_in_that_of_the_last_release() {
    let with = |further: &str, before: Option<&Imported>| {
        let text = format!(
            "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix e: <https://voc.test/k/> .
             e:s1 a skos:ConceptScheme ; skos:prefLabel 'One'@en-GB . e:s2 a skos:ConceptScheme ; skos:prefLabel 'Two'@en-GB .
             e:a a skos:Concept ; skos:inScheme e:s1 , e:s2 ; skos:prefLabel 'both'@en-GB .
             e:b a skos:Concept ; skos:inScheme e:s1 ; skos:prefLabel 'b'@en-GB . {further}"
        );
        imported(SourceFormat::Turtle, &text, before)
    };
    let first = with("", None);
    assert_eq!(first.tree(), "One/b One/both");
    // By now the other scheme has more concepts.
    let more = "e:c a skos:Concept ; skos:inScheme e:s2 ; skos:prefLabel 'c'@en-GB . e:d a skos:Concept ; skos:inScheme e:s2 ; skos:prefLabel 'd'@en-GB .";
    assert_eq!(with(more, None).tree(), "One/b Two/both Two/c Two/d");
    assert_eq!(with(more, Some(&first)).tree(), "One/b One/both Two/c Two/d");
}

#[test]
fn the_id_map_keeps_the_choice_and_an_option_changes_it_for_new_keys() {
    let first = imported(SourceFormat::Csv, "id,parent,name\n1,,Food\n2,1,Fruit\n", None);
    let flat = "id,parent,name\n1,,Food\n2,1,Fruit\n3,,Tools\n4,,Toys\n5,,Books\n";
    let second = imported(SourceFormat::Csv, flat, Some(&first));
    assert_eq!(
        (choice(&second), second.written.counts.categories),
        ((Categories::Tops, ChosenBy::IdMap), 4)
    );
    assert_eq!(
        choice(&imported(SourceFormat::Csv, flat, None)).0,
        Categories::One
    );

    let one = ImportOptions {
        categories: Some(Categories::One),
        category_name: Some("All".to_owned()),
        ..options()
    };
    let graph = read(SourceFormat::Csv, &one, &[(Some("en-GB"), flat)]);
    let changed = import(graph, first.id_map(), &[]);
    assert_eq!(
        (changed.tree().as_str(), choice(&changed)),
        (
            "All/Books All/Tools All/Toys Food/Fruit",
            (Categories::One, ChosenBy::Option)
        )
    );
    // It keeps its name without the option, and the next one is as this one.
    let again = imported(SourceFormat::Csv, flat, Some(&changed));
    assert_eq!(
        (again.ids(), choice(&again)),
        (changed.ids(), (Categories::One, ChosenBy::IdMap))
    );
    // Without the concepts that it was there for it is no category.
    assert_eq!(
        imported(
            SourceFormat::Csv,
            "id,parent,name\n1,,Food\n2,1,Fruit\n",
            Some(&changed)
        )
        .written
        .counts
        .categories,
        1
    );
}

#[test]
fn a_scheme_that_was_a_category_stays_one_without_concepts() {
    let first = turtle(COLOURS);
    let text = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix e: <https://voc.test/k/> .
        e:s a skos:ConceptScheme ; skos:prefLabel 'Colours'@en-GB . e:t a skos:ConceptScheme ; skos:prefLabel 'New'@en-GB .
        e:a a skos:Concept ; skos:inScheme e:t ; skos:prefLabel 'red'@en-GB .";
    let second = imported(SourceFormat::Turtle, text, Some(&first));
    assert_eq!(second.tree(), "New/red");
    assert_eq!(second.written.counts.empty_categories, 1);
    assert_eq!(
        (second.id("Colours"), second.id("red")),
        (first.id("Colours"), first.id("red"))
    );
}

#[test]
fn a_source_whose_keys_are_no_ids_needs_an_id_map() {
    let check = |format, text: &str, expect: Option<(&str, &str)>| {
        let options = options();
        let graph = read(format, &options, &[(Some("en-GB"), text)]);
        let tree = taxonomy_import::ConceptTree::new(graph, None, &Default::default(), Default::default());
        let refused = tree.err().map(|report| {
            let issue = report.issues()[0].clone();
            (
                issue.code.as_str().to_owned(),
                issue.key.unwrap_or_default(),
                issue.message,
            )
        });
        let expect =
            expect.map(|(key, message)| ("ids-not-kept".to_owned(), key.to_owned(), message.to_owned()));
        assert_eq!(refused, expect, "{text}");
    };
    check(SourceFormat::Google, "1 - A\n2 - A > B\n", None);
    check(SourceFormat::Csv, "id,name\n7,A\n8,B\n", None);
    check(
        SourceFormat::Google,
        "A\nA > B\n",
        Some(("A", "2 of 2 new keys are not ids; this is the first")),
    );
    check(
        SourceFormat::Csv,
        "id,parent,name\n7,,A\n08,7,B\n",
        Some(("08", "1 of 2 new keys are not ids; this is the first")),
    );
    check(
        SourceFormat::Csv,
        "id,level1,level2\n7,A,B\n",
        Some(("A", "1 of 2 new keys are not ids; this is the first")),
    );
    check(
        SourceFormat::OpenFoodFacts,
        "en: A\n",
        Some(("en:a", "1 of 2 new keys are not ids; this is the first")),
    );
}

/// A concept without a parent: the number of concepts below it, and whether it is deprecated.
type Top = (usize, bool);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The table of page 22, read once more.
    #[test]
    fn a_forest_becomes_what_the_table_says(tops in prop::collection::vec((0..3_usize, prop::bool::weighted(0.2)), 1..130)) {
        let mut source = Source::new();
        source.graph.options.categories = None;
        for (number, (below, is_deprecated)) in tops.iter().enumerate() {
            source.concept(&format!("t{number}"), &[]);
            if *is_deprecated {
                source.state(&format!("t{number}"), Statement::Deprecated);
            }
            for child in 0..*below {
                source.concept(&format!("t{number}c{child}"), &[&format!("t{number}")]);
            }
        }
        let counts = source.import().written.counts;
        let live: Vec<&Top> = tops.iter().filter(|(below, is_deprecated)| *below > 0 || !is_deprecated).collect();
        let with_below = live.iter().filter(|(below, _)| *below > 0).count();
        let is_few = live.len() <= 100 && 2 * with_below >= live.len();
        let retired = tops.len() - live.len();
        let (categories, of_tops) = match is_few {
            true => (live.len() + usize::from(retired > 0), retired),
            false => (1, tops.len()),
        };
        let below: usize = tops.iter().map(|(below, _)| below).sum();
        prop_assert_eq!((counts.categories, counts.terms), (categories as u64, (below + of_tops) as u64));
    }

    /// Whatever the hierarchy, a concept is in a category that is one of its schemes.
    #[test]
    fn a_concept_of_schemes_is_in_one_of_them(
        concepts in prop::collection::vec((prop::collection::btree_set(0..4_usize, 1..3), prop::collection::vec(0..20_usize, 0..3), any::<bool>()), 2..20),
    ) {
        let mut source = Source::new();
        source.graph.options.categories = Some(Categories::Schemes);
        source.graph.set_unordered();
        for scheme in 0..4 {
            source.state(&format!("s{scheme}"), Statement::Scheme);
            source.state(&format!("s{scheme}"), Statement::Name(Some("en-GB"), &format!("S{scheme}")));
        }
        for (number, (schemes, parents, is_top)) in concepts.iter().enumerate() {
            let parents: Vec<String> = parents.iter().map(|parent| format!("k{parent}")).collect();
            source.concept(&format!("k{number}"), &parents.iter().map(String::as_str).collect::<Vec<_>>());
            for (at, scheme) in schemes.iter().enumerate() {
                let scheme = source.key(&format!("s{scheme}"));
                let statement = if *is_top && at == 0 { Statement::TopOf(scheme) } else { Statement::InScheme(scheme) };
                source.state(&format!("k{number}"), statement);
            }
        }
        let imported = source.import();
        let paths: BTreeMap<String, String> = imported
            .paths()
            .into_values()
            .map(|path| (path.rsplit('/').next().unwrap().to_owned(), path.split('/').next().unwrap().to_owned()))
            .collect();
        for (number, (schemes, ..)) in concepts.iter().enumerate() {
            let category = &paths[&format!("K{number}")];
            prop_assert!(schemes.iter().any(|scheme| format!("S{scheme}") == *category), "K{number} in {category}: {}", imported.tree());
        }
    }
}
