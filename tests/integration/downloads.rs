//! Tests of downloads of versions: requested over HTTP, made by the projector, read by the URL that the lookup signs.

mod failures;
mod faults;
mod history;
mod lifecycle;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lookup::{Downloads, Lookup};
use taxonomy_collation::sibling_keys;
use taxonomy_formats::csv::Dialect;
use taxonomy_formats::{Form, Format};
use taxonomy_model::snapshot;
use taxonomy_store::{Download, Queue};
use taxonomy_tests::asking::body;
use taxonomy_tests::prelude::*;

use crate::purge::support::purge;

const DAY_MS: u64 = 86_400_000;

/// Starts a process of the lookup a day later.
pub(crate) fn process(world: &World) -> Lookup {
    process_by(world, &Arc::new(AtomicU64::new(NEW_YEAR_MS + DAY_MS)))
}

/// Starts the same process with this clock for downloads.
fn process_by(world: &World, clock: &Arc<AtomicU64>) -> Lookup {
    let clock = Arc::clone(clock);
    process_with(world, |parts| {
        let archive = Archive::new(world.s3.client(), CHANGESETS_BUCKET);
        let queue = Queue::new(world.sqs.client(), &queue_url(DOWNLOADS));
        let clock = Arc::new(move || clock.load(Ordering::SeqCst));
        parts.with_downloads(move || Downloads::new(archive, queue, clock))
    })
}

/// Delivers each visible message to a new process of the projector; returns their number.
pub(crate) async fn work(world: &World) -> usize {
    let messages = world.sqs.take_visible(DOWNLOADS);
    let count = messages.len();
    for message in messages {
        let response = world.deliver(sqs_event(DOWNLOADS, &[message])).await.unwrap();
        assert_eq!(response["batchItemFailures"], json!([]));
    }
    count
}

fn target(version: u64, form: Form) -> String {
    let dialect = match form.dialect() {
        Dialect::Data => "",
        Dialect::Spreadsheet => "&dialect=spreadsheet",
    };
    format!("versions/{version}/download?format={}{dialect}", form.format())
}

/// Returns the bytes behind a URL.
fn fetched(world: &World, url: &str) -> Vec<u8> {
    let address = url.strip_prefix("http://s3.test/").unwrap();
    let (path, signature) = address.split_once('?').unwrap();
    assert!(signature.contains("X-Amz-Signature="));
    let (bucket, key) = path.split_once('/').unwrap();
    world.s3.object(bucket, key).unwrap().bytes
}

/// Requests a download, lets the projector make it, and reads it.
async fn downloaded(world: &World, lookup: &Lookup, target: &str) -> Vec<u8> {
    let (status, pending) = get(lookup, target).await;
    assert_eq!(
        (status, &pending["status"]),
        (202, &json!("pending")),
        "{pending}"
    );
    assert_eq!(work(world).await, 1);
    let (status, ready) = get(lookup, target).await;
    assert_eq!((status, &ready["status"]), (200, &json!("ready")), "{ready}");
    fetched(world, ready["url"].as_str().unwrap())
}

/// Returns the download of the newest version.
pub(crate) async fn newest(world: &World, tenant: &str, form: Form) -> Download {
    let head = world.committed(tenant).await;
    Download {
        tenant: tenant.parse().unwrap(),
        version: head.version,
        changeset: head.changeset,
        form,
    }
}

fn form(format: Format) -> Form {
    Form::new(format, Dialect::Data).unwrap()
}

/// Returns a file whose download has two parts, and a world that accepts it.
async fn large(world: &World, tenant: &str) -> World {
    let mut world = world.clone();
    world.max_file_bytes = 32 << 20;
    let note = |culture: &str| json!({"culture": culture, "definition": "d".repeat(4000), "scopeNote": "s".repeat(4000)});
    let terms: Vec<Value> = (1..400)
        .map(|id| {
            json!({"id": id, "name": format!("Term {id}"), "notes": [note("en-GB"), note("fr-FR"), note("de-DE")]})
        })
        .collect();
    let file = json!({"categories": [{"id": 1, "name": "Large", "terms": terms}]}).to_string();
    world.push(tenant, file.as_bytes()).await;
    world
}

/// A download of several parts whose upload fails at first, with each request that the projector ever sends for a download.
pub(crate) async fn large_one_that_fails_once(world: &World) {
    let world = large(world, "large").await;
    let download = newest(&world, "large", form(Format::Json)).await;
    let parts = When::nth(1).operation("UploadPart").times(5);
    world.inject(parts, Fault::Throttle);
    for _ in 0..2 {
        let message = world.received(DOWNLOADS, &download.message());
        world.deliver(sqs_event(DOWNLOADS, &[message])).await.unwrap();
        world.transport.reset_faults();
        world.pass(60);
        world.sqs.take(DOWNLOADS);
    }
    assert!(world.s3.object(CHANGESETS_BUCKET, &download.key()).is_some());
    assert!(world.s3.unfinished_uploads(CHANGESETS_BUCKET).is_empty());
}

