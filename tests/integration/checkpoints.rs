//! Tests of audits that begin at a checkpoint, and of damage that only a full audit finds. `runs`: audits over several invocations.

mod runs;

use taxonomy_tests::prelude::*;
use taxonomy_versioning::{Audit, AuditRequest, Audited, FULL_EVERY, Verdict};

const FULL: AuditRequest = AuditRequest {
    run: None,
    full: true,
};

/// Returns a tenant of `versions` versions; each adds a term and removes the one before the last.
async fn history(versions: u64) -> World {
    of_versions((1..=versions).map(|version| {
        let name = format!("Version {version}");
        small(&[(version, &name), (version + 1, "Next")])
    }))
    .await
}

/// Returns a tenant of `versions` versions of the same two terms, so that its table is compared in a few readings of the clock.
async fn renames(versions: u64) -> World {
    of_versions((1..=versions).map(|version| small(&[(1, &format!("Version {version}")), (2, "Law")]))).await
}

async fn of_versions(files: impl Iterator<Item = Vec<u8>>) -> World {
    let world = World::new();
    for file in files {
        world.push(TENANT, &file).await;
    }
    world.aggregate().await;
    world.exchanges().clear();
    world
}

async fn full_audit(world: &World) -> Audit {
    match world.service().audit(&tenant(), FULL, Deadline::NONE).await {
        Ok(Audited::Ended(audit)) => audit,
        other => panic!("it has all the time there is: {other:?}"),
    }
}

/// The note of the last audit.
const NOTE: (&str, &str) = ("TAXONOMY#acme", "AUDIT");

/// The ways to spoil an object.
const SPOILS: [fn(&World, &str); 2] = [
    |world, key| world.put_body(key, "damaged"),
    |world, key| world.lose(key),
];

/// Returns what was found, a line each.
fn lines(verdict: &Verdict) -> Vec<String> {
    verdict.findings.listed.iter().map(ToString::to_string).collect()
}

/// Returns the versions whose changesets were read, once per read.
fn replayed(world: &World) -> Vec<u64> {
    let exchanges = world.exchanges().all().into_iter();
    let read = exchanges.filter(|exchange| exchange.operation == "GetObject");
    let versions = read.filter_map(|exchange| {
        let (_, name) = exchange.target.split_once("changesets/acme/")?;
        name.split('-').next()?.parse().ok()
    });
    versions.collect()
}

/// The next audit compares an index file that could not be read before, instead of passing it over.
#[tokio::test]
async fn a_version_whose_files_were_not_compared_is_not_verified() {
    let world = history(3).await;
    world.inject(
        When::always()
            .operation("GetObject")
            .containing("indexes/acme/1/000000000002-"),
        Fault::Throttle,
    );
    let failed = world.service().audit(&tenant(), FULL, Deadline::NONE).await;
    assert!(failed.is_err(), "{failed:?}");
    world.transport.reset_faults();
    let next = full_audit(&world).await;
    assert_eq!(
        (next.verdict.since, next.verdict.findings.versions),
        (1, 2),
        "{:?}",
        next.verdict
    );
    assert!(next.verdict.is_clean(), "{:?}", next.verdict);
}

#[tokio::test]
async fn an_audit_replays_only_what_came_after_the_last_one() {
    let world = history(3).await;
    let first = world.audit().await;
    assert_eq!((first.verdict.since, first.verdict.findings.versions), (0, 3));
    assert_eq!(replayed(&world), [1, 2, 3]);
    assert_eq!(world.item(NOTE.0, NOTE.1)["V"], n(3));
    world.exchanges().clear();
    let second = world.audit().await;
    assert_eq!((second.verdict.since, second.verdict.findings.versions), (3, 0));
    // The log entries are compared by the walk.
    let items = first.verdict.findings.items - 3;
    // The whole table all the same.
    assert_eq!(second.verdict.findings.items, items);
    assert!(replayed(&world).is_empty());
    world.push(TENANT, &small(&[(9, "Nine")])).await;
    world.aggregate().await;
    world.exchanges().clear();
    let third = world.audit().await;
    assert_eq!((third.verdict.since, third.verdict.findings.versions), (3, 1));
    assert!(third.verdict.is_clean(), "{:?}", third.verdict);
    assert_eq!(replayed(&world), [4]);
    assert_eq!(world.item(NOTE.0, NOTE.1)["V"], n(4));
}

/// The newest index file names every id, so an item of a term that was removed long before is found.
#[tokio::test]
async fn a_stray_of_a_term_that_went_before_the_checkpoint_is_found() {
    let world = history(4).await;
    assert!(world.audit().await.verdict.is_clean());
    let mut stray = world.item("TERM#acme#1", "TERM#acme#1");
    assert!(stray.contains_key("Removed"), "it is gone");
    stray.remove("Removed");
    stray.insert("SK".to_owned(), s("CULTURE#xx"));
    world.put_by_hand(stray).await;
    let found = world.audit().await.verdict;
    assert_eq!(found.since, 4);
    assert!(
        matches!(&lines(&found)[..], [line] if line == "foreign   TERM#acme#1 CULTURE#xx"),
        "{found:?}"
    );
}

#[tokio::test]
async fn damage_before_the_checkpoint_is_found_by_a_full_audit_and_by_every_one_after_it() {
    let world = history(3).await;
    assert!(world.audit().await.verdict.is_clean());
    let first = world.entry(TENANT, 1).await.changeset_key;
    world.put_body(&first, "damaged");
    // A checkpointed audit does not read it.
    assert!(world.audit().await.verdict.is_clean());
    for found in [full_audit(&world).await, world.audit().await, world.audit().await] {
        assert_eq!(found.verdict.since, 0);
        assert!(
            matches!(&lines(&found.verdict)[..], [line] if line.contains("changesets/acme/000000000001")),
            "{found:?}"
        );
    }
}

