//! The texts of Open Food Facts.

use proptest::prelude::*;
use taxonomy_import::sources::SourceFormat;

use crate::support::{Files, Imported, file};

fn off(text: &str) -> Files {
    file(SourceFormat::OpenFoodFacts, text)
}

/// Checks the tree with the codes of the report beside those about cultures.
#[track_caller]
fn shows(imported: &Imported, expect: &str) {
    let shown = imported.shown().replace(" no-default-name", "");
    let shown = shown.replace(" no-language", "");
    assert_eq!(shown.trim_end_matches(" #"), expect);
}

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
    vegan:en: maybe\n\
    vegan:en: yes\n\
    vegan:fr: oui\n\
    description:en: With bubbles.\n\
    \n\
    en: Sweet things\n\
    # no empty line before the next block\n\
    < fr:Boissons gazeuses\n\
    fr: Limonade à l’été\n\
    \n\
    < en: Drinks\n\
    < en: Not there\n\
    xx: E100\n\
    fr: Rouge\n";

#[test]
fn blocks_are_concepts_with_several_parents() {
    let imported = off(TEXT).import();
    let drinks = "Drinks/E100 Drinks/Fizzy drinks Drinks/Fizzy drinks/Limonade à l’été Sweet things/";
    let tree = format!("{drinks} # unknown-parent further-parent ignored");
    shows(&imported, &tree);
    imported.has("Fizzy drinks altNames: en=Pop, fizz, en=0,5 litre, en-GB=Fizz");
    // A property is a list of the values stated.
    imported.has(r#"Fizzy drinks metadata: {"vegan":{"en":["yes","maybe"],"fr":["oui"]}}"#);
    imported.has("Fizzy drinks notes: en definition=With bubbles.");
    let relations = imported.field("Fizzy drinks", "relations");
    let expect = "exact off:en:fizzy-drinks, broad off:en:sweet-things, exact wikidata:Q42";
    assert_eq!(relations.replace("open-food-facts", "off"), expect);
    // Names of every language are those of the default culture.
    imported.has("E100 names: en-GB=E100, fr=Rouge");
    let ids = imported.ids();
    assert!(ids.contains("fr:limonade-a-l-ete,"), "{ids}");
}

#[test]
fn a_parent_is_the_block_whose_own_name_it_is_before_one_with_the_synonym() {
    let shrimp = "en: Shrimp, Prawns\n\n";
    let prawns = "en: Prawns\nfr: Crevettes roses\n\n";
    let tiger = "< en:prawns\nen: Tiger prawns\n\n";
    let [one, other] = [[shrimp, prawns, tiger], [prawns, shrimp, tiger]];
    for text in [one, other, [tiger, shrimp, prawns]] {
        shows(&off(&text.concat()).import(), "Prawns/Tiger prawns Shrimp/");
    }
    // The first name in another language counts before a synonym as well.
    let french =
        "fr: Crevettes\nen: Shrimp\n\nfr: Gambas, shrimps\nen: Gambas, Shrimp\n\n< en:shrimp\nen: Krill\n";
    shows(&off(french).import(), "Gambas/ Shrimp/Krill");
    // A synonym of two blocks is the first of them, and is reported.
    let flowers = "en: Rose, Pink flower\n\nen: Tulip, Pink flower\n\n< en:pink flower\nen: Peony\n";
    let found = off(flowers).import();
    shows(&found, "Rose/Peony Tulip/ # ambiguous-parent");
    let several = "several concepts have the name en:pink-flower; en:rose is the parent";
    found.says(&format!("ambiguous-parent en:peony: {several}"));
}

#[test]
fn files_are_read_as_product_opener_reads_them() {
    let beer = off("en: Beer\nast: Cerveza\nyue: 啤酒\n\n< ast: Cerveza\nen: Lager\n").import();
    shows(&beer, "Beer/Lager");
    assert!(beer.field("Beer", "names").starts_with("ast=Cerveza"));

    let fat = off("fr: Gras de bœuf\n\n< fr: Gras de boeuf\nfr: Suif\n").import();
    shows(&fat, "Gras de bœuf/Suif");
    assert!(fat.ids().contains("fr:gras-de-boeuf,"), "{}", fat.ids());

    // Odd lines and a second block of a key.
    let odd = off("en: Tea\nwikidata:Q3995785\nhttps://example.org\n\n< en:Tea\nen: Green tea, Ryokucha\nvegan:en:yes\n\n\
        < en: Drinks\nen: Green Tea\nen: Sencha\nfr: Thé vert\n\nen: Drinks\n\n<Tea\n\ndescription:en: alone\n")
    .import();
    let codes = "several-names unknown-line second-block further-parent";
    shows(&odd, &format!("Drinks/ Tea/Green tea # {codes}"));
    odd.has("Green tea altNames: en=Ryokucha, en=Green Tea, en=Sencha");
    assert!(odd.field("Green tea", "names").contains("fr=Thé vert"));
    let lines = |code| odd.places(code).replace("file-1:", "");
    assert_eq!(lines("unknown-line"), "2 3 16 18");
    assert_eq!(lines("second-block"), "10");
}

#[test]
fn a_key_that_is_another_name_by_now_keeps_its_id() {
    let candied = "fr: Citron confit\n\n< fr: Citron confit\nfr: Citron vert confit\n\n";
    let first = off(&[candied, "en: Lemon, Citrus\n"].concat()).import();
    // Somebody added an English name, and another block became a synonym.
    let candied = "en: Candied lemon\nfr: Citron confit\n\n< fr: Citron confit\nen: Candied lime, Sweet lime\nfr: Citron vert confit\n\n";
    let second = off(&[candied, "en: Fruits, Lemon\n"].concat()).after(&first, &[]);
    shows(&second, "Candied lemon/Candied lime Fruits/ # renumbered");
    for (name, former) in [
        ("Candied lemon", "Citron confit"),
        ("Candied lime", "Citron vert confit"),
        ("Fruits", "Lemon"),
    ] {
        assert_eq!(second.id(name), first.id(former), "{name}");
    }
    // What is the name of two blocks, or of none, is gone.
    let third = off("en: Fruits, Lemon, Citrus\n\nen: Limes, Lemon\n").after(&first, &[]);
    assert_eq!(third.issues("gone").len(), 3);
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
        let imported = off(&text).import();
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
            let key = format!("en:block-{number}");
            let has = |code: &str| imported.issues(code).iter().any(|issue| issue.key.as_deref() == Some(&key));
            prop_assert_eq!(has("unknown-parent"), expected.is_none(), "{}\n{}", key, text);
            prop_assert_eq!(has("self-parent"), expected == Some(number), "{}\n{}", key, text);
            if let Some(expected) = expected.filter(|expected| *expected != number) {
                let (below, above) = (format!("Block {number}"), format!("Block {expected}"));
                let is_below = imported.paths().values().any(|path| path.ends_with(&format!("{above}/{below}")));
                let is_related = imported.field(&below, "relations").contains("broad");
                prop_assert!(is_below || is_related, "{} is not below {}: {}\n{}", below, above, imported.tree(), text);
            }
        }
    }
}
