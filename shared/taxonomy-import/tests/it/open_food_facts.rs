//! The texts of Open Food Facts.

use proptest::prelude::*;
use serde_json::json;
use taxonomy_import::sources::SourceFormat;

use crate::support::{Imported, import, import_text, options, read};

const TEXT: &str = "# made up\n\
    stopwords:en: and, the\n\
    \n\
    en: Drinks, Beverages\n\
    fr: Boissons\n\
    \n\
    # a parent by its synonym, a child before its parent\n\
    < en:beverages\n\
    <en:Sweet things\n\
    en: Fizzy drinks, Pop\\, fizz, 0,5 litre\n\
    xx: Fizz\n\
    fr: Boissons gazeuses\n\
    wikidata:en:Q42\n\
    vegan:en:yes\n\
    description:en: With bubbles.\n\
    \n\
    en: Sweet things\n\
    # no empty line before the next block\n\
    < fr:Boissons gazeuses\n\
    fr: Limonade à l’été\n";

#[test]
fn blocks_are_concepts_with_several_parents() {
    let imported = import_text(SourceFormat::OpenFoodFacts, TEXT);
    assert_eq!(
        imported.tree(),
        "Drinks/Fizzy drinks Drinks/Fizzy drinks/Limonade à l’été"
    );
    let fizzy = imported.node("Fizzy drinks");
    assert_eq!(
        fizzy["altNames"],
        json!([
            {"culture": "en", "name": "Pop, fizz"},
            {"culture": "en", "name": "0,5 litre"},
            {"culture": "en-GB", "name": "Fizz"},
        ])
    );
    assert_eq!(fizzy["metadata"], json!({"vegan": {"en": ["yes"]}}));
    assert_eq!(
        fizzy["notes"],
        json!([{"culture": "en", "definition": "With bubbles."}])
    );
    let relations = fizzy["relations"].as_array().unwrap();
    for expect in [
        json!({"type": "exact", "scheme": "open-food-facts", "id": "en:fizzy-drinks"}),
        json!({"type": "broad", "scheme": "open-food-facts", "id": "en:sweet-things"}),
        json!({"type": "exact", "scheme": "wikidata", "id": "Q42"}),
    ] {
        assert!(relations.contains(&expect), "{relations:?}");
    }
    assert!(
        imported.ids().contains("fr:limonade-a-l-ete,"),
        "{}",
        imported.ids()
    );
}

#[test]
fn names_of_every_language_are_those_of_the_default_culture() {
    let imported = import_text(
        SourceFormat::OpenFoodFacts,
        "en: A\n\n<en:A\nxx: E100\nfr: Rouge\n",
    );
    assert_eq!(
        imported.node("E100")["names"],
        json!([{"culture": "en-GB", "name": "E100"}, {"culture": "fr", "name": "Rouge"}])
    );
}

#[test]
fn a_parent_that_no_block_describes_is_kept_as_a_relation() {
    let imported = import_text(
        SourceFormat::OpenFoodFacts,
        "en: A\n\n<en:A\n<en:Not there\nen: B\n",
    );
    assert_eq!(imported.tree(), "A/B");
    assert!(imported.codes().contains(&"unknown-parent"));
}

#[test]
fn a_property_is_a_list_of_the_values_stated() {
    let text = "en: Tea\nvegan:en: yes\nvegan:en: maybe\nvegan:en: yes\nvegan:fr: oui\n";
    let imported = import_text(SourceFormat::OpenFoodFacts, text);
    assert_eq!(
        imported.node("Tea")["metadata"],
        json!({"vegan": {"en": ["yes", "maybe"], "fr": ["oui"]}})
    );
}

fn off(text: &str, before: Option<&Imported>) -> Imported {
    let options = options();
    let graph = read(SourceFormat::OpenFoodFacts, &options, &[(Some("en-GB"), text)]);
    import(graph, before.and_then(Imported::id_map), &[])
}

