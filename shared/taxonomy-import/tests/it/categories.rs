//! What becomes a category: chosen by the source, kept by the id map.

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat::{self, Csv, Google, OpenFoodFacts, Shopify};
use taxonomy_import::{Categories, ConceptTree, Replacements, Statement};
use taxonomy_model::Limits;

use crate::support::{self, Files, Imported, Source};

/// A file of a person who names no choice.
fn file(format: SourceFormat, text: &str) -> Files {
    support::file(format, text).in_categories(None)
}

fn table(rows: &str) -> Files {
    file(Csv, &["id,parent,name,deprecated\n", rows].concat())
}

fn turtle(body: &str) -> Files {
    support::turtle(body).in_categories(None)
}

/// The tree with the codes of the report, the choice, and what made it.
fn chosen(imported: &Imported) -> String {
    let choices = &imported.written.choices;
    let shown = imported.shown();
    format!("{shown}; {:?} by {:?}", choices.categories, choices.categories_by)
}

const COLOURS: &str = "e:s a s:ConceptScheme ; s:prefLabel 'Colours', 'Farben'@de ; s:hasTopConcept e:a , e:b .
    e:a a s:Concept ; s:inScheme e:s ; s:prefLabel 'red' . e:b a s:Concept ; s:inScheme e:s ; s:prefLabel 'green' .";

#[test]
fn a_flat_list_is_one_category_with_terms() {
    let of_scheme = turtle(COLOURS).import();
    assert_eq!(chosen(&of_scheme), "Colours/green Colours/red; Schemes by Source");
    of_scheme.has("Colours names: de=Farben, en-GB=Colours");
    let values = "gid://shopify/1 : red\ngid://shopify/2 : green\n";
    let blocks = "en-GB: red\n\nen-GB: green\n";
    let concepts = "e:a a s:Concept ; s:prefLabel 'red' . e:b a s:Concept ; s:prefLabel 'green' .";
    for (files, category) in [
        (turtle(concepts), "voc.test"),
        (file(Csv, "id,name\n1,red\n2,green\n"), "file-1"),
        (file(OpenFoodFacts, blocks), "open-food-facts"),
        (file(Shopify, values), "shopify-product-taxonomy"),
        (file(Google, "1 - red\n2 - green\n"), "google-product-taxonomy"),
    ] {
        let expect = format!("{category}/green {category}/red; One by Source");
        assert_eq!(chosen(&files.import()), expect);
    }
}

#[test]
fn few_concepts_without_a_parent_are_categories() {
    let check = |retired: &str, expect: &str| {
        let rows = format!("1,,Food,\n2,1,Fruit,\n3,,Tools,{retired}");
        assert_eq!(chosen(&table(&rows).import()), expect);
    };
    check("\n", "Food/Fruit Tools/; Tops by Source");
    // Fewer than half of them have concepts below; what is retired does not count.
    let one = "file-1/Food file-1/Food/Fruit file-1/Tools file-1/Toys; One by Source";
    check("\n4,,Toys,\n", one);
    let retired = "Food/Fruit file-1/Tools file-1/Toys; Tops by Source";
    check("yes\n4,,Toys,yes\n", retired);
}

#[test]
fn each_concept_is_in_its_own_of_several_schemes() {
    let found = turtle(
        "e:s1 a s:ConceptScheme , owl:Ontology ; s:prefLabel 'Places' . e:s2 a s:ConceptScheme ; s:prefLabel 'Topics' .
         e:s3 a s:ConceptScheme ; s:prefLabel 'Empty scheme' .
         e:a a s:Concept ; s:inScheme e:s1, e:s2 ; s:topConceptOf e:s1 ; s:prefLabel 'city' .
         e:b a s:Concept ; s:inScheme e:s2 ; s:topConceptOf e:s2 ; s:prefLabel 'settlement' ; s:narrower e:a .
         e:c a s:Concept ; s:inScheme e:s1 ; s:broader e:a ; s:prefLabel 'harbour' .
         e:d a s:Concept ; s:inScheme e:s1 ; s:prefLabel 'loose one' .",
    )
    .import();
    let tree = "Places/city Places/city/harbour Places/loose one Topics/settlement";
    let codes = "other-scheme one-way ignored";
    assert_eq!(chosen(&found), format!("{tree} # {codes}; Schemes by Source"));
    found.has("city relations: exact voc.test:https://voc.test/k/a, broad #settlement");
    found.says("ignored https://voc.test/k/s2: concepts of this scheme that are elsewhere: 1");
}

#[test]
fn a_concept_of_two_schemes_stays_in_that_of_the_last_release() {
    let with = |further: &str| {
        turtle(&format!(
            "e:s1 a s:ConceptScheme ; s:prefLabel 'One' . e:s2 a s:ConceptScheme ; s:prefLabel 'Two' .
             e:a a s:Concept ; s:inScheme e:s1 , e:s2 ; s:prefLabel 'both' .
             e:b a s:Concept ; s:inScheme e:s1 ; s:prefLabel 'b' . {further}"
        ))
    };
    let first = with("").import();
    assert_eq!(first.tree(), "One/b One/both");
    // By now the other scheme has more concepts.
    let more = with(
        "e:c a s:Concept ; s:inScheme e:s2 ; s:prefLabel 'c' . e:d a s:Concept ; s:inScheme e:s2 ; s:prefLabel 'd' .",
    );
    more.import().shows("One/b Two/both Two/c Two/d # ignored");
    let next = more.after(&first, &[]);
    next.shows("One/b One/both Two/c Two/d # ignored");
}

