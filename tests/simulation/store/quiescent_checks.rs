//! The checks after every process has ended and no event was lost.

use std::io::Read as _;

use flate2::read::GzDecoder;
use taxonomy_testkit::dynamodb::line;
use taxonomy_testkit::s3::Object;
use taxonomy_tests::prelude::*;

use crate::content::Content;
use crate::raw::{expected_default_culture, flag, head, is_frozen, is_read, number, text};

use super::changeset_log::{self, Upload};
use super::expected_items::{Items, expected, live};
use super::index_files;

/// The content that the newest version must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastVersion {
    /// The newest valid upload.
    Upload,
    /// The newest valid upload, or the version that an operator rolled back to after it.
    UploadOrRollback,
}

/// Checks the log, the order of its contents, the table, the index files and the other tenant.
pub(crate) fn check(
    world: &World,
    uploads: &[Upload],
    last: LastVersion,
    other_tenant: &[String],
) -> Result<(), String> {
    let items = world.db.items(TABLE);
    let versions = changeset_log::versions(world, &items, TENANT)?;
    changeset_log::follows_uploads(&versions, uploads)?;
    let head = head(world, TENANT);
    let (version, projected) = (number(&head, "V"), number(&head, "Projected"));
    if version != projected {
        return Err(format!("at version {version}, projected {projected}"));
    }
    let content = versions.last().map(|version| version.content.clone());
    let content = content.unwrap_or_default();
    same_items(
        &expected(&content, TENANT, &expected_default_culture(world, TENANT)),
        &live(&items, TENANT),
    )?;
    index_files::check(world, &items, &versions)?;
    head_names_its_source(world, &content)?;
    let is_rollback = last == LastVersion::UploadOrRollback && flag(&head, "Detached");
    if !is_rollback {
        is_newest_upload(world, &content, uploads)?;
    }
    head_knows_the_newest_object(world)?;
    if other_tenant != self::other_tenant(world) {
        return Err("the other tenant was changed".to_owned());
    }
    Ok(())
}

/// If the head names the newest object as its source, that object has the content of the newest version.
fn head_names_its_source(world: &World, content: &Content) -> Result<(), String> {
    let head = head(world, TENANT);
    let is_named = |object: &Object| object.version_id == text(&head, "Source.VersionId");
    let Some(object) = newest_object(world).filter(|object| is_named(object) && !flag(&head, "Detached"))
    else {
        return Ok(());
    };
    let bytes = match object.encoding {
        None => Ok(object.bytes),
        Some(_) => {
            let mut bytes = Vec::new();
            let read = GzDecoder::new(object.bytes.as_slice()).read_to_end(&mut bytes);
            read.map(|_| bytes)
        }
    };
    let file = bytes.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    match file.map(|file| Content::of_file(&file)) {
        Some(of_object) if of_object == *content => Ok(()),
        Some(_) => {
            Err("the newest version has another content than the object that the head names".to_owned())
        }
        None => Err("the head names an object that cannot be read".to_owned()),
    }
}

fn is_newest_upload(world: &World, content: &Content, uploads: &[Upload]) -> Result<(), String> {
    let newest = uploads.last();
    if newest.is_none_or(|newest| newest.content == *content) {
        return Ok(());
    }
    // A valid file that a refused one replaced before a process read it never became a version: the newest object counts.
    let refused = text(&head(world, TENANT), "Refused.VersionId");
    if newest_object(world).is_some_and(|object| object.version_id == refused) {
        return Ok(());
    }
    Err("the newest version is not the newest valid upload".to_owned())
}

/// The tenant is listed as waiting if it is frozen before an upload that no process took or refused, else as refused if its newest upload was.
pub(crate) fn is_listed_for_what_needs_attention(world: &World) -> Result<(), String> {
    let head = head(world, TENANT);
    let refused = text(&head, "Refused.VersionId");
    let known = [text(&head, "Source.VersionId"), refused.clone()];
    let waits = newest_object(world).is_some_and(|object| !known.contains(&object.version_id))
        && is_frozen(world, TENANT);
    let expected = match (waits, refused.is_empty()) {
        (true, _) => format!("waiting#{TENANT}"),
        (false, false) => format!("refused#{TENANT}"),
        (false, true) => String::new(),
    };
    match text(&head, "GSI1SK") {
        found if found == expected => Ok(()),
        found => Err(format!("listed as `{found}` instead of `{expected}`")),
    }
}

/// The newest object is the refused one, or else the source.
fn head_knows_the_newest_object(world: &World) -> Result<(), String> {
    let head = head(world, TENANT);
    let place = match head.contains_key("Refused") {
        true => "Refused.VersionId",
        false => "Source.VersionId",
    };
    match newest_object(world) {
        Some(object) if object.version_id != text(&head, place) => {
            Err(format!("{place} is not that of the newest object"))
        }
        _ => Ok(()),
    }
}

fn newest_object(world: &World) -> Option<Object> {
    let key = format!("taxonomies/{TENANT}.json");
    world.s3.object(SOURCE_BUCKET, &key)
}

fn same_items(expected: &Items, found: &Items) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let missing = expected
        .iter()
        .filter(|(key, line)| found.get(*key) != Some(line));
    let surplus = found
        .iter()
        .filter(|(key, line)| expected.get(*key) != Some(line));
    Err(format!(
        "the table should have {:?}, and has {:?}",
        missing.collect::<Vec<_>>(),
        surplus.collect::<Vec<_>>()
    ))
}

/// Checks that an event without news costs at most two reads and no write.
pub(crate) async fn duplicate_costs_two_reads(world: &World, event: &Value) -> Result<(), String> {
    // A late request may have put an older source on the head, which the first delivery replaces.
    let before = number(&head(world, TENANT), "V");
    deliver(world, event).await?;
    if number(&head(world, TENANT), "V") != before {
        return Err("another delivery to a tenant at rest made a version".to_owned());
    }
    let begin = world.exchanges().len();
    deliver(world, event).await?;
    let sent = world.exchanges().since(begin);
    if sent.len() <= 2 && sent.iter().all(|exchange| is_read(&exchange.operation)) {
        return Ok(());
    }
    let sent: Vec<String> = sent.iter().map(ToString::to_string).collect();
    Err(format!("a duplicate cost {sent:?}"))
}

async fn deliver(world: &World, event: &Value) -> Result<(), String> {
    let delivered = Box::pin(world.deliver(event.clone())).await;
    delivered
        .map(drop)
        .map_err(|error| format!("a delivery without faults failed: {error}"))
}

/// Returns every item of the other tenant.
pub(crate) fn other_tenant(world: &World) -> Vec<String> {
    let items = world.db.items(TABLE);
    let others = items.iter().filter(|item| {
        let partition = text(item, "PK");
        partition.split('#').nth(1) == Some(GLOBEX)
    });
    others.map(line).collect()
}
