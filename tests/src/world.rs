//! Projector and aggregator with everything around them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aggregator::{Aggregator, CachesConfig};
use aws_sdk_dynamodb::types::AttributeValue;
use projector::{Config, Projector, ProjectorError};
use serde_json::Value;
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_protocol::{Bounds, Deadline, Taxonomies};
use taxonomy_runtime::{AwsEnv, Clock, Patience, sdk_config};
use taxonomy_store::{Committed, Head, Heads, Table};
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{ACME, CHANGESETS_BUCKET, NEW_YEAR_MS, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::sqs::{Message, queue_url, sqs_event};
use taxonomy_testkit::{CloudFrontFake, EmbeddedDynamoDb, Exchanges, S3Fake, SnsFake, SqsFake, Wire};
use tokio::time::Instant;

pub use crate::files::{expected, read, sample, small};
use crate::notification;
pub use crate::queues::{
    AUDIT_DEAD_LETTERS, AUDITS, DEAD_LETTERS, DEFERRED, DOWNLOAD_DEAD_LETTERS, DOWNLOADS, RETRIES,
    create_queues,
};

/// A clock that moves a second each time it is asked, so that no two times are the same; or one that moves as tokio's does.
#[derive(Debug, Clone)]
pub struct TickingClock {
    shown: Arc<AtomicU64>,
    since: Option<Instant>,
}

impl TickingClock {
    fn new(since: Option<Instant>) -> Self {
        Self {
            shown: Arc::new(AtomicU64::new(NEW_YEAR_MS)),
            since,
        }
    }

    /// The time, without moving it.
    fn peek(&self) -> u64 {
        let passed = self.since.map_or(0, |since| since.elapsed().as_millis());
        self.shown.load(Ordering::SeqCst) + u64::try_from(passed).unwrap()
    }
}

impl Clock for TickingClock {
    fn now_ms(&self) -> u64 {
        match self.since {
            Some(_) => self.peek(),
            None => self.shown.fetch_add(1000, Ordering::SeqCst),
        }
    }
}

/// The table, the buckets, the queue and the topic of a stack on one wire. Clones are the same stack.
#[derive(Debug, Clone)]
pub struct World {
    /// Faults go in here, for all of them.
    pub wire: Wire,
    /// Holds the table.
    pub db: EmbeddedDynamoDb,
    /// Holds uploads and changesets.
    pub s3: S3Fake,
    /// Holds the queues.
    pub sqs: SqsFake,
    /// Holds the events topic.
    pub sns: SnsFake,
    /// The ARN of the events topic.
    pub events: String,
    /// What the projector takes, 1 MiB unless a test says otherwise.
    pub max_file_bytes: u64,
    clock: TickingClock,
}

/// The `source` of the stack's events.
pub const EVENTS_SOURCE: &str = "/taxonomy/eu-west-1/test";

/// Where the aggregator parks records.
pub const FAILURES_BUCKET: &str = "failures";

/// What a projector of these tests is told, whatever stack it is in.
pub fn projector_config(max_file_bytes: u64) -> Config {
    Config {
        function: "projector".to_owned(),
        table: TABLE.to_owned(),
        source_bucket: SOURCE_BUCKET.to_owned(),
        changesets_bucket: CHANGESETS_BUCKET.to_owned(),
        retry_queue: queue_url(RETRIES),
        audit_queue: queue_url(AUDITS),
        download_queue: queue_url(DOWNLOADS),
        dead_letters: queue_url(DEAD_LETTERS),
        audit_dead_letters: queue_url(AUDIT_DEAD_LETTERS),
        download_dead_letters: queue_url(DOWNLOAD_DEAD_LETTERS),
        default_culture: "en-GB".parse().unwrap(),
        max_file_bytes,
    }
}

struct Clients {
    dynamodb: aws_sdk_dynamodb::Client,
    s3: aws_sdk_s3::Client,
    sqs: aws_sdk_sqs::Client,
    sns: aws_sdk_sns::Client,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty stack.
    pub fn new() -> Self {
        Self::with(TickingClock::new(None))
    }

    /// An empty stack in which time passes as tokio's clock does: under paused time, only while everything waits.
    pub fn in_tokios_time() -> Self {
        Self::with(TickingClock::new(Some(Instant::now())))
    }

    fn with(clock: TickingClock) -> Self {
        let wire = Wire::new();
        let (db, s3) = (EmbeddedDynamoDb::on(&wire), S3Fake::on(&wire));
        db.create_table(TABLE);
        let (queues, sns) = (clock.clone(), SnsFake::on(&wire).checked_by(notification::check));
        let sqs = SqsFake::on(&wire).by_clock(move || Duration::from_millis(queues.peek()));
        create_queues(&sqs);
        Self {
            wire,
            db,
            s3,
            sqs,
            events: sns.create_topic("events"),
            sns,
            max_file_bytes: 1 << 20,
            clock,
        }
    }

    /// The deadline of an invocation that begins now and is cut off after so long. Only in tokio's time.
    pub fn invocation_of(&self, time: Duration) -> Deadline {
        Deadline::of_invocation(self.clock.peek() + u64::try_from(time.as_millis()).unwrap())
    }

    /// A new process of the projector.
    pub fn projector(&self) -> Projector<TickingClock> {
        let config = projector_config(self.max_file_bytes);
        let Clients {
            dynamodb, s3, sqs, ..
        } = self.clients();
        Projector::new(config, dynamodb, s3, sqs, self.clock.clone())
    }

    /// Clients with the retries and time-outs they have in production.
    fn clients(&self) -> Clients {
        let env = AwsEnv::new("eu-west-1", "test", "test", None)
            .with_endpoint_url(Some("http://aws.test".to_owned()));
        let sdk = sdk_config(&env, Patience::EVENTS);
        let through = |http: aws_smithy_runtime_api::client::http::SharedHttpClient| {
            sdk.clone().into_builder().http_client(http).build()
        };
        let s3 = through(self.s3.http_client());
        let s3 = aws_sdk_s3::config::Builder::from(&s3)
            .force_path_style(true)
            .build();
        Clients {
            dynamodb: aws_sdk_dynamodb::Client::new(&through(self.db.http_client())),
            s3: aws_sdk_s3::Client::from_conf(s3),
            sqs: aws_sdk_sqs::Client::new(&through(self.sqs.http_client())),
            sns: aws_sdk_sns::Client::new(&through(self.sns.http_client())),
        }
    }

    /// Every tenant's taxonomies, as an operator has them.
    pub fn taxonomies(&self) -> Taxonomies<TickingClock> {
        self.taxonomies_in_format(Bounds::PROJECTION_FORMAT)
    }

    /// The same in a build that makes other items.
    pub fn taxonomies_in_format(&self, projection_format: u32) -> Taxonomies<TickingClock> {
        let bounds = Bounds {
            table: TABLE.to_owned(),
            source_bucket: SOURCE_BUCKET.to_owned(),
            changesets_bucket: CHANGESETS_BUCKET.to_owned(),
            default_culture: "en-GB".parse().unwrap(),
            max_file_bytes: self.max_file_bytes,
            projection_format,
        };
        let Clients { dynamodb, s3, .. } = self.clients();
        Taxonomies::new("operator", bounds, dynamodb, s3, self.clock.clone())
    }

    /// A new process of the aggregator.
    pub fn aggregator(&self) -> Aggregator<TickingClock> {
        let config = aggregator::VersionsConfig {
            function: "aggregator".to_owned(),
            table: TABLE.to_owned(),
            changesets_bucket: CHANGESETS_BUCKET.to_owned(),
            events_topic: self.events.clone(),
            events_source: EVENTS_SOURCE.parse().unwrap(),
            deferred_queue: queue_url(DEFERRED),
            failures_bucket: FAILURES_BUCKET.to_owned(),
        };
        let Clients {
            dynamodb,
            s3,
            sqs,
            sns,
        } = self.clients();
        Aggregator::of_versions(&config, dynamodb, s3, sns, sqs, self.clock.clone())
    }

    /// Lets a new process of the aggregator try each message of the deferred queue, until the queue is empty, at most so many rounds.
    /// Returns how many messages there were.
    pub async fn drain_deferred(&self, rounds: usize) -> usize {
        let mut tried = 0;
        for _ in 0..rounds {
            let messages = self.sqs.take(DEFERRED);
            if messages.is_empty() {
                return tried;
            }
            for message in messages {
                let batch = serde_json::from_value(sqs_event(DEFERRED, &[message])).unwrap();
                let response = Box::pin(self.aggregator().handle(batch, Deadline::NONE)).await;
                assert!(response.batch_item_failures.is_empty());
                tried += 1;
            }
        }
        tried
    }

    /// Keys of the records that are parked.
    pub fn parked(&self) -> Vec<String> {
        self.s3.keys(FAILURES_BUCKET)
    }

    /// The aggregator's second deployment.
    pub fn caches(&self, config: CachesConfig, cdn: Option<&CloudFrontFake>) -> Aggregator<TickingClock> {
        let env = AwsEnv::new("eu-west-1", "test", "test", None)
            .with_endpoint_url(Some("http://aws.test".to_owned()));
        let sdk = sdk_config(&env, Patience::EVENTS).into_builder();
        let sdk = match cdn {
            Some(cdn) => sdk.http_client(cdn.http_client()),
            None => sdk,
        };
        let cloudfront = aws_sdk_cloudfront::Client::new(&sdk.build());
        Aggregator::of_caches(config, cloudfront, self.clock.clone()).unwrap()
    }

    /// A deadline that leaves time for so many looks at the clock.
    pub fn deadline_in(&self, looks: u64) -> Deadline {
        let now = self.clock.peek();
        Deadline::of_invocation(now + Deadline::MARGIN_MS + looks * 1000)
    }

    /// Lets time pass.
    pub fn pass(&self, seconds: u64) {
        self.clock.shown.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    /// The machine's clock was wrong and is set right.
    pub fn turn_back(&self, seconds: u64) {
        self.clock.shown.fetch_sub(seconds * 1000, Ordering::SeqCst);
    }

    /// Puts a file where an upstream would, and returns the event that this causes.
    pub fn upload(&self, tenant: &str, file: &[u8]) -> Value {
        let key = format!("taxonomies/{tenant}.json");
        self.s3.put(SOURCE_BUCKET, &key, file);
        sns_event(&[self.s3.event(SOURCE_BUCKET, &key)])
    }

    /// The same with a file that may remove as many terms as it does.
    pub fn upload_replacement(&self, tenant: &str, file: &[u8]) -> Value {
        let key = format!("taxonomies/{tenant}.json");
        let removals = [("allow-removals", "true")];
        self.s3
            .put_with(SOURCE_BUCKET, &key, file.to_vec(), None, &removals);
        sns_event(&[self.s3.event(SOURCE_BUCKET, &key)])
    }

    /// Uploads a replacement and lets a new process work the event off.
    pub async fn replace(&self, tenant: &str, file: &[u8]) {
        let event = self.upload_replacement(tenant, file);
        self.deliver(event).await.unwrap();
    }

    /// Uploads and lets a new process work the event off.
    pub async fn push(&self, tenant: &str, file: &[u8]) {
        let event = self.upload(tenant, file);
        self.deliver(event).await.unwrap();
    }

    /// Lets a new process of the projector work an event off, however long that takes.
    pub async fn deliver(&self, event: Value) -> Result<Value, ProjectorError> {
        let response = self.projector().handle(event, Deadline::NONE).await?;
        Ok(serde_json::to_value(response).unwrap())
    }

    /// The messages of the retry queue that are visible; where all of them are delayed, lets time pass until one is not.
    pub fn next_retries(&self) -> Vec<Message> {
        if let Some(wait) = self.sqs.until_visible(RETRIES) {
            self.pass(wait.as_millis().div_ceil(1000).try_into().unwrap());
        }
        self.sqs.take_visible(RETRIES)
    }

    /// Works off what is in the retry queue, each message in a new process with this much time, until it is empty; returns how many there
    /// were. Time passes until delayed messages are visible.
    pub async fn drain_retries(&self, looks: u64) -> usize {
        let mut worked_off = 0;
        while worked_off < 1000 {
            let messages = self.next_retries();
            if messages.is_empty() {
                return worked_off;
            }
            for message in messages {
                let event = sqs_event(RETRIES, &[message]);
                let response = self.projector().handle(event, self.deadline_in(looks)).await;
                assert!(response.unwrap().batch_item_failures.is_empty());
                worked_off += 1;
            }
        }
        panic!("the retry queue does not run empty");
    }

    /// Somebody writes an item by hand.
    pub async fn put_by_hand(&self, item: Item) {
        let put = self.db.client().put_item().table_name(TABLE);
        put.set_item(Some(item)).send().await.unwrap();
    }

    /// Somebody deletes an item by hand.
    #[expect(
        clippy::disallowed_methods,
        reason = "what no function may do is what is tried here"
    )]
    pub async fn delete_by_hand(&self, item: &Item) {
        let delete = self.db.client().delete_item().table_name(TABLE);
        let delete = delete.key("PK", item["PK"].clone()).key("SK", item["SK"].clone());
        delete.send().await.unwrap();
    }

    /// What went over the wire.
    pub fn exchanges(&self) -> Exchanges {
        self.wire.exchanges()
    }

    /// Heads as anybody reads them.
    pub fn heads(&self) -> Heads {
        Heads::new(Table::new(self.db.client(), TABLE))
    }

    /// A tenant's head.
    pub async fn head(&self, tenant: &str) -> Head {
        self.heads().read(&tenant.parse().unwrap()).await.unwrap().0
    }

    /// A tenant's version, which it must have.
    pub async fn committed(&self, tenant: &str) -> Committed {
        self.head(tenant).await.committed.unwrap()
    }

    /// The live items of a tenant's categories and terms: primary key to everything else but the version.
    pub fn live(&self, tenant: &str) -> BTreeMap<(String, String), BTreeMap<String, String>> {
        let mine: TenantId = tenant.parse().unwrap();
        let items = self.db.items(TABLE).into_iter().filter(|item| {
            let key = ItemKey::parse(item["PK"].as_s().unwrap(), item["SK"].as_s().unwrap());
            let projected = match key {
                Ok(
                    ItemKey::Category { tenant, .. }
                    | ItemKey::Term { tenant, .. }
                    | ItemKey::TermCulture { tenant, .. },
                ) => tenant == mine,
                _ => false,
            };
            projected && !item.contains_key("Removed")
        });
        items.map(plain).collect()
    }
}

fn plain(item: Item) -> ((String, String), BTreeMap<String, String>) {
    let key = (
        item["PK"].as_s().unwrap().clone(),
        item["SK"].as_s().unwrap().clone(),
    );
    let rest = item
        .into_iter()
        .filter(|(name, _)| !["PK", "SK", "V", "EntityType"].contains(&name.as_str()));
    (key, rest.map(|(name, value)| (name, text(&value))).collect())
}

/// A rendering in which equal values look equal, whatever order a map happens to have.
fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(up) => up.to_string(),
        AttributeValue::L(values) => format!("{:?}", values.iter().map(text).collect::<Vec<_>>()),
        AttributeValue::M(map) => format!(
            "{:?}",
            map.iter()
                .map(|(name, value)| (name, text(value)))
                .collect::<BTreeMap<_, _>>()
        ),
        other => panic!("nothing of this type is stored: {other:?}"),
    }
}

/// The tenant of most tests.
pub const TENANT: &str = ACME;
