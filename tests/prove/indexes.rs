//! The index files: one for each version, written once, whole, and with what the version has.

use std::collections::BTreeMap;

use taxonomy_index::{Expected, File};
use taxonomy_keys::{CategoryId, TermId, Version as Number};
use taxonomy_model::Hash;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_tests::world::{TENANT, World};

use crate::chain::Version;
use crate::model::Content;
use crate::stored::{head, log, number, text};

/// Every version has its file, the head says so, and there is no other.
pub(crate) fn hold(world: &World, items: &[Item], versions: &[Version]) -> Result<(), String> {
    let head = head(world, TENANT);
    let (newest, indexed) = (number(&head, "V"), number(&head, "Indexed"));
    if newest != indexed || !text(&head, "GSI1PK").is_empty() {
        return Err(format!(
            "at version {newest}, indexed {indexed}, listed as {:?}",
            text(&head, "GSI1PK")
        ));
    }
    let log = log(items, TENANT);
    let mut keys = world.s3.keys(CHANGESETS_BUCKET);
    keys.retain(|key| key.starts_with(&format!("indexes/{TENANT}/")));
    let mut expected = Vec::new();
    for (version, is) in (1..).zip(versions) {
        let changeset = text(&log[&format!("CHANGESET#{version:012}")], "ChangesetId");
        let key = format!("indexes/{TENANT}/1/{version:012}-{changeset}.index");
        one(world, version, &changeset, &key, &is.content).map_err(|wrong| format!("{key}: {wrong}"))?;
        expected.push(key);
    }
    match keys == expected {
        true => Ok(()),
        false => Err(format!("index files {keys:?} instead of {expected:?}")),
    }
}

fn one(world: &World, version: u64, changeset: &str, key: &str, content: &Content) -> Result<(), String> {
    let written = world.s3.versions(CHANGESETS_BUCKET, key);
    let [object] = &written[..] else {
        return Err(format!("written {} times", written.len()));
    };
    let (tenant, changeset): (_, Hash) = (
        TENANT.parse().unwrap(),
        serde_json::from_value(changeset.into()).unwrap(),
    );
    let expected = Expected {
        tenant: &tenant,
        version: Number::new(version).unwrap(),
        changeset: &changeset,
    };
    let file = File::open(&object.bytes, expected).map_err(|error| error.to_string())?;
    file.check().map_err(|error| error.to_string())?;
    let counts = (file.footer().categories().len(), file.footer().terms().len());
    if counts != (content.categories.len(), content.terms.len()) {
        return Err(format!("{counts:?} categories and terms"));
    }
    for (id, node) in &content.categories {
        let ordinal = file
            .values(taxonomy_index::Table::CategoryIds, *id)
            .map_err(|error| error.to_string())?;
        let block = file.block_of(ordinal[0]).map_err(|error| error.to_string())?;
        let found = block
            .category(ordinal[0])
            .filter(|found| found.id() == CategoryId::new(*id).unwrap());
        same(found.map(|found| names(found.node)).as_ref(), &node.names, *id)?;
    }
    for (id, node) in &content.terms {
        let ordinal = file
            .values(taxonomy_index::Table::TermIds, *id)
            .map_err(|error| error.to_string())?;
        let block = file.block_of(ordinal[0]).map_err(|error| error.to_string())?;
        let found = block
            .term(ordinal[0])
            .filter(|found| found.id() == TermId::new(*id).unwrap());
        same(found.map(|found| names(found.node)).as_ref(), &node.names, *id)?;
        let place = found.map(|found| {
            (
                found.category().id().get(),
                found.parent().map(|parent| parent.id().get()),
            )
        });
        if place != Some((node.category, node.parent)) {
            return Err(format!("term {id} stands at {place:?}"));
        }
    }
    Ok(())
}

fn names(node: taxonomy_model::Node<'_>) -> BTreeMap<String, String> {
    node.names()
        .map(|name| (name.culture.to_string(), name.name.to_owned()))
        .collect()
}

fn same(
    found: Option<&BTreeMap<String, String>>,
    names: &BTreeMap<String, String>,
    id: u64,
) -> Result<(), String> {
    match found == Some(names) {
        true => Ok(()),
        false => Err(format!("{id} is {found:?} instead of {names:?}")),
    }
}
