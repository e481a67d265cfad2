//! Tests that one tenant's failure affects no other (docs/decisions/0011-isolation.md): a noisy tenant between two others in a batch of the
//! stream fails in every way, and the others are counted and published as if it did not exist.

use std::time::Duration;

use taxonomy_tests::prelude::*;
use tokio::time::Instant;

const NOISY: &str = "noisy";

/// The tenants before and after the noisy one in the batch.
const OTHERS: [&str; 2] = ["first", "last"];

/// The longest time for which a shard waits for a batch, plus the time that a request needs to end.
const BATCH_TIME: Duration = Duration::from_secs(61);

/// Delivers every record of the stream, and returns the failed ones.
async fn deliver(world: &World) -> Value {
    world.aggregate_records(&world.db.stream_records(TABLE)).await
}

/// Returns three tenants with a version each, in this order in the stream.
async fn three_tenants() -> World {
    let world = World::new();
    for (tenant, name) in [(OTHERS[0], "IT"), (NOISY, "Care"), (OTHERS[1], "Law")] {
        world.push(tenant, &small(&[(1, name)])).await;
    }
    world
}

/// Returns the version of a tenant's totals.
fn counted(world: &World, tenant: &str) -> Option<String> {
    let totals = world.db.item(TABLE, &format!("STATS#{tenant}"), "TENANT")?;
    totals["V"].as_n().ok().cloned()
}

/// Returns the tenants of which a version was published, each once.
fn published(world: &World) -> Vec<String> {
    let messages = world.sns.published().into_iter();
    let mut tenants: Vec<String> = messages
        .map(|published| serde_json::from_str::<Value>(&published.message).unwrap())
        .map(|message| message["subject"].as_str().unwrap().to_owned())
        .collect();
    tenants.sort();
    tenants.dedup();
    tenants
}

fn others_are_done(world: &World) {
    for tenant in OTHERS {
        assert_eq!(counted(world, tenant).as_deref(), Some("1"), "{tenant}");
        assert!(published(world).contains(&tenant.to_owned()), "{tenant}");
    }
}

/// Returns the parked record, which is under the only key.
fn parked(world: &World) -> (String, String) {
    let keys = world.parked();
    assert_eq!(keys.len(), 1, "{keys:?}");
    let body = world.s3.object(FAILURES_BUCKET, &keys[0]).unwrap().bytes;
    (keys[0].clone(), String::from_utf8(body.to_vec()).unwrap())
}

/// The batch is acknowledged and the record parked, once; after its cause is removed, it is repeated from the parked body.
async fn is_parked_until_mended(world: &World, cause: &str, mend: impl AsyncFnOnce()) {
    assert_eq!(deliver(world).await, json!([]));
    others_are_done(world);
    let (key, body) = parked(world);
    assert!(key.starts_with("parked/noisy/000000000001-"), "{key}");
    assert!(body.contains(cause), "{body}");
    assert_eq!(deliver(world).await, json!([]), "a redelivery");
    assert_eq!(parked(world).0, key, "parked once");
    assert_eq!(world.sqs.messages(DEFERRED), []);
    mend().await;
    world.sqs.send(DEFERRED, &body);
    assert_eq!(world.drain_deferred(3).await, 1);
    assert_eq!(counted(world, NOISY).as_deref(), Some("1"));
    assert_eq!(published(world), ["first", "last", "noisy"]);
}

#[tokio::test]
async fn a_damaged_changeset_is_parked() {
    let world = three_tenants().await;
    let key = world.entry(NOISY, 1).await.changeset_key;
    let whole = world.body(&key);
    let mut damaged = whole.to_vec();
    damaged.truncate(whole.len() / 2);
    world.put_body(&key, damaged);
    is_parked_until_mended(&world, "is damaged", async || {
        world.put_body(&key, whole);
    })
    .await;
}

#[tokio::test]
async fn a_log_entry_that_was_changed_by_hand_is_parked() {
    let world = three_tenants().await;
    let item = world.item("TAXONOMY#noisy", "CHANGESET#000000000001");
    let mut changed = item.clone();
    changed.remove("Totals");
    world.put_by_hand(changed).await;
    is_parked_until_mended(&world, "CHANGESET#000000000001 is damaged", async || {
        world.put_by_hand(item.clone()).await;
    })
    .await;
}

