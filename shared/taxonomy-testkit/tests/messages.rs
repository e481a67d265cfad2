//! Tests of SQS and SNS through the real clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aws_sdk_sns::types::MessageAttributeValue;
use aws_sdk_sqs::error::ProvideErrorMetadata;
use taxonomy_testkit::sqs::{queue_arn, queue_url, sqs_event};
use taxonomy_testkit::{Fault, SnsFake, SqsFake, Transport, When};

#[tokio::test(start_paused = true)]
async fn a_message_is_sent_received_hidden_and_deleted() {
    let sqs = SqsFake::new();
    let url = sqs.create_queue("retries");
    let client = sqs.client();
    let sent = client
        .send_message()
        .queue_url(&url)
        .message_body("hello")
        .send()
        .await
        .unwrap();
    assert_eq!(
        sent.md5_of_message_body(),
        Some("5d41402abc4b2a76b9719d911017c592")
    );

    let receive = client
        .receive_message()
        .queue_url(&url)
        .max_number_of_messages(10);
    let received = receive.clone().send().await.unwrap().messages.unwrap();
    assert_eq!(received[0].body(), Some("hello"));
    assert_eq!(received[0].message_id(), sent.message_id());
    assert_eq!(received[0].md5_of_body(), sent.md5_of_message_body());
    assert!(
        receive.clone().send().await.unwrap().messages().is_empty(),
        "hidden"
    );
    tokio::time::sleep(Duration::from_secs(31)).await;
    let again = receive.clone().send().await.unwrap().messages.unwrap();
    let delete = |receipt: Option<&str>| {
        client
            .delete_message()
            .queue_url(&url)
            .receipt_handle(receipt.unwrap())
            .send()
    };
    delete(received[0].receipt_handle()).await.unwrap();
    assert_eq!(sqs.messages("retries").len(), 1, "an old receipt deletes nothing");
    delete(again[0].receipt_handle()).await.unwrap();
    assert!(sqs.messages("retries").is_empty());
    assert_eq!(
        sqs.exchanges().lines()[0],
        "SQS.SendMessage retries -> 200, 1 item"
    );
    assert_eq!(sqs.exchanges().items_of("ReceiveMessage"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_message_comes_when_it_is_time() {
    let sqs = SqsFake::new();
    let url = sqs.create_queue("retries");
    let client = sqs.client();
    client
        .send_message()
        .queue_url(&url)
        .message_body("later")
        .delay_seconds(60)
        .send()
        .await
        .unwrap();
    let receive = client.receive_message().queue_url(&url);
    assert!(receive.clone().send().await.unwrap().messages().is_empty());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(receive.send().await.unwrap().messages().len(), 1);
}

#[tokio::test]
async fn delays_follow_the_clock_of_a_test() {
    let now = Arc::new(AtomicU64::new(1000));
    let clock = Arc::clone(&now);
    let sqs = SqsFake::new().by_clock(move || Duration::from_secs(clock.load(Ordering::SeqCst)));
    let url = sqs.create_queue("retries");
    let send = sqs.client().send_message().queue_url(&url);
    send.message_body("later").delay_seconds(60).send().await.unwrap();
    assert!(sqs.take_visible("retries").is_empty());
    assert_eq!(sqs.until_visible("retries"), Some(Duration::from_secs(60)));
    now.store(1060, Ordering::SeqCst);
    assert_eq!(sqs.take_visible("retries")[0].body, "later");
    assert_eq!(sqs.until_visible("retries"), None);
}

#[tokio::test]
async fn dead_letters_move_back_to_where_they_died() {
    let sqs = SqsFake::new();
    sqs.create_queue("retries");
    sqs.create_queue("elsewhere");
    sqs.create_dead_letter_queue("dead", "retries");
    sqs.send("dead", "one");
    sqs.send("dead", "two");
    let start = sqs
        .client()
        .start_message_move_task()
        .source_arn(queue_arn("dead"));
    start.clone().send().await.unwrap();
    assert!(sqs.messages("dead").is_empty());
    let bodies: Vec<_> = sqs
        .take("retries")
        .into_iter()
        .map(|message| message.body)
        .collect();
    assert_eq!(bodies, ["one", "two"]);
    assert!(sqs.messages("retries").is_empty());
    sqs.send("dead", "three");
    start
        .destination_arn(queue_arn("elsewhere"))
        .send()
        .await
        .unwrap();
    assert_eq!(sqs.messages("elsewhere").len(), 1);
    assert_eq!(
        sqs.exchanges().lines()[0],
        "SQS.StartMessageMoveTask dead -> 200, 1 item"
    );
}

#[tokio::test]
async fn queues_refuse_what_aws_refuses() {
    let sqs = SqsFake::new();
    let url = sqs.create_queue("retries");
    let send = |url: &str, body: String| {
        sqs.client()
            .send_message()
            .queue_url(url)
            .message_body(body)
            .send()
    };
    let unknown = send(&queue_url("other"), "x".to_owned()).await.unwrap_err();
    assert!(unknown.into_service_error().is_queue_does_not_exist());
    let large = send(&url, "x".repeat((1 << 20) + 1)).await.unwrap_err();
    assert_eq!(large.code(), Some("InvalidParameterValue"));
    send(&url, "x".repeat(1 << 20)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_send_under_each_fault() {
    let mut table = Vec::new();
    for fault in Fault::ALL {
        let transport = Transport::new();
        let (sqs, sns) = (SqsFake::on(&transport), SnsFake::on(&transport));
        let (url, arn) = (sqs.create_queue("retries"), sns.create_topic("changes"));
        transport.inject(When::nth(1).operation("SendMessage"), fault);
        let sent = sqs
            .client()
            .send_message()
            .queue_url(url)
            .message_body("x")
            .send()
            .await;
        let sent = sent.map_or_else(
            |error| error.code().unwrap_or("no answer").to_owned(),
            |_| "ok".to_owned(),
        );
        transport.reset_faults();
        transport.inject(When::nth(1).operation("Publish"), fault);
        let published = sns.client().publish().topic_arn(arn).message("x").send().await;
        let published = published.map_or_else(
            |error| error.code().unwrap_or("no answer").to_owned(),
            |_| "ok".to_owned(),
        );
        let (queued, sent_by_sns) = (sqs.messages("retries").len(), sns.published().len());
        table.push(format!(
            "{fault:?}: {sent}, {queued} in the queue; {published}, {sent_by_sns} published"
        ));
    }
    insta::assert_snapshot!(table.join("\n"), @"
    DropBeforeSend: ok, 1 in the queue; ok, 1 published
    AnswerLost: ok, 2 in the queue; ok, 2 published
    ServerErrorAfterApply: ok, 2 in the queue; ok, 2 published
    Throttle: ok, 1 in the queue; ok, 1 published
    TransactionConflict: AWS.SimpleQueueService.UnsupportedOperation, 0 in the queue; ConcurrentAccess, 0 published
    Crash: no answer, 0 in the queue; no answer, 0 published
    CrashAfterApply: no answer, 1 in the queue; no answer, 1 published
    ");
}

#[tokio::test]
async fn a_notice_keeps_its_attributes() {
    let sns = SnsFake::new();
    let arn = sns.create_topic("changes");
    let attribute = |kind: &str, value: &str| {
        let attribute = MessageAttributeValue::builder()
            .data_type(kind)
            .string_value(value);
        attribute.build().unwrap()
    };
    let publish = sns
        .client()
        .publish()
        .topic_arn(&arn)
        .message("{\"a\": \"é & b=c+d\"}")
        .subject("Changed");
    let publish = publish.message_attributes("tenant", attribute("String", "acme & sons"));
    let publish = publish.message_attributes("version", attribute("Number", "7"));
    let answer = publish.send().await.unwrap();
    let published = sns.published();
    assert_eq!(answer.message_id(), Some(published[0].id.as_str()));
    assert_eq!(published[0].message, "{\"a\": \"é & b=c+d\"}");
    assert_eq!(
        (published[0].topic_arn.as_str(), published[0].subject.as_deref()),
        (arn.as_str(), Some("Changed"))
    );
    let attributes: Vec<_> = published[0]
        .attributes
        .iter()
        .map(|(name, attribute)| format!("{name} {}={}", attribute.data_type, attribute.value))
        .collect();
    assert_eq!(attributes, ["tenant String=acme & sons", "version Number=7"]);
    assert_eq!(sns.exchanges().lines(), ["SNS.Publish changes -> 200, 1 item"]);
    assert_eq!(sns.take().len(), 1);
    assert!(sns.published().is_empty());
}

#[tokio::test]
async fn a_topic_that_is_not_there_takes_nothing() {
    let sns = SnsFake::new();
    let publish = sns
        .client()
        .publish()
        .topic_arn("arn:aws:sns:eu-west-1:123456789012:other")
        .message("x");
    assert!(
        publish
            .send()
            .await
            .unwrap_err()
            .into_service_error()
            .is_not_found_exception()
    );
    let arn = sns.create_topic("changes");
    let large = sns
        .client()
        .publish()
        .topic_arn(arn)
        .message("x".repeat(262_145))
        .send()
        .await;
    assert!(
        large
            .unwrap_err()
            .into_service_error()
            .is_invalid_parameter_exception()
    );
}

#[test]
fn an_event_of_a_queue_reads_like_one_of_aws() {
    let sqs = SqsFake::new();
    sqs.create_queue("retries");
    sqs.send("retries", r#"{"tenant":"acme"}"#);
    let event = sqs_event("retries", &sqs.messages("retries"));
    let event: aws_lambda_events::sqs::SqsEvent = serde_json::from_value(event).unwrap();
    assert_eq!(event.records[0].body.as_deref(), Some(r#"{"tenant":"acme"}"#));
    assert_eq!(event.records[0].event_source_arn, Some(queue_arn("retries")));
}

#[tokio::test]
async fn messages_are_stamped_by_the_clock_of_a_test_and_each_later_than_the_one_before() {
    let new_year = 1_767_225_600_000;
    let now = Arc::new(AtomicU64::new(new_year + 5000));
    let clock = Arc::clone(&now);
    let sqs = SqsFake::new().by_clock(move || Duration::from_millis(clock.load(Ordering::SeqCst)));
    sqs.create_queue("retries");
    sqs.create_dead_letter_queue("dead", "retries");
    let sent = || sqs.send("dead", "x").sent_ms - new_year;
    assert_eq!([sent(), sent()], [5000, 5001]);
    now.store(new_year + 9000, Ordering::SeqCst);
    assert_eq!(sent(), 9000);
    now.store(new_year, Ordering::SeqCst);
    assert_eq!(sent(), 9001);
}
