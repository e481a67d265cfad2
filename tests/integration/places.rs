//! Tests of the place of a category or a term among its siblings, against the lists.

use taxonomy_tests::prelude::*;

/// Two categories with terms whose orders differ by culture; one term and one category are deprecated.
const FILE: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector"}],"terms":[
    {"id":1,"names":[{"culture":"en-GB","name":"Alpha"},{"culture":"fr-FR","name":"Zoé"}],"children":[
      {"id":2,"names":[{"culture":"en-GB","name":"Ada"},{"culture":"fr-FR","name":"Voile"}],"notation":"1.1","children":[
        {"id":5,"names":[{"culture":"en-GB","name":"Deep"}]}]},
      {"id":3,"names":[{"culture":"en-GB","name":"Basic"},{"culture":"fr-FR","name":"Arbre"}],"deprecated":true},
      {"id":4,"names":[{"culture":"en-GB","name":"Cobol"},{"culture":"fr-FR","name":"Mer"}]}]},
    {"id":6,"names":[{"culture":"en-GB","name":"Beta"},{"culture":"fr-FR","name":"Abeille"}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Place"}],"deprecated":true,"terms":[]},
  {"id":3,"names":[{"culture":"en-GB","name":"Role"}],"terms":[]}]}"#;

#[tokio::test]
async fn a_place_agrees_with_the_list_of_the_siblings() {
    let (_world, lookup) = served(FILE).await;
    let lists = [
        ("terms", "terms/1/children?"),
        ("terms", "terms/2/children?"),
        ("terms", "categories/1/terms?depth=1&"),
        ("categories", "categories?"),
    ];
    for culture in ["en-GB", "fr-FR"] {
        for filter in ["include", "exclude"] {
            for (kind, list) in lists {
                let asked = format!("culture={culture}&deprecated={filter}");
                let siblings = pages(&lookup, &format!("{list}{asked}")).await;
                assert!(!siblings.is_empty(), "{list}");
                for (at, item) in siblings.iter().enumerate() {
                    let (_, node) =
                        get(&lookup, &format!("{kind}/{}?include=place&{asked}", item["id"])).await;
                    let place = &node["place"];
                    let known = |at: usize| siblings.get(at).map_or(Value::Null, |item| item["id"].clone());
                    let expected = json!({
                        "position": at + 1,
                        "siblings": siblings.len(),
                        "previous": at.checked_sub(1).map_or(Value::Null, known),
                        "next": known(at + 1),
                        "childCount": item["childCount"],
                        "descendantCount": item["descendantCount"],
                    });
                    let found = json!({
                        "position": place["position"],
                        "siblings": place["siblings"],
                        "previous": place["previous"]["id"],
                        "next": place["next"]["id"],
                        "childCount": place["childCount"],
                        "descendantCount": place["descendantCount"],
                    });
                    assert_eq!(found, expected, "{list} {asked} {}", item["id"]);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_sibling_is_named_as_the_list_names_it() {
    let (_world, lookup) = served(FILE).await;
    let (_, node) = get(&lookup, "terms/4?include=place&culture=fr-FR").await;
    assert_eq!(
        node["place"]["next"],
        json!({ "id": 2, "name": "Voile", "culture": "fr-FR", "notation": "1.1", "deprecated": false })
    );
}

#[tokio::test]
async fn a_deprecated_term_has_a_place_among_those_that_are_not() {
    let (_world, lookup) = served(FILE).await;
    let (_, node) = get(&lookup, "terms/3?include=place&deprecated=exclude").await;
    let place = &node["place"];
    let found = (&place["position"], &place["previous"]["id"], &place["next"]["id"]);
    assert_eq!(found, (&json!(2), &json!(2), &json!(4)));
}

#[tokio::test]
async fn places_come_beside_relations_and_never_by_themselves() {
    let (_world, lookup) = served(FILE).await;
    let (_, both) = get(&lookup, "terms/2?include=related,place").await;
    assert!(both["related"].is_array() && both["place"].is_object());
    let (_, plain) = get(&lookup, "terms/2").await;
    assert_eq!(plain.get("place"), None);
    for wrong in [
        "terms/2?include=places",
        "terms/2?include=place,",
        "categories/1?include=related",
    ] {
        assert_eq!(get(&lookup, wrong).await.0, 400, "{wrong}");
    }
}

#[tokio::test]
async fn a_removed_term_has_no_place() {
    let (world, _) = served(FILE).await;
    let without = FILE.replace(
        r#","children":[
        {"id":5,"names":[{"culture":"en-GB","name":"Deep"}]}]"#,
        "",
    );
    assert_ne!(without, FILE);
    world.push(TENANT, without.as_bytes()).await;
    let lookup = process(&world);
    let (_, removed) = get(&lookup, "terms/5?include=place").await;
    assert_eq!((&removed["removed"], removed.get("place")), (&json!(true), None));
}
