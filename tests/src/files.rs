//! The files of tests: samples, small files, and the items of a file.

use std::collections::BTreeMap;

use serde_json::Value;
use taxonomy_keys::TenantId;
use taxonomy_model::{Defaults, Limits, Taxonomy, items, parse};

/// Returns the items that the projection of a file must have, by the pure functions of the model.
pub fn expected(tenant: &str, file: &[u8]) -> BTreeMap<(String, String), BTreeMap<String, String>> {
    use taxonomy_model::attribute::Value as Plain;
    fn render(value: &Plain) -> String {
        match value {
            Plain::String(text) => format!("{text:?}"),
            Plain::Array(values) => format!("{:?}", values.iter().map(render).collect::<Vec<_>>()),
            Plain::Object(map) => format!(
                "{:?}",
                map.iter()
                    .map(|(name, value)| (name, render(value)))
                    .collect::<BTreeMap<_, _>>()
            ),
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

/// Returns a file with one category called Sector and the given terms.
pub fn small(terms: &[(u64, &str)]) -> Vec<u8> {
    let terms: Vec<Value> = terms
        .iter()
        .map(|(id, name)| serde_json::json!({"id": id, "name": name}))
        .collect();
    serde_json::json!({"categories": [{"id": 1, "name": "Sector", "terms": terms}]})
        .to_string()
        .into_bytes()
}
