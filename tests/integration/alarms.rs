//! Tests that every alarm fires for its cause: computed from the numbers of the template, with a row for each alarm and cause.
//!
//! To add an alarm, add a line to [`ROWS`]: its name, the metric that it watches, the cause, the time within which it must fire, and the
//! metric's series (its datapoints over time) while the cause lasts. [`series`] has the series of queues, functions, streams and single
//! events. A metric of the code that needs no alarm goes into [`HARMLESS`] instead.

mod evaluation;
mod series;

use taxonomy_tests::prelude::*;

use evaluation::Alarm;
use series::{Series, Stack};

use crate::template::resources_of;

const MINUTE: u64 = 60;
const HOUR: u64 = 3600;
const DAY: u64 = 86_400;

/// The name of an alarm; namespace, metric and resource that it watches; a cause; the seconds within which it must fire; the metric's series.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    u64,
    fn(&Stack) -> Series,
);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("DeadLettersAlarm", "AWS/SQS ApproximateNumberOfMessagesVisible DeadLetters", "a message failed on every try", 15 * MINUTE, |_| series::lies_there()),
    ("RetryAgeAlarm", "AWS/SQS ApproximateAgeOfOldestMessage RetryQueue", "nothing receives messages", 2 * HOUR, |stack| stack.never_received("RetryQueue")),
    ("RetryDepthAlarm", "AWS/SQS ApproximateNumberOfMessagesVisible RetryQueue", "a thousand tenants need a whole invocation each", HOUR, |stack| stack.backlog(1000, "ProjectorRetries", "Projector")),
    ("UnfinishedAlarm", "Taxonomy Unfinished Projector", "a message fails at once each time", 2 * HOUR, |stack| stack.fails_each_time(1)),
    ("UnfinishedAlarm", "Taxonomy Unfinished Projector", "a message fails at the end of each invocation", 3 * HOUR, |stack| stack.fails_each_time(stack.timeout("Projector"))),
    ("UnfinishedAlarm", "Taxonomy Unfinished Projector", "each sweep fails at a tenant", 2 * HOUR, |stack| stack.each_time("SweepSchedule")),
    ("AuditDeadLettersAlarm", "AWS/SQS ApproximateNumberOfMessagesVisible AuditDeadLetters", "an audit failed on every try", 15 * MINUTE, |_| series::lies_there()),
    ("AuditAgeAlarm", "AWS/SQS ApproximateAgeOfOldestMessage AuditQueue", "nothing receives audits", 7 * DAY, |stack| stack.never_received("AuditQueue")),
    ("DownloadDeadLettersAlarm", "AWS/SQS ApproximateNumberOfMessagesVisible DownloadDeadLetters", "a download failed on every try", 15 * MINUTE, |_| series::lies_there()),
    ("DownloadAgeAlarm", "AWS/SQS ApproximateAgeOfOldestMessage DownloadQueue", "nothing receives downloads", 2 * HOUR, |stack| stack.never_received("DownloadQueue")),
    ("BehindAlarm", "Taxonomy BehindAge Projector", "no sweep finishes a tenant", HOUR, |stack| stack.age_at_each("SweepSchedule")),
    ("ProjectorErrorsAlarm", "AWS/Lambda Errors Projector", "a message ends every process at once", 2 * HOUR, |stack| stack.dies_each_time("RetryQueue", 1)),
    ("ProjectorErrorsAlarm", "AWS/Lambda Errors Projector", "a message outlasts every process", 2 * HOUR, |stack| stack.dies_each_time("RetryQueue", stack.timeout("Projector"))),
    ("ProjectorErrorsAlarm", "AWS/Lambda Errors Projector", "an audit ends every process", 2 * HOUR, |stack| stack.dies_each_time("AuditQueue", 1)),
    ("ProjectorErrorsAlarm", "AWS/Lambda Errors Projector", "each sweep fails", 2 * HOUR, |stack| stack.each_time("SweepSchedule")),
    ("ProjectorThrottlesAlarm", "AWS/Lambda Throttles Projector", "uploads wait for a free projector all day", 2 * HOUR, |_| series::each_minute_of(3 * HOUR)),
    ("ProjectorDroppedAlarm", "AWS/Lambda DestinationDeliveryFailures Projector", "an event failed, and the retry queue did not take it", 15 * MINUTE, |_| series::once()),
    ("AggregatorAgeAlarm", "AWS/Lambda IteratorAge Aggregator", "a batch fails each time", HOUR, |stack| stack.stalled("Aggregator", "AggregatorStream")),
    ("ParkedAlarm", "Taxonomy Parked Aggregator", "one record is parked", 15 * MINUTE, |_| series::once()),
    ("DeferredAgeAlarm", "Taxonomy DeferredAge Aggregator", "a deferred record fails each time", 2 * HOUR, |_| series::deferred(1)),
    ("DeferredAgeAlarm", "Taxonomy DeferredAge Aggregator", "a deferred record takes a whole invocation each time", 3 * HOUR, |stack| series::deferred(stack.timeout("Aggregator"))),
    ("DeferredDeadLettersAlarm", "AWS/SQS ApproximateNumberOfMessagesVisible DeferredDeadLetters", "a deferred record ended every process", 15 * MINUTE, |_| series::lies_there()),
    ("AggregatorErrorsAlarm", "AWS/Lambda Errors Aggregator", "a deferred record ends every process at once", 3 * HOUR, |stack| stack.dies_each_time("DeferredQueue", 1)),
    ("AggregatorErrorsAlarm", "AWS/Lambda Errors Aggregator", "a deferred record outlasts every process", 3 * HOUR, |stack| stack.dies_each_time("DeferredQueue", stack.timeout("Aggregator"))),
    ("CachesParkedAlarm", "Taxonomy Parked Caches", "a cache refuses one tenant's version", 15 * MINUTE, |_| series::once()),
    ("HttpLatencyAlarm", "AWS/ApiGateway Latency HttpApi", "one response in fifty takes two seconds", HOUR, |_| series::slow(50)),
    ("LookupThrottlesAlarm", "AWS/Lambda Throttles Lookup", "a lookup is throttled each second", HOUR, |_| series::each_second()),
    ("PagesErrorsAlarm", "AWS/Lambda Errors PagesFunction", "a setting ends every process, and a reader sends a request each minute", HOUR, |_| series::each_minute()),
    ("TableReadThrottlesAlarm", "AWS/DynamoDB ReadThrottleEvents TableInUse", "a read is throttled each second", HOUR, |_| series::each_second()),
    ("IndexReadThrottlesAlarm", "AWS/DynamoDB ReadThrottleEvents TableInUse GSI1", "a read of the index is throttled each second", HOUR, |_| series::each_second()),
    ("TableWriteThrottlesAlarm", "AWS/DynamoDB WriteThrottleEvents TableInUse", "a write is throttled each second", HOUR, |_| series::each_second()),
    ("IndexWriteThrottlesAlarm", "AWS/DynamoDB WriteThrottleEvents TableInUse GSI1", "a write of the index is throttled each second", HOUR, |_| series::each_second()),
    ("AggregatorGaveUpAlarm", "AWS/Lambda OnFailureDestinationDeliveredEventCount AggregatorStream", "a batch fails until it is too old", DAY, |stack| stack.given_up("AggregatorStream")),
    ("AggregatorDroppedAlarm", "AWS/Lambda DroppedEventCount AggregatorStream", "the same, and the failures bucket takes nothing", DAY, |stack| stack.given_up("AggregatorStream")),
    ("HttpServerErrorsAlarm", "AWS/ApiGateway 5xx HttpApi", "one request in fifty fails, where each request is a sample", HOUR, |_| series::failing(50)),
    ("HttpServerErrorsAlarm", "AWS/ApiGateway 5xx HttpApi", "a caller gets an error each minute, where only errors are samples", HOUR, |_| series::each_minute()),
    ("RejectedUploadsAlarm", "Taxonomy Rejected Projector", "one upload is refused", 15 * MINUTE, |_| series::once()),
    ("CachesAgeAlarm", "AWS/Lambda IteratorAge Caches", "a batch fails each time", HOUR, |stack| stack.stalled("Caches", "CachesStream")),
    ("CachesGaveUpAlarm", "AWS/Lambda OnFailureDestinationDeliveredEventCount CachesStream", "a batch fails until it is too old", DAY, |stack| stack.given_up("CachesStream")),
    ("CachesDroppedAlarm", "AWS/Lambda DroppedEventCount CachesStream", "the same, and the failures bucket takes nothing", DAY, |stack| stack.given_up("CachesStream")),
    ("AuditAlarm", "Taxonomy AuditDifferences Projector", "one audit finds a difference", 15 * MINUTE, |_| series::once()),
    ("RepairedAlarm", "Taxonomy AggregateRepaired Projector", "one audit repairs an aggregate", 15 * MINUTE, |_| series::once()),
    ("AuditUnfinishedAlarm", "Taxonomy AuditUnfinished Projector", "one audit does not fit", 15 * MINUTE, |_| series::once()),
    ("DamagedEntryAlarm", "Taxonomy DamagedEntry Projector", "one sweep passes over a damaged entry", 15 * MINUTE, |_| series::once()),
    ("FrozenUploadsAlarm", "Taxonomy Frozen Projector", "one upload waits", 15 * MINUTE, |_| series::once()),
];

