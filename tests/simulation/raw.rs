//! Raw reading of the table, the buckets and the recorded requests: the oracles use no reading code of the service.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use sha2::{Digest as _, Sha256};
use taxonomy_testkit::Exchange;
use taxonomy_tests::prelude::*;

/// Returns the attribute at a path such as `Totals.Terms` as text; empty if it does not exist.
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

/// Returns the attribute at a path as a number; 0 if it does not exist.
pub(crate) fn number(item: &Item, path: &str) -> u64 {
    text(item, path).parse().unwrap_or(0)
}

/// Returns whether a flag is set.
pub(crate) fn flag(item: &Item, path: &str) -> bool {
    text(item, path) == "true"
}

/// Returns a tenant's head; empty if there is none.
pub(crate) fn head(world: &World, tenant: &str) -> Item {
    let item = world.db.item(TABLE, &format!("TAXONOMY#{tenant}"), "HEAD");
    item.unwrap_or_default()
}

/// Returns whether a tenant is frozen.
pub(crate) fn is_frozen(world: &World, tenant: &str) -> bool {
    !text(&configuration(world, tenant), "Frozen.At").is_empty()
}

/// Returns a tenant's configuration; empty if there is none.
pub(crate) fn configuration(world: &World, tenant: &str) -> Item {
    let item = world.db.item(TABLE, &format!("TAXONOMY#{tenant}"), "TENANT");
    item.unwrap_or_default()
}

/// Returns the default culture that the tenant should have: that of its configuration. Without one, content that an operator rolled back to
/// keeps its own, and an upload has the stack's.
pub(crate) fn expected_default_culture(world: &World, tenant: &str) -> String {
    let culture = text(&configuration(world, tenant), "DefaultCulture");
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

/// Returns a tenant's log by sort key.
pub(crate) fn log(items: &[Item], tenant: &str) -> BTreeMap<String, Item> {
    let partition = format!("TAXONOMY#{tenant}");
    let entries = items.iter().filter(|item| text(item, "PK") == partition);
    entries
        .map(|item| (text(item, "SK"), item.clone()))
        .filter(|(key, _)| key.starts_with("CHANGESET#"))
        .collect()
}

/// Returns a body of the changesets bucket: the hash of its decoded bytes, and its JSON.
pub(crate) fn body(world: &World, key: &str) -> Result<(String, Value), String> {
    let object = world.s3.object(CHANGESETS_BUCKET, key);
    let object = object.ok_or_else(|| format!("{key} does not exist"))?;
    let bytes = zstd::decode_all(object.bytes.as_slice()).map_err(|error| format!("{key}: {error}"))?;
    let value = serde_json::from_slice(&bytes).map_err(|error| format!("{key}: {error}"))?;
    Ok((sha256(&bytes), value))
}

/// Returns SHA-256 in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns PK and SK of every item that a request to DynamoDB names.
pub(crate) fn keys(exchange: &Exchange) -> impl Iterator<Item = (String, String)> {
    exchange.target.split(", ").map(|target| {
        let mut words = target.split(' ').skip(1).map(str::to_owned);
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    })
}

/// Returns whether the service applied a request.
pub(crate) fn is_applied(exchange: &Exchange) -> bool {
    let effect = exchange.effect.as_deref();
    effect.is_some_and(|effect| effect.starts_with('2'))
}

/// Returns whether an operation only reads.
pub(crate) fn is_read(operation: &str) -> bool {
    ["Get", "Head", "List", "Query", "Scan", "BatchGet"]
        .iter()
        .any(|read| operation.starts_with(read))
}