/// The codes of the report beside those about cultures.
fn codes(imported: &Imported) -> Vec<&'static str> {
    let about_cultures = ["no-default-name", "no-language"];
    let codes = imported.codes().into_iter();
    codes.filter(|code| !about_cultures.contains(code)).collect()
}

#[test]
fn a_parent_is_the_block_whose_own_name_it_is_before_one_with_the_synonym() {
    let shrimp = "en: Shrimp, Prawns\n\n";
    let prawns = "en: Prawns\nfr: Crevettes roses\n\n";
    let tiger = "< en:prawns\nen: Tiger prawns\n\n";
    for text in [
        [shrimp, prawns, tiger],
        [prawns, shrimp, tiger],
        [tiger, shrimp, prawns],
    ] {
        let found = off(&text.concat(), None);
        assert_eq!(
            (found.tree().as_str(), codes(&found)),
            ("Prawns/Tiger prawns", vec![])
        );
    }
    // The first name in another language counts before a synonym as well.
    let french = off(
        "fr: Crevettes\nen: Shrimp\n\nfr: Gambas, shrimps\nen: Gambas, Shrimp\n\n< en:shrimp\nen: Krill\n",
        None,
    );
    assert_eq!(codes(&french), [""; 0]);
    assert_eq!(french.tree(), "Shrimp/Krill");
    // A synonym of two blocks is the first of them, and is reported.
    let flowers = "en: Rose, Pink flower\n\nen: Tulip, Pink flower\n\n< en:pink flower\nen: Peony\n";
    let found = off(flowers, None);
    assert_eq!(
        (found.tree().as_str(), codes(&found)),
        ("Rose/Peony", vec!["ambiguous-parent"])
    );
    let issues = found.written.report.issues();
    let issue = issues
        .iter()
        .find(|issue| issue.code.as_str() == "ambiguous-parent")
        .unwrap();
    assert_eq!(
        issue.message,
        "several concepts have the name en:pink-flower; en:rose is the parent"
    );
}

#[test]
fn files_are_read_as_product_opener_reads_them() {
    let beer = off(
        "en: Beer\nast: Cerveza\nyue: 啤酒\n\n< ast: Cerveza\nen: Lager\n",
        None,
    );
    assert_eq!((beer.tree().as_str(), codes(&beer)), ("Beer/Lager", vec![]));
    assert_eq!(
        beer.node("Beer")["names"][0],
        json!({"culture": "ast", "name": "Cerveza"})
    );

    let fat = off("fr: Gras de bœuf\n\n< fr: Gras de boeuf\nfr: Suif\n", None);
    assert_eq!((fat.tree().as_str(), codes(&fat)), ("Gras de bœuf/Suif", vec![]));
    assert!(fat.ids().contains("fr:gras-de-boeuf,"), "{}", fat.ids());

    // Odd lines and a second block of a key.
    let text = "en: Tea\nwikidata:Q3995785\nhttps://example.org\n\n< en:Tea\nen: Green tea, Ryokucha\nvegan:en:yes\n\n\
        < en: Drinks\nen: Green Tea\nen: Sencha\nfr: Thé vert\n\nen: Drinks\n\n<Tea\n\ndescription:en: alone\n";
    let odd = off(text, None);
    assert_eq!(odd.tree(), "Tea/Green tea");
    assert_eq!(
        codes(&odd),
        ["several-names", "unknown-line", "second-block", "further-parent"]
    );
    let green = odd.node("Green tea");
    let names: Vec<&str> = green["altNames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Ryokucha", "Green Tea", "Sencha"]);
    assert!(
        green["names"]
            .as_array()
            .unwrap()
            .contains(&json!({"culture": "fr", "name": "Thé vert"}))
    );
    let issues = odd.written.report.issues();
    let lines = |code: &str| -> Vec<u32> {
        issues
            .iter()
            .filter(|issue| issue.code.as_str() == code)
            .map(|issue| issue.line.unwrap())
            .collect()
    };
    assert_eq!(
        (lines("unknown-line"), lines("second-block")),
        (vec![2, 3, 16, 18], vec![10])
    );
}