/// A later build may be about to be deployed: the record is tried again for an hour, then parked.
#[tokio::test]
async fn an_unknown_format_is_transient_for_an_hour() {
    let world = three_tenants().await;
    let key = world.entry(NOISY, 1).await.changeset_key;
    let later = br#"{"formatVersion":2,"census":{}}"#;
    let later = zstd::encode_all(&later[..], 3).unwrap();
    world.put_body(&key, later);
    assert_eq!(deliver(&world).await, json!([]));
    others_are_done(&world);
    assert_eq!(world.parked(), Vec::<String>::new());
    assert_eq!(world.drain_deferred(5).await, 5, "tried again and again");
    assert_eq!(world.parked(), Vec::<String>::new());
    world.pass(3600);
    assert_eq!(world.drain_deferred(5).await, 1);
    let (_, body) = parked(&world);
    assert!(
        body.contains("format 2, which this build does not know"),
        "{body}"
    );
}

/// Returns a file of categories, each with one term.
fn categories(count: u64) -> Vec<u8> {
    let categories = (1..=count).map(|id| {
        let term = json!({"id": id, "name": format!("term {id}")});
        json!({"id": id, "name": format!("category {id}"), "terms": [term]})
    });
    of_categories(&categories.collect())
}

/// Projects the noisy tenant's first version without a stream: the embedded engine searches all records of a stream before it adds one,
/// which takes minutes for thousands of items.
async fn push_without_stream(world: &mut World, file: &[u8]) {
    world.max_file_bytes = 4 << 20;
    world.db.stop_stream(TABLE);
    world.push(NOISY, file).await;
    world.exchanges().clear();
}

/// Returns the record that the stream would have contained.
fn noisy_record() -> Value {
    let keys = json!({"PK": {"S": "TAXONOMY#noisy"}, "SK": {"S": "HEAD"}});
    let image = json!({"V": {"N": "1"}, "CommittedAt": {"N": "1767225600000"}});
    json!({"eventName": "INSERT", "dynamodb": {"SequenceNumber": "1", "Keys": keys, "NewImage": image}})
}

#[tokio::test]
async fn a_tenant_with_more_than_2_000_categories_to_count_moves_to_the_queue() {
    let mut world = World::new();
    world.push(OTHERS[0], &small(&[(1, "IT")])).await;
    let mut records = world.db.stream_records(TABLE);
    world.push(OTHERS[1], &small(&[(1, "Law")])).await;
    let last = world.db.stream_records(TABLE).split_off(records.len());
    push_without_stream(&mut world, &categories(2_001)).await;
    records.push(noisy_record());
    records.extend(last);
    assert_eq!(world.aggregate_records(&records).await, json!([]));
    others_are_done(&world);
    let waited = world.exchanges().items_of("PutItem");
    assert!(waited < 10, "{waited} writes while others waited");
    assert_eq!(world.sqs.messages(DEFERRED).len(), 1);
    assert_eq!(world.drain_deferred(2).await, 1);
    assert_eq!(counted(&world, NOISY).as_deref(), Some("1"));
    assert_eq!(published(&world), ["first", "last", "noisy"]);
}

