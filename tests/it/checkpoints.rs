//! Audits that begin where the last one ended: what they find, what only a full one finds, and how long histories end.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_model::Hash;
use taxonomy_protocol::{Audit, Audited, Deadline, Difference, FULL_EVERY, Order, ProtocolError};
use taxonomy_runtime::Metric;
use taxonomy_store::StoreError;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};
use taxonomy_testkit::sqs::{Message, sqs_event};
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{AUDITS, TENANT, World, small};

const FULL: Order = Order {
    run: None,
    full: true,
};

fn tenant() -> TenantId {
    TENANT.parse().unwrap()
}

/// Brings the aggregates up to the head, so that audits read no changesets for them.
async fn aggregate(world: &World) {
    let batch = serde_json::from_value(json!({ "Records": world.db.stream_records(TABLE) })).unwrap();
    let answer = world.aggregator().handle(batch, Deadline::NONE).await;
    assert!(answer.batch_item_failures.is_empty());
}

/// A tenant of so many versions; each adds a term and removes the one before the last.
async fn history(versions: u64) -> World {
    of_versions((1..=versions).map(|version| {
        let name = format!("Version {version}");
        small(&[(version, &name), (version + 1, "Next")])
    }))
    .await
}

/// A tenant of so many versions of the same two terms, so that its table is compared in a few looks at the clock.
async fn renames(versions: u64) -> World {
    of_versions((1..=versions).map(|version| small(&[(1, &format!("Version {version}")), (2, "Law")]))).await
}

async fn of_versions(files: impl Iterator<Item = Vec<u8>>) -> World {
    let world = World::new();
    for file in files {
        world.push(TENANT, &file).await;
    }
    aggregate(&world).await;
    world.exchanges().clear();
    world
}

async fn audit(world: &World) -> Audit {
    world.taxonomies().audit(&tenant(), Deadline::NONE).await.unwrap()
}

async fn full_audit(world: &World) -> Audit {
    match world.taxonomies().audit_as(&tenant(), FULL, Deadline::NONE).await {
        Ok(Audited::Ended(audit)) => audit,
        other => panic!("it has all the time there is: {other:?}"),
    }
}

fn note(world: &World) -> Item {
    world.db.item(TABLE, "TAXONOMY#acme", "AUDIT").unwrap()
}

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// The versions whose changesets were read, each as often as it was.
fn replayed(world: &World) -> Vec<u64> {
    let exchanges = world.exchanges().all().into_iter();
    let read = exchanges.filter(|exchange| exchange.operation == "GetObject");
    let versions = read.filter_map(|exchange| {
        let (_, name) = exchange.target.split_once("changesets/acme/")?;
        name.split('-').next()?.parse().ok()
    });
    versions.collect()
}

#[tokio::test]
async fn an_audit_replays_only_what_came_after_the_last_one() {
    let world = history(3).await;
    let first = audit(&world).await;
    assert_eq!((first.verdict.since, first.verdict.changesets), (0, 3));
    assert_eq!(replayed(&world), [1, 2, 3]);
    assert_eq!(note(&world)["V"], number(3));
    world.exchanges().clear();
    let second = audit(&world).await;
    assert_eq!((second.verdict.since, second.verdict.changesets), (3, 0));
    assert_eq!(
        second.verdict.items, first.verdict.items,
        "the whole table all the same"
    );
    assert_eq!(second.verdict.tombstones, first.verdict.tombstones);
    assert!(replayed(&world).is_empty());
    world.push(TENANT, &small(&[(9, "Nine")])).await;
    aggregate(&world).await;
    world.exchanges().clear();
    let third = audit(&world).await;
    assert_eq!((third.verdict.since, third.verdict.changesets), (3, 1));
    assert!(third.verdict.is_clean(), "{:?}", third.verdict);
    assert_eq!(replayed(&world), [4]);
    assert_eq!(note(&world)["V"], number(4));
}

