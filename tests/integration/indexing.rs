//! Tests of index files and search objects: one file for each version and one object for each of its cultures, in the order of versions,
//! whatever happens while they are built. The tests of `taxonomy-index` and `taxonomy-search` check their content.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use taxonomy_index::{Changed, Expected, File, INDEX_FORMAT, Identity, Preorder, build};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Taxonomy;
use taxonomy_search::{Entry, Kind, Writer};
use taxonomy_store::{Archive, LogEntry};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{TENANT, World, read, sample, small};
use taxonomy_versioning::Deadline;

fn tenant() -> TenantId {
    TENANT.parse().unwrap()
}

fn often() -> serde_json::Value {
    json!({"source": "taxonomy.schedule", "detail-type": "sweep"})
}

/// The time for which a sweep leaves a tenant alone after its last commit, in seconds.
const QUARTER: u64 = 901;

async fn entry(world: &World, version: Version) -> LogEntry {
    world.heads().entry(&tenant(), version).await.unwrap().unwrap()
}

/// Returns the keys of all index files and search objects.
fn files(world: &World) -> Vec<String> {
    let keys = world.s3.keys(CHANGESETS_BUCKET).into_iter();
    keys.filter(|key| key.starts_with("indexes/")).collect()
}

/// Returns the search object of a version whose terms have only names, in one culture.
fn search_object(content: &Taxonomy) -> Vec<u8> {
    let order = Preorder::of(content);
    let mut writer = Writer::new(order.len());
    for term in content.terms() {
        let entry = Entry {
            ordinal: order.term(term.id()).unwrap(),
            id: term.id().get(),
            name: term.node.default_name().name,
            kind: Kind::Preferred,
            depth: 1,
            deprecated: false,
            sort_key: "",
        };
        writer.push(&entry).unwrap();
    }
    let mut body = Vec::new();
    writer.finish(&mut body).unwrap();
    body
}

/// Returns the expected search object and index file of each version by their keys, built one after the other from the uploads.
async fn expected_files(world: &World, versions: &[&[u8]]) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut before) = (BTreeMap::new(), None::<(Vec<u8>, LogEntry)>);
    let mut version = Version::FIRST;
    let mut old = None;
    for file in versions {
        let (entry, new) = (entry(world, version).await, read(file));
        let identity = Identity {
            tenant: tenant(),
            version,
            changeset: entry.changeset.clone(),
            state: entry.state.clone(),
            projection_format: 1,
            committed_at: entry.committed_at,
        };
        let facts = taxonomy_model::diff(old.as_ref(), &new);
        let settings = old.as_ref().map(Taxonomy::settings);
        let changed = Changed::of(&facts, settings, new.settings());
        let previous = before.as_ref().map(|(bytes, entry)| {
            let expected = Expected {
                tenant: &identity.tenant,
                version: entry.version,
                changeset: &entry.changeset,
            };
            File::open(bytes, expected).unwrap()
        });
        let built = build(&identity, &new, &changed, previous.as_ref()).unwrap();
        let key = Archive::index_key(&tenant(), INDEX_FORMAT, version, &entry.changeset);
        files.insert(key, built.body.clone());
        let culture = &new.settings().default_culture;
        let key = Archive::search_key(&tenant(), INDEX_FORMAT, version, &entry.changeset, culture);
        files.insert(key, search_object(&new));
        before = Some((built.body, entry));
        (old, version) = (Some(new), version.next());
    }
    files
}

async fn assert_indexed(world: &World, versions: &[&[u8]]) {
    let head = world.committed(TENANT).await;
    assert_eq!(head.version.get(), versions.len() as u64);
    assert!(head.is_settled());
    assert_eq!(head.indexed_in(INDEX_FORMAT), Some(head.version));
    assert!(world.heads().behind(None, 10).await.unwrap().tenants.is_empty());
    let expected = expected_files(world, versions).await;
    assert_eq!(files(world), expected.keys().cloned().collect::<Vec<_>>());
    for (key, body) in expected {
        let stored = world.s3.object(CHANGESETS_BUCKET, &key).unwrap();
        assert!(*stored.bytes == *body, "{key} is another file");
        assert_eq!(
            world.s3.versions(CHANGESETS_BUCKET, &key).len(),
            1,
            "{key} was written again"
        );
    }
}