#[tokio::test]
async fn each_form_is_made_once_and_read_by_its_url() {
    let world = World::of(&[&sample("job-board-v1.json")]).await;
    let content = read(&sample("job-board-v1.json"));
    let lookup = process(&world);
    for form in Form::all() {
        let target = target(1, form);
        let bytes = downloaded(&world, &lookup, &target).await;
        let mut expect = Vec::new();
        match form.format() {
            Format::History => assert!(bytes.len() > 1000),
            _ => {
                form.write(&TENANT.parse().unwrap(), &content, sibling_keys, &mut expect)
                    .unwrap();
                assert!(bytes == expect, "{target}");
            }
        }
        let ready = ask(&lookup, "GET", &target, None).await;
        assert_eq!(ready.headers["cache-control"], "no-store");
        assert_eq!(ready.headers["taxonomy-version"], "1");
        let answer = body(&ready);
        let names = (&answer["mediaType"], &answer["bytes"], &answer["version"]);
        let expect = (&json!(form.format().media_type()), &json!(bytes.len()), &json!(1));
        assert_eq!(names, expect);
        let dialect =
            matches!(form.format(), Format::Csv | Format::History).then(|| json!(form.dialect().as_str()));
        assert_eq!(answer.get("dialect"), dialect.as_ref());
        let object = newest(&world, TENANT, form).await.key();
        let object = world.s3.object(CHANGESETS_BUCKET, &object).unwrap();
        assert_eq!(object.content_type.as_deref(), Some(form.format().media_type()));
        let name = answer["fileName"].as_str().unwrap();
        assert_eq!(
            object.disposition,
            Some(format!("attachment; filename=\"{name}\""))
        );
    }
    // An existing download is not requested again.
    assert_eq!(work(&world).await, 0);
}

#[tokio::test]
async fn what_is_being_made_is_asked_for_once_a_minute_by_a_process() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    let clock = Arc::new(AtomicU64::new(NEW_YEAR_MS + DAY_MS));
    let lookup = process_by(&world, &clock);
    let (csv, json) = (target(1, form(Format::Csv)), target(1, form(Format::Json)));
    let polls = async |expect: usize| {
        for _ in 0..3 {
            let pending = ask(&lookup, "GET", &csv, None).await;
            assert_eq!(pending.status_code, 202);
            assert_eq!(pending.headers["retry-after"], "5");
            assert_eq!(pending.headers["cache-control"], "no-store");
        }
        assert_eq!(world.sqs.messages(DOWNLOADS).len(), expect);
    };
    polls(1).await;
    assert_eq!(get(&lookup, &json).await.0, 202);
    polls(2).await;
    clock.fetch_add(60_000, Ordering::SeqCst);
    polls(3).await;
    // Another process has no record of the first, so its message costs one request that finds the download.
    get(&process(&world), &csv).await;
    assert_eq!(work(&world).await, 4);
    let key = newest(&world, TENANT, form(Format::Csv)).await.key();
    assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &key).len(), 1);
}

/// If the queue did not accept the message, the lookup does not record it as sent.
#[tokio::test(start_paused = true)]
async fn a_message_that_was_not_taken_is_sent_by_the_next_poll() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    let lookup = process(&world);
    let sends = When::always().operation("SendMessage");
    world.inject(sends, Fault::DropBeforeSend);
    let target = target(1, form(Format::Skos));
    assert_eq!(get(&lookup, &target).await.0, 503);
    world.transport.reset_faults();
    assert_eq!(get(&lookup, &target).await.0, 202);
    assert_eq!(world.sqs.messages(DOWNLOADS).len(), 1);
}

#[tokio::test]
async fn the_url_is_of_this_download_for_a_quarter_of_an_hour() {
    let world = World::new();
    for tenant in [TENANT, GLOBEX] {
        world.push(tenant, &small(&[(1, "IT")])).await;
    }
    let clock = Arc::new(AtomicU64::new(NEW_YEAR_MS + DAY_MS + 1_500));
    let lookup = process_by(&world, &clock);
    for tenant in [TENANT, GLOBEX] {
        let target = format!("/v1/tenants/{tenant}/versions/1/download?format=ndjson");
        downloaded(&world, &lookup, &target).await;
        let (_, ready) = get(&lookup, &target).await;
        let url = ready["url"].as_str().unwrap();
        let key = newest(&world, tenant, form(Format::Ndjson)).await.key();
        assert!(
            key.starts_with(&format!("downloads/{tenant}/000000000001-")),
            "{key}"
        );
        assert!(
            url.starts_with(&format!("http://s3.test/{CHANGESETS_BUCKET}/{key}?")),
            "{url}"
        );
        assert!(
            url.contains("X-Amz-Expires=900") && url.contains("X-Amz-Date=20260102T000001Z"),
            "{url}"
        );
        assert_eq!(ready["expiresAt"], "2026-01-02T00:15:01Z");
    }
}

