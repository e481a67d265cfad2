//! Tests of the published schema of notifications: the events that it accepts and refuses, its references and its descriptions.

use std::collections::BTreeSet;

use taxonomy_tests::notification::{SCHEMA, is_valid, validator, violations};
use taxonomy_tests::prelude::*;

use crate::notifications::published_events;
use crate::template::properties;

/// The members that an event may lack.
const OPTIONAL: [&str; 4] = [
    "/data/provenance",
    "/data/provenance/release",
    "/data/provenance/author",
    "/data/provenance/reason",
];

/// Returns one notification of each type, and of each cause that an operator or uploader can have, as the service publishes them.
async fn notifications() -> Vec<Value> {
    let (world, tenant) = (World::new(), TENANT.parse().unwrap());
    let provenance = || Provenance::new(|name| Some(format!("the {name}")));
    world.push(TENANT, &small(&[(1, "IT")])).await;
    world.push(TENANT, &small(&[(1, "IT"), (2, "Law")])).await;
    let service = world.service();
    service
        .roll_back(&tenant, Version::FIRST, provenance())
        .await
        .unwrap();
    service.rebuild(&tenant, provenance()).await.unwrap();
    world.push(TENANT, b"{").await;
    let published_events = published_events(&world).await;
    let kinds: Vec<&Value> = published_events
        .iter()
        .map(|event| &event["data"]["cause"]["kind"])
        .collect();
    assert_eq!(
        kinds,
        [
            &json!("upload"),
            &json!("upload"),
            &json!("rollback"),
            &json!("rebuild"),
            &Value::Null
        ]
    );
    published_events
}

/// Returns the JSON Pointers of every member of an event, below objects as well.
fn members(event: &Value, above: &str) -> Vec<String> {
    let fields = event.as_object().into_iter().flatten();
    let below = fields.flat_map(|(name, value)| {
        let pointer = format!("{above}/{name}");
        let below = members(value, &pointer);
        std::iter::once(pointer).chain(below)
    });
    below.collect()
}

fn without(event: &Value, pointer: &str) -> Value {
    let (above, name) = pointer.rsplit_once('/').unwrap();
    let mut event = event.clone();
    let object = event.pointer_mut(above).unwrap().as_object_mut().unwrap();
    assert!(object.remove(name).is_some(), "{pointer}");
    event
}

fn with(event: &Value, pointer: &str, value: Value) -> Value {
    let (above, name) = pointer.rsplit_once('/').unwrap();
    let mut event = event.clone();
    let object = event.pointer_mut(above).unwrap().as_object_mut().unwrap();
    object.insert(name.to_owned(), value);
    event
}

fn is_same_type(one: &Value, other: &Value) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

#[tokio::test]
async fn a_notification_that_lacks_a_member_or_has_one_of_another_type_is_refused() {
    let values = [
        json!(null),
        json!(true),
        json!(7),
        json!("text"),
        json!([]),
        json!({}),
    ];
    for event in notifications().await {
        assert!(is_valid(&event));
        for pointer in members(&event, "") {
            let is_optional = OPTIONAL.contains(&pointer.as_str());
            assert_eq!(
                is_valid(&without(&event, &pointer)),
                is_optional,
                "without {pointer}: {event}"
            );
            let member = event.pointer(&pointer).unwrap();
            for other in values.iter().filter(|other| !is_same_type(member, other)) {
                let broken = with(&event, &pointer, other.clone());
                assert!(!is_valid(&broken), "{other} in {pointer}: {event}");
            }
            for number in [json!(-1), json!(1.5)].into_iter().filter(|_| member.is_number()) {
                assert!(!is_valid(&with(&event, &pointer, number)), "{pointer}: {event}");
            }
        }
    }
}

#[tokio::test]
async fn a_notification_of_other_attributes_or_another_cause_is_refused() {
    let published_events = notifications().await;
    let (published, rejected) = (&published_events[2], &published_events[4]);
    for (pointer, value) in [
        ("/specversion", json!("0.3")),
        ("/type", json!("taxonomy.published.v2")),
        ("/type", rejected["type"].clone()),
        ("/dataschema", rejected["dataschema"].clone()),
        ("/data", rejected["data"].clone()),
        ("/id", rejected["id"].clone()),
        ("/subject", json!("no tenant")),
        ("/time", json!("yesterday")),
        ("/time", json!("2026-01-01T00:00:00")),
        ("/datacontenttype", json!("text/plain")),
        ("/data/to", json!(0)),
        ("/data/provenance", json!({})),
        ("/data/cause", json!({"kind": "lightning"})),
        ("/data/cause", json!({"kind": "rollback"})),
        ("/data/cause", json!({"kind": "upload", "sha256": "0123"})),
    ] {
        assert!(
            !is_valid(&with(published, pointer, value.clone())),
            "{value} in {pointer}"
        );
    }
}

/// In the examples and in every notification, `dataschema` resolves within the published document, to the schema of `data`.
#[tokio::test]
async fn the_data_of_an_event_follows_the_schema_that_its_dataschema_names() {
    let examples = SCHEMA["examples"].as_array().unwrap();
    let mut types = BTreeSet::new();
    for event in notifications().await.iter().chain(examples) {
        assert_eq!(violations(event), [""; 0], "{event}");
        let named = validator(&json!({"$ref": event["dataschema"], "$defs": {"published": *SCHEMA}}));
        assert!(named.is_valid(&event["data"]), "{event}");
        assert!(
            !named.is_valid(&without(event, "/data/tenant")["data"]),
            "{event}"
        );
        types.insert(event["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(
        types.into_iter().collect::<Vec<_>>(),
        ["taxonomy.published.v1", "taxonomy.rejected.v1"]
    );
}

/// After the substitution by CloudFormation the source is valid for the longest name of a stack, 128 letters, digits and hyphens.
#[test]
fn the_template_names_the_region_and_the_stack_as_source() {
    let variables = &properties("Aggregator")["Environment"]["Variables"];
    let source = variables["EVENTS_SOURCE"].as_str().unwrap();
    assert_eq!(source, "/taxonomy/${AWS::Region}/${AWS::StackName}");
    let stack = format!("A{}-1", "z".repeat(125));
    let source = source
        .replace("${AWS::Region}", "us-gov-west-1")
        .replace("${AWS::StackName}", &stack);
    assert_eq!(
        source.parse::<aggregator::EventSource>().unwrap().as_str(),
        source
    );
}