/// Metrics of the code that need no alarm, each with the reason.
#[rustfmt::skip]
const HARMLESS: &[(Metric, &str)] = &[
    (Metric::IgnoredObject, "an object of another purpose lies in the bucket"),
    (Metric::Unchanged, "an event was repeated"),
    (Metric::VersionCommitted, "the normal case"),
    (Metric::VersionProjected, "the normal case"),
    (Metric::DownloadMade, "the normal case"),
    (Metric::ItemsWritten, "the normal case"),
    (Metric::ItemsAlready, "an event was repeated"),
    (Metric::ConditionalRetry, "two writers met, and one decided anew"),
    (Metric::Throttled, "a large load has reached the pace of the table; BehindAge shows one that does not end"),
    (Metric::AggregateWritten, "the normal case"),
    (Metric::AggregateAlready, "a record was repeated"),
    (Metric::Deferred, "a large count was moved out of the way; DeferredAge shows one that does not end"),
    (Metric::CacheFailed, "the table answers instead"),
    (Metric::CacheSkipped, "the table answers instead"),
    (Metric::ProjectionLag, "a large load takes long; BehindAge shows one that does not end"),
];

/// Returns every alarm of the template.
fn alarms() -> Vec<Alarm> {
    let alarms = resources_of("AWS::CloudWatch::Alarm");
    alarms
        .map(|(name, properties)| Alarm::read(name, properties))
        .collect()
}

