//! Tests of the notifications about a tenant, which are published after the data that they announce can be read.

use taxonomy_testkit::sns::Published;
use taxonomy_tests::prelude::*;
use taxonomy_tests::world::EVENTS_SOURCE;

use crate::any_version::rfc3339;

/// Delivers all records of the stream, and returns the notifications about them.
pub(crate) async fn published_events(world: &World) -> Vec<Value> {
    assert_eq!(
        world.aggregate_records(&world.db.stream_records(TABLE)).await,
        json!([])
    );
    taken(world)
}

/// Removes and returns the notifications since the last call. The world's topic has checked each of them.
fn taken(world: &World) -> Vec<Value> {
    world.sns.take().iter().map(|sent| opened(world, sent)).collect()
}

fn opened(world: &World, sent: &Published) -> Value {
    assert_eq!(sent.topic_arn, world.events);
    serde_json::from_str(&sent.message).unwrap()
}

/// Returns type, tenant and version of each notification.
fn lines(published_events: &[Value]) -> Vec<String> {
    let line = |event: &Value| {
        let (text, data) = (|value: &Value| value.as_str().unwrap().to_owned(), &event["data"]);
        let about = match &*text(&event["type"]) {
            "taxonomy.published.v1" => format!("published {} to {}", data["from"], data["to"]),
            "taxonomy.rejected.v1" => format!("rejected {} onto {}", text(&data["code"]), data["version"]),
            other => panic!("{other}"),
        };
        format!("{} {about}", text(&event["subject"]))
    };
    published_events.iter().map(line).collect()
}

#[tokio::test]
async fn each_version_is_told_once_as_the_log_has_it() {
    let world = World::of(&[&sample("job-board-v1.json"), &sample("job-board-v2.json")]).await;
    let published_events = published_events(&world).await;
    assert_eq!(
        lines(&published_events),
        ["acme published 0 to 1", "acme published 1 to 2"]
    );
    let (entry, event, data) = (
        world.entry(TENANT, 2).await,
        &published_events[1],
        &published_events[1]["data"],
    );
    let changes = &data["changes"];
    // Counted from samples/README.md.
    assert_eq!(
        data["totals"],
        json!({"categories": 5, "terms": 145, "leaves": entry.totals.leaves, "deprecated": entry.totals.deprecated})
    );
    assert_eq!((&changes["added"], &changes["removed"]), (&json!(5), &json!(4)));
    assert_eq!(changes, &serde_json::to_value(entry.changes).unwrap());
    let id = entry.changeset.as_str();
    assert_eq!(
        data["changeset"],
        json!({"bucket": CHANGESETS_BUCKET, "key": format!("changesets/acme/000000000002-{id}.json.zst"), "id": id})
    );
    assert_eq!(event["id"], format!("published-{id}"));
    assert_eq!(
        (&event["source"], &event["subject"]),
        (&json!(EVENTS_SOURCE), &json!(TENANT))
    );
    assert_eq!(data["cause"], serde_json::to_value(&entry.cause).unwrap());
    assert_eq!(data["committedAt"], entry.committed_at);
    assert_eq!(event["time"], rfc3339(entry.committed_at));
}

/// A category of two terms is renamed, then removed; a rebuild and another default culture follow.
#[tokio::test]
async fn the_cause_and_the_number_of_changed_final_names_are_told() {
    let (world, tenant) = (World::new(), TENANT.parse().unwrap());
    let file = |category: &str| {
        let terms = json!([{"id": 1, "names": in_two_cultures("IT", "IT")}, {"id": 2, "names": in_two_cultures("Law", "Droit")}]);
        let category = json!({"id": 1, "names": in_two_cultures(category, "Secteur"), "terms": terms});
        of_categories(&json!([category]))
    };
    world.push(TENANT, &file("Sector")).await;
    world.push(TENANT, &file("Branch")).await;
    let service = world.service();
    let reason = || Provenance::new(|name| (name == "reason").then(|| "a mistake".to_owned()));
    let first = Version::FIRST;
    service.roll_back(&tenant, first, reason()).await.unwrap();
    service.rebuild(&tenant, reason()).await.unwrap();
    let speak_french = |wanted: &mut Configuration| wanted.default_culture = "fr-FR".parse().ok();
    world.configure(TENANT, speak_french).await;
    let published_events = published_events(&world).await;
    let seen: Vec<(&Value, u64, u64)> = published_events
        .iter()
        .map(|event| {
            let (data, count) = (&event["data"], |name: &str| {
                event["data"]["changes"][name].as_u64().unwrap()
            });
            (&data["cause"]["kind"], count("changed"), count("finalNames"))
        })
        .collect();
    let [upload, rollback] = [json!("upload"), json!("rollback")];
    let [rebuild, configuration] = [json!("rebuild"), json!("configuration")];
    let expect = [
        (&upload, 0, 0),
        (&upload, 0, 2),
        (&rollback, 0, 2),
        (&rebuild, 0, 0),
        (&configuration, 0, 2),
    ];
    assert_eq!(seen, expect);
    let data = &published_events[2]["data"];
    assert_eq!(data["cause"], json!({"kind": "rollback", "to": 1}));
    assert_eq!(data["provenance"], json!({"reason": "a mistake"}));
}