#[tokio::test]
async fn head_does_what_get_does_without_a_body() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    let lookup = process(&world);
    let target = target(1, form(Format::Csv));
    for expect in [202, 200] {
        let head = ask(&lookup, "HEAD", &target, None).await;
        assert_eq!((head.status_code, head.body.as_str()), (expect, ""));
        work(&world).await;
    }
}

#[tokio::test]
async fn what_is_no_download_is_refused_and_sends_nothing() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    let lookup = process(&world);
    let table = "
        versions/1/download                               400 invalid-parameter /query/format
        versions/1/download?format=xml                    400 invalid-parameter /query/format
        versions/1/download?format=JSON                   400 invalid-parameter /query/format
        versions/1/download?format=csv&format=json        400 invalid-parameter /query/format
        versions/1/download?format=csv&dialect=excel      400 invalid-parameter /query/dialect
        versions/1/download?format=json&dialect=data      400 invalid-parameter /query/dialect
        versions/0/download?format=csv                    400 invalid-parameter /path/id
        versions/2/download?format=csv                    404 version-not-found -
        /v1/tenants/nobody/versions/1/download?format=csv 404 tenant-not-found -
    ";
    problems(&lookup, table).await;
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
}

#[tokio::test]
async fn a_version_is_downloaded_after_ten_more() {
    let world = World::new();
    let file = |n: u64| small(&[(1, format!("Name {n}").as_str()), (2, "Law")]);
    for n in 1..=11 {
        world.push(TENANT, &file(n)).await;
    }
    let bytes = downloaded(&world, &process(&world), &target(1, form(Format::Json))).await;
    assert_eq!(snapshot::hash(&read(&bytes)), snapshot::hash(&read(&file(1))));
}

/// The message is of another stack, of a version number that was assigned again, or of a tenant that never existed or is purged.
#[tokio::test(start_paused = true)]
async fn a_message_that_fits_no_version_makes_nothing_and_is_done() {
    let world = World::in_tokios_time();
    world.push(TENANT, &small(&[(1, "IT")])).await;
    let good = newest(&world, TENANT, form(Format::Csv)).await;
    let [mut other_changeset, mut later, mut nobody] = [good.clone(), good.clone(), good.clone()];
    other_changeset.changeset = Hash::digest(b"another");
    later.version = Version::FIRST.next();
    nobody.tenant = "nobody".parse().unwrap();
    for download in [other_changeset, later, nobody] {
        world.sqs.send(DOWNLOADS, &download.message());
    }
    assert_eq!(work(&world).await, 3);
    let is_none = || {
        let keys = world.s3.keys(CHANGESETS_BUCKET);
        assert!(!keys.iter().any(|key| key.starts_with("download")), "{keys:?}");
    };
    is_none();
    purge(&world, Duration::from_secs(1)).await.unwrap();
    world.sqs.send(DOWNLOADS, &good.message());
    assert_eq!(work(&world).await, 1);
    is_none();
    assert!(world.sqs.messages(DOWNLOADS).is_empty());
}

/// A purge deletes the downloads of its tenant with all their versions, and those of no other.
#[tokio::test(start_paused = true)]
async fn a_purge_deletes_downloads_and_notes_of_failures() {
    let world = World::in_tokios_time();
    for tenant in [TENANT, "acme2"] {
        world.push(tenant, &small(&[(1, "IT")])).await;
        let download = newest(&world, tenant, form(Format::Csv)).await;
        let service = world.service();
        service.make_download(&download, Deadline::NONE).await.unwrap();
        service.archive.note_failed_download(&download, 1).await.unwrap();
        service.archive.note_failed_download(&download, 2).await.unwrap();
    }
    purge(&world, Duration::from_secs(1)).await.unwrap();
    let everything = world.s3.everything(CHANGESETS_BUCKET);
    let of = |tenant: &str| {
        let part = format!("/{tenant}/");
        let keys = everything.iter().filter(|key| key.starts_with("download"));
        keys.filter(|key| key.contains(&part)).count()
    };
    assert_eq!((of(TENANT), of("acme2")), (0, 3), "{everything:?}");
}
