//! The whole ingest of one version by the real projector: parse, compare, build and store the files, commit, write the items.

use std::path::Path;
use std::time::Instant;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use projector::{Config, Projector};
use serde_json::{Value, json};
use taxonomy_keys::TenantId;
use taxonomy_runtime::{Clock, SystemClock};
use taxonomy_versioning::Deadline;

use crate::failure::Failure;
use crate::memory;
use crate::store::{CHANGESETS_BUCKET, Phase, SOURCE_BUCKET, Store, TABLE, Usage};

/// The tenant of the file.
pub const TENANT: &str = "acme";
/// The region of the clients.
const REGION: &str = "eu-west-1";

/// Ingests `file` as the next version of the store in `folder`, in this process, and returns what it took. With a limit, the invocation ends so
/// many seconds later, as on AWS; what it leaves, another run continues.
pub fn run(folder: &Path, file: &Path, limit: Option<u64>) -> Result<Value, Failure> {
    std::fs::create_dir_all(folder)?;
    let store = Store::open(folder, file)?;
    let projector = projector(&store)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let idle = memory::peak()?;
    let deadline = match limit {
        None => Deadline::NONE,
        Some(seconds) => Deadline::of_invocation(SystemClock.now_ms() + seconds * 1_000),
    };
    let began = Instant::now();
    let handled = runtime.block_on(Box::pin(projector.handle(event(), deadline)));
    let seconds = began.elapsed().as_secs_f64();
    handled.map_err(|error| format!("the projector failed: {error}"))?;
    let usage = store.close()?;
    let bytes = std::fs::metadata(file)?.len();
    if limit.is_none() {
        check(folder)?;
    }
    Ok(result(&usage, bytes, idle, seconds))
}

fn result(usage: &Usage, bytes: u64, idle: u64, seconds: f64) -> Value {
    let peak = usage
        .phases
        .values()
        .map(|phase| phase.peak)
        .max()
        .unwrap_or_default();
    let phases = usage.phases.iter().map(|(phase, used)| {
        let used = json!({
            "seconds": thousandths(used.time.as_secs_f64()),
            "processor_seconds": thousandths(used.processor.as_secs_f64()),
            "peak_bytes": used.peak,
        });
        (phase.name().to_owned(), used)
    });
    let processor: f64 = usage
        .phases
        .values()
        .map(|phase| phase.processor.as_secs_f64())
        .sum();
    let writing = usage
        .phases
        .get(&Phase::Items)
        .map_or(0.0, |phase| phase.processor.as_secs_f64());
    let items: u64 = usage.items.values().sum();
    json!({
        "bytes": bytes,
        "peak_bytes": peak,
        "idle_bytes": idle,
        "peak_by_file": thousandths(peak as f64 / bytes as f64),
        "seconds": thousandths(seconds),
        "served_seconds": thousandths(usage.served().as_secs_f64()),
        "processor_seconds": thousandths(processor),
        "phases": phases.collect::<serde_json::Map<_, _>>(),
        "items": items,
        "items_by_kind": usage.items,
        "item_request_bytes": usage.item_bytes,
        "items_per_second": (items as f64 / writing.max(1e-9)).round(),
        "requests": usage.requests,
    })
}