#[tokio::test]
async fn one_audit_in_twelve_is_full() {
    let world = history(2).await;
    let mut since = Vec::new();
    for _ in 0..2 * FULL_EVERY + 1 {
        since.push(world.audit().await.verdict.since);
    }
    let expect: Vec<u64> = (0..=2 * FULL_EVERY)
        .map(|number| if number % FULL_EVERY == 0 { 0 } else { 2 })
        .collect();
    assert_eq!(since, expect);
}

/// For each way in which a checkpoint can be wrong: it is reported, the whole chain is replayed, aggregates are repaired nevertheless, and
/// the next audit has a checkpoint again.
#[tokio::test]
async fn a_checkpoint_that_does_not_fit_is_named_and_everything_is_replayed() {
    let other = || s(Hash::digest(b"other").as_str());
    for (name, value) in [
        ("V", n(9)),
        ("V", n(1)),
        ("ChangesetId", other()),
        ("StateHash", other()),
        ("Run", s("no number")),
    ] {
        let world = history(3).await;
        world.audit().await;
        world.push(TENANT, &small(&[(9, "Nine")])).await;
        world.aggregate().await;
        world.alter(NOTE, name, Some(value.clone())).await;
        let totals = ("STATS#acme", "TENANT");
        world.alter(totals, "Terms", Some(n(7))).await;
        let found = world.audit().await;
        let named = matches!(&lines(&found.verdict)[..], [counts, checkpoint]
            if counts.starts_with("altered   STATS#acme TENANT Terms")
                && checkpoint.contains("TAXONOMY#acme AUDIT"));
        assert!(named, "{name} {value:?}: {:?}", found.verdict);
        assert_eq!(
            (
                found.verdict.since,
                found.verdict.findings.versions,
                found.repaired
            ),
            (0, 4, 1)
        );
        let next = world.audit().await.verdict;
        assert_eq!((next.since, next.is_clean()), (4, true), "{name} {value:?}");
    }
}

#[tokio::test]
async fn a_body_that_a_checkpoint_needs_and_that_is_damaged_or_gone_is_named() {
    for spoil in SPOILS {
        let world = history(3).await;
        world.audit().await;
        world.push(TENANT, &small(&[(9, "Nine")])).await;
        world.aggregate().await;
        spoil(&world, &world.entry(TENANT, 3).await.snapshot_key);
        let found = world.audit().await.verdict;
        let named = matches!(&lines(&found)[..], [snapshot, checkpoint]
            if snapshot.contains("snapshots/acme/000000000003") && checkpoint.contains("AUDIT: at version 3"));
        assert!(named && found.since == 0, "{found:?}");
    }
}

/// Without the file that names the ids, the items of the content are compared, although there is nothing to replay.
#[tokio::test]
async fn a_damaged_or_lost_index_file_of_the_head_is_named_and_hides_no_wrong_item() {
    let world = history(3).await;
    world.audit().await;
    let term = ("TERM#acme#3", "TERM#acme#3");
    world.alter(term, "Name", Some(s("other"))).await;
    let key = world.committed(TENANT).await.index_key;
    for spoil in SPOILS {
        spoil(&world, &key);
        let found = world.audit().await.verdict;
        let named = matches!(&lines(&found)[..],
            [index, item] if index.contains(&key) && item == "altered   TERM#acme#3 TERM#acme#3 Name");
        assert!(named && found.since == 3, "{found:?}");
    }
}

/// This holds even if other invocations, which do not read the checkpoint, continue the audit.
#[tokio::test]
async fn a_checkpoint_that_does_not_fit_is_counted_though_the_audit_takes_many_invocations() {
    let world = renames(30).await;
    world.audit().await;
    let other = s(Hash::digest(b"other").as_str());
    world.alter(NOTE, "StateHash", Some(other)).await;
    let service = world.service();
    let audited = service
        .audit(&tenant(), AuditRequest::default(), world.deadline_in(12))
        .await;
    assert_eq!(audited.unwrap(), Audited::Paused { full: true });
    assert_eq!(service.metrics.counted(Metric::AuditDifferences), 1);
    assert!(full_audit(&world).await.verdict.is_clean());
    assert_eq!(world.audit().await.verdict.since, 30);
}

/// The audit that finds wrong files counts them, because the next one begins after their versions.
#[tokio::test]
async fn a_wrong_file_is_counted_though_the_audit_takes_many_invocations() {
    let world = renames(30).await;
    world.lose(&world.entry(TENANT, 1).await.index_key);
    let service = world.service();
    let audited = service.audit(&tenant(), FULL, world.deadline_in(12)).await;
    assert_eq!(audited.unwrap(), Audited::Paused { full: true });
    assert!(service.metrics.counted(Metric::AuditDifferences) >= 1);
}

/// A failing store is no evidence against the checkpoint.
#[tokio::test(start_paused = true)]
async fn a_store_that_fails_leaves_the_checkpoint_as_it_is() {
    let world = history(3).await;
    world.audit().await;
    let before = world.item(NOTE.0, NOTE.1);
    let failing = When::always().operation("GetObject").containing("indexes/");
    world.inject(failing, Fault::Throttle);
    let failed = whole_audit(&world.service(), &tenant(), Deadline::NONE).await;
    assert!(matches!(failed, Err(VersioningError::Store(_))), "{failed:?}");
    assert_eq!(world.item(NOTE.0, NOTE.1), before);
}
