//! Tests of the files of versions: one index file for each version and one search object for each of its cultures, all of them stored before the
//! head names the version, whatever happens meanwhile. The tests of `taxonomy-index` check their content.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_collation::sibling_keys;
use taxonomy_index::search::{Entry, Kind, write};
use taxonomy_index::{Changed, Digest, Expected, File, Identity, Preorder, Previous, Source, build};
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;
use taxonomy_store::{Configuration, Freeze, LogEntry};
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{TENANT, World, read, sample, small, tenant};
use taxonomy_versioning::Deadline;

async fn entry(world: &World, version: Version) -> LogEntry {
    world.heads().entry(&tenant(), version).await.unwrap().unwrap()
}

/// Returns the keys of all index files and search objects.
fn files(world: &World) -> Vec<String> {
    let keys = world.s3.keys(CHANGESETS_BUCKET).into_iter();
    keys.filter(|key| key.starts_with("indexes/")).collect()
}

/// Returns the search object of a version whose nodes have only names, in one culture.
fn search_object(content: &Taxonomy) -> Vec<u8> {
    let order = Preorder::new(content, sibling_keys);
    let categories = order.categories().iter().map(|id| content.category(*id).unwrap());
    let categories = categories.map(|category| (category.id().get(), category.node, 0));
    let terms = order.terms().iter().map(|id| content.term(*id).unwrap());
    let terms = terms.map(|term| (term.id().get(), term.node, 1));
    let entries = (0..)
        .zip(categories.chain(terms))
        .map(|(ordinal, (id, node, depth))| Entry {
            ordinal,
            id,
            name: node.default_name().name,
            kind: Kind::Preferred,
            depth,
            deprecated: false,
            sort_key: "",
        });
    let language = (&content.settings().default_culture).into();
    write(language, order.len(), entries.collect()).unwrap()
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
        };
        let facts = taxonomy_model::diff(old.as_ref(), &new);
        let settings = old.as_ref().map(Taxonomy::settings);
        let previous = before.as_ref().map(|(bytes, entry)| {
            let expected = Expected {
                tenant: &identity.tenant,
                version: entry.version,
                changeset: &entry.changeset,
            };
            (File::open(bytes, expected).unwrap(), entry.committed_at)
        });
        let object = search_object(&new);
        let digest = Digest::from_content(&object);
        let built = build(&Source {
            identity: &identity,
            taxonomy: &new,
            order: &Preorder::new(&new, sibling_keys),
            changed: &Changed::from_facts(&facts, settings, new.settings()),
            search: &[digest],
            previous: previous.as_ref().map(|(file, committed_at)| Previous {
                file,
                committed_at: *committed_at,
            }),
        });
        let built = built.unwrap();
        assert_eq!(entry.index_key, identity.index_key(built.digest));
        files.insert(entry.index_key.clone(), built.body.clone());
        files.insert(
            identity.search_key(&new.settings().default_culture, digest),
            object,
        );
        before = Some((built.body, entry));
        (old, version) = (Some(new), version.next());
    }
    files
}

/// Checks that the tenant has these versions, is at rest, and has their files and no other.
async fn assert_files(world: &World, versions: &[&[u8]]) {
    let head = world.committed(TENANT).await;
    assert_eq!(head.version.get(), versions.len() as u64);
    assert!(head.is_settled());
    assert_eq!(head.index_key, entry(world, head.version).await.index_key);
    assert!(world.head(TENANT).await.attention.is_none());
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
async fn every_file_of_a_version_is_stored_before_the_commit() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world.exchanges().clear();
    world.push(TENANT, &two()).await;
    assert_files(&world, &[&one(), &two()]).await;
    let lines = world.exchanges().lines();
    let places = [
        "/snapshots/",
        "/changesets/",
        ".search-en-GB",
        ".index",
        "TransactWriteItems",
    ]
    .map(|word| {
        let is_write = |line: &&String| line.contains("PutObject") || line.contains("TransactWriteItems");
        let writes = lines.iter().filter(is_write);
        writes.clone().position(|line| line.contains(word)).unwrap()
    });
    assert_eq!(places, [0, 1, 2, 3, 4], "{lines:#?}");
}

#[tokio::test]
async fn an_unchanged_file_builds_nothing() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    world.exchanges().clear();
    world.push(TENANT, &one()).await;
    assert_eq!(world.exchanges().count("PutObject"), 0);
}

