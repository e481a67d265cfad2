//! Tenants with every kind of data, and the rest of them after a purge.

use std::time::Duration;

use crate::downloads::newest;
use taxonomy_formats::Form;
use taxonomy_keys::ItemKey;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::{PURGE_QUIET, PurgeOptions, PurgePlan, Purged};

const BUCKETS: [&str; 3] = [SOURCE_BUCKET, CHANGESETS_BUCKET, FAILURES_BUCKET];

pub(crate) fn options(quiet: Duration) -> PurgeOptions {
    PurgeOptions {
        failures_bucket: Some(FAILURES_BUCKET.to_owned()),
        quiet,
        scan: false,
    }
}

/// Purges the tenant in a new process, whose items a scan of the table finds.
pub(crate) async fn purge_scanning(world: &World) -> Result<Purged, VersioningError> {
    let (tenant, quiet) = (TENANT.parse().unwrap(), Duration::from_secs(2));
    let options = PurgeOptions {
        scan: true,
        ..options(quiet)
    };
    world.service().purge(&tenant, &options, &|_| ()).await
}

/// Purges the tenant in a new process.
pub(crate) async fn purge(world: &World, quiet: Duration) -> Result<Purged, VersioningError> {
    let tenant = TENANT.parse().unwrap();
    let service = world.service();
    service.purge(&tenant, &options(quiet), &|_| ()).await
}

pub(crate) fn few() -> Vec<u8> {
    small(&[(1, "IT"), (2, "Law")])
}

/// Returns a file of two categories with terms in two cultures, two levels deep.
fn bilingual(second: bool) -> Vec<u8> {
    let leaf = json!({"id": 11, "names": in_two_cultures("Rust", "Rust"), "children": []});
    let mut categories = vec![
        json!({"id": 1, "names": in_two_cultures("Sector", "Secteur"), "terms": [
        {"id": 10, "names": in_two_cultures("IT", "Informatique"), "children": [leaf]}]}),
    ];
    if second {
        categories.push(
            json!({"id": 2, "names": in_two_cultures("Place", "Lieu"), "terms": [
            {"id": 20, "names": in_two_cultures("Remote", "A distance")}]}),
        );
    }
    of_categories(&json!(categories))
}

/// Creates every kind of data: uploads, removals, a deleted and a refused upload, settings, a rollback, a rebuild, aggregates, an audit and a
/// parked record.
pub(crate) async fn everything_happened(world: &World, tenant: &str) {
    let id: TenantId = tenant.parse().unwrap();
    let service = world.service();
    world.push(tenant, &bilingual(true)).await;
    world.push(tenant, &bilingual(false)).await;
    world.delete_upload(tenant);
    world.push(tenant, &few()).await;
    world.push(tenant, b"{").await;
    let chain = vec!["fr-FR".parse().unwrap()];
    world
        .configure(tenant, |wanted| wanted.fallback_chain = chain)
        .await;
    world.roll_back(tenant, 1).await;
    world.rebuild(tenant).await;
    world.push(tenant, &few()).await;
    world.aggregate().await;
    whole_audit(&service, &id, Deadline::NONE).await.unwrap();
    let download = newest(world, tenant, Form::all().next().unwrap()).await;
    service.make_download(&download, Deadline::NONE).await.unwrap();
    service.archive.note_failed_download(&download, 1).await.unwrap();
    world.s3.put(
        FAILURES_BUCKET,
        &format!("parked/{tenant}/000000000001-x.json"),
        "{}",
    );
}

/// Returns the items, list entries and object versions of a tenant, one line each.
pub(crate) fn left_of(world: &World, tenant: &str) -> Vec<String> {
    lines(world, |owner| owner == Some(tenant))
}

/// Returns the same lines, with content, for everything that does not belong to the tenant.
pub(crate) fn all_but(world: &World, tenant: &str) -> Vec<String> {
    lines(world, |owner| owner != Some(tenant))
}

fn lines(world: &World, is_meant: impl Fn(Option<&str>) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for item in world.db.items(TABLE) {
        let owner = ItemKey::owner(item["PK"].as_s().unwrap());
        if is_meant(owner.as_ref().map(TenantId::as_str)) {
            lines.push(taxonomy_testkit::dynamodb::line(&item));
        }
    }
    for bucket in BUCKETS {
        for version in world.s3.everything(bucket) {
            let (key, id) = version.rsplit_once(' ').unwrap();
            if is_meant(owner_of_key(key)) {
                let bytes = world.s3.versions(bucket, key).into_iter();
                let bytes = bytes
                    .filter(|object| object.version_id == id)
                    .map(|object| object.bytes);
                lines.push(format!("{bucket}/{version} {:?}", bytes.collect::<Vec<_>>()));
            }
        }
    }
    lines
}

/// Returns the second part of a key, which is the tenant; in the source bucket `.json` follows it.
fn owner_of_key(key: &str) -> Option<&str> {
    let (folder, rest) = key.split_once('/')?;
    match folder {
        "taxonomies" => rest.strip_suffix(".json"),
        _ => Some(rest.split_once('/')?.0),
    }
}

/// Returns status and problem of the tenant's head over HTTP, in a new process.
pub(crate) async fn lookup_answers(world: &World, tenant: &str) -> (u16, String) {
    let (status, body) = get(&process(world), &format!("/v1/tenants/{tenant}")).await;
    (status, body["type"].as_str().unwrap_or_default().to_owned())
}

/// Checks that nothing of the tenant is left.
#[track_caller]
pub(crate) fn assert_gone(world: &World, what: &str) {
    assert_eq!(left_of(world, TENANT), Vec::<String>::new(), "{what}");
}

/// Returns what a purge of the tenant would delete.
pub(crate) async fn plan(world: &World) -> PurgePlan {
    let (service, options) = (world.service(), options(PURGE_QUIET));
    service
        .plan_purge(&TENANT.parse().unwrap(), &options)
        .await
        .unwrap()
}
