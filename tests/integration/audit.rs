//! Tests of the audit: it compares the aggregates with the table and repairs them.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_tests::budget::sample;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::{AuditRequest, Audited, Place};

const FULL: AuditRequest = AuditRequest {
    run: None,
    full: true,
};

/// Returns two files; from the first to the second a category goes, and terms come, go, move to another category and are deprecated.
fn versions() -> [Vec<u8>; 2] {
    let named = |id: u64, name: &str| json!({"id": id, "names": [{"culture": "en-GB", "name": name}, {"culture": "fr-FR", "name": format!("{name} (fr)")}]});
    let plain = |id: u64, name: &str| json!({"id": id, "name": name});
    let category =
        |id: u64, terms: Value| json!({"id": id, "name": format!("category {id}"), "terms": terms});
    let mut parent = named(10, "IT");
    parent["children"] = json!([plain(11, "Rust"), named(12, "Go")]);
    let first = [
        category(1, json!([parent])),
        category(2, json!([plain(20, "Law")])),
        category(3, json!([plain(30, "Care"), plain(31, "Nursing")])),
    ];
    parent["children"] =
        json!([{"id": 12, "name": "Go", "deprecated": true}, plain(13, "Zig"), plain(31, "Nursing")]);
    let second = [
        category(1, json!([parent])),
        category(3, json!([plain(30, "Care")])),
    ];
    [json!({ "categories": first }), json!({ "categories": second })]
        .map(|file| file.to_string().into_bytes())
}

const TOTALS: (&str, &str) = ("STATS#acme", "TENANT");
const CATEGORY: (&str, &str) = ("STATS#acme", "CATEGORY#1");

async fn pushed() -> World {
    let world = World::new();
    for file in versions() {
        world.push(TENANT, &file).await;
    }
    world
}

async fn counted() -> World {
    let world = pushed().await;
    world.aggregate().await;
    world
}

/// Returns the stored aggregates without the attributes that a repair may change: the version and time of a category's last write.
fn stats(world: &World) -> BTreeMap<String, Vec<String>> {
    let items = world.db.items(TABLE).into_iter();
    let stats = items.filter(|item| item["PK"].as_s().unwrap().starts_with("STATS#"));
    let lines = stats.map(|item| {
        let key = item["SK"].as_s().unwrap().clone();
        let of_category = key.starts_with("CATEGORY#");
        let mut rest: Vec<String> = item
            .iter()
            .filter(|(name, _)| !(of_category && ["V", "ChangedAt"].contains(&name.as_str())))
            .map(|(name, value)| match value {
                AttributeValue::M(map) => format!("{name}={:?}", map.iter().collect::<BTreeMap<_, _>>()),
                value => format!("{name}={value:?}"),
            })
            .collect();
        rest.sort();
        (key, rest)
    });
    lines.collect()
}

#[tokio::test]
async fn each_wrong_aggregate_is_named_and_put_right() {
    let month = "MONTH#2026-01";
    let names = AttributeValue::M([("fr-FR".to_owned(), n(1))].into());
    let cases = vec![
        ("TENANT", "Terms", Some(n(7))),
        ("TENANT", "ChangedAt", Some(n(7))),
        ("TENANT", "Names", Some(names)),
        ("TENANT", "Terms", None),
        ("TENANT", "V", Some(n(9))),
        ("CATEGORY#1", "Terms", Some(s("many"))),
        ("CATEGORY#1", "V", Some(n(9))),
        ("CATEGORY#1", "Leaves", Some(n(7))),
        ("CATEGORY#1", "Depths", None),
        ("CATEGORY#1", "Removed", Some(AttributeValue::Bool(true))),
        (month, "Versions", Some(n(3))),
        (month, "Moved", Some(n(9))),
    ];
    for (sort_key, name, value) in sample(cases, 5, 0) {
        let world = counted().await;
        let right = stats(&world);
        world.alter(("STATS#acme", sort_key), name, value).await;
        assert!(name == "V" || stats(&world) != right, "{sort_key} {name}");
        let found = world.verdict().await;
        let [difference] = &found.findings.listed[..] else {
            panic!("{sort_key} {name}: {:?}", found.findings)
        };
        assert!(
            matches!(&difference.place, Place::Item { sk, .. } if sk == sort_key),
            "{difference}"
        );
        let audit = world.audit().await;
        assert_eq!((audit.verdict.findings.count, audit.repaired), (1, 1));
        assert_eq!(stats(&world), right, "{sort_key} {name}");
        assert!(world.verdict().await.is_clean());
    }
}