fn thousandths(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// Fails unless the newest version is projected.
fn check(folder: &Path) -> Result<(), Failure> {
    let table: Vec<Value> = serde_json::from_slice(&std::fs::read(folder.join("table.json"))?)?;
    let head = table.iter().find(|item| item["EntityType"]["S"] == "Head");
    let head = head.ok_or("no version was committed; the file is refused")?;
    let number = |name: &str| {
        head[name]["N"]
            .as_str()
            .and_then(|number| number.parse::<u64>().ok())
    };
    match (number("V"), number("Projected")) {
        (Some(version), Some(projected)) if version == projected => Ok(()),
        (version, projected) => Err(format!("version {version:?} is projected to {projected:?}").into()),
    }
}

/// Builds the projector as its function does, with retries and time-outs of the SDK's defaults, which no request here needs.
fn projector(store: &Store) -> Result<Projector, Failure> {
    let (http, region) = (store.http_client(), Region::new(REGION));
    let credentials = Credentials::new(
        "AKIAIOSFODNN7EXAMPLE",
        "secret",
        Some("t".repeat(800)),
        None,
        "measured",
    );
    let dynamodb = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(region.clone())
        .credentials_provider(credentials.clone())
        .http_client(http.clone());
    let s3 = aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(region.clone())
        .credentials_provider(credentials.clone())
        .endpoint_url("http://s3.example")
        .force_path_style(true)
        .http_client(http.clone());
    let sqs = aws_sdk_sqs::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(region)
        .credentials_provider(credentials)
        .http_client(http);
    let queue = |name: &str| format!("https://sqs.{REGION}.amazonaws.com/123456789012/{name}");
    let config = Config {
        function: "projector".to_owned(),
        table: TABLE.to_owned(),
        source_bucket: SOURCE_BUCKET.to_owned(),
        changesets_bucket: CHANGESETS_BUCKET.to_owned(),
        default_culture: "en-GB".parse()?,
        retry_queue: queue("retries"),
        audit_queue: queue("audits"),
        download_queue: queue("downloads"),
        dead_letters: queue("dead-letters"),
        audit_dead_letters: queue("audit-dead-letters"),
        download_dead_letters: queue("download-dead-letters"),
        max_file_bytes: Config::LARGEST_FILE_BYTES,
    };
    Ok(Projector::new(
        config,
        aws_sdk_dynamodb::Client::from_conf(dynamodb.build()),
        aws_sdk_s3::Client::from_conf(s3.build()),
        aws_sdk_sqs::Client::from_conf(sqs.build()),
        std::sync::Arc::new(SystemClock),
    ))
}

/// Returns the event of an upload.
fn event() -> Value {
    let object =
        json!({"key": format!("taxonomies/{TENANT}.json"), "size": 1, "eTag": "0", "sequencer": "0"});
    let upload = json!({"Records": [{
        "eventSource": "aws:s3",
        "eventName": "ObjectCreated:Put",
        "s3": {"bucket": {"name": SOURCE_BUCKET}, "object": object},
    }]});
    json!({"Records": [{
        "EventSource": "aws:sns",
        "EventVersion": "1.0",
        "EventSubscriptionArn": "arn:aws:sns:eu-west-1:123456789012:uploads:1",
        "Sns": {
            "Type": "Notification",
            "MessageId": "95df01b4-ee98-5cb9-9903-4c221d41eb5e",
            "TopicArn": "arn:aws:sns:eu-west-1:123456789012:uploads",
            "Subject": "Amazon S3 Notification",
            "Message": upload.to_string(),
            "Timestamp": "2026-01-01T00:00:00.000Z",
            "SignatureVersion": "1",
            "Signature": "EXAMPLE",
            "SigningCertUrl": "https://sns.eu-west-1.amazonaws.com/example.pem",
            "UnsubscribeUrl": "https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe",
            "MessageAttributes": {},
        },
    }]})
}

/// Returns the tenant.
pub fn tenant() -> Result<TenantId, Failure> {
    Ok(TENANT.parse()?)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::cost::cost;
    use crate::generate::Generated;

    fn generated(folder: &Path, generated: Generated) -> PathBuf {
        let file = folder.join(format!("v{}.json", generated.version));
        let mut bytes = Vec::new();
        generated.write(&mut bytes).unwrap();
        std::fs::write(&file, bytes).unwrap();
        file
    }

    #[test]
    fn two_versions_are_written_item_by_item_as_the_model_counts_them() {
        let folder = std::env::temp_dir().join(format!("ingest-two-versions-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let first = generated(&folder, Generated::tree(1_000));
        let second = generated(
            &folder,
            Generated {
                version: 2,
                ..Generated::tree(1_000)
            },
        );
        let store = folder.join("store");
        for (before, file) in [(None, &first), (Some(first.as_path()), &second)] {
            let ran = run(&store, file, None).unwrap();
            let expected = cost(before, file).unwrap();
            assert_eq!(ran["items"], expected["items"], "{ran} {expected}");
            assert_eq!(
                ran["requests"]["TransactWriteItems"], 2,
                "commit and end of the load: {ran}"
            );
            assert_eq!(ran["requests"]["PUT search objects"], 5, "{ran}");
        }
        let refused = folder.join("refused.json");
        std::fs::write(&refused, "[]").unwrap();
        assert!(run(&folder.join("other"), &refused, None).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