/// The partition of a tenant's aggregates is throttled for hours.
#[tokio::test(start_paused = true)]
async fn a_throttled_partition_costs_others_a_minute_and_the_tenant_nothing() {
    let world = three_tenants().await;
    let throttled = When::always().containing("STATS#noisy");
    world.inject(throttled, Fault::Throttle);
    let began = Instant::now();
    assert_eq!(deliver(&world).await, json!([]));
    assert!(began.elapsed() < BATCH_TIME, "{:?}", began.elapsed());
    others_are_done(&world);
    assert_eq!(world.drain_deferred(4).await, 4, "it stays in the queue");
    world.transport.reset_faults();
    assert_eq!(world.drain_deferred(4).await, 1);
    assert_eq!(published(&world), ["first", "last", "noisy"]);
    assert_eq!(world.parked(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_record_that_fails_for_a_day_is_parked() {
    let world = three_tenants().await;
    world.inject(
        When::always().containing("noisy").operation("GetItem"),
        Fault::DropBeforeSend,
    );
    world.inject(When::always().containing("STATS#noisy"), Fault::DropBeforeSend);
    assert_eq!(deliver(&world).await, json!([]));
    others_are_done(&world);
    assert_eq!(world.drain_deferred(3).await, 3);
    world.pass(24 * 3600);
    assert_eq!(world.drain_deferred(3).await, 1);
    assert!(parked(&world).1.contains("the testkit broke the connection"));
}

/// Only a record that can be neither deferred nor parked comes again from the stream, at its own position.
#[tokio::test(start_paused = true)]
async fn a_record_that_nothing_takes_fails_the_batch_at_its_own_position() {
    let world = three_tenants().await;
    let key = world.entry(NOISY, 1).await.changeset_key;
    world.lose(&key);
    world.s3.deny(FAILURES_BUCKET, "parked/");
    let failures = deliver(&world).await;
    others_are_done(&world);
    let records = world.db.stream_records(TABLE);
    let moved = |record: &&Value| {
        let keys = &record["dynamodb"]["Keys"];
        keys["PK"]["S"] == "TAXONOMY#noisy" && keys["SK"]["S"] == "HEAD"
    };
    let number = &records.iter().find(moved).unwrap()["dynamodb"]["SequenceNumber"];
    assert_eq!(failures, json!([{ "itemIdentifier": number }]));

    let world = three_tenants().await;
    let throttled = When::always().containing("STATS#noisy");
    world.inject(throttled, Fault::Throttle);
    world.inject(When::always().operation("SendMessage"), Fault::DropBeforeSend);
    assert_eq!(deliver(&world).await.as_array().unwrap().len(), 1);
    others_are_done(&world);
}

/// Lambda gave the records up; an operator sends each to the queue as it stands in the failures bucket.
#[tokio::test(start_paused = true)]
async fn records_that_were_given_up_are_counted_and_published_from_the_queue() {
    let world = three_tenants().await;
    let records = world.db.stream_records(TABLE);
    for record in &records {
        world.sqs.send(DEFERRED, &record.to_string());
    }
    assert_eq!(world.drain_deferred(1).await, records.len());
    others_are_done(&world);
    assert_eq!(counted(&world, NOISY).as_deref(), Some("1"));
    assert_eq!(published(&world), ["first", "last", "noisy"]);
    assert_eq!(world.parked(), Vec::<String>::new());
}

/// After a deferred record the tenant's later ones are deferred too, so that the queue holds them in their order.
#[tokio::test(start_paused = true)]
async fn later_records_of_a_deferred_tenant_follow_it() {
    let world = three_tenants().await;
    world.push(NOISY, &small(&[(1, "Care"), (2, "Health")])).await;
    let throttled = When::nth(1).times(60).containing("STATS#noisy");
    world.inject(throttled, Fault::Throttle);
    assert_eq!(deliver(&world).await, json!([]));
    others_are_done(&world);
    let to: Vec<Value> = world
        .sqs
        .messages(DEFERRED)
        .iter()
        .map(|message| serde_json::from_str::<Value>(&message.body).unwrap()["committed"]["version"].take())
        .collect();
    assert_eq!(to, [1, 2]);
    world.transport.reset_faults();
    assert_eq!(world.drain_deferred(2).await, 2);
    assert_eq!(counted(&world, NOISY).as_deref(), Some("2"));
}

/// A message of another form is stored unchanged and acknowledged.
#[tokio::test]
async fn a_message_of_another_form_is_parked_as_it_is() {
    let world = World::new();
    world.sqs.send(DEFERRED, r#"{"tenant":"acme"}"#);
    assert_eq!(world.drain_deferred(2).await, 1);
    let (key, body) = parked(&world);
    assert!(key.starts_with("parked-unknown/"), "{key}");
    assert_eq!(body, r#"{"tenant":"acme"}"#);
}
