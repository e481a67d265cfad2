//! What of a node is sorted, and by which language.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use serde_json::{Value, json};
use taxonomy_collation::sibling_keys;
use taxonomy_model::{Siblings, Taxonomy};

fn taxonomy(terms: &[Value]) -> Taxonomy {
    let file = json!({"defaultCulture": "en-GB", "categories": [{"id": 1, "name": "All", "terms": terms}]});
    taxonomy_testfiles::taxonomy(&file.to_string())
}

/// Returns the ids of the terms in the order of a culture.
fn ids(taxonomy: &Taxonomy, culture: &str) -> Vec<u64> {
    let keys = sibling_keys(taxonomy, &culture.parse().unwrap());
    let siblings = Siblings::new(taxonomy, &*keys);
    let terms = siblings.top_terms(1.try_into().unwrap()).iter();
    terms.map(|term| term.id().get()).collect()
}

/// A reader sees another name than that of the culture where a term lacks it, and the terms in the order of what is seen.
#[test]
fn the_names_that_are_shown_are_sorted() {
    let term = |id: u64, names: Value| json!({"id": id, "names": names});
    let en = |name: &str| json!({"culture": "en-GB", "name": name});
    let fr = |name: &str| json!({"culture": "fr-FR", "name": name});
    let taxonomy = taxonomy(&[
        term(1, json!([en("Zoology"), fr("Biologie")])),
        term(2, json!([en("Crafts")])),
        term(3, json!([en("Arts"), fr("Édition")])),
    ]);
    assert_eq!(ids(&taxonomy, "en-GB"), [3, 2, 1]);
    assert_eq!(ids(&taxonomy, "fr-FR"), [1, 2, 3]);
    assert_eq!(ids(&taxonomy, "fr-BE"), [1, 2, 3]);
    assert_eq!(ids(&taxonomy, "ja"), [3, 2, 1]);
}

/// A sort key stands in for the name. Where every sibling has one, no language has a say: in Lithuanian y comes before j.
#[test]
fn sort_keys_come_before_names_and_are_of_no_language() {
    let term = |id: u64, name: &str, key: Option<&str>| {
        let names = json!([{"culture": "en-GB", "name": name}, {"culture": "lt", "name": name}]);
        json!({"id": id, "names": names, "sortKey": key})
    };
    let keys = [
        (1, "one", "J10"),
        (2, "two", "J9"),
        (3, "three", "Y1"),
        (4, "four", "0"),
        (5, "five", "J9"),
    ];
    let keyed = keys.map(|(id, name, key)| term(id, name, Some(key)));
    let codes = taxonomy(&keyed);
    for culture in ["en-GB", "lt", "ja"] {
        assert_eq!(ids(&codes, culture), [4, 2, 5, 1, 3], "{culture}");
    }
    let some = taxonomy(&[&keyed[..], &[term(6, "k", None)]].concat());
    assert_eq!(ids(&some, "en-GB"), [4, 2, 5, 1, 6, 3]);
    assert_eq!(ids(&some, "lt"), [4, 3, 2, 5, 1, 6]);
}
