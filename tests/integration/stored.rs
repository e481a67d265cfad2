//! Snapshot tests of the stored items that are not part of the projection: head, log, configuration.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use insta::assert_snapshot;
use taxonomy_model::Provenance;
use taxonomy_store::{RemovalLimit, Request};
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_tests::operator::Operator as _;
use taxonomy_tests::world::{TENANT, World, small};
use taxonomy_versioning::Deadline;

fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(up) => up.to_string(),
        AttributeValue::L(values) => format!("[{}]", values.iter().map(text).collect::<Vec<_>>().join(", ")),
        AttributeValue::M(map) => {
            let sorted: BTreeMap<&String, String> =
                map.iter().map(|(name, value)| (name, text(value))).collect();
            let pairs: Vec<String> = sorted
                .iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        other => panic!("nothing of this type is stored: {other:?}"),
    }
}

fn lines(world: &World) -> String {
    let items = world.db.items(TABLE);
    let mut lines: Vec<String> = items
        .iter()
        .filter(|item| item["PK"].as_s().unwrap().starts_with("TAXONOMY#"))
        .map(|item| {
            let sorted: BTreeMap<&String, String> =
                item.iter().map(|(name, value)| (name, text(value))).collect();
            let attributes: Vec<String> = sorted
                .iter()
                .filter(|(name, _)| !["PK", "SK"].contains(&name.as_str()))
                .map(|(name, value)| format!("  {name} = {value}"))
                .collect();
            format!("{}\n{}", item["SK"].as_s().unwrap(), attributes.join("\n"))
        })
        .collect();
    lines.sort();
    lines.join("\n")
}

#[tokio::test]
async fn head_log_and_configuration_are_these() {
    let (world, tenant) = (World::new(), TENANT.parse().unwrap());
    world.push(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    world.push(TENANT, b"{").await;
    let service = world.service();
    let mut wanted = service.configuration(&tenant).await.unwrap();
    wanted.fallback_chain = vec!["fr-FR".parse().unwrap(), "en".parse().unwrap()];
    wanted.default_culture = Some("en-GB".parse().unwrap());
    wanted.removal_limit = RemovalLimit {
        percent: 10,
        terms: 5,
    };
    wanted.provenance = Provenance {
        author: Some("arn:aws:sts::123456789012:assumed-role/operators/ada".to_owned()),
        reason: Some("French readers".to_owned()),
        release: None,
    };
    service.configure(&tenant, &wanted).await.unwrap();
    service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    let first = service
        .roll_back(&tenant, taxonomy_keys::Version::FIRST, Provenance::default())
        .await;
    assert!(first.unwrap().get() > 1);
    service.reconcile(&tenant, Deadline::NONE).await.unwrap();
    service.rebuild(&tenant, Provenance::default()).await.unwrap();
    let asked = service
        .ask(&tenant, Request::Rebuild, Provenance::default())
        .await;
    // The ids of requests differ in each run.
    let answered = world.head(TENANT).await.answered.unwrap().id;
    let lines = lines(&world).replace(&asked.unwrap().id, "00000000000000aa");
    assert_snapshot!(lines.replace(&answered, "00000000000000bb"));
}

/// The cursor of a projection that had to stop.
#[tokio::test]
async fn a_cursor_is_this() {
    let world = World::new();
    let event = world.upload(
        TENANT,
        &small(&[(1, "IT"), (2, "Law"), (3, "Mining"), (4, "Teaching")]),
    );
    world
        .projector()
        .handle(event, world.deadline_in(13))
        .await
        .unwrap();
    // The process id differs in each run.
    let by = world.committed(TENANT).await.cursor.unwrap().by;
    assert_eq!(by.len(), 16, "{by}");
    assert_snapshot!(lines(&world).replace(&by, "0123456789abcdef"));
}
