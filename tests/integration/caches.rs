//! Tests of the aggregator's second deployment, which updates caches: a real Valkey and a fake CDN.

use std::collections::BTreeSet;
use std::time::Duration;

use aggregator::{Aggregator, CachesConfig};
use taxonomy_testkit::cloudfront::Invalidation;
use taxonomy_testkit::{CloudFrontFake, ValkeyServer};
use taxonomy_tests::prelude::*;
use taxonomy_valkey::ValkeyConfig;

/// Returns the tenant's newest version in the second tier.
fn version_of(server: &ValkeyServer, tenant: &str) -> Option<String> {
    server.tell(&["GET", &format!("tx3:{{{tenant}}}:version")])
}

fn caches(world: &World, server: Option<&ValkeyServer>, cdn: Option<&CloudFrontFake>) -> Aggregator {
    let tier = server.map(|server| ValkeyConfig {
        timeout: Duration::from_secs(5),
        ..ValkeyConfig::new(server.url())
    });
    let config = CachesConfig {
        function: "caches".to_owned(),
        tier,
        distribution: cdn.map(|_| "E2EXAMPLE".to_owned()),
    };
    world.caches(config, cdn)
}

async fn deliver(aggregator: &Aggregator, records: &[Value]) -> Value {
    let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
    let answer = serde_json::to_value(aggregator.handle(batch, Deadline::NONE).await).unwrap();
    answer["batchItemFailures"].clone()
}

async fn three_versions() -> World {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    world.push(GLOBEX, &small(&[(1, "Law")])).await;
    world.push(TENANT, &small(&[(1, "Computing")])).await;
    world.push(TENANT, b"{").await;
    world
}

#[tokio::test]
async fn a_version_is_pushed_and_never_back() {
    let (world, server) = (three_versions().await, ValkeyServer::start());
    let records = world.db.stream_records(TABLE);
    world.exchanges().clear();
    let caches = caches(&world, Some(&server), None);
    assert_eq!(deliver(&caches, &records).await, json!([]));
    assert_eq!(version_of(&server, TENANT).as_deref(), Some("2"));
    assert_eq!(version_of(&server, GLOBEX).as_deref(), Some("1"));
    let backwards: Vec<Value> = records.into_iter().rev().collect();
    assert_eq!(deliver(&caches, &backwards).await, json!([]));
    assert_eq!(version_of(&server, TENANT).as_deref(), Some("2"));
    assert!(world.exchanges().is_empty(), "the record alone suffices");
}

#[tokio::test]
async fn a_tier_that_is_down_fails_the_record_and_takes_it_later() {
    let (world, mut server) = (three_versions().await, ValkeyServer::start());
    let records = world.db.stream_records(TABLE);
    server.kill();
    let failures = deliver(&caches(&world, Some(&server), None), &records).await;
    let number = &world.head_records()[0]["dynamodb"]["SequenceNumber"];
    assert_eq!(failures, json!([{ "itemIdentifier": number }]));
    server.start_again();
    let again = caches(&world, Some(&server), None);
    assert_eq!(deliver(&again, &records).await, json!([]));
    assert_eq!(version_of(&server, TENANT).as_deref(), Some("2"));
}

#[tokio::test(start_paused = true)]
async fn a_cdn_forgets_each_tenant_of_a_batch_once() {
    let world = three_versions().await;
    let cdn = CloudFrontFake::on(&world.transport);
    let records = world.db.stream_records(TABLE);
    let caches = caches(&world, None, Some(&cdn));
    for _ in 0..2 {
        assert_eq!(deliver(&caches, &records).await, json!([]));
    }
    let invalidations = cdn.invalidations();
    let of = |invalidation: &Invalidation| {
        assert_eq!(invalidation.distribution, "E2EXAMPLE");
        invalidation.paths.join(" ")
    };
    let paths: BTreeSet<String> = invalidations.iter().map(of).collect();
    assert_eq!(
        paths.into_iter().collect::<Vec<_>>(),
        ["/v1/tenants/acme*", "/v1/tenants/globex*"],
        "the last version of each tenant"
    );
    // A redelivery requests the same invalidations.
    assert_eq!(invalidations.len(), 2);
    assert_eq!(world.exchanges().count("CreateInvalidation"), 4);
}

