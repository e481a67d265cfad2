//! Tests of the projector's queues, by the template: the permissions to send, and that throttling alone makes no message a dead letter.

use std::collections::BTreeSet;

use serde_yaml_ng::Value;
use taxonomy_formats::Form;

use taxonomy_tests::prelude::*;

use crate::template::{pattern_of, properties, texts};

/// The queues that feed the projector, each with its mapping and its dead-letter queue.
const FEEDING: [(&str, &str, &str); 3] = [
    ("RetryQueue", "ProjectorRetries", "DeadLetters"),
    ("AuditQueue", "ProjectorAudits", "AuditDeadLetters"),
    ("DownloadQueue", "ProjectorDownloads", "DownloadDeadLetters"),
];

/// The concurrency that remains for uploads when all queues use their maximum.
const FOR_UPLOADS: u64 = 3;

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("a number, not {value:?}"))
}

/// Returns a statement of the projector's role, by its name.
fn statement(sid: &str) -> &'static Value {
    let statements = &properties("ProjectorRole")["Policies"][0]["PolicyDocument"]["Statement"];
    let mut statements = statements.as_sequence().unwrap().iter();
    let named = statements.find(|statement| statement["Sid"].as_str() == Some(sid));
    named.unwrap_or_else(|| panic!("the role has no statement {sid}"))
}

/// An upload, a refusal, an audit, a failure and a message of unknown form use every queue and every prefix that the role allows, and no
/// other.
#[tokio::test(start_paused = true)]
async fn the_projector_may_send_and_write_where_it_does_and_nowhere_else() {
    let world = World::of(&[&sample("job-board-v1.json"), b"{"]).await;
    world.deliver(scheduled("audit")).await.unwrap();
    world
        .deliver(sqs_event(AUDITS, &world.sqs.take(AUDITS)))
        .await
        .unwrap();
    let form = Form::all().next().unwrap();
    let asked_for = crate::downloads::newest(&world, TENANT, form).await.message();
    let tried = asked_for.replacen('{', "{\"tries\":9,", 1);
    world
        .work_off(DOWNLOADS, &world.received(DOWNLOADS, &asked_for), 10_000)
        .await;
    for (queue, body) in [
        (RETRIES, r#"{"tenant":"acme"}"#),
        (RETRIES, "unknown"),
        (AUDITS, r#"{"audit":"acme","tries":9}"#),
        (DOWNLOADS, &asked_for),
        (DOWNLOADS, &tried),
    ] {
        let message = world.received(queue, body);
        let broken = When::always().operation("Query");
        world.inject(broken, Fault::DropBeforeSend);
        world.deliver(sqs_event(queue, &[message])).await.unwrap();
        world.transport.reset_faults();
    }
    let targets = |operation: &'static str| {
        let exchanges = world.exchanges().all().into_iter();
        let these = exchanges.filter(move |exchange| exchange.operation == operation);
        these.map(|exchange| exchange.target)
    };
    let named = [
        (RETRIES, "RetryQueue"),
        (AUDITS, "AuditQueue"),
        (DEAD_LETTERS, "DeadLetters"),
        (AUDIT_DEAD_LETTERS, "AuditDeadLetters"),
        (DOWNLOADS, "DownloadQueue"),
        (DOWNLOAD_DEAD_LETTERS, "DownloadDeadLetters"),
    ];
    let sent_to: BTreeSet<String> = targets("SendMessage").collect();
    assert_eq!(sent_to, named.map(|(queue, _)| queue.to_owned()).into());
    for (queue, resource) in named {
        let name = properties(resource)["QueueName"].clone();
        assert_eq!(
            name.as_str(),
            Some(format!("${{AWS::StackName}}-{queue}").as_str())
        );
    }
    let resources = |sid: &str| texts(&statement(sid)["Resource"]);
    let all = named.map(|(_, resource)| format!("{resource}.Arn"));
    assert_eq!(resources("KeepWhatIsUnfinished"), all.into());
    let feeding = FEEDING.map(|(queue, ..)| format!("{queue}.Arn"));
    assert_eq!(resources("FeedFromQueues"), feeding.into());
    let prefixes = targets("PutObject").map(|target| {
        let prefix = target.split('/').nth(1).unwrap();
        format!("${{ChangesetsBucket.Arn}}/{prefix}/*")
    });
    let prefixes: BTreeSet<String> = prefixes.collect();
    assert_eq!(prefixes, resources("KeepBodiesAndReports"));
}

/// A throttled poll is a receive, and every receive ends with the visibility time-out: only days of throttling make a message a dead letter
/// by its receives, and it still becomes one before SQS deletes it.
#[test]
fn a_message_dies_by_its_receives_only_after_days_and_before_it_is_forgotten() {
    let timeout = number(&properties("Projector")["Timeout"]);
    for (name, mapping, dead_letters) in FEEDING {
        let queue = properties(name);
        let redrive = &queue["RedrivePolicy"];
        let target = redrive["deadLetterTargetArn"].as_str().unwrap();
        assert_eq!(target, format!("{dead_letters}.Arn"));
        let visibility = number(&queue["VisibilityTimeout"]);
        assert!(
            visibility > timeout,
            "{name}: a message could come while it is worked on"
        );
        let by_receives = number(&redrive["maxReceiveCount"]) * visibility;
        // A lost download is requested again; one that ends every process must not come back for days.
        let least = if name == "DownloadQueue" { 7200 } else { 7 * 86_400 };
        assert!(by_receives > least, "{name}: {by_receives} s");
        assert!(
            by_receives < number(&queue["MessageRetentionPeriod"]),
            "{name}: {by_receives} s"
        );
        let mapping = properties(mapping);
        assert_eq!(
            mapping["EventSourceArn"].as_str(),
            Some(format!("{name}.Arn").as_str())
        );
        // No message shares another one's deadline.
        assert_eq!(number(&mapping["BatchSize"]), 1);
        assert_eq!(
            texts(&mapping["FunctionResponseTypes"]),
            BTreeSet::from(["ReportBatchItemFailures".to_owned()])
        );
    }
}

/// The concurrency reserved for the projector exceeds the share of its queues; otherwise their polls would be throttled.
#[test]
fn reserved_concurrency_leaves_the_queues_their_share_and_uploads_theirs() {
    let allowed = pattern_of("ProjectorConcurrency");
    let share = |mapping: &str| number(&properties(mapping)["ScalingConfig"]["MaximumConcurrency"]);
    let queues: u64 = FEEDING.iter().map(|(_, mapping, _)| share(mapping)).sum();
    for reserved in 0..10_000_u64 {
        let expect = reserved == 0 || reserved >= queues + FOR_UPLOADS;
        assert_eq!(allowed.is_match(&reserved.to_string()), expect, "{reserved}");
    }
    for other in ["", "00", "010", "10.5", "-10", "ten"] {
        assert!(!allowed.is_match(other), "{other}");
    }
}