/// Returns every fault of the alarms.
fn complaints() -> Vec<String> {
    let alarms = alarms();
    let mut complaints = Vec::new();
    for (name, watches, cause, within, series) in ROWS {
        match alarms.iter().find(|alarm| alarm.name == *name) {
            None => complaints.push(format!("{name}: the template has no such alarm")),
            Some(alarm) if alarm.watches != *watches => {
                complaints.push(format!("{name} watches {}", alarm.watches));
            }
            Some(alarm) => {
                let latest = alarm.fires(&series(&Stack));
                if latest.is_none_or(|latest| latest > *within) {
                    complaints.push(format!(
                        "{name} fires {latest:?} s after \"{cause}\", not within {within} s"
                    ));
                }
            }
        }
    }
    for alarm in &alarms {
        if !ROWS.iter().any(|(name, ..)| *name == alarm.name) {
            complaints.push(format!("{} has no row", alarm.name));
        }
    }
    for metric in Metric::ALL {
        let watched = alarms.iter().any(|alarm| {
            let mut words = alarm.watches.split(' ');
            words.next() == Some("Taxonomy") && words.next() == Some(&*metric.name())
        });
        let harmless = HARMLESS.iter().any(|(harmless, _)| *harmless == metric);
        if watched == harmless {
            complaints.push(format!(
                "{metric:?} is watched: {watched}, and harmless: {harmless}"
            ));
        }
    }
    complaints
}

#[test]
fn every_alarm_fires_in_time_for_each_of_its_causes() {
    assert_eq!(complaints(), Vec::<String>::new());
}

/// An alarm on the age of messages does not detect failures: with the numbers of a queue, a message that comes back until it was received
/// three times never reaches that age.
#[test]
fn a_message_that_fails_is_never_old() {
    let alarms = alarms();
    for (alarm, queue) in [
        ("RetryAgeAlarm", "RetryQueue"),
        ("AuditAgeAlarm", "AuditQueue"),
        ("DownloadAgeAlarm", "DownloadQueue"),
    ] {
        let alarm = alarms.iter().find(|named| named.name == alarm).unwrap();
        assert_eq!(
            alarm.fires(&Stack.age_while_received(queue)),
            None,
            "{}",
            alarm.name
        );
    }
}

/// One failure that heals by itself raises neither of the two alarms on repeated failures.
#[test]
fn what_heals_by_itself_raises_no_alarm_on_what_keeps_failing() {
    for alarm in alarms() {
        if ["UnfinishedAlarm", "ProjectorErrorsAlarm"].contains(&alarm.name.as_str()) {
            // An event, tried again after one minute and after two more.
            let tries = vec![(0, 1.0), (MINUTE, 1.0), (3 * MINUTE, 1.0)];
            assert_eq!(alarm.fires(&tries), None, "{}", alarm.name);
        }
        if alarm.name == "HttpServerErrorsAlarm" {
            assert_eq!(alarm.fires(&series::failing(1000)), None, "{}", alarm.name);
        }
        if alarm.name == "ProjectorThrottlesAlarm" {
            // A nightly export that waits for half an hour.
            assert_eq!(alarm.fires(&series::each_minute_of(30 * MINUTE)), None);
        }
        if ["TableReadThrottlesAlarm", "IndexReadThrottlesAlarm"].contains(&alarm.name.as_str()) {
            assert_eq!(alarm.fires(&series::each_minute()), None, "{}", alarm.name);
        }
        if ["TableWriteThrottlesAlarm", "IndexWriteThrottlesAlarm"].contains(&alarm.name.as_str()) {
            // A large load, until the table has grown.
            let minutes = (0..20).map(|minute| (minute * MINUTE, 50.0)).collect();
            assert_eq!(alarm.fires(&minutes), None, "{}", alarm.name);
        }
    }
}

#[test]
fn every_alarm_is_sent_where_the_parameter_says_and_forgives_silence() {
    for (name, alarm) in resources_of("AWS::CloudWatch::Alarm") {
        assert_eq!(alarm["TreatMissingData"].as_str(), Some("notBreaching"), "{name}");
        // Those who heard of the beginning hear of the end.
        for actions in ["AlarmActions", "OKActions"] {
            let actions = serde_yaml_ng::to_string(&alarm[actions]).unwrap();
            assert!(actions.contains("AlarmTopicArn"), "{name}");
        }
    }
}