fn one() -> Vec<u8> {
    small(&[(1, "One"), (2, "Two")])
}

fn two() -> Vec<u8> {
    small(&[(1, "One"), (3, "Three")])
}

#[tokio::test]
async fn each_version_has_its_file_before_it_is_served() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world.push(TENANT, &two()).await;
    assert_indexed(&world, &[&one(), &two()]).await;
    let lines = world.exchanges().lines();
    let last = |words: [&str; 2]| {
        let found = lines
            .iter()
            .rposition(|line| words.iter().all(|word| line.contains(word)));
        found.unwrap()
    };
    let searchable = last(["PutObject", ".search-en-GB"]);
    let (stored, settled) = (last(["PutObject", ".index"]), last(["UpdateItem", ""]));
    assert!(searchable < stored && stored < settled, "{lines:#?}");
}

#[tokio::test]
async fn an_unchanged_file_builds_nothing() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world.exchanges().clear();
    world.push(TENANT, &one()).await;
    assert_eq!(world.exchanges().count("PutObject"), 0);
}

/// A version whose file cannot be stored is served nevertheless, and a sweep builds the file.
#[tokio::test]
async fn a_file_that_is_not_stored_stops_no_publication() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world
        .transport
        .inject(When::always().containing("indexes/"), Fault::Throttle);
    world.push(TENANT, &two()).await;
    let head = world.committed(TENANT).await;
    assert!(head.is_settled());
    assert_eq!(head.indexed_in(INDEX_FORMAT), Some(Version::FIRST));
    assert_eq!(world.heads().behind(None, 10).await.unwrap().tenants, [tenant()]);

    world.deliver(often()).await.unwrap();
    assert_eq!(
        world.committed(TENANT).await.indexed,
        1,
        "it is left alone for a quarter of an hour"
    );
    world.pass(QUARTER);
    world.deliver(often()).await.unwrap();
    assert_eq!(world.committed(TENANT).await.indexed, 1, "S3 still refuses");
    world.transport.reset_faults();
    world.deliver(often()).await.unwrap();
    assert_indexed(&world, &[&one(), &two()]).await;
}

/// An object with other content under the key of a file is never accepted as the file, and never replaced.
#[tokio::test]
async fn an_object_of_other_content_is_not_taken_for_the_file() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world
        .transport
        .inject(When::always().containing("indexes/"), Fault::Throttle);
    world.push(TENANT, &two()).await;
    world.transport.reset_faults();
    let (first, second) = (
        entry(&world, Version::FIRST).await,
        entry(&world, Version::FIRST.next()).await,
    );
    let key = |entry: &LogEntry| Archive::index_key(&tenant(), INDEX_FORMAT, entry.version, &entry.changeset);
    let other = world.s3.object(CHANGESETS_BUCKET, &key(&first)).unwrap();
    world.s3.put(CHANGESETS_BUCKET, &key(&second), other.bytes);
    world.pass(QUARTER);
    world.deliver(often()).await.unwrap();
    assert_eq!(world.committed(TENANT).await.indexed, 1);
    assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &key(&second)).len(), 1);
}

/// The same holds for a search object, after which no index file is stored.
#[tokio::test]
async fn an_object_of_other_content_is_not_taken_for_the_search_object() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world
        .transport
        .inject(When::always().containing("indexes/"), Fault::Throttle);
    world.push(TENANT, &two()).await;
    world.transport.reset_faults();
    let second = entry(&world, Version::FIRST.next()).await;
    let (culture, changeset) = ("en-GB".parse().unwrap(), &second.changeset);
    let key = Archive::search_key(&tenant(), INDEX_FORMAT, second.version, changeset, &culture);
    let mut body = search_object(&read(&two()));
    body[0] ^= 1;
    world.s3.put(CHANGESETS_BUCKET, &key, body);
    world.pass(QUARTER);
    world.deliver(often()).await.unwrap();
    assert_eq!(world.committed(TENANT).await.indexed, 1);
    assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &key).len(), 1);
    let index = Archive::index_key(&tenant(), INDEX_FORMAT, second.version, changeset);
    assert!(world.s3.object(CHANGESETS_BUCKET, &index).is_none());
}

