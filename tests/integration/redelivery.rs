//! Tests of messages whose work fails: the function sends them again with a count, and at last they become dead letters.

use std::time::Duration;

use taxonomy_store::redrive;
use taxonomy_tests::prelude::*;

fn it() -> Vec<u8> {
    small(&[(1, "IT")])
}

/// Returns a stack whose table fails, with an upload that waits.
fn failing() -> World {
    let world = World::new();
    world.upload(TENANT, &it());
    fail(&world);
    world
}

fn fail(world: &World) {
    let broken = When::always().operation("Query");
    world.inject(broken, Fault::DropBeforeSend);
}

/// Delivers the only message of a queue; returns whether it is acknowledged.
async fn deliver(world: &World, queue: &str, message: &Message) -> bool {
    let event = sqs_event(queue, std::slice::from_ref(message));
    let response = world.deliver(event).await.unwrap();
    response["batchItemFailures"] == json!([])
}

fn only(world: &World, queue: &str) -> Message {
    let mut messages = world.sqs.take(queue);
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

fn body(message: &Message) -> Value {
    serde_json::from_str(&message.body).unwrap()
}

/// Delivers a message until it is a dead letter; returns its last body in the queue and the dead letter.
async fn until_dead(world: &World, queue: &str, dead_letters: &str, first: &str) -> (Value, Message) {
    world.sqs.send(queue, first);
    for tries in 1..projector::TRIES {
        let before = only(world, queue);
        assert!(deliver(world, queue, &before).await, "acknowledged");
        let again = &world.sqs.messages(queue)[0];
        assert_eq!(body(again)["tries"], json!(tries));
        // The clock of these tests advances by a second at each reading, so some of the delay has passed.
        let waits = world.sqs.until_visible(queue).unwrap();
        let passed = projector::delay(tries).checked_sub(waits).unwrap();
        assert!(passed < Duration::from_secs(5), "{waits:?} after {tries} tries");
        assert!(world.sqs.messages(dead_letters).is_empty());
    }
    let last = only(world, queue);
    assert!(deliver(world, queue, &last).await, "acknowledged");
    assert!(world.sqs.messages(queue).is_empty());
    (body(&last), only(world, dead_letters))
}

#[tokio::test(start_paused = true)]
async fn a_message_that_fails_waits_longer_each_time_and_becomes_a_dead_letter_with_its_cause() {
    let world = failing();
    let (_, dead) = until_dead(&world, RETRIES, DEAD_LETTERS, r#"{"tenant":"acme"}"#).await;
    assert_eq!(dead.body, r#"{"tenant":"acme"}"#);
    let cause = dead.attributes["Cause"]["StringValue"].as_str().unwrap();
    assert!(
        cause.contains("1 tenants are unfinished: ") && cause.contains("Query failed"),
        "{cause}"
    );
    assert_eq!(dead.attributes["Tries"]["StringValue"], json!("10"));
}

#[tokio::test(start_paused = true)]
async fn an_audit_and_a_sweep_that_fail_stay_in_their_queues() {
    let world = World::of(&[&it()]).await;
    fail(&world);
    let (last, dead) = until_dead(&world, AUDITS, AUDIT_DEAD_LETTERS, r#"{"audit":"acme","run":5}"#).await;
    assert_eq!((&last["audit"], &last["run"]), (&json!("acme"), &json!(5)));
    assert_eq!(dead.body, r#"{"audit":"acme","run":5}"#);
    let sweep = r#"{"after":"globex","sweep":"tenants"}"#;
    let (_, dead) = until_dead(&world, RETRIES, DEAD_LETTERS, sweep).await;
    assert_eq!(dead.body, sweep);
    assert!(world.sqs.messages(AUDIT_DEAD_LETTERS).is_empty());
}

/// An event that Lambda gave up and a notification that SNS could not deliver still contain the upload's tenant, however often they fail.
#[tokio::test(start_paused = true)]
async fn messages_that_others_wrote_keep_their_form() {
    let world = World::new();
    let event = world.upload(TENANT, &it());
    let notification = event["Records"][0]["Sns"].clone();
    for first in [json!({"version": "1.0", "requestPayload": event}), notification] {
        fail(&world);
        world.sqs.send(RETRIES, &first.to_string());
        for _ in 0..3 {
            assert!(deliver(&world, RETRIES, &only(&world, RETRIES)).await);
        }
        let mut waiting = body(&world.sqs.messages(RETRIES)[0]);
        assert_eq!(waiting.as_object_mut().unwrap().remove("tries"), Some(json!(3)));
        assert_eq!(waiting, first);
        world.transport.reset_faults();
        assert!(deliver(&world, RETRIES, &only(&world, RETRIES)).await);
        assert_eq!(world.live(TENANT), expected(TENANT, &it()));
        assert!(world.sqs.messages(RETRIES).is_empty());
    }
}

/// A throttled poll is a receive without an invocation.
#[tokio::test(start_paused = true)]
async fn receives_do_not_count() {
    let world = failing();
    let mut message = world.received(RETRIES, r#"{"tenant":"acme"}"#);
    message.received = 999;
    assert!(deliver(&world, RETRIES, &message).await);
    assert_eq!(body(&only(&world, RETRIES))["tries"], json!(1));
    assert!(world.sqs.messages(DEAD_LETTERS).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_message_that_cannot_be_sent_again_stays() {
    let world = failing();
    let refused = When::always().operation("SendMessage");
    world.inject(refused, Fault::DropBeforeSend);
    for first in [
        r#"{"tenant":"acme"}"#,
        r#"{"tenant":"acme","tries":9}"#,
        "no message of ours",
    ] {
        let message = world.received(RETRIES, first);
        assert!(!deliver(&world, RETRIES, &message).await, "{first}");
        assert!(world.sqs.messages(RETRIES).is_empty() && world.sqs.messages(DEAD_LETTERS).is_empty());
    }
}

/// The response to the sending is lost, or the process dies after it: the message exists twice, and handling the second changes nothing.
#[tokio::test(start_paused = true)]
async fn a_message_that_is_there_twice_costs_a_second_look() {
    for fault in [Fault::AnswerLost, Fault::CrashAfterApply] {
        let world = failing();
        world.inject(When::nth(1).operation("SendMessage"), fault);
        let event = sqs_event(RETRIES, &[world.received(RETRIES, r#"{"tenant":"acme"}"#)]);
        let handled = world.transport.until_crash(world.deliver(event.clone())).await;
        world.transport.reset_faults();
        if handled.is_none() {
            world.deliver(event).await.unwrap();
        }
        let copies = world.sqs.take(RETRIES);
        assert!(!copies.is_empty(), "{fault:?}");
        for copy in &copies {
            assert!(deliver(&world, RETRIES, copy).await);
        }
        assert_eq!(world.live(TENANT), expected(TENANT, &it()), "{fault:?}");
        assert_eq!(world.committed(TENANT).await.version.get(), 1);
        assert!(world.sqs.messages(RETRIES).is_empty() && world.sqs.messages(DEAD_LETTERS).is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_of_unknown_form_is_a_dead_letter_at_once() {
    let world = World::new();
    for first in [
        "{}",
        "no JSON",
        r#"{"audit":"not a tenant"}"#,
        r#"{"sweep":"floor"}"#,
    ] {
        world.sqs.send(RETRIES, first);
        assert!(deliver(&world, RETRIES, &only(&world, RETRIES)).await);
        let dead = only(&world, DEAD_LETTERS);
        assert_eq!(dead.body, first);
        let cause = &dead.attributes["Cause"]["StringValue"];
        assert_eq!(*cause, "a message of unknown form");
        assert!(world.sqs.messages(RETRIES).is_empty());
    }
}

/// No try reads a record of unknown form, so the message waits for none.
#[tokio::test(start_paused = true)]
async fn a_message_with_a_record_of_unknown_form_is_a_dead_letter_after_its_tenants() {
    let world = World::new();
    world.upload(TENANT, &it());
    let record = |key: &str| json!({"eventName": "ObjectCreated:Put", "s3": {"bucket": {"name": SOURCE_BUCKET}, "object": {"key": key}}});
    let notification =
        json!({"Records": [{"eventName": "ObjectCreated:Put"}, record("taxonomies/acme.json")]});
    let first = json!({"requestPayload": sns_event(&[notification])}).to_string();
    world.sqs.send(RETRIES, &first);
    assert!(deliver(&world, RETRIES, &only(&world, RETRIES)).await);
    assert_eq!(world.live(TENANT), expected(TENANT, &it()));
    let expect: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(body(&only(&world, DEAD_LETTERS)), expect);
    assert!(world.sqs.messages(RETRIES).is_empty());
}

/// A redrive moves dead letters to the queue that it names, where they have all their tries again.
#[tokio::test(start_paused = true)]
async fn a_dead_letter_that_is_moved_back_begins_anew() {
    let world = failing();
    let (_, dead) = until_dead(&world, RETRIES, DEAD_LETTERS, r#"{"tenant":"acme"}"#).await;
    for _ in 0..2 {
        world.sqs.send(DEAD_LETTERS, &dead.body);
    }
    let (from, to) = (queue_url(DEAD_LETTERS), queue_url(RETRIES));
    assert_eq!(redrive(&world.sqs.client(), &from, &to, 1).await.unwrap(), 1);
    // As many as are asked for.
    assert_eq!(world.sqs.messages(DEAD_LETTERS).len(), 1);
    assert!(deliver(&world, RETRIES, &only(&world, RETRIES)).await);
    assert_eq!(body(&world.sqs.messages(RETRIES)[0])["tries"], json!(1));
    world.transport.reset_faults();
    assert!(deliver(&world, RETRIES, &only(&world, RETRIES)).await);
    assert_eq!(world.live(TENANT), expected(TENANT, &it()));
}
