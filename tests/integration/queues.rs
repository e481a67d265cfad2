//! Tests of the projector's queues, by the template: the permissions to send, and that throttling alone makes no message a dead letter.

use std::collections::BTreeSet;

use regex_lite::Regex;
use serde_yaml_ng::Value;
use taxonomy_formats::Form;
use taxonomy_store::Download;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_testkit::sqs::sqs_event;
use taxonomy_testkit::{Fault, When};
use taxonomy_tests::world::{
    AUDIT_DEAD_LETTERS, AUDITS, DEAD_LETTERS, DOWNLOAD_DEAD_LETTERS, DOWNLOADS, RETRIES, TENANT, World,
    sample, scheduled,
};

use crate::template::{properties, template, texts};

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
fn statement(template: &Value, sid: &str) -> Value {
    let policies = properties(template, "ProjectorRole")["Policies"].clone();
    let statements = policies[0]["PolicyDocument"]["Statement"]
        .as_sequence()
        .unwrap()
        .clone();
    let named = statements
        .into_iter()
        .find(|statement| statement["Sid"].as_str() == Some(sid));
    named.unwrap_or_else(|| panic!("the role has no statement {sid}"))
}

/// An upload, a refusal, an audit, a failure and a message of unknown form use every queue and every prefix that the role allows, and no
/// other.
#[tokio::test(start_paused = true)]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
async fn the_projector_may_send_and_write_where_it_does_and_nowhere_else() {
    let world = World::new();
    world.push(TENANT, &sample("job-board-v1.json")).await;
    world.push(TENANT, b"{").await;
    let weekly = scheduled("audit");
    world.deliver(weekly).await.unwrap();
    world
        .deliver(sqs_event(AUDITS, &world.sqs.take(AUDITS)))
        .await
        .unwrap();
    let head = world.committed(TENANT).await;
    let download = Download {
        tenant: TENANT.parse().unwrap(),
        version: head.version,
        changeset: head.changeset,
        form: Form::all().next().unwrap(),
    };
    let asked_for = download.message();
    let tried = asked_for.replacen('{', "{\"tries\":9,", 1);
    world
        .deliver(sqs_event(DOWNLOADS, &[world.sqs.send(DOWNLOADS, &asked_for)]))
        .await
        .unwrap();
    world.sqs.take(DOWNLOADS);
    for (queue, body) in [
        (RETRIES, r#"{"tenant":"acme"}"#),
        (RETRIES, "unknown"),
        (AUDITS, r#"{"audit":"acme","tries":9}"#),
        (DOWNLOADS, &asked_for),
        (DOWNLOADS, &tried),
    ] {
        let message = world.sqs.send(queue, body);
        world.sqs.take(queue);
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
    let template = template();
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
        let name = properties(&template, resource)["QueueName"].clone();
        assert_eq!(
            name.as_str(),
            Some(format!("${{AWS::StackName}}-{queue}").as_str())
        );
    }
    let resources = |sid: &str| texts(&statement(&template, sid)["Resource"]);
    let all = named.map(|(_, resource)| format!("{resource}.Arn"));
    assert_eq!(resources("KeepWhatIsUnfinished"), all.into());
    let feeding = FEEDING.map(|(queue, ..)| format!("{queue}.Arn"));
    assert_eq!(resources("FeedFromQueues"), feeding.into());
    let prefixes = targets("PutObject").map(|target| {
        let (_, key) = target.split_once(CHANGESETS_BUCKET).unwrap();
        let prefix = key.trim_start_matches('/').split('/').next().unwrap();
        format!("${{ChangesetsBucket.Arn}}/{prefix}/*")
    });
    assert_eq!(
        prefixes.collect::<BTreeSet<_>>(),
        resources("KeepBodiesAndReports")
    );
}

/// A throttled poll is a receive, and every receive ends with the visibility time-out: only days of throttling make a message a dead letter
/// by its receives, and it still becomes one before SQS deletes it.
#[test]
fn a_message_dies_by_its_receives_only_after_days_and_before_it_is_forgotten() {
    let template = template();
    let timeout = number(&properties(&template, "Projector")["Timeout"]);
    for (name, mapping, dead_letters) in FEEDING {
        let queue = properties(&template, name);
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
        let mapping = properties(&template, mapping);
        assert_eq!(
            mapping["EventSourceArn"].as_str(),
            Some(format!("{name}.Arn").as_str())
        );
        assert_eq!(
            number(&mapping["BatchSize"]),
            1,
            "no message shares another one's deadline"
        );
        assert_eq!(
            texts(&mapping["FunctionResponseTypes"]),
            BTreeSet::from(["ReportBatchItemFailures".to_owned()])
        );
    }
}

/// The concurrency reserved for the projector exceeds the share of its queues; otherwise their polls would be throttled.
#[test]
fn reserved_concurrency_leaves_the_queues_their_share_and_uploads_theirs() {
    let template = template();
    let pattern = template["Parameters"]["ProjectorConcurrency"]["AllowedPattern"].as_str();
    let allowed = Regex::new(&format!("^(?:{})$", pattern.unwrap())).unwrap();
    let share =
        |mapping: &str| number(&properties(&template, mapping)["ScalingConfig"]["MaximumConcurrency"]);
    let queues: u64 = FEEDING.iter().map(|(_, mapping, _)| share(mapping)).sum();
    for reserved in 0..10_000_u64 {
        let expect = reserved == 0 || reserved >= queues + FOR_UPLOADS;
        assert_eq!(allowed.is_match(&reserved.to_string()), expect, "{reserved}");
    }
    for other in ["", "00", "010", "10.5", "-10", "ten"] {
        assert!(!allowed.is_match(other), "{other}");
    }
}
