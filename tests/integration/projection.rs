//! Tests of the projection of an uploaded file: the items that are written, and those that are not.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_testkit::dynamodb::key;
use taxonomy_tests::prelude::*;

#[tokio::test]
async fn a_first_file_becomes_version_1_and_all_its_items() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    world.push(TENANT, &file).await;

    assert_eq!(world.live(TENANT), expected(TENANT, &file));
    let head = world.committed(TENANT).await;
    assert_eq!(
        (head.version.get(), head.projected.map(|version| version.get())),
        (1, Some(1))
    );
    assert_eq!((head.categories, head.terms), (5, 144));
    let changeset_key = format!("changesets/{TENANT}/000000000001-{}.json.zst", head.changeset);
    let name = format!("indexes/{TENANT}/1/000000000001-{}-", head.changeset);
    assert!(head.index_key.starts_with(&name), "{}", head.index_key);
    let search_key = |culture| {
        // A search object is named by 16 digits of the SHA-256 of its bytes.
        let key = world
            .keys(|key| key.ends_with(&format!(".search-{culture}")))
            .concat();
        let bytes = world.body(&key);
        assert_eq!(
            key,
            format!("{name}{}.search-{culture}", &Hash::digest(&bytes).as_str()[..16])
        );
        key
    };
    let mut keys = ["de-DE", "en-GB", "fr-FR"].map(search_key).to_vec();
    keys.extend([changeset_key, head.index_key.clone(), head.snapshot_key.clone()]);
    keys.sort_unstable();
    assert_eq!(world.s3.keys(CHANGESETS_BUCKET), keys);
    assert_eq!(
        head.snapshot_key,
        format!("snapshots/{TENANT}/000000000001-{}.json.zst", head.state)
    );
    // 410 items, counted by an independent reading of the sample.
    assert_eq!(world.exchanges().count("PutItem"), 410);
}

#[tokio::test]
async fn the_same_file_again_only_notes_the_new_object() {
    let (world, file) = (World::new(), sample("job-board-v1.json"));
    world.push(TENANT, &file).await;
    let before = world.db.items(TABLE).len();
    world.exchanges().clear();
    world.push(TENANT, &file).await;
    let operations = ["PutItem", "UpdateItem", "TransactWriteItems", "PutObject"];
    let sent = operations.map(|operation| world.exchanges().count(operation));
    assert_eq!(sent, [0, 1, 0, 0]);
    assert_eq!(world.db.items(TABLE).len(), before);
    assert_eq!(world.committed(TENANT).await.version.get(), 1);
}

#[tokio::test]
async fn a_next_version_writes_what_differs_and_nothing_else() {
    let (world, old, new) = (
        World::new(),
        sample("job-board-v1.json"),
        sample("job-board-v2.json"),
    );
    world.push(TENANT, &old).await;
    world.exchanges().clear();
    world.push(TENANT, &new).await;
    assert_eq!(world.live(TENANT), expected(TENANT, &new));
    // 117 items put and 11 tombstones, counted by an independent reading of the samples.
    assert_eq!(world.exchanges().count("PutItem"), 117 + 11);

    let removed: Vec<String> = world
        .db
        .dump(TABLE)
        .into_iter()
        .filter(|line| line.contains("Removed=true"))
        .collect();
    assert_eq!(removed.len(), 11);
    assert!(
        removed
            .iter()
            .all(|line| line.contains("V=2") && !line.contains("GSI1PK"))
    );
    let term = removed
        .iter()
        .find(|line| line.starts_with("TERM#acme#123 | TERM#acme#123 "))
        .unwrap();
    assert!(
        term.contains("Deprecated=true") && term.contains("FinalName=") && !term.contains("ExpiresAt"),
        "{term}"
    );
    let satellite = removed
        .iter()
        .find(|line| line.starts_with("TERM#acme#123 | CULTURE#"))
        .unwrap();
    assert!(
        satellite.contains("ExpiresAt=") && !satellite.contains("FinalName"),
        "{satellite}"
    );
}

#[tokio::test]
async fn one_event_with_several_records_is_worked_off_once_a_tenant() {
    let world = World::new();
    world.upload(TENANT, &small(&[(1, "IT")]));
    world.upload(GLOBEX, &small(&[(1, "Law")]));
    let event = world.event_of(&[TENANT, GLOBEX, TENANT]);
    world.deliver(event).await.unwrap();
    assert_eq!(world.committed(TENANT).await.version.get(), 1);
    assert_eq!(world.committed(GLOBEX).await.version.get(), 1);
    // A commit and the end of a load of each tenant.
    assert_eq!(world.exchanges().count("TransactWriteItems"), 4);
}