/// A process checks its deadline before each search object; a later process compares the existing ones and writes the rest.
#[tokio::test]
async fn search_objects_are_stored_while_there_is_time() {
    let world = World::new();
    world
        .transport
        .inject(When::always().containing("indexes/"), Fault::Throttle);
    world.push(TENANT, &sample("job-board-v1.json")).await;
    world.transport.reset_faults();
    world.pass(QUARTER);
    let mut stored = BTreeSet::new();
    for looks in 0..200 {
        let swept = world.projector().handle(often(), world.deadline_in(looks)).await;
        swept.unwrap();
        stored.insert(files(&world).len());
        if world.committed(TENANT).await.indexed == 1 {
            break;
        }
    }
    // Three cultures; the index file follows the last object without a check of the deadline.
    assert_eq!(stored, BTreeSet::from([0, 1, 2, 4]));
    for key in files(&world) {
        assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &key).len(), 1, "{key}");
    }
    assert!(world.service().verify(&tenant()).await.unwrap().is_clean());
}

/// A process dies before, or right after, each of its requests in turn; the next delivery makes the same files.
#[tokio::test]
async fn a_process_that_dies_leaves_no_other_file() {
    for fault in [Fault::Crash, Fault::CrashAfterApply] {
        let mut requests = 0;
        for request in 1..=40 {
            let world = World::new();
            world.push(TENANT, &one()).await;
            let event = world.upload(TENANT, &two());
            world.transport.inject(When::nth(request), fault);
            let projector = world.projector();
            let ended = world
                .transport
                .until_crash(projector.handle(event.clone(), Deadline::NONE))
                .await;
            world.transport.reset_faults();
            world.pass(120);
            world.deliver(event).await.unwrap();
            assert_indexed(&world, &[&one(), &two()]).await;
            requests = request;
            if ended.is_some() {
                break;
            }
        }
        assert!((15..40).contains(&requests), "{requests} requests");
    }
}

/// The same holds for every fault of the requests for the files.
#[tokio::test]
async fn a_request_that_fails_leaves_the_file_or_a_tenant_that_is_listed() {
    for fault in Fault::ALL.into_iter().filter(|fault| !fault.is_crash()) {
        let world = World::new();
        world.push(TENANT, &one()).await;
        let event = world.upload(TENANT, &two());
        world
            .transport
            .inject(When::always().containing("indexes/").times(20), fault);
        world.deliver(event).await.unwrap();
        world.transport.reset_faults();
        assert!(world.committed(TENANT).await.is_settled(), "{fault:?}");
        world.pass(QUARTER);
        world.deliver(often()).await.unwrap();
        assert_indexed(&world, &[&one(), &two()]).await;
    }
}

/// Versions that were superseded before they were projected have their files as well.
#[tokio::test]
async fn versions_that_were_never_projected_have_their_files() {
    let world = World::new();
    let (three, key) = (
        small(&[(3, "Three"), (2, "Two again")]),
        format!("taxonomies/{TENANT}.json"),
    );
    for file in [one(), two(), three.clone()] {
        world.s3.put(SOURCE_BUCKET, &key, file);
        let event = sns_event(&[world.s3.event(SOURCE_BUCKET, &key)]);
        // The process dies right after the commit, before it writes anything of the version.
        world.transport.inject(
            When::nth(1).operation("TransactWriteItems"),
            Fault::CrashAfterApply,
        );
        let projector = world.projector();
        drop(
            world
                .transport
                .until_crash(projector.handle(event, Deadline::NONE))
                .await,
        );
        world.transport.reset_faults();
        world.pass(120);
    }
    assert_eq!(world.committed(TENANT).await.projected, None);
    world.deliver(often()).await.unwrap();
    world.pass(QUARTER);
    world.deliver(often()).await.unwrap();
    assert_indexed(&world, &[&one(), &two(), &three]).await;
}

/// A build with an older format leaves the files and the head's record of a newer one unchanged.
#[tokio::test]
async fn the_files_of_a_newer_build_are_left_alone() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    let head = world.committed(TENANT).await;
    let noted = world
        .heads()
        .note_indexed(&tenant(), &head, head.version, INDEX_FORMAT + 1)
        .await;
    assert!(noted.unwrap());
    let before = files(&world);
    world.push(TENANT, &two()).await;
    let head = world.committed(TENANT).await;
    assert!(head.is_settled());
    assert_eq!(
        (head.indexed, head.index_format),
        (1, u64::from(INDEX_FORMAT + 1))
    );
    assert_eq!(files(&world), before);
}
