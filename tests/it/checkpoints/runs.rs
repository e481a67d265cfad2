//! Audits as the queue asks for them: over several invocations, overtaken by uploads, delivered again and again.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use taxonomy_protocol::{Audited, Deadline, ProtocolError};
use taxonomy_runtime::Metric;
use taxonomy_testkit::sqs::{Message, sqs_event};
use taxonomy_tests::world::{AUDITS, TENANT, World, small};

use super::{FULL, aggregate, audit, history, note, number, renames, replayed, tenant};

/// Works off the audits, each message in a process with time for so many looks at the clock; returns how many there were.
async fn drain(world: &World, looks: u64) -> usize {
    let mut worked_off = 0;
    while worked_off < 500 {
        let messages = world.sqs.take(AUDITS);
        if messages.is_empty() {
            return worked_off;
        }
        for message in messages {
            deliver(world, &message, looks).await;
            worked_off += 1;
        }
    }
    panic!("the queue of audits does not run empty");
}

async fn deliver(world: &World, message: &Message, looks: u64) {
    let event = sqs_event(AUDITS, std::slice::from_ref(message));
    let response = world.projector().handle(event, world.deadline_in(looks)).await;
    assert!(response.unwrap().batch_item_failures.is_empty());
}

#[tokio::test]
async fn a_long_history_is_verified_over_several_invocations() {
    let world = renames(300).await;
    let asked = world.sqs.send(AUDITS, r#"{"audit":"acme"}"#).sent_ms;
    let invocations = drain(&world, 70).await;
    assert!((5..20).contains(&invocations), "{invocations} invocations");
    assert_eq!(note(&world)["V"], number(300));
    assert_eq!(note(&world)["Run"], number(asked), "it came to its end");
    let versions = replayed(&world);
    let each: BTreeSet<u64> = versions.iter().copied().collect();
    assert_eq!(each, (1..=300).collect());
    // The one that time did not suffice for is read again by the next invocation.
    assert!(versions.len() < 300 + invocations, "{} were read", versions.len());
    world.exchanges().clear();
    let next = audit(&world).await.verdict;
    assert_eq!((next.since, next.is_clean()), (300, true), "{next:?}");
}

/// One that the schedule asks for later begins at the checkpoint, and needs several invocations as well.
#[tokio::test]
async fn a_checkpointed_audit_goes_on_over_invocations() {
    let world = renames(20).await;
    audit(&world).await;
    for version in 21..=60 {
        world
            .push(TENANT, &small(&[(1, &format!("Version {version}"))]))
            .await;
    }
    aggregate(&world).await;
    world.exchanges().clear();
    let asked = world.sqs.send(AUDITS, r#"{"audit":"acme"}"#).sent_ms;
    let invocations = drain(&world, 30).await;
    assert!(invocations > 1, "{invocations} invocations");
    assert_eq!(
        (&note(&world)["V"], &note(&world)["Run"]),
        (&number(60), &number(asked))
    );
    assert_eq!(replayed(&world).first(), Some(&21));
}

/// A full audit goes on where it was, beside whatever other audits do; after fourteen days it begins anew.
#[tokio::test]
async fn a_full_audit_goes_on_where_it_was_for_fourteen_days() {
    let world = renames(60).await;
    audit(&world).await;
    let began_behind = async |looks: u64| {
        world.exchanges().clear();
        let taxonomies = world.taxonomies();
        let audited = taxonomies
            .audit_as(&tenant(), FULL, world.deadline_in(looks))
            .await;
        assert_eq!(audited.unwrap(), Audited::Paused { full: true });
        assert_eq!(taxonomies.counted(Metric::AuditUnfinished), 0);
        replayed(&world)[0] - 1
    };
    assert_eq!(began_behind(12).await, 0);
    let second = began_behind(12).await;
    assert!(second > 0);
    assert_eq!(
        audit(&world).await.verdict.since,
        60,
        "the checkpoint is not touched"
    );
    assert!(began_behind(12).await > second);
    world.pass(13 * 86_400);
    assert!(began_behind(12).await > second);
    world.pass(14 * 86_400);
    assert_eq!(began_behind(12).await, 0);
}

/// Uploads that come while the table is compared do not undo what was verified.
#[tokio::test]
async fn an_audit_that_was_overtaken_leaves_its_checkpoint() {
    let world = history(5).await;
    let taxonomies = world.taxonomies();
    world.upload(TENANT, &small(&[(9, "Nine")]));
    // The head is read for the last time when everything else is done.
    let (audited, ()) = {
        let tenant = tenant();
        world.wire.close_gate();
        let audit = taxonomies.audit(&tenant, Deadline::NONE);
        tokio::join!(audit, overtake(&world))
    };
    assert!(matches!(audited, Err(ProtocolError::Overtaken)), "{audited:?}");
    assert_eq!(note(&world)["V"], number(5));
    assert_eq!(audit(&world).await.verdict.since, 5);
}

/// Lets an audit's requests through until it compares partitions, holds those, and commits a version meanwhile.
async fn overtake(world: &World) {
    let held: BTreeSet<u64> = loop {
        tokio::task::yield_now().await;
        let pending = world.wire.pending();
        if pending
            .iter()
            .any(|request| request.target.contains("TERM#acme#"))
        {
            break pending.iter().map(|request| request.id).collect();
        }
        for request in pending {
            world.wire.release(request.id, None);
        }
    };
    let pass_others = async {
        loop {
            tokio::task::yield_now().await;
            let pending = world.wire.pending().into_iter();
            for request in pending.filter(|request| !held.contains(&request.id)) {
                world.wire.release(request.id, None);
            }
        }
    };
    let record = json!({"eventSource": "aws:sqs", "messageId": "m", "body": r#"{"tenant":"acme"}"#});
    let look = world.deliver(json!({ "Records": [record] }));
    tokio::select! {
        done = look => drop(done.unwrap()),
        () = pass_others => {}
    }
    world.wire.open_gate();
}

fn asked(messages: &[Message]) -> Vec<Value> {
    let bodies = messages.iter().map(|message| serde_json::from_str(&message.body));
    bodies.map(Result::unwrap).collect()
}

/// Audits that came to their end; each writes the note once.
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
    aggregate(&world).await;
    let weekly = json!({"source": "taxonomy.schedule", "detail-type": "audit"});
    for run in 1..=2 {
        world.exchanges().clear();
        for _ in 0..4 {
            world.deliver(weekly.clone()).await.unwrap();
        }
        let messages = world.sqs.take(AUDITS);
        assert_eq!(messages.len(), 4 * tenants.len());
        for message in messages.iter().chain(&messages).chain(&messages) {
            deliver(&world, message, 10_000).await;
        }
        assert!(world.sqs.messages(AUDITS).is_empty(), "nothing asks for more");
        assert_eq!(ended(&world), tenants.len(), "run {run}");
        world.pass(3600);
    }
}

/// Every message of an audit that takes many invocations comes three times: it ends once, and no chain of messages goes on beside it.
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
                deliver(&world, message, 15).await;
                paused += world.sqs.messages(AUDITS).len() - before;
                delivered += 1;
            }
            assert!(delivered < 200, "no end");
        }
        assert!(paused > 2, "{first}: {paused} times paused");
        assert_eq!(note(&world)["V"], number(40));
        assert_eq!(
            ended(&world),
            paused + 1,
            "{first}: a note each time it paused, and one at the end"
        );
    }
}

/// Of two requests the later one holds, and a full audit is not done with by one that is not.
#[tokio::test]
async fn an_audit_that_was_asked_for_later_is_made() {
    let world = history(2).await;
    audit(&world).await;
    let send = |body: &str| world.sqs.send(AUDITS, body);
    let (plain, full, later) = (
        send(r#"{"audit":"acme"}"#),
        send(r#"{"audit":"acme","full":true}"#),
        send(r#"{"audit":"acme"}"#),
    );
    world.sqs.take(AUDITS);
    for (message, expect) in [(&later, 1), (&plain, 0), (&full, 1), (&full, 0), (&later, 0)] {
        world.exchanges().clear();
        deliver(&world, message, 10_000).await;
        assert_eq!(ended(&world), expect, "{}", message.body);
    }
}