#[tokio::test]
async fn an_object_that_is_gone_changes_nothing() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    let event = world.event_of(&[TENANT]);
    world.delete_upload("acme");
    world.deliver(event).await.unwrap();
    assert_eq!(world.live(TENANT), expected(TENANT, &small(&[(1, "IT")])));
}

/// Uploads a file whose process dies after the commit, before it stores the cursor of the load.
async fn commit_only(world: &World, file: &[u8]) {
    let event = world.upload_replacement(TENANT, file);
    world.dies_at(event, 1, "UpdateItem").await;
}

async fn set_version_of_term_1(world: &World, version: AttributeValue) {
    let term = ("TERM#acme#1", "TERM#acme#1");
    world.alter(term, "V", Some(version)).await;
}

/// No write of a load goes over such an item, so somebody has to hear of it, and the load puts it right by itself.
#[tokio::test(start_paused = true)]
async fn an_item_from_the_future_is_counted_and_put_right() {
    let found = async |found: AttributeValue| {
        let world = World::of(&[&small(&[(1, "IT"), (2, "Law")])]).await;
        commit_only(&world, &small(&[(1, "Tech"), (2, "Courts")])).await;
        set_version_of_term_1(&world, found).await;
        let service = world.service();
        let tenant = TENANT.parse().unwrap();
        let outcome = service.reconcile(&tenant, Deadline::NONE).await;
        assert!(matches!(outcome, Ok(Outcome::AtRest)), "{outcome:?}");
        let file = small(&[(1, "Tech"), (2, "Courts")]);
        let counted = service.metrics.counted(Metric::AuditDifferences);
        assert_eq!(counted == 1, world.live(TENANT) == expected(TENANT, &file));
        service.metrics.counted(Metric::AuditDifferences)
    };
    let of_newer = found(AttributeValue::N("3".to_owned())).await;
    assert_eq!(of_newer, 1, "of a newer version");
    assert_eq!(found(AttributeValue::S("2".to_owned())).await, 1, "no number");
    assert_eq!(found(AttributeValue::N("2".to_owned())).await, 0, "of this load");
}

#[tokio::test(start_paused = true)]
async fn an_item_from_the_future_is_counted_although_the_load_fails_later() {
    let counted = async |version: &str| {
        let world = World::of(&[&small(&[(1, "IT"), (2, "Law")])]).await;
        commit_only(&world, &small(&[(1, "Tech")])).await;
        commit_only(&world, &small(&[(1, "Technology")])).await;
        set_version_of_term_1(&world, AttributeValue::N(version.to_owned())).await;
        // A load over more than one version reads the tombstones from the index file, after its other writes.
        let head = world.committed(TENANT).await;
        assert_eq!(
            (head.version.get(), head.projected.map(|version| version.get())),
            (3, Some(1))
        );
        // Nothing is left to build that again from: the content of the second version is gone.
        let is_needed = |key: &str| {
            key.ends_with(".index") || key.contains("changesets/") || key.contains("/000000000002-")
        };
        world.lose_all(is_needed);
        let (service, tenant) = (world.service(), TENANT.parse().unwrap());
        service.reconcile(&tenant, Deadline::NONE).await.unwrap_err();
        service.metrics.counted(Metric::AuditDifferences)
    };
    let losses = counted("1").await;
    assert_eq!(counted("9").await, losses + 1, "of a newer version");
}

/// A process that loads version 1 late finds what another wrote for version 2.
#[tokio::test(start_paused = true)]
async fn an_item_of_a_version_after_the_load_is_not_counted() {
    let world = World::new();
    let event = world.upload(TENANT, &small(&[(1, "IT"), (2, "Law"), (3, "Arts")]));
    world.dies_at(event, 3, "PutItem").await;
    world.push(TENANT, &small(&[(1, "IT"), (2, "Courts")])).await;
    let mut item = key("TERM#acme#1", "TERM#acme#1");
    item.insert("V".to_owned(), n(2));
    world.put_by_hand(item).await;
    world.pass(100);
    let (service, tenant) = (world.service(), TENANT.parse().unwrap());
    service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    assert_eq!(service.metrics.counted(Metric::VersionProjected), 2);
    assert_eq!(service.metrics.counted(Metric::AuditDifferences), 0);
}