#[tokio::test]
async fn what_is_missing_or_too_much_is_put_right_too() {
    let world = counted().await;
    let right = stats(&world);
    let lost = world.item("STATS#acme", "CATEGORY#1");
    world.delete_by_hand(&lost).await;
    let mut stray = lost;
    stray.insert("SK".to_owned(), s("CATEGORY#99"));
    stray.insert("CategoryId".to_owned(), n(99));
    world.put_by_hand(stray).await;
    let audit = world.audit().await;
    assert_eq!((audit.verdict.findings.count, audit.repaired), (2, 2));
    let mut now = stats(&world);
    let gone = now.remove("CATEGORY#99").unwrap();
    assert!(gone.contains(&"Terms=N(\"0\")".to_owned()), "{gone:?}");
    assert_eq!(now, right);
}

/// Counts of a damaged table would be no more correct than the stored ones.
#[tokio::test]
async fn nothing_is_repaired_while_the_table_itself_is_damaged() {
    let world = counted().await;
    world.alter(CATEGORY, "Leaves", Some(n(7))).await;
    let mut items = world.db.items(TABLE);
    items.retain(|item| item["SK"].as_s().unwrap().starts_with("CULTURE#"));
    world.delete_by_hand(&items[0]).await;
    let damaged = stats(&world);
    let audit = world.audit().await;
    assert!(audit.verdict.findings.count >= 2);
    assert_eq!(audit.repaired, 0);
    assert_eq!(stats(&world), damaged);
}

/// Otherwise one damaged item would block every tenant behind it in the stream.
#[tokio::test]
async fn totals_that_cannot_be_read_hold_nobody_up_and_mend_with_the_next_version() {
    let world = counted().await;
    world.alter(TOTALS, "Terms", None).await;
    world.aggregate().await;
    world.push(TENANT, &versions()[0]).await;
    world.aggregate().await;
    assert_eq!(world.clean().await, Some(3));
}

#[tokio::test]
async fn counts_are_those_of_the_content_whatever_the_items_are() {
    let world = counted().await;
    let key = ("TERM#acme#13", "TERM#acme#13");
    world.alter(key, "CategoryId", None).await;
    let listed = world.listed().await;
    assert!(
        matches!(&listed[..], [line] if line.ends_with("TERM#acme#13 CategoryId")),
        "{listed:?}"
    );
    assert_eq!(world.verdict().await.counted, Some(2));
}

/// No second record triggers the aggregator; the audit writes the aggregates in its place.
#[tokio::test]
async fn a_version_whose_record_was_lost_is_counted_by_the_audit() {
    let expect = stats(&counted().await);
    let world = pushed().await;
    assert_eq!(world.verdict().await.counted, None, "nothing to compare yet");
    world.pass(3600);
    let audit = world.audit().await;
    assert!(audit.verdict.is_clean());
    assert!(audit.repaired > 0, "the late count is reported");
    let without_times = |stats: BTreeMap<String, Vec<String>>| -> Vec<String> {
        let lines = stats.into_values().flatten();
        lines.filter(|line| !line.starts_with("ChangedAt")).collect()
    };
    assert_eq!(without_times(stats(&world)), without_times(expect));
}

