//! A tenant of 300,000 categories: a partition of the aggregates takes their counts within the function's time, and no faster than AWS would.

use std::time::Duration;

use serde_json::{Value, json};
use taxonomy_keys::{Culture, TenantId};
use taxonomy_model::Counts;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::closing::thousands;
use taxonomy_tests::effort::{alone, everything};
use taxonomy_tests::world::{DEFERRED, World, small};
use tokio::time::Instant;

use crate::categories::put_categories;
use crate::proof::Part;

/// Time-out of the function.
const INVOCATION: Duration = Duration::from_secs(900);

/// A request takes so long.
const LATENCY: Duration = Duration::from_millis(5);

/// Write units a second of one partition.
const UNITS: u32 = 1_000;

/// Invocations that the record of the largest tenant may take.
const MOST: usize = 3;

/// 300,000 categories with four cultures each converge within a partition's units and the function's time.
#[test]
fn the_largest_tenant_is_counted() {
    let categories: u64 = if everything() { 300_000 } else { 5_000 };
    let (told, wrong) = alone(count(categories));
    Part::Counting.say(told, &wrong);
}

async fn count(categories: u64) -> (String, Vec<String>) {
    let world = World::in_tokios_time();
    let tenant: TenantId = "large".parse().unwrap();
    world.db.stop_stream(TABLE);
    world.push(tenant.as_str(), &small(&[(1, "IT")])).await;
    let cultures = ["en-GB", "de-DE", "fr-FR", "it-IT"];
    let counts = Counts {
        terms: 1,
        leaves: 1,
        deprecated: 0,
        depths: vec![1],
        names: cultures
            .map(|tag| (tag.parse::<Culture>().unwrap(), 1))
            .into_iter()
            .collect(),
    };
    put_categories(&world, &tenant, categories, &counts).await;
    let writes = || When::always().operation("PutItem").containing("STATS#large");
    world.wire.limit(writes(), UNITS);
    world.wire.inject(When::always(), Fault::SlowAnswer(LATENCY));
    world.exchanges().clear();

    let began = Instant::now();
    let failed = invoke(&world, &json!({ "Records": [record()] })).await;
    assert_eq!(failed, json!([]), "the batch waits for nothing");
    let mut invocations = 0;
    while totals(&world).is_none() && invocations < MOST {
        invocations += 1;
        let failed = invoke(&world, &sqs_event(DEFERRED, &world.sqs.take(DEFERRED))).await;
        assert_eq!(failed, json!([]), "a deferred record stays in its queue");
    }
    let mut wrong = Vec::new();
    if totals(&world).as_deref() != Some("1") {
        wrong.push(format!("not counted after {invocations} invocations"));
    }
    let stored = u64::try_from(
        world
            .db
            .dump(TABLE)
            .iter()
            .filter(|line| line.starts_with("STATS#large | CATEGORY#"))
            .count(),
    )
    .unwrap();
    if stored != categories {
        wrong.push(format!("{stored} categories of {categories} are stored"));
    }
    let (units, seconds) = (
        world.exchanges().units_of("PutItem"),
        began.elapsed().as_secs_f64(),
    );
    if units > categories as f64 * 1.1 {
        wrong.push(format!("{units} units for {categories} categories"));
    }
    // The partition has a second's units saved up. Had it taken more, the limit would have been none.
    if (seconds + 1.0) * f64::from(UNITS) < categories as f64 {
        wrong.push(format!("{categories} categories within {seconds} s"));
    }
    let told = format!(
        "{} categories counted in {seconds:.0} s over {invocations} invocations, {units:.0} units",
        thousands(categories),
    );
    (told, wrong)
}

/// The record that the stream would have had: the projection of the first version ended.
fn record() -> Value {
    let keys = json!({"PK": {"S": "TAXONOMY#large"}, "SK": {"S": "HEAD"}});
    let image = json!({"Projected": {"N": "1"}, "ProjectedAt": {"N": "1767225600000"}});
    json!({"eventName": "MODIFY", "dynamodb": {"SequenceNumber": "1", "Keys": keys, "NewImage": image}})
}

/// A new process, which is cut off at the end of its time.
async fn invoke(world: &World, event: &Value) -> Value {
    let batch = serde_json::from_value(event.clone()).unwrap();
    let aggregator = world.aggregator();
    let handled = Box::pin(aggregator.handle(batch, world.invocation_of(INVOCATION)));
    // The function ends before its time does.
    let response = tokio::time::timeout(INVOCATION, handled).await.unwrap();
    serde_json::to_value(response).unwrap()["batchItemFailures"].take()
}

/// The version at which the totals stand.
fn totals(world: &World) -> Option<String> {
    let totals = world.db.item(TABLE, "STATS#large", "TENANT")?;
    totals["V"].as_n().ok().cloned()
}