/// The list of ids goes along with the checkpoint: what hangs on a term that went long before is found.
#[tokio::test]
async fn a_stray_of_a_term_that_went_before_the_checkpoint_is_found() {
    let world = history(4).await;
    assert!(audit(&world).await.verdict.is_clean());
    let mut stray = world.db.item(TABLE, "TERM#acme#1", "TERM#acme#1").unwrap();
    assert!(stray.contains_key("Removed"), "it is gone");
    stray.remove("Removed");
    stray.insert("SK".to_owned(), AttributeValue::S("CULTURE#xx".to_owned()));
    world.put_by_hand(stray).await;
    let found = audit(&world).await.verdict;
    assert_eq!(found.since, 4);
    assert!(
        matches!(&found.listed[..], [Difference::Stray(key)] if key.pk == "TERM#acme#1"),
        "{found:?}"
    );
}

fn damage_first_changeset(world: &World) {
    let keys = world.s3.keys(CHANGESETS_BUCKET);
    let key = keys
        .iter()
        .find(|key| key.starts_with("changesets/acme/000000000001"));
    world.s3.put(CHANGESETS_BUCKET, key.unwrap(), b"damaged".to_vec());
}

#[tokio::test]
async fn damage_before_the_checkpoint_is_found_by_a_full_audit_and_by_every_one_after_it() {
    let world = history(3).await;
    assert!(audit(&world).await.verdict.is_clean());
    damage_first_changeset(&world);
    assert!(
        audit(&world).await.verdict.is_clean(),
        "a checkpointed audit does not read it"
    );
    for found in [full_audit(&world).await, audit(&world).await, audit(&world).await] {
        assert_eq!(found.verdict.since, 0);
        assert!(
            matches!(found.verdict.listed[..], [Difference::Chain(_)]),
            "{found:?}"
        );
    }
}

#[tokio::test]
async fn one_audit_in_twelve_is_full() {
    let world = history(2).await;
    let mut since = Vec::new();
    for _ in 0..2 * FULL_EVERY + 1 {
        since.push(audit(&world).await.verdict.since);
    }
    let expect: Vec<u64> = (0..=2 * FULL_EVERY)
        .map(|number| if number % FULL_EVERY == 0 { 0 } else { 2 })
        .collect();
    assert_eq!(since, expect);
}

/// Each way in which a checkpoint can be wrong: it is named, everything is replayed, aggregates are repaired all the same, and the next
/// audit has a checkpoint again.
#[tokio::test]
async fn a_checkpoint_that_does_not_fit_is_named_and_everything_is_replayed() {
    let other = || AttributeValue::S(Hash::of(b"other").to_string());
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for (name, value) in [
        ("V", number(9)),
        ("V", number(1)),
        ("ChangesetId", other()),
        ("StateHash", other()),
        ("Ids", other()),
        ("Ids", text("no hash")),
        ("Run", text("no number")),
    ] {
        let world = history(3).await;
        audit(&world).await;
        world.push(TENANT, &small(&[(9, "Nine")])).await;
        aggregate(&world).await;
        let mut item = note(&world);
        item.insert(name.to_owned(), value.clone());
        world.put_by_hand(item).await;
        let mut totals = world.db.item(TABLE, "STATS#acme", "TENANT").unwrap();
        totals.insert("Terms".to_owned(), number(7));
        world.put_by_hand(totals).await;
        let found = audit(&world).await;
        let named = matches!(
            &found.verdict.listed[..],
            [Difference::Miscounted(_), Difference::Checkpoint(_)]
        );
        assert!(named, "{name} {value:?}: {:?}", found.verdict);
        assert_eq!(
            (found.verdict.since, found.verdict.changesets, found.repaired),
            (0, 4, 1)
        );
        let next = audit(&world).await.verdict;
        assert_eq!((next.since, next.is_clean()), (4, true), "{name} {value:?}");
    }
}

