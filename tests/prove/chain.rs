//! The log and the changesets, read and hashed by the test itself: contiguous, linked, complete, and never rewritten.

use serde_json::Value;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_tests::world::World;

use crate::model::Content;
use crate::stored::{body, flag, head, log, number, sha256, text};

/// A version, as far as it is judged.
#[derive(Debug)]
pub(crate) struct Version {
    /// The changeset's `cause`.
    cause: Value,
    pub(crate) content: Content,
}

/// An upload that a tenant may have.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    pub(crate) sha256: String,
    pub(crate) content: Content,
}

impl Upload {
    pub(crate) fn new(file: &Value, stored: &[u8]) -> Self {
        Self {
            sha256: sha256(stored),
            content: Content::of_file(file),
        }
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// The log is contiguous from 1 to the head, and every entry is what its changeset and its snapshot say.
pub(crate) fn versions(world: &World, items: &[Item], tenant: &str) -> Result<Vec<Version>, String> {
    let (head, log) = (head(world, tenant), log(items, tenant));
    let newest = number(&head, "V");
    ensure(log.len() as u64 == newest, || {
        format!("{} entries in the log of version {newest}", log.len())
    })?;
    let (mut versions, mut before) = (Vec::new(), Item::new());
    for version in 1..=newest {
        let key = format!("CHANGESET#{version:012}");
        let entry = log.get(&key).ok_or_else(|| format!("{key} is missing"))?;
        let found = one(world, tenant, version, entry, &before);
        versions.push(found.map_err(|wrong| format!("version {version}: {wrong}"))?);
        before.clone_from(entry);
    }
    for name in ["ChangesetId", "StateHash", "SnapshotKey", "CommittedAt"] {
        let (said, is) = (text(&head, name), text(&before, name));
        ensure(said == is, || {
            format!("the head says {name} {said}, the log {is}")
        })?;
    }
    for name in ["Categories", "Terms"] {
        let (said, is) = (number(&head, name), number(&before, &format!("Totals.{name}")));
        ensure(said == is, || {
            format!("the head says {said} {name}, the log {is}")
        })?;
    }
    written_once(world)?;
    Ok(versions)
}

/// One entry of the log, against what it points to and against the one before.
fn one(world: &World, tenant: &str, version: u64, entry: &Item, before: &Item) -> Result<Version, String> {
    let id = text(entry, "ChangesetId");
    let key = text(entry, "ChangesetKey");
    ensure(
        key == format!("changesets/{tenant}/{version:012}-{id}.json.zst"),
        || format!("it lies at {key}"),
    )?;
    let (hash, changeset) = body(world, &key)?;
    ensure(hash == id, || format!("{key} has the hash {hash}"))?;
    let (state, snapshot) = body(world, &text(entry, "SnapshotKey"))?;
    ensure(state == text(entry, "StateHash"), || {
        format!("the snapshot has the hash {state}")
    })?;
    let content = Content::of_snapshot(&snapshot);
    let pairs = [
        (said(&changeset["tenant"]), tenant.to_owned()),
        (said(&changeset["version"]), version.to_string()),
        (said(&changeset["after"]), state),
        (said(&changeset["before"]), text(before, "StateHash")),
        (said(&changeset["parent"]), text(before, "ChangesetId")),
        (text(entry, "ParentChangesetId"), text(before, "ChangesetId")),
        (said(&changeset["cause"]["kind"]), text(entry, "Cause")),
        (
            (changeset["full"] == true).to_string(),
            flag(entry, "Full").to_string(),
        ),
        (list(&changeset["facts"]).len().to_string(), text(entry, "Facts")),
        (
            content.categories.len().to_string(),
            text(entry, "Totals.Categories"),
        ),
        (content.terms.len().to_string(), text(entry, "Totals.Terms")),
        (said(&changeset["totals"]["terms"]), text(entry, "Totals.Terms")),
    ];
    for (is, should) in pairs {
        ensure(is == should, || {
            format!("{is:?} should be {should:?} in {changeset}")
        })?;
    }
    ensure(
        number(entry, "CommittedAt") > number(before, "CommittedAt"),
        || "it was committed before its predecessor".to_owned(),
    )?;
    facts_add_up(&changeset)?;
    metadata(world, &key, tenant, version, &id, &text(before, "ChangesetId"))?;
    Ok(Version {
        cause: changeset["cause"].clone(),
        content,
    })
}

/// Terms that come and go are told of, each once.
fn facts_add_up(changeset: &Value) -> Result<(), String> {
    let told = |kind: &str| {
        let facts = list(&changeset["facts"]).iter();
        facts.filter(|fact| fact.get(kind).is_some()).count().to_string()
    };
    for (kind, count) in [("termAdded", "added"), ("termRemoved", "removed")] {
        let (told, counted) = (told(kind), said(&changeset["changes"][count]));
        ensure(told == counted, || {
            format!("{told} facts {kind}, counted {counted}: {changeset}")
        })?;
    }
    Ok(())
}

fn metadata(
    world: &World,
    key: &str,
    tenant: &str,
    version: u64,
    id: &str,
    parent: &str,
) -> Result<(), String> {
    let object = world.s3.object(CHANGESETS_BUCKET, key);
    let found = object.map(|object| object.metadata).unwrap_or_default();
    let mut expected = vec![
        ("aggregate-id", tenant.to_owned()),
        ("aggregate-version", version.to_string()),
        ("changeset-id", id.to_owned()),
    ];
    if version > 1 {
        expected.push(("parent-changeset-id", parent.to_owned()));
    }
    let expected = expected
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    ensure(found == expected, || format!("{key} has the metadata {found:?}"))
}

/// Whatever was stored once, and be it of a version that never was committed, has kept its bytes. Reports are told anew.
fn written_once(world: &World) -> Result<(), String> {
    for key in world.s3.keys(CHANGESETS_BUCKET) {
        let versions = world.s3.versions(CHANGESETS_BUCKET, &key);
        let same = versions.iter().all(|version| version.bytes == versions[0].bytes);
        ensure(key.starts_with("reports/") || same, || {
            format!("{key} was written over")
        })?;
    }
    Ok(())
}

/// Committed uploads are a subsequence of the uploads, in order; every other version has the content its cause says.
pub(crate) fn follows(versions: &[Version], uploads: &[Upload]) -> Result<(), String> {
    let mut next = 0;
    for (position, version) in versions.iter().enumerate() {
        let number = position + 1;
        let before = position.checked_sub(1).map(|before| &versions[before].content);
        let kind = said(&version.cause["kind"]);
        let holds = match kind.as_str() {
            "upload" => {
                let sha256 = said(&version.cause["sha256"]);
                let found = uploads[next..]
                    .iter()
                    .position(|upload| upload.content == version.content && upload.sha256 == sha256);
                next += found.map_or(0, |skipped| skipped + 1);
                found.is_some()
            }
            "rollback" => {
                let to = version.cause["to"]
                    .as_u64()
                    .and_then(|to| usize::try_from(to).ok());
                let to = to.and_then(|to| versions[..position].get(to.checked_sub(1)?));
                to.is_some_and(|to| to.content == version.content)
            }
            "configuration" | "format" | "rebuild" => before == Some(&version.content),
            _ => false,
        };
        ensure(holds, || {
            let causes: Vec<String> = versions.iter().map(|version| version.cause.to_string()).collect();
            format!(
                "version {number} ({kind}) is out of order among {} uploads: {causes:?}",
                uploads.len()
            )
        })?;
    }
    Ok(())
}

/// The content of the newest version.
pub(crate) fn newest(versions: &[Version]) -> Content {
    versions
        .last()
        .map(|version| version.content.clone())
        .unwrap_or_default()
}

/// A text as it is, anything else as JSON, nothing as nothing.
fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