#[test]
fn a_key_that_is_another_name_by_now_keeps_its_id() {
    let first = off(
        "fr: Citron confit\n\n< fr: Citron confit\nfr: Citron vert confit\n\nen: Lemon, Citrus\n",
        None,
    );
    // Somebody added an English name, and another block became a synonym.
    let second = off(
        "en: Candied lemon\nfr: Citron confit\n\n< fr: Citron confit\nen: Candied lime, Sweet lime\nfr: Citron vert confit\n\nen: Fruits, Lemon\n",
        Some(&first),
    );
    assert_eq!(codes(&second), ["renumbered"]);
    assert_eq!(second.id("Candied lemon"), first.id("Citron confit"));
    assert_eq!(second.id("Candied lime"), first.id("Citron vert confit"));
    assert_eq!(second.id("Fruits"), first.id("Lemon"));
    // What is the name of two blocks, or of none, is gone.
    let third = off("en: Fruits, Lemon, Citrus\n\nen: Limes, Lemon\n", Some(&first));
    assert_eq!(
        third.written.report.count_of(taxonomy_import::Code::Gone),
        3,
        "{:#?}",
        third.written.report.issues()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Blocks with names of three languages, some of several blocks: a parent is what a plain reading of the file says.
    #[test]
    fn generated_blocks_have_the_parents_of_another_reading(
        blocks in prop::collection::vec((prop::collection::vec((0..3_usize, prop::collection::vec(0..6_usize, 1..4)), 1..3), prop::option::of((0..3_usize, 0..6_usize))), 1..9),
    ) {
        let languages = ["en", "fr", "ast"];
        // Œ, Š and a Roman numeral in brackets, in two spellings that are one tag in English and French only, or in all languages.
        let names = [["Œuf", "oeuf"], ["Šunka", "šunka"], ["E1(ii)", "E1II"], ["Crème brûlée", "creme  brulee"], ["a, b", "a b"], ["Z", "z"]];
        let mut text = String::new();
        for (number, (lines, parent)) in blocks.iter().enumerate() {
            if let Some((language, name)) = parent {
                text += &format!("< {}: {}\n", languages[*language], names[*name][1].replace(',', "\\,"));
            }
            // The first name is unique, so each block has a key of its own.
            text += &format!("en: Block {number}\n");
            for (language, list) in lines {
                let list: Vec<String> = list.iter().map(|name| names[*name][0].replace(',', "\\,")).collect();
                text += &format!("{}: {}\n", languages[*language], list.join(", "));
            }
            text += "\n";
        }
        let imported = off(&text, None);
        for (number, (_, parent)) in blocks.iter().enumerate() {
            let Some((language, name)) = parent else { continue };
            // By hand: what both spellings have in common, and where they differ.
            let is_joined = !matches!((languages[*language], *name), ("ast", 0 | 3));
            let of = |is_first: bool| {
                blocks.iter().position(|(lines, _)| {
                    lines.iter().any(|(other, list)| other == language && match is_first {
                        true => list[0] == *name,
                        false => list.contains(name),
                    })
                })
            };
            let expected = of(true).or_else(|| of(false)).filter(|_| is_joined);
            let issues = imported.written.report.issues();
            let key = format!("en:block-{number}");
            let has = |code: &str| issues.iter().any(|issue| issue.code.as_str() == code && issue.key.as_deref() == Some(&key));
            prop_assert_eq!(has("unknown-parent"), expected.is_none(), "{}\n{}", key, text);
            prop_assert_eq!(has("self-parent"), expected == Some(number), "{}\n{}", key, text);
            let relations = imported.node(&format!("Block {number}"))["relations"].clone();
            let paths = imported.paths();
            if let Some(expected) = expected.filter(|expected| *expected != number) {
                let (below, above) = (format!("Block {number}"), format!("Block {expected}"));
                let is_below = paths.values().any(|path| path.ends_with(&format!("{above}/{below}")));
                let is_related = relations.to_string().contains("broad");
                prop_assert!(is_below || is_related, "{} is not below {}: {}\n{}", below, above, imported.tree(), text);
            }
        }
    }
}
