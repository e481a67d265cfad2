//! What holds when nobody is at work any more and no event was lost.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;
use taxonomy_testkit::dynamodb::line;
use taxonomy_testkit::fixtures::{GLOBEX, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::Object;
use taxonomy_tests::world::{TENANT, World};

use crate::chain::{self, Upload};
use crate::indexes;
use crate::model::{Content, Items};
use crate::stored::{due_culture, flag, head, live, number, text};
use crate::watch::is_read;

/// What the tenant is to have in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    /// The newest upload that is valid.
    Upload,
    /// That, or what an operator went back to after it.
    UploadOrRollback,
}

/// Everything at once: the chain, the order of its contents, the table, the neighbour.
pub(crate) fn holds(
    world: &World,
    uploads: &[Upload],
    last: Last,
    neighbour: &[String],
) -> Result<(), String> {
    let items = world.db.items(TABLE);
    let versions = chain::versions(world, &items, TENANT)?;
    chain::follows(&versions, uploads)?;
    let head = head(world, TENANT);
    let (version, projected) = (number(&head, "V"), number(&head, "Projected"));
    if version != projected {
        return Err(format!("at version {version}, projected {projected}"));
    }
    let content = chain::newest(&versions);
    same_items(
        &content.items(TENANT, &due_culture(world, TENANT)),
        &live(&items, TENANT),
    )?;
    indexes::hold(world, &items, &versions)?;
    came_from_what_it_says(world, &content)?;
    let detached = last == Last::UploadOrRollback && flag(&head, "Detached");
    if !detached {
        newest_upload(world, &content, uploads)?;
    }
    if neighbour != self::neighbour(world) {
        return Err("the neighbour was touched".to_owned());
    }
    Ok(())
}

/// Where the head names the object that lies there now as its source, that object has its content.
fn came_from_what_it_says(world: &World, content: &Content) -> Result<(), String> {
    let head = head(world, TENANT);
    let object = world
        .s3
        .object(SOURCE_BUCKET, &format!("taxonomies/{TENANT}.json"));
    let named = |object: &Object| object.version_id == text(&head, "Source.VersionId");
    let Some(object) = object.filter(|object| named(object) && !flag(&head, "Detached")) else {
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
        Some(_) => Err("the head has not what the object has that it names".to_owned()),
        None => Err("the head names an object that cannot be read".to_owned()),
    }
}

fn newest_upload(world: &World, content: &Content, uploads: &[Upload]) -> Result<(), String> {
    let newest = uploads.last();
    if newest.is_none_or(|newest| newest.content == *content) {
        return Ok(());
    }
    // A valid file that a refused one replaced before anybody looked was never a version: the newest object counts.
    let object = world
        .s3
        .object(SOURCE_BUCKET, &format!("taxonomies/{TENANT}.json"));
    let refused = text(&head(world, TENANT), "Refused.VersionId");
    if object.is_some_and(|object| object.version_id == refused) {
        return Ok(());
    }
    Err("the newest version is not the newest valid upload".to_owned())
}

fn same_items(expected: &Items, found: &Items) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let missing = expected
        .iter()
        .filter(|(key, line)| found.get(*key) != Some(line));
    let stray = found
        .iter()
        .filter(|(key, line)| expected.get(*key) != Some(line));
    Err(format!(
        "the table should have {:?}, and has {:?}",
        missing.collect::<Vec<_>>(),
        stray.collect::<Vec<_>>()
    ))
}

/// An event that tells nothing new costs at most two reads and no write.
pub(crate) async fn a_duplicate_costs_two_reads(world: &World, event: &Value) -> Result<(), String> {
    // A late request may have put an older stamp on the head, which the next look replaces.
    let before = number(&head(world, TENANT), "V");
    look(world, event).await?;
    if number(&head(world, TENANT), "V") != before {
        return Err("a second look at a tenant at rest made a version".to_owned());
    }
    let seen = world.exchanges().len();
    look(world, event).await?;
    let sent = world.exchanges().since(seen);
    if sent.len() <= 2 && sent.iter().all(|exchange| is_read(&exchange.operation)) {
        return Ok(());
    }
    let sent: Vec<String> = sent.iter().map(ToString::to_string).collect();
    Err(format!("a duplicate cost {sent:?}"))
}

async fn look(world: &World, event: &Value) -> Result<(), String> {
    let delivered = Box::pin(world.deliver(event.clone())).await;
    delivered
        .map(drop)
        .map_err(|error| format!("a clean delivery failed: {error}"))
}

/// Everything in the table that is the neighbour's.
pub(crate) fn neighbour(world: &World) -> Vec<String> {
    let items = world.db.items(TABLE);
    let mine = items.iter().filter(|item| {
        let partition = text(item, "PK");
        partition.split('#').nth(1) == Some(GLOBEX)
    });
    mine.map(line).collect()
}
