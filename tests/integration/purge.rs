//! Tests of the purge of a tenant: nothing of it remains, nothing of other tenants changes, and neither a crash nor a late process brings
//! it back.

mod damage;
mod late;
pub(crate) mod support;

use std::cell::RefCell;
use std::time::Duration;

use taxonomy_tests::budget::scaled;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::{PURGE_QUIET, PurgeProgress, PurgeStep, Purged};
use tokio::time::Instant;

use support::{
    all_but, assert_gone, everything_happened, few, left_of, lookup_answers, options, plan, purge,
};

/// Ids that are prefixes of each other, and whose keys are: `taxonomies/acme.json` and `taxonomies/acme.json.json`.
const OTHERS: [&str; 3] = ["acme2", "acme.json", "acm"];

async fn all_tenants() -> World {
    let world = World::in_tokios_time();
    for tenant in [TENANT].into_iter().chain(OTHERS) {
        everything_happened(&world, tenant).await;
    }
    world
}

#[tokio::test(start_paused = true)]
async fn nothing_of_the_tenant_is_left_and_others_stay_byte_for_byte() {
    let world = all_tenants().await;
    assert!(
        left_of(&world, TENANT).len() > 40,
        "{:#?}",
        left_of(&world, TENANT)
    );
    let others = all_but(&world, TENANT);
    let plan = plan(&world).await;
    assert!(
        plan.version > 4 && plan.terms > 0 && plan.aggregates > 4 && plan.begun.is_none(),
        "{plan:?}"
    );
    let purged = purge(&world, PURGE_QUIET).await.unwrap();
    assert_gone(&world, "");
    assert_eq!(all_but(&world, TENANT), others);
    assert_eq!(
        (purged.source_versions, purged.bodies, purged.aggregates),
        (plan.source_versions, plan.bodies, plan.aggregates)
    );
    assert_eq!(purged.log + 2, plan.log, "head and configuration go last");
    assert!(
        purged.items > plan.terms + plan.categories,
        "tombstones too: {purged:?}"
    );
    assert!(support::plan(&world).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_purged_tenant_is_unknown_and_may_begin_anew() {
    let world = all_tenants().await;
    assert_eq!(lookup_answers(&world, TENANT).await.0, 200);
    purge(&world, PURGE_QUIET).await.unwrap();
    let (status, problem) = lookup_answers(&world, TENANT).await;
    assert_eq!((status, problem.as_str()), (404, "/problems/tenant-not-found"));
    world.push(TENANT, &small(&[(1, "Anew")])).await;
    let head = world.committed(TENANT).await;
    assert_eq!((head.version, head.is_settled()), (Version::FIRST, true));
    assert_eq!(world.live(TENANT), expected(TENANT, &small(&[(1, "Anew")])));
    world.aggregate().await;
    assert_eq!(world.clean().await, Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_purge_of_nothing_changes_nothing() {
    let world = World::in_tokios_time();
    everything_happened(&world, "acme2").await;
    let before = all_but(&world, TENANT);
    let begin = Instant::now();
    assert_eq!(purge(&world, PURGE_QUIET).await.unwrap(), Purged::default());
    assert_eq!(begin.elapsed(), Duration::ZERO, "nothing to wait for");
    assert_eq!(all_but(&world, TENANT), before);
    assert_gone(&world, "");
}

/// A tenant may have a file, a refusal, a configuration or parked records, and never a version.
#[tokio::test(start_paused = true)]
async fn a_tenant_without_a_version_is_purged_too() {
    type Beginning = fn(&World);
    let beginnings: [(&str, Beginning); 2] = [
        ("an upload whose event was lost", |world| {
            drop(world.upload(TENANT, &few()));
        }),
        ("a parked record", |world| {
            world
                .s3
                .put(FAILURES_BUCKET, &format!("parked/{TENANT}/0-x.json"), "{}");
        }),
    ];
    for (name, begin) in beginnings {
        let world = World::in_tokios_time();
        begin(&world);
        purge(&world, PURGE_QUIET).await.unwrap();
        assert_gone(&world, name);
    }
    let world = World::in_tokios_time();
    world.push(TENANT, b"{").await;
    purge(&world, PURGE_QUIET).await.unwrap();
    assert_gone(&world, "a refusal");
}

/// The bucket lists pages of versions, some empty, and S3 refuses deletions one by one.
#[tokio::test(start_paused = true)]
async fn listings_of_many_pages_are_deleted_whole() {
    let world = all_tenants().await;
    let others = all_but(&world, TENANT);
    for bucket in [SOURCE_BUCKET, CHANGESETS_BUCKET, FAILURES_BUCKET] {
        world.s3.limit_pages(bucket, 2);
        world.s3.list_empty_pages(bucket, 3);
        world.s3.fail_deletions(bucket, 3);
    }
    purge(&world, PURGE_QUIET).await.unwrap();
    assert_gone(&world, "");
    assert_eq!(all_but(&world, TENANT), others);
}

#[tokio::test(start_paused = true)]
async fn what_s3_keeps_refusing_is_reported() {
    let world = all_tenants().await;
    let refused = format!("reports/{TENANT}/");
    world.s3.deny(CHANGESETS_BUCKET, &refused);
    let error = purge(&world, PURGE_QUIET).await.unwrap_err();
    let error = taxonomy_runtime::causes(&error);
    assert!(
        error.contains(&refused) && error.contains("AccessDenied"),
        "{error}"
    );
    let plan = plan(&world).await;
    assert!(plan.begun.is_some() && plan.log > 0, "the note stays: {plan:?}");
}

#[tokio::test(start_paused = true)]
async fn the_steps_are_reported_in_their_order() {
    let world = all_tenants().await;
    let seen: RefCell<Vec<PurgeProgress>> = RefCell::default();
    let begin = Instant::now();
    let purged = world
        .service()
        .purge(&id(TENANT), &options(PURGE_QUIET), &|progress| {
            seen.borrow_mut().push(progress);
        })
        .await
        .unwrap();
    assert!(begin.elapsed() >= PURGE_QUIET, "{:?}", begin.elapsed());
    let seen = seen.into_inner();
    assert!(seen.is_sorted_by_key(|progress| progress.step), "{seen:?}");
    let last = |step: PurgeStep| {
        let of_step = seen.iter().rev().find(|progress| progress.step == step);
        of_step.map(|progress| progress.done)
    };
    assert_eq!(last(PurgeStep::Waiting), Some(959));
    assert_eq!(last(PurgeStep::Source), Some(purged.source_versions));
    assert_eq!(last(PurgeStep::Items), Some(purged.items));
    assert_eq!(last(PurgeStep::Aggregates), Some(purged.aggregates));
    assert_eq!(last(PurgeStep::Bodies), Some(purged.bodies));
    assert_eq!(last(PurgeStep::Log), Some(purged.log));
}

/// Returns a world of small tenants, so that a purge repeated at each of its requests is fast.
async fn small_tenants() -> World {
    let world = World::in_tokios_time();
    world.push(TENANT, &few()).await;
    world.push(TENANT, &small(&[(2, "Law")])).await;
    world.push("acme2", &few()).await;
    world.aggregate().await;
    world
        .s3
        .put(FAILURES_BUCKET, &format!("parked/{TENANT}/0-x.json"), "{}");
    world
}

/// The process dies at each of its requests in turn, before or after the request is applied, and every message that could bring the tenant
/// back arrives before the purge is repeated.
#[tokio::test(start_paused = true)]
async fn a_purge_that_dies_anywhere_is_repeated_to_the_same_end() {
    for fault in [Fault::Crash, Fault::CrashAfterApply] {
        for n in (1..).step_by(scaled(6, 1)) {
            let world = small_tenants().await;
            let others = all_but(&world, TENANT);
            world.inject(When::nth(n), fault);
            let first = purge(&world, Duration::from_secs(2));
            let died = world.transport.until_crash(first).await.is_none();
            world.transport.reset_faults();
            if died {
                late::everything_comes_late(&world).await;
            }
            purge(&world, Duration::from_secs(2)).await.unwrap();
            assert_gone(&world, &format!("{fault:?} at request {n}"));
            assert_eq!(all_but(&world, TENANT), others, "{fault:?} at request {n}");
            if !died {
                assert!(n > 50, "only {n} requests");
                break;
            }
        }
    }
}

/// Each request fails once, refused or with its response lost: the SDK's retry or a repetition of the purge leads to the same result.
#[tokio::test(start_paused = true)]
async fn whatever_fails_once_the_end_is_the_same() {
    let faults = [
        Fault::TransactionConflict,
        Fault::AnswerLost,
        Fault::DropBeforeSend,
        Fault::ServerErrorAfterApply,
        Fault::Throttle,
    ];
    for fault in faults {
        for n in (1..).step_by(scaled(9, 1)) {
            let world = small_tenants().await;
            world.db.stop_stream(TABLE);
            let others = all_but(&world, TENANT);
            world.inject(When::nth(n), fault);
            let before = world.exchanges().len();
            let first = purge(&world, Duration::from_secs(2)).await;
            let is_over = world.exchanges().len() - before < n;
            world.transport.reset_faults();
            if first.is_err() {
                purge(&world, Duration::from_secs(2)).await.unwrap();
            }
            assert_gone(&world, &format!("{fault:?} at request {n}"));
            assert_eq!(all_but(&world, TENANT), others, "{fault:?} at request {n}");
            if is_over {
                assert!(n > 50, "only {n} requests");
                break;
            }
        }
    }
}

/// Another process completed the same purge and the tenant began anew: the rest of the first purge deletes nothing more.
#[tokio::test(start_paused = true)]
async fn a_purge_that_another_process_ended_leaves_the_new_tenant_alone() {
    let world = small_tenants().await;
    let (slow, quick) = (Duration::from_secs(600), Duration::from_secs(300));
    let service = world.service();
    let (tenant, options) = (id(TENANT), options(slow));
    let first = service.purge(&tenant, &options, &|_| ());
    let second = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        purge(&world, quick).await.unwrap();
        world.push(TENANT, &small(&[(1, "Anew")])).await;
    };
    let (first, ()) = tokio::join!(first, second);
    assert!(matches!(first, Err(VersioningError::Overtaken)), "{first:?}");
    assert_eq!(world.live(TENANT), expected(TENANT, &small(&[(1, "Anew")])));
    assert!(
        world
            .s3
            .object(SOURCE_BUCKET, &format!("taxonomies/{TENANT}.json"))
            .is_some()
    );
    assert!(
        world
            .db
            .item(TABLE, &format!("TAXONOMY#{TENANT}"), "HEAD")
            .is_some()
    );
}

fn id(tenant: &str) -> TenantId {
    tenant.parse().unwrap()
}
