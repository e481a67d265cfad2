//! Tests that each function's role may do what the function does, and no more.

use std::collections::BTreeSet;

use taxonomy_testkit::iam::Principal;
use taxonomy_tests::prelude::*;

use crate::template::{POLICIES, event, properties, texts};

/// Returns the actions of a function's role on DynamoDB, S3, SNS and SQS, except those that only the platform itself uses.
fn granted(role: &str) -> BTreeSet<String> {
    let policies = properties(role)["Policies"].as_sequence().unwrap().iter();
    let statements = policies.flat_map(|policy| policy["PolicyDocument"]["Statement"].as_sequence().unwrap());
    let actions = statements.flat_map(|statement| {
        let statement = statement.get(1).unwrap_or(statement); // Of an `!If`.
        assert_eq!(statement["Effect"].as_str(), Some("Allow"));
        texts(&statement["Action"])
    });
    let platform = [
        "dynamodb:DescribeStream",
        "dynamodb:GetRecords",
        "dynamodb:GetShardIterator",
        "dynamodb:ListStreams",
        "sqs:ReceiveMessage",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
    ];
    let services = ["dynamodb:", "s3:", "sns:", "sqs:"];
    actions
        .filter(|action| services.iter().any(|service| action.starts_with(service)))
        .filter(|action| !platform.contains(&action.as_str()))
        .collect()
}

/// Returns the actions that AWS checks for each request (service authorization reference).
fn needed(operation: &str) -> &'static [&'static str] {
    match operation {
        "Query" => &["dynamodb:Query"],
        "GetItem" => &["dynamodb:GetItem"],
        "BatchGetItem" => &["dynamodb:BatchGetItem"],
        "PutItem" => &["dynamodb:PutItem"],
        "UpdateItem" => &["dynamodb:UpdateItem"],
        // A transaction needs the actions of its parts, which its accesses name.
        "TransactWriteItems" => &[],
        // Without the permission to list, S3 answers 403 for a missing object.
        "HeadObject" => &["s3:GetObject", "s3:ListBucket"],
        "GetObject" => &["s3:GetObject"],
        "PutObject" | "CreateMultipartUpload" | "UploadPart" | "CompleteMultipartUpload" => &["s3:PutObject"],
        "AbortMultipartUpload" => &["s3:AbortMultipartUpload"],
        "ListObjectsV2" => &["s3:ListBucket"],
        "SendMessage" => &["sqs:SendMessage"],
        "Publish" => &["sns:Publish"],
        other => panic!("the actions of {other} are unknown"),
    }
}

fn used(world: &World) -> BTreeSet<String> {
    let operations = world.operations().into_iter();
    let parts = world.exchanges().accesses().into_iter();
    operations
        .flat_map(|operation| needed(&operation))
        .map(|action| (*action).to_owned())
        .chain(
            parts
                .map(|access| access.action)
                .filter(|action| action.starts_with("dynamodb:")),
        )
        .collect()
}

/// Checks the recorded requests against the policy of the role, with its resources and conditions.
fn are_allowed(world: &World, role: &str) {
    let accesses = world.exchanges().accesses();
    let policy = POLICIES.policy_of_role(role);
    assert_eq!(policy.refused(Principal::tagged(None), &accesses), None, "{role}");
}

#[tokio::test(start_paused = true)]
async fn the_projector_may_do_what_it_does_and_no_more() {
    let world = World::of(&[&sample("job-board-v1.json"), b"{"]).await;
    let event = world.upload(TENANT, &sample("job-board-v2.json"));
    world.inject(When::nth(1).operation("TransactWriteItems"), Fault::AnswerLost);
    world.deliver(event).await.unwrap();
    world.deliver(scheduled("sweep")).await.unwrap();
    // A version is left unfinished, and another begins from it: the two are similar enough for the removal limit.
    let event = world.upload(TENANT, &sample("job-board-v1.json"));
    world.dies_at(event, 2, "PutItem").await;
    world.push(TENANT, &sample("job-board-v2.json")).await;
    sweep_in_little_time(&world).await;
    crate::downloads::large_one_that_fails_once(&world).await;
    assert_eq!(used(&world), granted("ProjectorRole"));
    are_allowed(&world, "ProjectorRole");
}

/// Sweeps a tenant whose event was lost, in too little time: the rest is sent to the retry queue, and each message continues it.
async fn sweep_in_little_time(world: &World) {
    let lost = world.upload(GLOBEX, &named(1..300, |id| format!("Term {id}")));
    drop(lost);
    let sweep = event("scheduled-sources");
    world.deliver_within(sweep, 100).await.unwrap();
    let asked = world.drain_retries(100).await;
    assert!(asked.len() < 50, "too many messages: {asked:?}");
    assert!(
        asked.iter().any(|body| body == r#"{"tenant":"globex"}"#),
        "{asked:?}"
    );
    assert!(asked.iter().any(|body| body.contains("sweep")), "{asked:?}");
    assert!(world.committed(GLOBEX).await.is_settled(), "{asked:?}");
}

/// Counts one tenant, parks another, whose changeset is missing, and defers a third, whose partition is throttled.
#[tokio::test(start_paused = true)]
async fn the_aggregator_may_do_what_it_does_and_no_more() {
    let world = World::new();
    for tenant in [TENANT, "missing", "throttled"] {
        world.push(tenant, &small(&[(1, "IT")])).await;
    }
    world.push(TENANT, b"{").await;
    world.lose(&world.entry("missing", 1).await.changeset_key);
    let throttled = When::always().containing("STATS#throttled");
    world.inject(throttled, Fault::Throttle);
    world.exchanges().clear();
    world.aggregate().await;
    let granted = granted("AggregatorRole");
    // The permission distinguishes missing from forbidden; Lambda checks the failures bucket with the function's role.
    let unseen = ["s3:ListBucket".to_owned()].into();
    assert_eq!(used(&world), granted.difference(&unseen).cloned().collect());
    are_allowed(&world, "AggregatorRole");
}

/// The lookup reads the table and the index files, and afterwards finds that these are lost.
#[tokio::test]
async fn the_lookup_may_do_what_it_does_and_no_more() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    world.exchanges().clear();
    let lookup = crate::downloads::process(&world);
    for (target, status) in [
        ("/v1/tenants", 200),
        ("terms?ids=1,2", 200),
        ("categories/1", 200),
        ("categories", 200),
        ("versions/1", 200),
        ("versions/1/download?format=json", 202),
    ] {
        assert_eq!(get(&lookup, target).await.0, status, "{target}");
    }
    assert_eq!(used(&world), granted("LookupRole"));
    world.lose_all(|key| key.starts_with("indexes/"));
    assert_eq!(
        get(&crate::downloads::process(&world), "suggest?q=IT").await.0,
        503
    );
    are_allowed(&world, "LookupRole");
}

#[test]
fn no_role_may_delete_or_scan_or_do_everything() {
    for role in ["ProjectorRole", "AggregatorRole", "CachesRole", "LookupRole"] {
        for action in granted(role) {
            assert!(
                !["Delete", "Scan", "BatchWrite", "*"]
                    .iter()
                    .any(|word| action.contains(word)),
                "{role}: {action}"
            );
        }
    }
}