#[tokio::test]
async fn a_body_that_a_checkpoint_needs_and_that_is_damaged_or_gone_is_named() {
    type Spoil = fn(&World, &str);
    let damage: Spoil = |world, key| drop(world.s3.put(CHANGESETS_BUCKET, key, b"damaged".to_vec()));
    let lose: Spoil = |world, key| world.s3.delete(CHANGESETS_BUCKET, key);
    for prefix in ["audits/acme/", "snapshots/acme/000000000003"] {
        for spoil in [damage, lose] {
            let world = history(3).await;
            audit(&world).await;
            world.push(TENANT, &small(&[(9, "Nine")])).await;
            aggregate(&world).await;
            let keys = world.s3.keys(CHANGESETS_BUCKET);
            spoil(&world, keys.iter().find(|key| key.starts_with(prefix)).unwrap());
            let found = audit(&world).await.verdict;
            let named =
                matches!(&found.listed[..], [Difference::Checkpoint(why)] if why.contains("version 3"));
            assert!(named && found.since == 0, "{prefix}: {found:?}");
        }
    }
}

/// A body that is written once cannot be put right by an audit: it fails by the body's name until an operator restores or deletes it.
#[tokio::test]
async fn a_damaged_list_of_ids_that_is_needed_again_fails_the_audit_by_its_name() {
    let world = history(3).await;
    audit(&world).await;
    let keys = world.s3.keys(CHANGESETS_BUCKET);
    let key = keys.iter().find(|key| key.starts_with("audits/acme/")).unwrap();
    world.s3.put(CHANGESETS_BUCKET, key, b"damaged".to_vec());
    let failed = world.taxonomies().audit(&tenant(), Deadline::NONE).await;
    let named = matches!(&failed, Err(ProtocolError::Store(StoreError::Damaged { what, .. })) if what == key);
    assert!(named, "{failed:?}");
    world.s3.delete(CHANGESETS_BUCKET, key);
    let found = audit(&world).await.verdict;
    assert!(
        matches!(&found.listed[..], [Difference::Checkpoint(_)]),
        "{found:?}"
    );
    assert!(audit(&world).await.verdict.is_clean());
}

/// Even where the audit is continued by other invocations, which know nothing of the checkpoint.
#[tokio::test]
async fn a_checkpoint_that_does_not_fit_is_counted_though_the_audit_takes_many_invocations() {
    let world = renames(30).await;
    audit(&world).await;
    let mut item = note(&world);
    item.insert(
        "StateHash".to_owned(),
        AttributeValue::S(Hash::of(b"other").to_string()),
    );
    world.put_by_hand(item).await;
    let taxonomies = world.taxonomies();
    let audited = taxonomies
        .audit_as(&tenant(), Order::default(), world.deadline_in(12))
        .await;
    assert_eq!(audited.unwrap(), Audited::Paused { full: true });
    assert_eq!(taxonomies.counted(Metric::AuditDifferences), 1);
    assert!(full_audit(&world).await.verdict.is_clean());
    assert_eq!(audit(&world).await.verdict.since, 30);
}

/// A store that fails says nothing about the checkpoint.
#[tokio::test(start_paused = true)]
async fn a_store_that_fails_leaves_the_checkpoint_as_it_is() {
    let world = history(3).await;
    audit(&world).await;
    let before = note(&world);
    let failing = When::always().operation("GetObject").containing("audits/");
    world.wire.inject(failing, Fault::Throttle);
    let failed = world.taxonomies().audit(&tenant(), Deadline::NONE).await;
    assert!(matches!(failed, Err(ProtocolError::Store(_))), "{failed:?}");
    assert_eq!(note(&world), before);
}

/// Works off the audits, each message in a process with time for so many looks at the clock; returns how many there were.
async fn drain(world: &World, looks: u64) -> usize {
    let mut worked_off = 0;
    while worked_off < 500 {
        let messages = world.sqs.take(AUDITS);
        if messages.is_empty() {
            return worked_off;
        }
        for message in messages {
            deliver(world, &message, looks).await;
            worked_off += 1;
        }
    }
    panic!("the queue of audits does not run empty");
}

async fn deliver(world: &World, message: &Message, looks: u64) {
    let event = sqs_event(AUDITS, std::slice::from_ref(message));
    let response = world.projector().handle(event, world.deadline_in(looks)).await;
    assert!(response.unwrap().batch_item_failures.is_empty());
}