#[test]
fn the_id_map_keeps_the_choice_and_an_option_changes_it_for_new_keys() {
    let first = table("1,,Food,\n2,1,Fruit,\n").import();
    let flat = table("1,,Food,\n2,1,Fruit,\n3,,Tools,\n4,,Toys,\n5,,Books,\n");
    let second = flat.after(&first, &[]);
    assert_eq!(chosen(&second), "Books/ Food/Fruit Tools/ Toys/; Tops by IdMap");
    assert_eq!(flat.import().written.choices.categories, Categories::One);

    let one = flat.clone().with(|options| {
        options.categories = Some(Categories::One);
        options.category_name = Some("All".to_owned());
    });
    let changed = one.after(&first, &[]);
    let tree = "All/Books All/Tools All/Toys Food/Fruit";
    assert_eq!(chosen(&changed), format!("{tree}; One by Option"));
    // It keeps its name without the option, and the next one is as this one.
    let again = flat.after(&changed, &[]);
    assert_eq!(again.ids(), changed.ids());
    assert_eq!(chosen(&again), format!("{tree}; One by IdMap"));
    // Without the concepts that it was there for it is no category.
    let without = table("1,,Food,\n2,1,Fruit,\n").after(&changed, &[]);
    assert_eq!(without.tree(), "Food/Fruit");
}

#[test]
fn a_scheme_that_was_a_category_stays_one_without_concepts() {
    let first = turtle(COLOURS).import();
    let text = "e:s a s:ConceptScheme ; s:prefLabel 'Colours' . e:t a s:ConceptScheme ; s:prefLabel 'New' .
        e:a a s:Concept ; s:inScheme e:t ; s:prefLabel 'red' .";
    let second = turtle(text).after(&first, &[]);
    assert_eq!(second.tree(), "Colours/ New/red");
    for name in ["Colours", "red"] {
        assert_eq!(second.id(name), first.id(name));
    }
}

#[test]
fn a_source_whose_keys_are_no_ids_needs_an_id_map() {
    for (format, text, expect) in [
        (Google, "1 - A\n2 - A > B\n", ""),
        (Csv, "id,name\n7,A\n8,B\n", ""),
        (Google, "A\nA > B\n", "A: 2 of 2"),
        (Csv, "id,parent,name\n7,,A\n08,7,B\n", "08: 1 of 2"),
        (Csv, "id,level1,level2\n7,A,B\n", "A: 1 of 2"),
        (OpenFoodFacts, "en: A\n", "en:a: 1 of 2"),
    ] {
        let (graph, none) = (file(format, text).read(), Replacements::default());
        let refused = ConceptTree::new(graph, None, &none, Limits::default()).err();
        let refused = refused.map(|report| {
            let issue = report.issues()[0];
            let first = " new keys are not ids; this is the first";
            let message = issue.message.strip_suffix(first).unwrap();
            assert_eq!(issue.code.as_str(), "ids-not-kept");
            format!("{}: {message}", issue.key.as_deref().unwrap())
        });
        assert_eq!(refused.unwrap_or_default(), expect, "{text}");
    }
}

/// A concept without a parent: the number of concepts below it, and whether it is deprecated.
type Top = (usize, bool);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The table of page 22, read once more.
    #[test]
    fn a_forest_becomes_what_the_table_says(tops in prop::collection::vec((0..3_usize, prop::bool::weighted(0.2)), 1..130)) {
        let mut text = String::new();
        for (number, (below, is_deprecated)) in tops.iter().enumerate() {
            text += &format!("t{number}{} ", if *is_deprecated { "!" } else { "" });
            text.extend((0..*below).map(|child| format!("t{number}c{child}<t{number} ")));
        }
        let mut source = Source::of(&text);
        source.graph.options.categories = None;
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
        for scheme in ["s0", "s1", "s2", "s3"] {
            source.state(scheme, Statement::Scheme);
            source.state(scheme, Statement::Name(Some("en-GB"), &scheme.to_uppercase()));
        }
        for (number, (schemes, parents, is_top)) in concepts.iter().enumerate() {
            source.concept(&format!("k{number}"));
            for parent in parents {
                source.link(&format!("k{number}"), Statement::Broader, &format!("k{parent}"));
            }
            for (at, scheme) in schemes.iter().enumerate() {
                let statement = if *is_top && at == 0 { Statement::TopOf } else { Statement::InScheme };
                source.link(&format!("k{number}"), statement, &format!("s{scheme}"));
            }
        }
        let imported = source.import();
        for (number, (schemes, ..)) in concepts.iter().enumerate() {
            let is_own = |path: &String| path.ends_with(&format!("/K{number}"));
            let path = imported.paths().into_values().find(is_own).unwrap();
            prop_assert!(schemes.iter().any(|scheme| path.starts_with(&format!("S{scheme}/"))), "{path}");
        }
    }
}
