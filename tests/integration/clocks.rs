//! Tests of clocks and numbers that are wrong: those of messages, of stored heads and of cursors. None of them is believed, and none ends a process.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_tests::prelude::*;

const YEAR_MS: u64 = 365 * 86_400_000;

const HEAD: (&str, &str) = ("TAXONOMY#acme", "HEAD");
const TOTALS: (&str, &str) = ("STATS#acme", "TENANT");

/// Delivers a message of the queue of audits.
async fn audit(world: &World, body: &str) {
    world
        .work_off(AUDITS, &world.received(AUDITS, body), 10_000)
        .await;
}

/// Damages a count, and returns whether an audit that is requested now puts it right.
async fn audits_go_on(world: &World) -> bool {
    world.alter(TOTALS, "Terms", Some(n(77))).await;
    world.pass(3600);
    audit(world, r#"{"audit":"acme","full":true}"#).await;
    world.item(TOTALS.0, TOTALS.1)["Terms"] == n(2)
}

async fn audited() -> World {
    let world = World::of(&[&small(&[(1, "IT"), (2, "Law")])]).await;
    audit(&world, r#"{"audit":"acme"}"#).await;
    world
}

#[tokio::test]
async fn a_message_cannot_end_the_audits_of_a_tenant() {
    let world = audited().await;
    for run in [NEW_YEAR_MS + YEAR_MS, 9_007_199_254_740_992, u64::MAX] {
        audit(&world, &format!(r#"{{"audit":"acme","run":{run},"full":true}}"#)).await;
        assert!(audits_go_on(&world).await, "after {run}");
    }
}

#[tokio::test]
async fn a_stored_audit_of_the_future_ends_no_audits() {
    for names in [&["Run", "FullRun"][..], &["At"], &["SinceFull"]] {
        let world = audited().await;
        for name in names {
            let note = ("TAXONOMY#acme", "AUDIT");
            world.alter(note, name, Some(n(u64::MAX))).await;
        }
        assert!(audits_go_on(&world).await, "{names:?}");
        assert!(audits_go_on(&world).await, "{names:?}");
    }
}

/// Otherwise every later version would move into the future with it.
#[tokio::test]
async fn nothing_is_committed_after_a_time_far_ahead_of_the_clock() {
    for ahead in [NEW_YEAR_MS + YEAR_MS, u64::MAX] {
        let world = audited().await;
        world.alter(HEAD, "CommittedAt", Some(n(ahead))).await;
        world.upload(TENANT, &small(&[(1, "IT"), (2, "Laws")]));
        let refused = world.service().reconcile(&tenant(), Deadline::NONE).await;
        let Err(VersioningError::AheadOfClock { at, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(at, ahead.saturating_add(1));
        assert_eq!(world.committed(TENANT).await.version.get(), 1);
    }
    // Clocks that differ by hours are followed.
    let world = audited().await;
    let soon = NEW_YEAR_MS + 20 * 3_600_000;
    world.alter(HEAD, "CommittedAt", Some(n(soon))).await;
    world.push(TENANT, &small(&[(1, "IT"), (2, "Laws")])).await;
    assert_eq!(world.committed(TENANT).await.committed_at, soon + 1);
}

#[tokio::test]
async fn a_cursor_that_counts_more_writes_than_there_are_begins_anew() {
    let world = World::of(&[&small(&[(1, "IT"), (2, "Law")])]).await;
    let file = small(&[(1, "Computing"), (3, "Care")]);
    let event = world.upload(TENANT, &file);
    world.dies_at(event.clone(), 2, "PutItem").await;
    for done in [50, u64::MAX] {
        let mut cursor = world.item(HEAD.0, HEAD.1)["Cursor"].as_m().unwrap().clone();
        cursor.insert("Done".to_owned(), n(done));
        world.alter(HEAD, "Cursor", Some(AttributeValue::M(cursor))).await;
        let copy = world.copy();
        copy.pass(91);
        copy.deliver(event.clone()).await.unwrap();
        assert!(copy.committed(TENANT).await.is_settled());
        assert_eq!(copy.live(TENANT), expected(TENANT, &file), "{done}");
    }
}
