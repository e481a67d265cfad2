//! The index files and search objects: one file for each version and one object for each of its cultures, written once, complete, named by its
//! content, and with the content of the version.

use std::collections::BTreeMap;

use taxonomy_index::search::{FOOTER_BYTES, Index, SearchFooter};
use taxonomy_index::{Expected, File, IdTable};
use taxonomy_keys::{CategoryId, TermId, Version as Number};
use taxonomy_tests::prelude::*;

use crate::content::Content;
use crate::raw::{head, log, text};

use super::changeset_log::Version;

/// Checks that every version has its file and its search objects, and no other; that log and head name the file; and that
/// the tenant is listed for a refused upload alone.
pub(crate) fn check(world: &World, items: &[Item], versions: &[Version]) -> Result<(), String> {
    let head = head(world, TENANT);
    let place = match head.contains_key("Refused") {
        true => format!("refused#{TENANT}"),
        false => String::new(),
    };
    if text(&head, "GSI1SK") != place {
        return Err(format!("listed as {:?}, not as {place:?}", text(&head, "GSI1SK")));
    }
    let log = log(items, TENANT);
    let mut keys = world.s3.keys(CHANGESETS_BUCKET);
    keys.retain(|key| key.starts_with(&format!("indexes/{TENANT}/")));
    let mut expected = Vec::new();
    let mut last = String::new();
    for (number, version) in (1..).zip(versions) {
        let entry = &log[&format!("CHANGESET#{number:012}")];
        let (changeset, key) = (text(entry, "ChangesetId"), text(entry, "IndexKey"));
        let name = format!("indexes/{TENANT}/1/{number:012}-{changeset}-");
        if !key.starts_with(&name) || !key.ends_with(".index") {
            return Err(format!("version {number} names {key}"));
        }
        check_file(world, number, &changeset, &key, &version.content)
            .map_err(|violation| format!("{key}: {violation}"))?;
        expected.push(key.clone());
        for culture in version.content.cultures() {
            let object = keys
                .iter()
                .find(|key| key.starts_with(&name) && key.ends_with(&format!(".search-{culture}")));
            let object = object.ok_or_else(|| format!("{key}: no search object of {culture}"))?;
            check_search(world, object, &culture, &version.content)
                .map_err(|violation| format!("{object}: {violation}"))?;
            expected.push(object.clone());
        }
        last = key;
    }
    expected.sort_unstable();
    // A process that was overtaken may have stored files of a version that was never committed, whose changeset the log does not have.
    keys.retain(|key| {
        log.values()
            .any(|entry| key.contains(&text(entry, "ChangesetId")))
    });
    match keys == expected && text(&head, "IndexKey") == last {
        true => Ok(()),
        false => Err(format!("index files {keys:?} instead of {expected:?}")),
    }
}

/// The end of the key of a content: 16 digits of its SHA-256.
fn is_named(key: &str, digest: &str) -> Result<(), String> {
    match key.contains(&format!("-{digest}.")) {
        true => Ok(()),
        false => Err(format!("named otherwise than by its content, {digest}")),
    }
}

fn written_once(world: &World, key: &str) -> Result<Vec<u8>, String> {
    match &world.s3.versions(CHANGESETS_BUCKET, key)[..] {
        [object] => Ok(object.bytes.to_vec()),
        written => Err(format!("written {} times", written.len())),
    }
}

/// Checks that the object is complete and has the name in its culture and the notation of each term that has such a name.
fn check_search(world: &World, key: &str, culture: &str, content: &Content) -> Result<(), String> {
    let object = written_once(world, key)?;
    is_named(key, &Hash::digest(&object).as_str()[..16])?;
    let damaged = |damage: taxonomy_index::search::Damage| damage.to_string();
    let tail = &object[object.len().saturating_sub(FOOTER_BYTES)..];
    let footer = SearchFooter::read(tail, object.len() as u64).map_err(damaged)?;
    let part = |range: std::ops::Range<u64>| {
        let place = |at: u64| usize::try_from(at).unwrap();
        &object[place(range.start)..place(range.end)]
    };
    let index = Index::open(&footer, part(footer.root())).map_err(damaged)?;
    for id in index.parts() {
        index.part(id, part(index.range(id))).map_err(damaged)?;
    }
    // Drafts have no alternative names.
    let terms = content.terms.values().map(|term| &term.node);
    let nodes = content.categories.values().chain(terms);
    let names = nodes.map(|node| match node.names.contains_key(culture) {
        true => 1 + usize::from(node.others.contains_key("notation")),
        false => 0,
    });
    let (names, found) = (names.sum::<usize>(), index.name_count() as usize);
    let ordinals = content.categories.len() + content.terms.len();
    match (found, index.ordinals() as usize) == (names, ordinals) {
        true => Ok(()),
        false => Err(format!("{found} names instead of {names}")),
    }
}

fn check_file(
    world: &World,
    version: u64,
    changeset: &str,
    key: &str,
    content: &Content,
) -> Result<(), String> {
    let object = written_once(world, key)?;
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
    let digest = file.digest().map_err(|error| error.to_string())?;
    is_named(key, &digest.to_string())?;
    let counts = (file.footer().categories().len(), file.footer().terms().len());
    if counts != (content.categories.len(), content.terms.len()) {
        return Err(format!("{counts:?} categories and terms"));
    }
    let ordinal_of = |table, id: u64| {
        for (number, _) in file.footer().buckets(table, id..=id) {
            let bucket = file.bucket(table, number).map_err(|error| error.to_string())?;
            if let Some(ordinal) = bucket.values(id..=id).next() {
                return Ok(ordinal);
            }
        }
        Err(format!("{table} lacks {id}"))
    };
    for (id, node) in &content.categories {
        let ordinal = ordinal_of(IdTable::CategoryIds, *id)?;
        let block = file.block_of(ordinal).map_err(|error| error.to_string())?;
        let found = block
            .category(ordinal)
            .filter(|found| found.id() == CategoryId::new(*id).unwrap());
        same(found.map(|found| names(found.node)).as_ref(), &node.names, *id)?;
    }
    for (id, term) in &content.terms {
        let ordinal = ordinal_of(IdTable::TermIds, *id)?;
        let block = file.block_of(ordinal).map_err(|error| error.to_string())?;
        let found = block
            .term(ordinal)
            .filter(|found| found.id() == TermId::new(*id).unwrap());
        same(
            found.map(|found| names(found.node)).as_ref(),
            &term.node.names,
            *id,
        )?;
        let place = found.map(|found| {
            (
                found.category().id().get(),
                found.parent().map(|parent| parent.id().get()),
            )
        });
        if place != Some((term.category, term.parent)) {
            return Err(format!("term {id} is at {place:?}"));
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