/// Audits have a queue of their own with a concurrency of two, so that no failed upload waits behind an audit.
#[tokio::test(start_paused = true)]
async fn one_event_asks_for_the_audits_of_all_tenants() {
    let world = World::new();
    for number in 0..150 {
        world
            .push(&format!("tenant-{number:03}"), &small(&[(1, "IT")]))
            .await;
    }
    let weekly = scheduled("audit");
    world.deliver(weekly.clone()).await.unwrap();
    let mut asked = asked(&world.sqs.take(AUDITS));
    asked.sort();
    let expect: Vec<String> = (0..150)
        .map(|number| format!("{{\"audit\":\"tenant-{number:03}\",\"run\":1767225600000}}"))
        .collect();
    assert_eq!(asked, expect);
    assert!(world.sqs.messages(RETRIES).is_empty());
    // Sent by an operator, to continue after a tenant.
    world
        .sqs
        .send(AUDITS, r#"{"sweep":"audits","after":"tenant-147"}"#);
    let event = sqs_event(AUDITS, &world.sqs.take(AUDITS));
    world.deliver(event).await.unwrap();
    assert_eq!(world.sqs.take(AUDITS).len(), 2);
    let failed = world.deliver_within(weekly, 1).await;
    // An event that requests only some of the audits fails.
    assert!(failed.is_err());
}

/// An audit that verified nothing would not fit the next time either: an alarm reports it, and the message does not come again.
#[tokio::test]
async fn an_audit_that_does_not_fit_into_an_invocation_stops_wherever_it_is() {
    let world = counted().await;
    world.alter(TOTALS, "Terms", Some(n(7))).await;
    world.pass(3600);
    let mut stopped_after = BTreeSet::new();
    for looks in 1..300 {
        let service = world.service();
        let audited = service.audit(&tenant(), FULL, world.deadline_in(looks)).await;
        let unfinished = service.metrics.counted(Metric::AuditUnfinished);
        match audited {
            Ok(Audited::Ended(audit)) => {
                assert_eq!(
                    (audit.verdict.findings.count, audit.repaired, unfinished),
                    (1, 1, 0)
                );
                break;
            }
            Ok(Audited::Paused { .. }) => assert_eq!(unfinished, 0),
            Err(VersioningError::OutOfTime) => assert_eq!(unfinished, 1),
            other => panic!("{other:?}"),
        }
        let exchanges = world.exchanges().all().into_iter().rev();
        let mut reads = exchanges
            .filter(|exchange| !exchange.target.contains("AUDIT") && !exchange.target.contains("audits/"));
        let last = reads
            .find(|exchange| !exchange.target.contains("CHANGESET#"))
            .unwrap();
        let read = ["/changesets/", "/snapshots/", "/indexes/", " :pk="];
        stopped_after.extend(read.into_iter().find(|what| last.target.contains(what)));
        let stats = world.item("STATS#acme", "TENANT");
        assert_eq!(
            stats["Terms"],
            n(7),
            "repaired after {looks} readings of the clock"
        );
    }
    // Of a version everything is read between two looks at the clock.
    assert_eq!(stopped_after, BTreeSet::from([" :pk=", "/indexes/"]));
    assert!(world.verdict().await.is_clean());
}

/// The chain is verified, so the table is the part that does not fit: the repeated audit sends no further message.
#[tokio::test]
async fn an_audit_whose_table_does_not_fit_is_not_asked_for_again() {
    let world = counted().await;
    assert!(world.audit().await.verdict.is_clean());
    let message = world.received(AUDITS, r#"{"audit":"acme"}"#);
    world.work_off(AUDITS, &message, 6).await;
    assert!(world.sqs.take(AUDITS).is_empty());
    let service = world.service();
    let audited = whole_audit(&service, &tenant(), world.deadline_in(6)).await;
    assert!(matches!(audited, Err(VersioningError::OutOfTime)), "{audited:?}");
    assert_eq!(service.metrics.counted(Metric::AuditUnfinished), 1);
}

/// Otherwise the lost record would never be reported.
#[tokio::test]
async fn what_was_never_counted_is_told_of_even_if_nothing_else_gets_done() {
    let world = pushed().await;
    world.pass(3600);
    let service = world.service();
    let audit = whole_audit(&service, &tenant(), world.deadline_in(1)).await;
    assert!(matches!(audit, Err(VersioningError::OutOfTime)), "{audit:?}");
    assert!(service.metrics.counted(Metric::AggregateRepaired) > 0);
    assert!(world.verdict().await.is_clean());
}

fn asked(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.body.clone()).collect()
}

/// The gap is reported, and nothing is repaired, because counts over a gap would be a guess.
#[tokio::test]
async fn a_log_with_a_hole_is_told_and_nothing_is_repaired() {
    let world = counted().await;
    world.alter(CATEGORY, "Leaves", Some(n(7))).await;
    let lost = world.item("TAXONOMY#acme", "CHANGESET#000000000001");
    world.delete_by_hand(&lost).await;
    let audit = world.audit().await;
    let lines: Vec<String> = audit
        .verdict
        .findings
        .listed
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(lines, ["missing   TAXONOMY#acme CHANGESET#000000000001"]);
    assert_eq!((audit.verdict.counted, audit.repaired), (None, 0));
}