#[tokio::test]
async fn a_long_history_is_verified_over_several_invocations() {
    let world = renames(300).await;
    let asked = world.sqs.send(AUDITS, r#"{"audit":"acme"}"#).sent_ms;
    let invocations = drain(&world, 70).await;
    assert!((5..20).contains(&invocations), "{invocations} invocations");
    assert_eq!(note(&world)["V"], number(300));
    assert_eq!(note(&world)["Run"], number(asked), "it came to its end");
    let versions = replayed(&world);
    let each: BTreeSet<u64> = versions.iter().copied().collect();
    assert_eq!(each, (1..=300).collect());
    // The one that time did not suffice for is read again by the next invocation.
    assert!(versions.len() < 300 + invocations, "{} were read", versions.len());
    world.exchanges().clear();
    let next = audit(&world).await.verdict;
    assert_eq!((next.since, next.is_clean()), (300, true), "{next:?}");
}

/// One that the schedule asks for later begins at the checkpoint, and needs several invocations as well.
#[tokio::test]
async fn a_checkpointed_audit_goes_on_over_invocations() {
    let world = renames(20).await;
    audit(&world).await;
    for version in 21..=60 {
        world
            .push(TENANT, &small(&[(1, &format!("Version {version}"))]))
            .await;
    }
    aggregate(&world).await;
    world.exchanges().clear();
    let asked = world.sqs.send(AUDITS, r#"{"audit":"acme"}"#).sent_ms;
    let invocations = drain(&world, 30).await;
    assert!(invocations > 1, "{invocations} invocations");
    assert_eq!(
        (&note(&world)["V"], &note(&world)["Run"]),
        (&number(60), &number(asked))
    );
    assert_eq!(replayed(&world).first(), Some(&21));
}

/// A full audit goes on where it was, beside whatever other audits do; after fourteen days it begins anew.
#[tokio::test]
async fn a_full_audit_goes_on_where_it_was_for_fourteen_days() {
    let world = renames(60).await;
    audit(&world).await;
    let began_behind = async |looks: u64| {
        world.exchanges().clear();
        let taxonomies = world.taxonomies();
        let audited = taxonomies
            .audit_as(&tenant(), FULL, world.deadline_in(looks))
            .await;
        assert_eq!(audited.unwrap(), Audited::Paused { full: true });
        assert_eq!(taxonomies.counted(Metric::AuditUnfinished), 0);
        replayed(&world)[0] - 1
    };
    assert_eq!(began_behind(12).await, 0);
    let second = began_behind(12).await;
    assert!(second > 0);
    assert_eq!(
        audit(&world).await.verdict.since,
        60,
        "the checkpoint is not touched"
    );
    assert!(began_behind(12).await > second);
    world.pass(13 * 86_400);
    assert!(began_behind(12).await > second);
    world.pass(14 * 86_400);
    assert_eq!(began_behind(12).await, 0);
}

/// Uploads that come while the table is compared do not undo what was verified.
#[tokio::test]
async fn an_audit_that_was_overtaken_leaves_its_checkpoint() {
    let world = history(5).await;
    let taxonomies = world.taxonomies();
    world.upload(TENANT, &small(&[(9, "Nine")]));
    // The head is read for the last time when everything else is done.
    let (audited, ()) = {
        let tenant = tenant();
        world.wire.close_gate();
        let audit = taxonomies.audit(&tenant, Deadline::NONE);
        tokio::join!(audit, overtake(&world))
    };
    assert!(matches!(audited, Err(ProtocolError::Overtaken)), "{audited:?}");
    assert_eq!(note(&world)["V"], number(5));
    assert_eq!(audit(&world).await.verdict.since, 5);
}

/// Lets an audit's requests through until it compares partitions, holds those, and commits a version meanwhile.
async fn overtake(world: &World) {
    let held: BTreeSet<u64> = loop {
        tokio::task::yield_now().await;
        let pending = world.wire.pending();
        if pending
            .iter()
            .any(|request| request.target.contains("TERM#acme#"))
        {
            break pending.iter().map(|request| request.id).collect();
        }
        for request in pending {
            world.wire.release(request.id, None);
        }
    };
    let pass_others = async {
        loop {
            tokio::task::yield_now().await;
            let pending = world.wire.pending().into_iter();
            for request in pending.filter(|request| !held.contains(&request.id)) {
                world.wire.release(request.id, None);
            }
        }
    };
    let record = json!({"eventSource": "aws:sqs", "messageId": "m", "body": r#"{"tenant":"acme"}"#});
    let look = world.deliver(json!({ "Records": [record] }));
    tokio::select! {
        done = look => drop(done.unwrap()),
        () = pass_others => {}
    }
    world.wire.open_gate();
}

fn asked(messages: &[Message]) -> Vec<Value> {
    let bodies = messages.iter().map(|message| serde_json::from_str(&message.body));
    bodies.map(Result::unwrap).collect()
}

/// Audits that came to their end; each writes the note once.
fn ended(world: &World) -> usize {
    let exchanges = world.exchanges().all().into_iter();
    let noted =
        exchanges.filter(|exchange| exchange.operation == "PutItem" && exchange.target.contains("AUDIT"));
    noted.count()
}

#[tokio::test]
async fn whatever_comes_again_each_tenant_is_audited_once_a_run() {
    let world = World::new();
    let tenants = ["acme", "globex", "initech"];
    for tenant in tenants {
        world.push(tenant, &small(&[(1, "IT")])).await;
    }
    aggregate(&world).await;
    let weekly = json!({"source": "taxonomy.schedule", "detail-type": "audit"});
    for run in 1..=2 {
        world.exchanges().clear();
        for _ in 0..4 {
            world.deliver(weekly.clone()).await.unwrap();
        }
        let messages = world.sqs.take(AUDITS);
        assert_eq!(messages.len(), 4 * tenants.len());
        for message in messages.iter().chain(&messages).chain(&messages) {
            deliver(&world, message, 10_000).await;
        }
        assert!(world.sqs.messages(AUDITS).is_empty(), "nothing asks for more");
        assert_eq!(ended(&world), tenants.len(), "run {run}");
        world.pass(3600);
    }
}

/// Every message of an audit that takes many invocations comes three times: it ends once, and no chain of messages goes on beside it.
#[tokio::test]
async fn whatever_comes_again_of_a_long_audit_it_ends_once() {
    for first in [r#"{"audit":"acme"}"#, r#"{"audit":"acme","full":true}"#] {
        let world = renames(40).await;
        world.sqs.send(AUDITS, first);
        let (mut delivered, mut paused) = (0, 0);
        loop {
            let messages = world.sqs.take(AUDITS);
            if messages.is_empty() {
                break;
            }
            assert!(messages.len() <= 3, "{:?}", asked(&messages));
            for message in messages.iter().chain(&messages).chain(&messages) {
                let before = world.sqs.messages(AUDITS).len();
                deliver(&world, message, 15).await;
                paused += world.sqs.messages(AUDITS).len() - before;
                delivered += 1;
            }
            assert!(delivered < 200, "no end");
        }
        assert!(paused > 2, "{first}: {paused} times paused");
        assert_eq!(note(&world)["V"], number(40));
        assert_eq!(
            ended(&world),
            paused + 1,
            "{first}: a note each time it paused, and one at the end"
        );
    }
}

/// Of two requests the later one holds, and a full audit is not done with by one that is not.
#[tokio::test]
async fn an_audit_that_was_asked_for_later_is_made() {
    let world = history(2).await;
    audit(&world).await;
    let send = |body: &str| world.sqs.send(AUDITS, body);
    let (plain, full, later) = (
        send(r#"{"audit":"acme"}"#),
        send(r#"{"audit":"acme","full":true}"#),
        send(r#"{"audit":"acme"}"#),
    );
    world.sqs.take(AUDITS);
    for (message, expect) in [(&later, 1), (&plain, 0), (&full, 1), (&full, 0), (&later, 0)] {
        world.exchanges().clear();
        deliver(&world, message, 10_000).await;
        assert_eq!(ended(&world), expect, "{}", message.body);
    }
}