/// The version before stays, and the next delivery commits.
#[tokio::test]
async fn a_version_whose_files_cannot_be_stored_is_not_committed() {
    for kind in [".search-", ".index"] {
        let world = World::new();
        world.push(TENANT, &one()).await;
        let puts = When::always().operation("PutObject").containing(kind);
        world.transport.inject(puts, Fault::Throttle);
        let event = world.upload(TENANT, &two());
        assert!(world.deliver(event.clone()).await.is_err(), "{kind}");
        world.transport.reset_faults();
        assert_eq!(world.committed(TENANT).await.version, Version::FIRST, "{kind}");
        world.deliver(event).await.unwrap();
        assert_files(&world, &[&one(), &two()]).await;
    }
}

/// A process checks its deadline before each file; a later process stores the rest, and commits.
#[tokio::test]
async fn files_are_stored_while_there_is_time() {
    let world = World::new();
    let event = world.upload(TENANT, &sample("job-board-v1.json"));
    let mut stored = BTreeSet::new();
    for looks in 0..200 {
        let handled = world
            .projector()
            .handle(event.clone(), world.deadline_in(looks))
            .await;
        // Without any time it asks to be called again.
        drop(handled);
        stored.insert(files(&world).len());
        if world.head(TENANT).await.committed.is_some() {
            break;
        }
    }
    // Small objects, here of three cultures, are sent at once.
    assert_eq!(stored, BTreeSet::from([0, 3, 4]));
    world.deliver(event).await.unwrap();
    for key in files(&world) {
        assert_eq!(world.s3.versions(CHANGESETS_BUCKET, &key).len(), 1, "{key}");
    }
    assert!(
        world
            .service()
            .verify(&tenant(), BTreeSet::new())
            .await
            .unwrap()
            .is_clean()
    );
}

/// Releases requests until one names this, which is held.
async fn hold_at(world: &World, target: &str) -> u64 {
    loop {
        tokio::task::yield_now().await;
        for request in world.transport.pending() {
            if request.target.contains(target) {
                return request.id;
            }
            world.transport.release(request.id, None);
        }
    }
}

/// Releases every request but one.
async fn release_others(world: &World, held: u64) {
    loop {
        tokio::task::yield_now().await;
        let pending = world.transport.pending().into_iter();
        pending
            .filter(|request| request.id != held)
            .for_each(|request| world.transport.release(request.id, None));
    }
}

/// Files of a large version take a minute. What an operator changes meanwhile counts, here a freeze: the version is not committed.
#[tokio::test]
async fn a_tenant_that_moves_while_its_files_are_built_is_planned_again() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    let event = world.upload(TENANT, &two());
    world.transport.close_gate();
    let projector = world.projector();
    let meanwhile = async {
        let held = hold_at(&world, ".search-").await;
        let service = world.service();
        let frozen = Configuration {
            frozen: Some(Freeze::default()),
            ..Configuration::default()
        };
        let tenant = tenant();
        tokio::select! {
            configured = service.configure(&tenant, &frozen) => drop(configured.unwrap()),
            () = release_others(&world, held) => {}
        }
        world.transport.open_gate();
    };
    let (handled, ()) = tokio::join!(projector.handle(event.clone(), Deadline::NONE), meanwhile);
    handled.unwrap();
    assert_eq!(world.committed(TENANT).await.version, Version::FIRST);
    let thawed = Configuration {
        revision: 1,
        ..Configuration::default()
    };
    world.service().configure(&tenant(), &thawed).await.unwrap();
    world.deliver(event).await.unwrap();
    assert_files(&world, &[&one(), &two()]).await;
}

/// The head of a newer build, as this one reads it: nothing is committed onto it.
#[tokio::test]
async fn the_files_of_a_newer_build_are_left_alone() {
    let world = World::new();
    world.push(TENANT, &one()).await;
    let mut head = world
        .db
        .item("taxonomy", &format!("TAXONOMY#{TENANT}"), "HEAD")
        .unwrap();
    let newer = world.committed(TENANT).await.index_key.replace("/1/", "/2/");
    head.insert("IndexKey".to_owned(), AttributeValue::S(newer.clone()));
    world.put_by_hand(head).await;
    let before = files(&world);
    let event = world.upload(TENANT, &two());
    let refused = world.deliver(event).await.unwrap_err();
    let causes = taxonomy_runtime::causes(&refused);
    assert!(
        causes.contains(&format!("{newer} has format 2, which this build does not know")),
        "{causes}"
    );
    assert_eq!(world.committed(TENANT).await.version, Version::FIRST);
    assert_eq!(files(&world), before);
}
