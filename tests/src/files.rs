//! The files of tests: samples, small files, and the items of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_model::{Defaults, Limits, Taxonomy, items, parse};

/// Two categories, three levels, two cultures, and every field that a category and a term can have.
pub const SMALL: &str = r#"{"defaultCulture":"en-GB","categories":[
  {"id":1,"names":[{"culture":"en-GB","name":"Sector","path":"sector"},{"culture":"fr-FR","name":"Secteur","path":"secteur"}],
   "notation":"S","altNames":[{"culture":"en-GB","name":"Domain"},{"culture":"fr-FR","name":"Domaine"}],"sortKey":"010","metadata":{"facet":true,"n":1.5},
   "deprecated":true,"replacedBy":[2],"deprecation":{"reason":"old","since":"2026-01-31"},
   "notes":[{"culture":"en-GB","definition":"C","scopeNote":"N"}],
   "relations":[{"type":"close","scheme":"esco","id":"http://c"}],
   "terms":[
    {"id":100,"names":[{"culture":"en-GB","name":"IT","path":"it"},{"culture":"fr-FR","name":"Informatique","path":"informatique"}],"children":[
      {"id":101,"names":[{"culture":"en-GB","name":"Rust: the job","path":"it/rust"},{"culture":"fr-FR","name":"Rust","path":"informatique/rust"}],
       "notation":"6201","altNames":[{"culture":"en-GB","name":"Rustacean"}],"sortKey":"010","metadata":{"b":[1,2.5,123456789012345678901234567890],"a":"é"},
       "deprecated":true,"replacedBy":[100],"deprecation":{"reason":"old","since":"2026-01-31"},
       "relations":[{"type":"related","id":102},{"type":"exact","scheme":"esco","id":"http://x"}],
       "notes":[{"culture":"en-GB","definition":"D\n\nD"},{"culture":"fr-FR","definition":"F","scopeNote":"S"}],
       "children":[{"id":102,"names":[{"culture":"en-GB","name":"Async","path":"it/rust/async"}]}]}]}]},
  {"id":2,"names":[{"culture":"en-GB","name":"Place"}],"terms":[
    {"id":0,"names":[{"culture":"en-GB","name":"Remote"},{"culture":"de-DE","name":"Entfernt"}]}]}]}"#;

/// Returns the items that the projection of a file must have, by the pure functions of the model.
pub fn expected(tenant: &str, file: &[u8]) -> BTreeMap<(String, String), BTreeMap<String, String>> {
    use taxonomy_model::attribute::Value as Plain;
    fn render(value: &Plain) -> String {
        match value {
            Plain::String(text) => format!("{text:?}"),
            Plain::Array(values) => {
                let values: Vec<String> = values.iter().map(render).collect();
                format!("[{}]", values.join(", "))
            }
            Plain::Object(map) => {
                let values = map
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", render(value)));
                let values: BTreeSet<String> = values.collect();
                format!("{{{}}}", values.into_iter().collect::<Vec<_>>().join(", "))
            }
            other => other.to_string(),
        }
    }
    let (taxonomy, tenant): (Taxonomy, TenantId) = (read(file), tenant.parse().unwrap());
    let categories = taxonomy
        .categories()
        .map(|category| items::of_category(&tenant, category));
    let terms = taxonomy.terms().flat_map(|term| items::of_term(&tenant, term));
    let items = categories.chain(terms).map(|item| {
        let key = item.key.key();
        let attributes: BTreeMap<String, String> = item
            .attributes
            .iter()
            .map(|(name, value)| (name.clone(), render(value)))
            .collect();
        ((key.pk, key.sk), attributes)
    });
    items.collect()
}

/// Parses a file as the projector does.
pub fn read(file: &[u8]) -> Taxonomy {
    let defaults = Defaults {
        tenant_culture: None,
        stack_culture: "en-GB".parse().unwrap(),
        fallback_chain: Vec::new(),
    };
    parse(file, &defaults, Limits::default()).unwrap().taxonomy
}

/// Reads a file of `samples/`.
pub fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Returns a file of categories in the default culture of the stack.
pub fn of_categories(categories: &Value) -> Vec<u8> {
    json!({ "categories": categories }).to_string().into_bytes()
}

/// Returns names in English and in French.
pub fn in_two_cultures(english: &str, french: &str) -> Value {
    json!([{"culture": "en-GB", "name": english}, {"culture": "fr-FR", "name": french}])
}

/// Returns a file with one category called Sector and terms of these ids, named by a function.
pub fn named(ids: impl IntoIterator<Item = u64>, name: impl Fn(u64) -> String) -> Vec<u8> {
    let names: Vec<(u64, String)> = ids.into_iter().map(|id| (id, name(id))).collect();
    let terms: Vec<(u64, &str)> = names.iter().map(|(id, name)| (*id, name.as_str())).collect();
    small(&terms)
}

/// Returns a file with one category called Sector and the given terms.
pub fn small(terms: &[(u64, &str)]) -> Vec<u8> {
    let term = |(id, name): &(u64, &str)| json!({"id": id, "name": name});
    let terms: Vec<Value> = terms.iter().map(term).collect();
    of_categories(&json!([{"id": 1, "name": "Sector", "terms": terms}]))
}
