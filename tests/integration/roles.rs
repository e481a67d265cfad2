//! Tests that each function's role may do what the function does, and no more.

use std::collections::BTreeSet;

use lookup::files::VersionFiles;
use serde_yaml_ng::Value;
use taxonomy_index::Expected;
use taxonomy_keys::{CategoryId, TermId};
use taxonomy_store::{Archive, Consistency, Reader, Table, TermItem};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, GLOBEX, TABLE};
use taxonomy_testkit::iam::Principal;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{TENANT, World, named, sample, scheduled, small};

use crate::template::{POLICIES, event, properties, template, texts};

/// Returns the actions of a function's role on DynamoDB, S3, SNS and SQS, except those that only the platform itself uses.
fn granted(template: &Value, role: &str) -> BTreeSet<String> {
    let policies = properties(template, role)["Policies"].clone();
    let statements = policies
        .as_sequence()
        .unwrap()
        .iter()
        .flat_map(|policy| policy["PolicyDocument"]["Statement"].as_sequence().unwrap());
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
    let operations = world
        .exchanges()
        .all()
        .into_iter()
        .map(|exchange| exchange.operation);
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
    let world = World::new();
    world.push(TENANT, &sample("job-board-v1.json")).await;
    world.push(TENANT, b"{").await;
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
    assert_eq!(used(&world), granted(&template(), "ProjectorRole"));
    are_allowed(&world, "ProjectorRole");
}

/// Sweeps a tenant whose event was lost, in too little time: the rest is sent to the retry queue, and each message continues it.
async fn sweep_in_little_time(world: &World) {
    let lost = world.upload(GLOBEX, &named(1..300, |id| format!("Term {id}")));
    drop(lost);
    let sweep = event("scheduled-sources");
    let response = world.projector().handle(sweep, world.deadline_in(100)).await;
    response.unwrap();
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
    let granted = granted(&template(), "AggregatorRole");
    // The permission distinguishes missing from forbidden; Lambda checks the failures bucket with the function's role.
    let unseen = ["s3:ListBucket".to_owned()].into();
    assert_eq!(used(&world), granted.difference(&unseen).cloned().collect());
    are_allowed(&world, "AggregatorRole");
}

/// The lookup reads the table through the reader and the log, and S3 through index files.
#[tokio::test]
async fn the_lookup_may_do_what_it_does_and_no_more() {
    let world = World::new();
    world.push(TENANT, &small(&[(1, "IT")])).await;
    world.exchanges().clear();
    let (tenant, term) = (TENANT.parse().unwrap(), TermId::new(1).unwrap());
    let reader = Reader::new(Table::new(world.db.client(), TABLE));
    let strong = Consistency::Strong;
    reader.head(&tenant, strong).await.unwrap().unwrap();
    let french = Some("fr-FR".parse().unwrap());
    let items = [None, french].map(|culture| TermItem { id: term, culture });
    reader.term_items(&tenant, &items[..1], strong).await.unwrap();
    reader.term_items(&tenant, &items, strong).await.unwrap();
    let category = CategoryId::new(1).unwrap();
    reader.category(&tenant, category, strong).await.unwrap();
    world.heads().tenants(None, 1).await.unwrap();
    let (head, archive) = (
        world.committed(TENANT).await,
        Archive::new(world.s3.client(), CHANGESETS_BUCKET),
    );
    let versions = VersionFiles::new(archive, 1 << 20);
    let file = versions
        .open(
            &head.index_key,
            Expected {
                tenant: &tenant,
                version: head.version,
                changeset: &head.changeset,
            },
        )
        .await
        .unwrap();
    file.terms(&[term], &[]).await.unwrap();
    world.heads().entry(&tenant, head.version).await.unwrap();
    let lookup = crate::downloads::process(&world);
    let (status, _) = taxonomy_tests::asking::get(&lookup, "versions/1/download?format=json").await;
    assert_eq!(status, 202);
    assert_eq!(used(&world), granted(&template(), "LookupRole"));
    let index_files = world.s3.keys(CHANGESETS_BUCKET).into_iter();
    for key in index_files.filter(|key| key.starts_with("indexes/")) {
        world.lose(&key);
    }
    let (status, _) = taxonomy_tests::asking::get(&crate::downloads::process(&world), "suggest?q=IT").await;
    assert_eq!(status, 503);
    are_allowed(&world, "LookupRole");
}

#[test]
fn no_role_may_delete_or_scan_or_do_everything() {
    let template = template();
    for role in ["ProjectorRole", "AggregatorRole", "CachesRole", "LookupRole"] {
        for action in granted(&template, role) {
            assert!(
                !["Delete", "Scan", "BatchWrite", "*"]
                    .iter()
                    .any(|word| action.contains(word)),
                "{role}: {action}"
            );
        }
    }
}