#[tokio::test]
async fn a_refused_upload_is_told_with_its_report() {
    let world = World::of(&[
        b"{",
        &small(&[(1, "IT")]),
        &sample("invalid/duplicate-term-id.json"),
    ])
    .await;
    let published_events = published_events(&world).await;
    assert_eq!(
        lines(&published_events),
        [
            "acme rejected invalid-json onto 0",
            "acme published 0 to 1",
            "acme rejected duplicate-term-id onto 1"
        ]
    );
    let refused = world.head(TENANT).await.refused.unwrap();
    let data = json!({
        "tenant": "acme",
        "version": 1,
        "etag": refused.etag,
        "versionId": refused.version_id,
        "code": "duplicate-term-id",
        "report": {"bucket": CHANGESETS_BUCKET, "key": refused.report_key},
        "at": refused.at,
    });
    assert_eq!(published_events[2]["data"], data);
    assert_eq!(published_events[2]["time"], rfc3339(refused.at));
    let report = published_events[2]["data"]["report"]["key"].as_str().unwrap();
    // The announced data can be read.
    assert!(world.s3.object(CHANGESETS_BUCKET, report).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_topic_that_fails_defers_the_record_and_nothing_is_lost() {
    let world = World::of(&[&small(&[(1, "IT")]), b"{"]).await;
    world.push(GLOBEX, &small(&[(1, "Law")])).await;
    let records = world.db.stream_records(TABLE);
    let everything = [
        "acme published 0 to 1",
        "acme rejected invalid-json onto 1",
        "globex published 0 to 1",
    ];
    for failing in 0..everything.len() {
        for fault in [Fault::Throttle, Fault::DropBeforeSend, Fault::AnswerLost] {
            let others = When::nth(failing + 1).operation("Publish").times(1000);
            world.inject(others, fault);
            assert_eq!(world.aggregate_records(&records).await, json!([]));
            let mut heard = taken(&world);
            world.transport.reset_faults();
            assert!(world.drain_deferred(3).await > 0, "{fault:?} at {failing}");
            heard.extend(taken(&world));
            // Delivery is at least once: a message whose response was lost was published and is published again.
            let mut heard = lines(&heard);
            heard.sort();
            heard.dedup();
            assert_eq!(heard, everything, "{fault:?} at {failing}");
        }
    }
}

#[tokio::test]
async fn a_version_is_told_after_its_totals_are_written() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    world.exchanges().clear();
    published_events(&world).await;

    let expect = [
        "Query",
        "GetItem",
        "Query",
        "GetObject",
        "PutItem",
        "TransactWriteItems",
        "PutItem",
        "Publish",
    ];
    // The head and what is counted; a category, the month, the totals, then others.
    assert_eq!(world.operations(), expect);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_counted_is_not_told() {
    let world = World::of(&[&small(&[(1, "IT")])]).await;
    world.inject(When::always().operation("PutItem"), Fault::Throttle);
    assert_eq!(
        world.aggregate_records(&world.db.stream_records(TABLE)).await,
        json!([])
    );
    assert_eq!(taken(&world), Vec::<Value>::new());
    assert_eq!(world.sqs.messages(DEFERRED).len(), 1);
}
