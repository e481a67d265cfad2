//! The texts of Open Food Facts.

use serde_json::json;
use taxonomy_import::sources::SourceFormat;

use crate::support::import_text;

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
