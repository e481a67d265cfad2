//! Tests of audits as the queue delivers them: over several invocations, with uploads between them, and delivered repeatedly.

use std::collections::BTreeSet;

use taxonomy_tests::budget::scaled;
use taxonomy_tests::prelude::*;
use taxonomy_versioning::Audited;

use super::{FULL, NOTE, history, n, renames, replayed, tenant};

/// Delivers the audits, each message to a process with a deadline of `looks` readings of the clock; returns their number.
async fn drain(world: &World, looks: u64) -> usize {
    let mut worked_off = 0;
    while worked_off < 500 {
        let messages = world.sqs.take(AUDITS);
        if messages.is_empty() {
            return worked_off;
        }
        for message in messages {
            world.work_off(AUDITS, &message, looks).await;
            worked_off += 1;
        }
    }
    panic!("the queue of audits does not run empty");
}

#[tokio::test]
async fn a_long_history_is_verified_over_several_invocations() {
    let (last, looks) = scaled((60, 14), (300, 70));
    let world = renames(last).await;
    let asked = world.sqs.send(AUDITS, r#"{"audit":"acme"}"#).sent_ms;
    let invocations = drain(&world, looks).await;
    assert!((5..20).contains(&invocations), "{invocations} invocations");
    assert_eq!(world.item(NOTE.0, NOTE.1)["V"], n(last));
    assert_eq!(world.item(NOTE.0, NOTE.1)["Run"], n(asked), "it came to its end");
    let versions = replayed(&world);
    let each: BTreeSet<u64> = versions.iter().copied().collect();
    assert_eq!(each, (1..=last).collect());
    // The version that did not fit into the time is read again by the next invocation.
    assert!(
        versions.len() < usize::try_from(last).unwrap() + invocations,
        "{} were read",
        versions.len()
    );
    world.exchanges().clear();
    let next = world.audit().await.verdict;
    assert_eq!((next.since, next.is_clean()), (last, true), "{next:?}");
}

/// An audit that the schedule requests later begins at the checkpoint, and needs several invocations as well.
#[tokio::test]
async fn a_checkpointed_audit_goes_on_over_invocations() {
    let world = renames(20).await;
    world.audit().await;
    for version in 21..=60 {
        world
            .push(TENANT, &small(&[(1, &format!("Version {version}"))]))
            .await;
    }
    world.aggregate().await;
    world.exchanges().clear();
    let asked = world.sqs.send(AUDITS, r#"{"audit":"acme"}"#).sent_ms;
    let invocations = drain(&world, 30).await;
    assert!(invocations > 1, "{invocations} invocations");
    assert_eq!(
        (
            &world.item(NOTE.0, NOTE.1)["V"],
            &world.item(NOTE.0, NOTE.1)["Run"]
        ),
        (&n(60), &n(asked))
    );
    assert_eq!(replayed(&world).first(), Some(&21));
}

/// A full audit continues where it was, independent of other audits; after fourteen days it begins anew.
#[tokio::test]
async fn a_full_audit_goes_on_where_it_was_for_fourteen_days() {
    let world = renames(60).await;
    world.audit().await;
    let began_behind = async |looks: u64| {
        world.exchanges().clear();
        let service = world.service();
        let audited = service.audit(&tenant(), FULL, world.deadline_in(looks)).await;
        assert_eq!(audited.unwrap(), Audited::Paused { full: true });
        assert_eq!(service.metrics.counted(Metric::AuditUnfinished), 0);
        replayed(&world)[0] - 1
    };
    assert_eq!(began_behind(12).await, 0);
    let second = began_behind(12).await;
    assert!(second > 0);
    // The checkpoint is not touched.
    assert_eq!(world.audit().await.verdict.since, 60);
    assert!(began_behind(12).await > second);
    world.pass(13 * 86_400);
    assert!(began_behind(12).await > second);
    world.pass(14 * 86_400);
    assert_eq!(began_behind(12).await, 0);
}

/// Uploads that arrive while the table is compared do not invalidate the verified part.
#[tokio::test]
async fn an_audit_that_was_overtaken_leaves_its_checkpoint() {
    let world = history(5).await;
    let service = world.service();
    world.upload(TENANT, &small(&[(9, "Nine")]));
    // The head is read for the last time after everything else.
    let (audited, ()) = {
        let tenant = tenant();
        world.transport.close_gate();
        let audit = whole_audit(&service, &tenant, Deadline::NONE);
        tokio::join!(audit, overtake(&world))
    };
    assert!(matches!(audited, Err(VersioningError::Overtaken)), "{audited:?}");
    assert_eq!(world.item(NOTE.0, NOTE.1)["V"], n(5));
    assert_eq!(world.audit().await.verdict.since, 5);
}

/// Releases an audit's requests until it compares partitions, holds those, and commits a version meanwhile.
async fn overtake(world: &World) {
    let held: BTreeSet<u64> = loop {
        tokio::task::yield_now().await;
        let pending = world.transport.pending();
        if pending
            .iter()
            .any(|request| request.target.contains("TERM#acme#"))
        {
            break pending.iter().map(|request| request.id).collect();
        }
        for request in pending {
            world.transport.release(request.id, None);
        }
    };
    let pass_others = async {
        loop {
            tokio::task::yield_now().await;
            let pending = world.transport.pending().into_iter();
            for request in pending.filter(|request| !held.contains(&request.id)) {
                world.transport.release(request.id, None);
            }
        }
    };
    let record = json!({"eventSource": "aws:sqs", "messageId": "m", "body": r#"{"tenant":"acme"}"#});
    let look = world.deliver(json!({ "Records": [record] }));
    tokio::select! {
        done = look => drop(done.unwrap()),
        () = pass_others => {}
    }
    world.transport.open_gate();
}

fn asked(messages: &[Message]) -> Vec<Value> {
    let bodies = messages.iter().map(|message| serde_json::from_str(&message.body));
    bodies.map(Result::unwrap).collect()
}

/// Returns the number of completed audits; each writes the checkpoint once.
fn ended(world: &World) -> usize {
    let exchanges = world.exchanges().all().into_iter();
    let noted =
        exchanges.filter(|exchange| exchange.operation == "PutItem" && exchange.target.contains("AUDIT"));
    noted.count()
}

#[tokio::test]
async fn whatever_comes_again_each_tenant_is_audited_once_a_run() {
    let world = World::new();
    let tenants = ["acme", "globex", "initech"];
    for tenant in tenants {
        world.push(tenant, &small(&[(1, "IT")])).await;
    }
    world.aggregate().await;
    let weekly = scheduled("audit");
    for run in 1..=2 {
        world.exchanges().clear();
        for _ in 0..4 {
            world.deliver(weekly.clone()).await.unwrap();
        }
        let messages = world.sqs.take(AUDITS);
        assert_eq!(messages.len(), 4 * tenants.len());
        for message in messages.iter().chain(&messages).chain(&messages) {
            world.work_off(AUDITS, message, 10_000).await;
        }
        // No further message is sent.
        assert!(world.sqs.messages(AUDITS).is_empty());
        assert_eq!(ended(&world), tenants.len(), "run {run}");
        world.pass(3600);
    }
}

/// Every message of a long audit is delivered three times: the audit ends once, and no second chain of messages continues.
#[tokio::test]
async fn whatever_comes_again_of_a_long_audit_it_ends_once() {
    for first in [r#"{"audit":"acme"}"#, r#"{"audit":"acme","full":true}"#] {
        let world = renames(40).await;
        world.sqs.send(AUDITS, first);
        let (mut delivered, mut paused) = (0, 0);
        loop {
            let messages = world.sqs.take(AUDITS);
            if messages.is_empty() {
                break;
            }
            assert!(messages.len() <= 3, "{:?}", asked(&messages));
            for message in messages.iter().chain(&messages).chain(&messages) {
                let before = world.sqs.messages(AUDITS).len();
                world.work_off(AUDITS, message, 15).await;
                paused += world.sqs.messages(AUDITS).len() - before;
                delivered += 1;
            }
            assert!(delivered < 200, "no end");
        }
        assert!(paused > 2, "{first}: {paused} times paused");
        assert_eq!(world.item(NOTE.0, NOTE.1)["V"], n(40));
        assert_eq!(
            ended(&world),
            paused + 1,
            "{first}: a note each time it paused, and one at the end"
        );
    }
}

/// Of two requested audits the later one counts, and one that is not full does not replace a full one.
#[tokio::test]
async fn an_audit_that_was_asked_for_later_is_made() {
    let world = history(2).await;
    world.audit().await;
    let send = |body: &str| world.sqs.send(AUDITS, body);
    let (plain, full, later) = (
        send(r#"{"audit":"acme"}"#),
        send(r#"{"audit":"acme","full":true}"#),
        send(r#"{"audit":"acme"}"#),
    );
    world.sqs.take(AUDITS);
    for (message, expect) in [(&later, 1), (&plain, 0), (&full, 1), (&full, 0), (&later, 0)] {
        world.exchanges().clear();
        world.work_off(AUDITS, message, 10_000).await;
        assert_eq!(ended(&world), expect, "{}", message.body);
    }
}
