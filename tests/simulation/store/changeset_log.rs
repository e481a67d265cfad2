//! The log and its changesets, which the checker reads and hashes itself: contiguous, linked, complete, and never rewritten.

use taxonomy_tests::prelude::*;

use crate::content::{Content, list};
use crate::raw::{body, flag, head, log, number, sha256, text};

/// A version of the log.
#[derive(Debug)]
pub(crate) struct Version {
    /// The changeset's `cause`.
    cause: Value,
    pub(crate) content: Content,
}

/// A valid upload.
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

/// Returns the versions of a tenant, after the checks that the log is contiguous from 1 to the head and that every entry agrees with its
/// changeset and its snapshot.
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
        let found = version_of(world, tenant, version, entry, &before);
        versions.push(found.map_err(|wrong| format!("version {version}: {wrong}"))?);
        before.clone_from(entry);
    }
    for name in ["ChangesetId", "StateHash", "SnapshotKey", "CommittedAt"] {
        let (of_head, of_log) = (text(&head, name), text(&before, name));
        ensure(of_head == of_log, || {
            format!("the head has {name} {of_head}, the log {of_log}")
        })?;
    }
    for name in ["Categories", "Terms"] {
        let (of_head, of_log) = (number(&head, name), number(&before, &format!("Totals.{name}")));
        ensure(of_head == of_log, || {
            format!("the head has {of_head} {name}, the log {of_log}")
        })?;
    }
    written_once(world)?;
    Ok(versions)
}

/// Returns the version of an entry, after comparing the entry with the bodies that it names and with the entry before.
fn version_of(
    world: &World,
    tenant: &str,
    version: u64,
    entry: &Item,
    before: &Item,
) -> Result<Version, String> {
    let id = text(entry, "ChangesetId");
    let key = text(entry, "ChangesetKey");
    ensure(
        key == format!("changesets/{tenant}/{version:012}-{id}.json.zst"),
        || format!("its changeset has the key {key}"),
    )?;
    let (hash, changeset) = body(world, &key)?;
    ensure(hash == id, || format!("{key} has the hash {hash}"))?;
    let (state, snapshot) = body(world, &text(entry, "SnapshotKey"))?;
    ensure(state == text(entry, "StateHash"), || {
        format!("the snapshot has the hash {state}")
    })?;
    let content = Content::of_snapshot(&snapshot);
    let pairs = [
        (rendered(&changeset["tenant"]), tenant.to_owned()),
        (rendered(&changeset["version"]), version.to_string()),
        (rendered(&changeset["after"]), state),
        (rendered(&changeset["before"]), text(before, "StateHash")),
        (rendered(&changeset["parent"]), text(before, "ChangesetId")),
        (text(entry, "ParentChangesetId"), text(before, "ChangesetId")),
        (rendered(&changeset["cause"]["kind"]), text(entry, "Cause")),
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
        (
            rendered(&changeset["totals"]["terms"]),
            text(entry, "Totals.Terms"),
        ),
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
    facts_agree_with_counts(&changeset)?;
    metadata(world, &key, tenant, version, &id, &text(before, "ChangesetId"))?;
    Ok(Version {
        cause: changeset["cause"].clone(),
        content,
    })
}

/// Each added and each removed term has one fact.
fn facts_agree_with_counts(changeset: &Value) -> Result<(), String> {
    let facts = |kind: &str| {
        let facts = list(&changeset["facts"]).iter();
        facts.filter(|fact| fact.get(kind).is_some()).count().to_string()
    };
    for (kind, count) in [("termAdded", "added"), ("termRemoved", "removed")] {
        let (facts, counted) = (facts(kind), rendered(&changeset["changes"][count]));
        ensure(facts == counted, || {
            format!("{facts} facts {kind}, counted {counted}: {changeset}")
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

/// No body changed its bytes, not even one of a version that was never committed. Reports may change.
fn written_once(world: &World) -> Result<(), String> {
    for key in world.s3.keys(CHANGESETS_BUCKET) {
        let versions = world.s3.versions(CHANGESETS_BUCKET, &key);
        let same = versions.iter().all(|version| version.bytes == versions[0].bytes);
        ensure(key.starts_with("reports/") || same, || {
            format!("{key} was overwritten")
        })?;
    }
    Ok(())
}

/// Checks that the committed uploads are a subsequence of the uploads, in order, and that every other version has the content that its cause
/// implies.
pub(crate) fn follows_uploads(versions: &[Version], uploads: &[Upload]) -> Result<(), String> {
    let mut next = 0;
    for (position, version) in versions.iter().enumerate() {
        let number = position + 1;
        let before = position.checked_sub(1).map(|before| &versions[before].content);
        let kind = rendered(&version.cause["kind"]);
        let holds = match kind.as_str() {
            "upload" => {
                let sha256 = rendered(&version.cause["sha256"]);
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

/// Renders a text without quotes, null as nothing, and anything else as JSON.
fn rendered(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
