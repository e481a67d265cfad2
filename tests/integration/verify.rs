//! Tests of verification: each kind of damage is found and named.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_collation::sibling_keys;
use taxonomy_index::{Changed, Digest, Identity, Preorder, Source, build};
use taxonomy_keys::Key;
use taxonomy_tests::prelude::*;

async fn two_versions() -> World {
    World::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await
}

fn object(key: &str) -> String {
    format!("s3://{CHANGESETS_BUCKET}/{key}")
}

/// Changes or deletes by hand the first item that passes.
async fn tamper(world: &World, passes: fn(&str, &str) -> bool, change: fn(&mut Item) -> bool) -> Key {
    let texts = |item: &Item| {
        (
            item["PK"].as_s().unwrap().clone(),
            item["SK"].as_s().unwrap().clone(),
        )
    };
    let mut items = world.db.items(TABLE);
    items.retain(|item| !item.contains_key("Removed"));
    let item = items.into_iter().find(|item| {
        let (pk, sk) = texts(item);
        passes(&pk, &sk)
    });
    let mut item = item.unwrap();
    let (pk, sk) = texts(&item);
    if change(&mut item) {
        world.put_by_hand(item).await;
    } else {
        world.delete_by_hand(&item).await;
    }
    Key { pk, sk }
}

#[tokio::test]
async fn what_was_written_is_clean() {
    let world = two_versions().await;
    let verdict = world.verdict().await;
    assert!(verdict.is_clean(), "{verdict:?}");
    assert_eq!(
        (verdict.version, verdict.settled, verdict.counted),
        (2, true, None)
    );
    let findings = verdict.findings;
    let objects = world.s3.keys(CHANGESETS_BUCKET).len() as u64;
    assert_eq!((findings.versions, findings.objects), (2, objects));
    // The configuration is compared with nothing, and what expires stands for none.
    let items = world.db.items(TABLE).into_iter();
    let compared =
        items.filter(|item| item["SK"].as_s().unwrap() != "TENANT" && !item.contains_key("ExpiresAt"));
    assert_eq!(findings.items, compared.count() as u64);
}

#[tokio::test]
async fn an_item_that_is_listed_elsewhere_differs() {
    let world = two_versions().await;
    let relist = |item: &mut Item| {
        item.insert("GSI1SK".to_owned(), AttributeValue::S("elsewhere".to_owned()));
        true
    };
    let key = tamper(&world, |pk, sk| pk.starts_with("CATEGORY#") && pk == sk, relist).await;
    assert_eq!(
        world.listed().await,
        [format!("altered   {} {} GSI1SK", key.pk, key.sk)]
    );
}

/// Returns the index files of a tenant, the first version's first.
fn index_files(world: &World) -> Vec<String> {
    world.keys(|key| key.ends_with(".index"))
}

/// Returns the search objects of a tenant, the first version's first.
fn search_objects(world: &World) -> Vec<String> {
    let mut keys = world.keys(|key| key.contains(".search-"));
    // Their digests have no order.
    let version = |key: &str| key.split('/').next_back().map(|name| name[..12].to_owned());
    let culture = |key: &str| key.split_once(".search-").map(|(_, culture)| culture.to_owned());
    keys.sort_by_key(|key| (version(key), culture(key)));
    keys
}

#[tokio::test]
async fn a_search_object_of_another_byte_length_or_version_is_named() {
    let world = two_versions().await;
    let keys = search_objects(&world);
    let sound = |key: &str| world.body(key);
    let key = &keys[4];
    let mut changed = sound(key);
    changed[7] ^= 1;
    let (mut longer, mut shorter) = (sound(key), sound(key));
    longer.push(0);
    shorter.pop();
    // The object of the same culture, of the version before.
    let older = sound(&keys[1]);
    for wrong in [changed, longer, shorter, older] {
        let bytes = sound(key);
        world.put_body(key, wrong);
        let lines = world.listed().await;
        assert!(
            matches!(&lines[..], [line] if line.starts_with(&format!("altered   {}: ", object(key)))),
            "{lines:?}"
        );
        world.put_body(key, bytes);
    }
}

/// The file is valid, but not that of the version: its tables were built from another content.
#[tokio::test]
async fn an_index_file_of_other_content_is_named() {
    let world = two_versions().await;
    let head = world
        .heads()
        .entry(&tenant(), Version::FIRST)
        .await
        .unwrap()
        .unwrap();
    let identity = Identity {
        tenant: tenant(),
        version: Version::FIRST,
        changeset: head.changeset,
        state: head.state,
        projection_format: 1,
    };
    let content = read(&sample("job-board-v2.json"));
    let facts = taxonomy_model::diff(None, &content);
    let changed = Changed::from_facts(&facts, None, content.settings());
    let file = build(&Source {
        identity: &identity,
        taxonomy: &content,
        order: &Preorder::new(&content, sibling_keys),
        changed: &changed,
        search: &vec![Digest::from_content(b""); content.cultures().len()],
        previous: None,
    });
    let file = file.unwrap();
    world.put_body(&index_files(&world)[0], file.body);
    let lines = world.listed().await;
    assert!(
        matches!(&lines[..], [line] if line.contains("it has other content than the version")),
        "{lines:?}"
    );
}

#[tokio::test]
async fn a_removed_and_returned_term_is_clean() {
    let world = World::of(&[
        &small(&[(1, "IT"), (2, "Law")]),
        &small(&[(1, "IT")]),
        &small(&[(1, "IT"), (2, "Law")]),
    ])
    .await;
    let verdict = world.verdict().await;
    // Beside head and log.
    assert_eq!(
        (verdict.is_clean(), verdict.findings.items),
        (true, 3 + 1 + 3),
        "{verdict:?}"
    );
}
