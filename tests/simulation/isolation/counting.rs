//! A tenant of 300,000 categories: its counts are written to one partition within the time of the function, no faster than AWS permits.

use std::time::Duration;

use taxonomy_keys::Culture;
use taxonomy_model::Counts;
use taxonomy_tests::budget::{in_paused_time, is_full};
use taxonomy_tests::prelude::*;
use taxonomy_tests::summary::thousands;
use tokio::time::Instant;

use crate::actors::aggregate;

use super::SUMMARY;
use super::categories::put_categories;

/// The time-out of the function.
const INVOCATION: Duration = Duration::from_secs(900);

/// The latency of a request.
const LATENCY: Duration = Duration::from_millis(5);

/// The write units of one partition per second.
const UNITS: u32 = 1_000;

/// The maximum number of invocations for the record of the largest tenant.
const MOST: usize = 3;

/// 300,000 categories with four cultures each are counted within the units of a partition and the time of the function.
#[test]
fn the_largest_tenant_is_counted() {
    let categories: u64 = if is_full() { 300_000 } else { 5_000 };
    let (text, violations) = in_paused_time(count(categories));
    SUMMARY.record("counting", 1, text, &violations);
}

#[expect(clippy::too_many_lines, reason = "the steps of one measurement or setup")]
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
    world.transport.limit(writes(), UNITS);
    world.transport.inject(When::always(), Fault::SlowAnswer(LATENCY));
    world.exchanges().clear();

    let began = Instant::now();
    let failed = invoke(&world, json!({ "Records": [record()] })).await;
    assert_eq!(failed, json!([]), "the batch succeeds");
    let mut invocations = 0;
    while totals(&world).is_none() && invocations < MOST {
        invocations += 1;
        let failed = invoke(&world, sqs_event(DEFERRED, &world.sqs.take(DEFERRED))).await;
        assert_eq!(failed, json!([]), "a deferred record stays in its queue");
    }
    let mut violations = Vec::new();
    if totals(&world).as_deref() != Some("1") {
        violations.push(format!("not counted after {invocations} invocations"));
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
        violations.push(format!("{stored} categories of {categories} are stored"));
    }
    let (units, seconds) = (
        world.exchanges().units_of("PutItem"),
        began.elapsed().as_secs_f64(),
    );
    if units > categories as f64 * 1.1 {
        violations.push(format!("{units} units for {categories} categories"));
    }
    // The partition begins with the units of one second. A shorter time would show that the limit did not apply.
    if (seconds + 1.0) * f64::from(UNITS) < categories as f64 {
        violations.push(format!("{categories} categories within {seconds} s"));
    }
    let text = format!(
        "{} categories counted in {seconds:.0} s over {invocations} invocations, {units:.0} units",
        thousands(categories),
    );
    (text, violations)
}

/// Returns the record of the stream that the first version was committed.
fn record() -> Value {
    let keys = json!({"PK": {"S": "TAXONOMY#large"}, "SK": {"S": "HEAD"}});
    let image = json!({"V": {"N": "1"}, "CommittedAt": {"N": "1767225600000"}});
    json!({"eventName": "INSERT", "dynamodb": {"SequenceNumber": "1", "Keys": keys, "NewImage": image}})
}

/// Delivers an event to a new process, and returns the failed records.
async fn invoke(world: &World, event: Value) -> Value {
    let handled = aggregate(world, event, world.invocation_of(INVOCATION));
    // The function ends before its time-out.
    let mut response = tokio::time::timeout(INVOCATION, handled).await.unwrap();
    response["batchItemFailures"].take()
}

/// Returns the version of the totals.
fn totals(world: &World) -> Option<String> {
    let totals = world.db.item(TABLE, "STATS#large", "TENANT")?;
    totals["V"].as_n().ok().cloned()
}