#[tokio::test(start_paused = true)]
async fn a_cdn_that_fails_fails_the_record() {
    let world = three_versions().await;
    let cdn = CloudFrontFake::on(&world.transport);
    let records = world.db.stream_records(TABLE);
    for fault in [Fault::Throttle, Fault::DropBeforeSend, Fault::AnswerLost] {
        let second = When::nth(2).operation("CreateInvalidation").times(5);
        world.inject(second, fault);
        let caches = caches(&world, None, Some(&cdn));
        let failures = deliver(&caches, &records).await;
        assert_eq!(failures.as_array().unwrap().len(), 1, "{fault:?}");
        world.transport.reset_faults();
        let number = &failures[0]["itemIdentifier"];
        let from = records
            .iter()
            .position(|record| &record["dynamodb"]["SequenceNumber"] == number)
            .unwrap();
        assert_eq!(deliver(&caches, &records[from..]).await, json!([]));
        assert_eq!(cdn.invalidations().len(), 2, "{fault:?}");
    }
}

/// A process may answer from a head of two seconds, and the time of a record is rounded down to a second.
#[tokio::test(start_paused = true)]
async fn an_invalidation_waits_until_no_process_has_the_version_before() {
    for (age_s, waits_ms) in [(Some(0), 3_500), (Some(2), 1_500), (Some(60), 0), (None, 3_500)] {
        let world = World::in_tokios_time();
        world.push(TENANT, &small(&[(1, "IT")])).await;
        let cdn = CloudFrontFake::on(&world.transport);
        let caches = caches(&world, None, Some(&cdn));
        let recorded_s = age_s.map(|age_s| world.service().clock.now_ms() / 1000 - age_s);
        let mut records = world.db.stream_records(TABLE);
        for record in &mut records {
            record["dynamodb"]["ApproximateCreationDateTime"] = json!(recorded_s);
        }
        let began = tokio::time::Instant::now();
        assert_eq!(deliver(&caches, &records).await, json!([]));
        let waited = u64::try_from(began.elapsed().as_millis()).unwrap();
        let expected = waits_ms.max(1) - 1..waits_ms + 50;
        assert!(expected.contains(&waited), "{age_s:?}: {waited} ms");
    }
}

/// CloudFront always refuses a `~` in a path; the other tenants of the batch are invalidated nevertheless.
#[tokio::test(start_paused = true)]
async fn a_tenant_with_a_tilde_is_invalidated_by_an_encoded_path() {
    let world = World::new();
    world.push("a~b", &small(&[(1, "IT")])).await;
    let cdn = CloudFrontFake::on(&world.transport);
    let caches = caches(&world, None, Some(&cdn));
    let records = world.db.stream_records(TABLE);
    assert_eq!(deliver(&caches, &records).await, json!([]));
    assert_eq!(cdn.invalidations()[0].paths, ["/v1/tenants/a%7Eb*"]);
}

/// Ten tenants are invalidated at a time, so a hundred take the time of ten in sequence.
#[tokio::test(start_paused = true)]
async fn a_batch_of_a_hundred_tenants_is_invalidated_within_the_functions_time() {
    let world = World::new();
    for number in 0..100 {
        world
            .push(&format!("tenant-{number}"), &small(&[(1, "IT")]))
            .await;
    }
    let cdn = CloudFrontFake::on(&world.transport);
    let caches = caches(&world, None, Some(&cdn));
    let records = world.db.stream_records(TABLE);
    let slow = Fault::SlowAnswer(Duration::from_secs(2));
    world.inject(When::always().operation("CreateInvalidation"), slow);
    let began = tokio::time::Instant::now();
    assert_eq!(deliver(&caches, &records).await, json!([]));
    assert_eq!(cdn.invalidations().len(), 100);
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}
