//! The index files and search objects: one file for each version and one object for each of its cultures, written once, whole, and with
//! what the version has.

use std::collections::{BTreeMap, BTreeSet};

use taxonomy_index::{Expected, File};
use taxonomy_keys::{CategoryId, TermId, Version as Number};
use taxonomy_model::Hash;
use taxonomy_search::{FOOTER_BYTES, Footer, Index};
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_tests::world::{TENANT, World};

use crate::chain::Version;
use crate::model::Content;
use crate::stored::{head, log, number, text};

/// Every version has its file and its search objects, the head says so, and there is no other.
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
        let name = format!("indexes/{TENANT}/1/{version:012}-{changeset}");
        let key = format!("{name}.index");
        one(world, version, &changeset, &key, &is.content).map_err(|wrong| format!("{key}: {wrong}"))?;
        expected.push(key);
        for culture in cultures(&is.content) {
            let key = format!("{name}.search-{culture}");
            searchable(world, &key, &culture, &is.content).map_err(|wrong| format!("{key}: {wrong}"))?;
            expected.push(key);
        }
    }
    match keys == expected {
        true => Ok(()),
        false => Err(format!("index files {keys:?} instead of {expected:?}")),
    }
}

fn once(world: &World, key: &str) -> Result<Vec<u8>, String> {
    match &world.s3.versions(CHANGESETS_BUCKET, key)[..] {
        [object] => Ok(object.bytes.to_vec()),
        written => Err(format!("written {} times", written.len())),
    }
}

fn cultures(content: &Content) -> BTreeSet<String> {
    let nodes = content.categories.values().chain(content.terms.values());
    nodes.flat_map(|node| node.names.keys().cloned()).collect()
}

/// The object is whole, and has as many names as terms are named in its culture: these files have neither notations nor other names.
fn searchable(world: &World, key: &str, culture: &str, content: &Content) -> Result<(), String> {
    let object = once(world, key)?;
    let damaged = |damage: taxonomy_search::Damage| damage.to_string();
    let tail = &object[object.len().saturating_sub(FOOTER_BYTES)..];
    let footer = Footer::read(tail, object.len() as u64).map_err(damaged)?;
    let part = |range: std::ops::Range<u64>| {
        let place = |at: u64| usize::try_from(at).unwrap();
        &object[place(range.start)..place(range.end)]
    };
    let index = Index::open(&footer, part(footer.root())).map_err(damaged)?;
    for id in index.parts() {
        index.part(id, part(index.range(id))).map_err(damaged)?;
    }
    let named = content
        .terms
        .values()
        .filter(|term| term.names.contains_key(culture));
    let (named, has) = (named.count(), index.name_count() as usize);
    let ordinals = content.categories.len() + content.terms.len();
    match (has, index.ordinals() as usize) == (named, ordinals) {
        true => Ok(()),
        false => Err(format!("{has} names of {named} terms")),
    }
}

fn one(world: &World, version: u64, changeset: &str, key: &str, content: &Content) -> Result<(), String> {
    let object = once(world, key)?;
    let (tenant, changeset): (_, Hash) = (
        TENANT.parse().unwrap(),
        serde_json::from_value(changeset.into()).unwrap(),
    );
    let expected = Expected {
        tenant: &tenant,
        version: Number::new(version).unwrap(),
        changeset: &changeset,
    };
    let file = File::open(&object, expected).map_err(|error| error.to_string())?;
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
