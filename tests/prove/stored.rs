//! What the embedded table and the buckets hold, read raw: not one line of the store's own reading is used.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_tests::world::World;

use crate::model::Items;

/// An attribute path such as `Totals.Terms`, as text; empty where it is not there.
pub(crate) fn text(item: &Item, path: &str) -> String {
    let mut names = path.split('.');
    let mut value = item.get(names.next().unwrap_or_default());
    for name in names {
        value = value
            .and_then(|value| value.as_m().ok())
            .and_then(|map| map.get(name));
    }
    match value {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => text.clone(),
        Some(AttributeValue::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    }
}

/// The same as a number; 0 where it is not there.
pub(crate) fn number(item: &Item, path: &str) -> u64 {
    text(item, path).parse().unwrap_or(0)
}

/// Whether a flag is set.
pub(crate) fn flag(item: &Item, path: &str) -> bool {
    text(item, path) == "true"
}

/// The head; empty where there is none.
pub(crate) fn head(world: &World, tenant: &str) -> Item {
    let item = world.db.item(TABLE, &format!("TAXONOMY#{tenant}"), "HEAD");
    item.unwrap_or_default()
}

/// The default culture that the tenant should have: the one of its configuration. Without one, content that an operator went back to keeps
/// its own, and an upload has the stack's.
pub(crate) fn due_culture(world: &World, tenant: &str) -> String {
    let item = world.db.item(TABLE, &format!("TAXONOMY#{tenant}"), "TENANT");
    let culture = text(&item.unwrap_or_default(), "DefaultCulture");
    if !culture.is_empty() {
        return culture;
    }
    let head = head(world, tenant);
    if flag(&head, "Detached") {
        let (_, snapshot) = body(world, &text(&head, "SnapshotKey")).unwrap();
        return snapshot["defaultCulture"].as_str().unwrap().to_owned();
    }
    "en-GB".to_owned()
}

/// A tenant's log, by sort key.
pub(crate) fn log(items: &[Item], tenant: &str) -> BTreeMap<String, Item> {
    let partition = format!("TAXONOMY#{tenant}");
    let entries = items.iter().filter(|item| text(item, "PK") == partition);
    entries
        .map(|item| (text(item, "SK"), item.clone()))
        .filter(|(key, _)| key.starts_with("CHANGESET#"))
        .collect()
}

/// A tenant's live items, as the model says them.
pub(crate) fn live(items: &[Item], tenant: &str) -> Items {
    let mut live = Items::new();
    for item in items {
        let (partition, sort) = (text(item, "PK"), text(item, "SK"));
        let mine = |kind: &str| partition.starts_with(&format!("{kind}#{tenant}#"));
        if flag(item, "Removed") || !(mine("TERM") || mine("CATEGORY")) {
            continue;
        }
        live.insert(format!("{partition} | {sort}"), line(item, &partition, &sort));
    }
    live
}

fn line(item: &Item, partition: &str, sort: &str) -> String {
    if partition.starts_with("CATEGORY#") {
        let id = partition.rsplit('#').next().unwrap();
        return format!("category {id} {}", text(item, "Name"));
    }
    let (final_name, name) = (text(item, "FinalName"), text(item, "Name"));
    let category = final_name.strip_suffix(&name).unwrap();
    let lineage = item.get("Lineage").map(|lineage| lineage.as_s().unwrap());
    let entry = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        format!("{} {category}{}", fields[0], fields[1])
    };
    let above: Vec<String> = lineage
        .into_iter()
        .flat_map(|lineage| lineage.lines())
        .map(entry)
        .collect();
    let complete = format!("{final_name} in {} below {above:?}", text(item, "CategoryId"));
    if sort.starts_with("CULTURE#") {
        return complete;
    }
    let names = item.get("Names").and_then(|names| names.as_m().ok());
    let names: BTreeMap<&String, &String> = names
        .into_iter()
        .flatten()
        .map(|(culture, name)| (culture, name.as_s().unwrap()))
        .collect();
    let listed: Vec<&&String> = names.values().collect();
    format!("{complete} {listed:?} parent: {}", flag(item, "HasChildren"))
}

/// A body of the changesets bucket: the hash of its decoded bytes, and what they say.
pub(crate) fn body(world: &World, key: &str) -> Result<(String, Value), String> {
    let object = world.s3.object(CHANGESETS_BUCKET, key);
    let object = object.ok_or_else(|| format!("{key} is not there"))?;
    let bytes = zstd::decode_all(object.bytes.as_slice()).map_err(|error| format!("{key}: {error}"))?;
    let value = serde_json::from_slice(&bytes).map_err(|error| format!("{key}: {error}"))?;
    Ok((sha256(&bytes), value))
}

/// SHA-256 in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
