//! A stack for tests: projector and aggregator with their table, buckets, queues and topic in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aggregator::{Aggregator, CachesConfig};
use aws_sdk_dynamodb::types::AttributeValue;
use projector::{Config, Projector, ProjectorError};
use serde_json::{Value, json};
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_runtime::{AwsEnv, Clock, RetryPolicy, sdk_config};
use taxonomy_store::{Archive, Committed, Head, Heads, Sources, Table};
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{ACME, CHANGESETS_BUCKET, NEW_YEAR_MS, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::iam::deployed;
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::sqs::{Message, queue_url, sqs_event};
use taxonomy_testkit::{
    CloudFrontFake, EmbeddedDynamoDb, Exchanges, Fault, S3Fake, SnsFake, SqsFake, Transport, When,
    unlimited_retries,
};
use taxonomy_versioning::{Deadline, Service, ServiceConfig, Stores};
use tokio::time::Instant;

pub use crate::files::{expected, named, read, sample, small};
use crate::notification;
pub use crate::queues::{
    AUDIT_DEAD_LETTERS, AUDITS, DEAD_LETTERS, DEFERRED, DOWNLOAD_DEAD_LETTERS, DOWNLOADS, RETRIES,
    create_queues,
};

/// The clock of a stack.
#[derive(Debug, Clone)]
pub struct TestClock {
    shown: Arc<AtomicU64>,
    mode: Mode,
    skew_ms: i64,
}

/// The events that advance a clock, besides [`World::pass`].
#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Each reading, by one second, so that no two times are equal.
    Readings,
    /// Tokio's clock, which showed this time at the beginning.
    Tokio(Instant),
    /// Nothing.
    Manual,
}

impl TestClock {
    fn new(mode: Mode) -> Self {
        Self {
            shown: Arc::new(AtomicU64::new(NEW_YEAR_MS)),
            mode,
            skew_ms: 0,
        }
    }

    /// Returns the time without advancing the clock.
    fn peek(&self) -> u64 {
        let passed = match self.mode {
            Mode::Tokio(begin) => begin.elapsed().as_millis(),
            Mode::Readings | Mode::Manual => 0,
        };
        let shown = self.shown.load(Ordering::SeqCst) + u64::try_from(passed).unwrap();
        shown.saturating_add_signed(self.skew_ms)
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> u64 {
        match self.mode {
            Mode::Readings => self.shown.fetch_add(1000, Ordering::SeqCst),
            Mode::Tokio(_) | Mode::Manual => self.peek(),
        }
    }
}

/// The table, the buckets, the queues and the topic of a stack on one transport. Clones are the same stack.
#[derive(Debug, Clone)]
pub struct World {
    /// The transport that all of them share, for fault injection.
    pub transport: Transport,
    /// The database with the table.
    pub db: EmbeddedDynamoDb,
    /// The buckets of uploads, changesets and failures.
    pub s3: S3Fake,
    /// The queues.
    pub sqs: SqsFake,
    /// The events topic.
    pub sns: SnsFake,
    /// The ARN of the events topic.
    pub events: String,
    /// The largest file that the projector accepts, in bytes; 1 MiB by default.
    pub max_file_bytes: u64,
    clock: TestClock,
}

/// The `source` of the stack's events.
pub const EVENTS_SOURCE: &str = "/taxonomy/eu-west-1/test";

/// The bucket in which the aggregator parks records.
pub const FAILURES_BUCKET: &str = "failures";

/// Returns the configuration of a projector, the same in every stack of these tests.
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
    /// Creates an empty stack.
    pub fn new() -> Self {
        Self::with(TestClock::new(Mode::Readings))
    }

    /// Creates a stack to which these files were uploaded for [`TENANT`], one after the other.
    pub async fn of(files: &[&[u8]]) -> Self {
        let world = Self::new();
        for file in files {
            world.push(TENANT, file).await;
        }
        world
    }

    /// Creates an empty stack whose time advances with tokio's clock: under paused time, only while all tasks wait.
    pub fn in_tokios_time() -> Self {
        Self::with(TestClock::new(Mode::Tokio(Instant::now())))
    }

    /// Creates an empty stack whose time passes only by [`Self::pass`] and [`Self::pass_ms`].
    pub fn in_manual_time() -> Self {
        Self::with(TestClock::new(Mode::Manual))
    }

    /// Returns a stack of its own in the same state: the table without its stream, the buckets, the time. Its queues and its topic are empty.
    #[must_use]
    pub fn copy(&self) -> Self {
        let clock = TestClock {
            shown: Arc::new(AtomicU64::new(self.clock.shown.load(Ordering::SeqCst))),
            ..self.clock
        };
        let transport = Transport::new();
        let (db, s3) = (self.db.copy_on(&transport), self.s3.copy_on(&transport));
        Self::around(transport, db, s3, clock)
    }

    /// Creates an empty stack in manual time, of which only the actor `PREPARING` has more rights than the role of the lookup.
    pub fn of_the_lookup() -> Self {
        let transport = Transport::new();
        transport.exchanges().checked_by(deployed::check_lookup);
        Self::on(transport, TestClock::new(Mode::Manual))
    }

    fn with(clock: TestClock) -> Self {
        Self::on(Transport::new(), clock)
    }

    fn on(transport: Transport, clock: TestClock) -> Self {
        let (db, s3) = (EmbeddedDynamoDb::on(&transport), S3Fake::on(&transport));
        db.create_table(TABLE);
        Self::around(transport, db, s3, clock)
    }

    fn around(transport: Transport, db: EmbeddedDynamoDb, s3: S3Fake, clock: TestClock) -> Self {
        let (queues, sns) = (
            clock.clone(),
            SnsFake::on(&transport).checked_by(notification::check),
        );
        let sqs = SqsFake::on(&transport).by_clock(move || Duration::from_millis(queues.peek()));
        create_queues(&sqs);
        transport.exchanges().checked_by(deployed::check);
        Self {
            transport,
            db,
            s3,
            sqs,
            events: sns.create_topic("events"),
            sns,
            max_file_bytes: 1 << 20,
            clock,
        }
    }

    /// Returns the same stack with clients whose requests carry the label of an actor, for a [scheduled run](taxonomy_testkit::Interleaving).
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            db: self.db.acting_as(actor),
            s3: self.s3.acting_as(actor),
            sns: self.sns.acting_as(actor),
            sqs: self.sqs.acting_as(actor),
            ..self.clone()
        }
    }

    /// Returns the deadline of an invocation that begins now and ends after `time`. Only for tokio's time.
    pub fn invocation_of(&self, time: Duration) -> Deadline {
        Deadline::of_invocation(self.clock.peek() + u64::try_from(time.as_millis()).unwrap())
    }

    /// Starts a new process of the projector.
    pub fn projector(&self) -> Projector {
        let config = projector_config(self.max_file_bytes);
        let Clients {
            dynamodb, s3, sqs, ..
        } = self.clients();
        Projector::new(config, dynamodb, s3, sqs, Arc::new(self.clock.clone()))
    }

    /// Returns clients with the retries and time-outs of production, but without the quota of retries that all clients of a process share.
    fn clients(&self) -> Clients {
        let env = AwsEnv::new("eu-west-1", "test", "test", None)
            .with_endpoint_url(Some("http://aws.test".to_owned()));
        let sdk = sdk_config(&env, RetryPolicy::EVENTS);
        let through = |http: aws_smithy_runtime_api::client::http::SharedHttpClient| {
            sdk.clone().into_builder().http_client(http).build()
        };
        let s3 = through(self.s3.http_client());
        let s3 = aws_sdk_s3::config::Builder::from(&s3)
            .force_path_style(true)
            .retry_partition(unlimited_retries())
            .build();
        let dynamodb = aws_sdk_dynamodb::config::Builder::from(&through(self.db.http_client()))
            .retry_partition(unlimited_retries())
            .build();
        Clients {
            dynamodb: aws_sdk_dynamodb::Client::from_conf(dynamodb),
            s3: aws_sdk_s3::Client::from_conf(s3),
            sqs: aws_sdk_sqs::Client::new(&through(self.sqs.http_client())),
            sns: aws_sdk_sns::Client::new(&through(self.sns.http_client())),
        }
    }

    /// Returns the operators' service, for every tenant.
    pub fn service(&self) -> Service {
        self.service_in_format(ServiceConfig::PROJECTION_FORMAT)
    }

    /// Returns the same service of a build with another projection format.
    pub fn service_in_format(&self, projection_format: u32) -> Service {
        let config = ServiceConfig {
            default_culture: "en-GB".parse().unwrap(),
            max_file_bytes: self.max_file_bytes,
            projection_format,
        };
        let Clients { dynamodb, s3, .. } = self.clients();
        let stores = Stores {
            table: Table::new(dynamodb, TABLE),
            sources: Sources::new(s3.clone(), SOURCE_BUCKET, self.max_file_bytes),
            archive: Archive::new(s3, CHANGESETS_BUCKET),
        };
        Service::new("operator", config, stores, Arc::new(self.clock.clone()))
    }

    /// Starts a new process of the aggregator.
    pub fn aggregator(&self) -> Aggregator {
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
        Aggregator::of_versions(&config, dynamodb, s3, sns, sqs, Arc::new(self.clock.clone()))
    }

    /// Delivers all records of the stream to a new process of the aggregator.
    pub async fn aggregate(&self) {
        let failed = self.aggregate_records(&self.db.stream_records(TABLE)).await;
        assert_eq!(failed, json!([]));
    }

    /// Returns the records that pass the stream's filter: those of heads.
    pub fn head_records(&self) -> Vec<Value> {
        let mut records = self.db.stream_records(TABLE);
        records.retain(|record| record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD");
        records
    }

    /// Delivers these records to a new process of the aggregator, and returns those that failed.
    pub async fn aggregate_records(&self, records: &[Value]) -> Value {
        let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
        let response = Box::pin(self.aggregator().handle(batch, Deadline::NONE)).await;
        serde_json::to_value(response).unwrap()["batchItemFailures"].take()
    }

    /// Delivers each message of the deferred queue to a new process of the aggregator until the queue is empty, for at most `rounds` rounds.
    /// Returns the number of messages.
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

    /// Returns the keys of the parked records.
    pub fn parked(&self) -> Vec<String> {
        self.s3.keys(FAILURES_BUCKET)
    }

    /// Starts the aggregator's second deployment, which updates caches.
    pub fn caches(&self, config: CachesConfig, cdn: Option<&CloudFrontFake>) -> Aggregator {
        let env = AwsEnv::new("eu-west-1", "test", "test", None)
            .with_endpoint_url(Some("http://aws.test".to_owned()));
        let sdk = sdk_config(&env, RetryPolicy::EVENTS).into_builder();
        let sdk = match cdn {
            Some(cdn) => sdk.http_client(cdn.http_client()),
            None => sdk,
        };
        let cloudfront = aws_sdk_cloudfront::Client::new(&sdk.build());
        Aggregator::of_caches(config, cloudfront, Arc::new(self.clock.clone())).unwrap()
    }

    /// Returns a deadline that leaves time for `looks` readings of the clock.
    pub fn deadline_in(&self, looks: u64) -> Deadline {
        let now = self.clock.peek();
        Deadline::of_invocation(now + Deadline::MARGIN_MS + looks * 1000)
    }

    /// Advances the clock by seconds.
    pub fn pass(&self, seconds: u64) {
        self.pass_ms(seconds * 1000);
    }

    /// Advances the clock by milliseconds.
    pub fn pass_ms(&self, milliseconds: u64) {
        self.clock.shown.fetch_add(milliseconds, Ordering::SeqCst);
    }

    /// Returns the time, in milliseconds since the epoch, without advancing the clock.
    pub fn now_ms(&self) -> u64 {
        self.clock.peek()
    }

    /// Returns the clock as a process sees it whose own clock is ahead by `skew_ms`, or behind.
    pub fn clock(&self, skew_ms: i64) -> TestClock {
        TestClock {
            skew_ms,
            ..self.clock.clone()
        }
    }

    /// Sets the clock back, as the correction of a wrong clock does.
    pub fn turn_back(&self, seconds: u64) {
        self.clock.shown.fetch_sub(seconds * 1000, Ordering::SeqCst);
    }

    /// Uploads a file as an upstream does, and returns the event of the upload.
    pub fn upload(&self, tenant: &str, file: &[u8]) -> Value {
        self.s3
            .put(SOURCE_BUCKET, &format!("taxonomies/{tenant}.json"), file);
        self.event_of(&[tenant])
    }

    /// Uploads a file without a removal limit, and returns the event of the upload.
    pub fn upload_replacement(&self, tenant: &str, file: &[u8]) -> Value {
        self.upload_with(tenant, file, &[("allow-removals", "true")])
    }

    /// Uploads a file with metadata, and returns the event of the upload.
    pub fn upload_with(&self, tenant: &str, file: &[u8], metadata: &[(&str, &str)]) -> Value {
        let key = format!("taxonomies/{tenant}.json");
        self.s3
            .put_with(SOURCE_BUCKET, &key, file.to_vec(), None, metadata);
        self.event_of(&[tenant])
    }

    /// Returns the event of the newest uploads of tenants.
    pub fn event_of(&self, tenants: &[&str]) -> Value {
        let event = |tenant: &&str| self.s3.event(SOURCE_BUCKET, &format!("taxonomies/{tenant}.json"));
        sns_event(&tenants.iter().map(event).collect::<Vec<_>>())
    }

    /// Deletes the newest upload of a tenant.
    pub fn delete_upload(&self, tenant: &str) {
        self.s3
            .delete(SOURCE_BUCKET, &format!("taxonomies/{tenant}.json"));
    }

    /// Uploads a file without a removal limit, and delivers the event to a new process.
    pub async fn replace(&self, tenant: &str, file: &[u8]) {
        let event = self.upload_replacement(tenant, file);
        self.deliver(event).await.unwrap();
    }

    /// Uploads a file, and delivers the event to a new process.
    pub async fn push(&self, tenant: &str, file: &[u8]) {
        let event = self.upload(tenant, file);
        self.deliver(event).await.unwrap();
    }

    /// Delivers an event to a new process of the projector, without a deadline.
    pub async fn deliver(&self, event: Value) -> Result<Value, ProjectorError> {
        let response = self.projector().handle(event, Deadline::NONE).await?;
        Ok(serde_json::to_value(response).unwrap())
    }

    /// Delivers an event to a new process of the projector, with time for `looks` readings of the clock.
    ///
    /// # Errors
    /// As [`Projector::handle`].
    pub async fn deliver_within(&self, event: Value, looks: u64) -> Result<Value, ProjectorError> {
        let projector = self.projector();
        let response = Box::pin(projector.handle(event, self.deadline_in(looks))).await?;
        Ok(serde_json::to_value(response).unwrap())
    }

    /// Delivers a message of a queue to such a process, which acknowledges it.
    pub async fn work_off(&self, queue: &str, message: &Message, looks: u64) {
        let event = sqs_event(queue, std::slice::from_ref(message));
        let response = self.deliver_within(event, looks).await.unwrap();
        assert_eq!(response, json!({ "batchItemFailures": [] }));
    }

    /// Sends a message to a queue and receives it.
    pub fn received(&self, queue: &str, body: &str) -> Message {
        let message = self.sqs.send(queue, body);
        self.sqs.take(queue);
        message
    }

    /// Delivers an event to a new process of the projector that meets a crash. Returns whether it died.
    pub async fn dies(&self, event: Value, when: When, crash: Fault) -> bool {
        self.transport.inject(when, crash);
        let died = self.transport.until_crash(self.deliver(event)).await.is_none();
        self.transport.reset_faults();
        died
    }

    /// Delivers an event to a new process of the projector that dies before its n-th request of this operation.
    pub async fn dies_at(&self, event: Value, nth: usize, operation: &str) {
        let when = When::nth(nth).operation(operation);
        assert!(
            self.dies(event, when, Fault::Crash).await,
            "it does not come so far"
        );
    }

    /// Injects a fault into requests of the stack.
    pub fn inject(&self, when: When, fault: Fault) {
        self.transport.inject(when, fault);
    }

    /// Leaves a version committed and not projected, by a process whose heartbeat is stale.
    pub async fn leave_unfinished(&self, file: &[u8]) {
        let event = self.upload(TENANT, file);
        self.dies_at(event, 1, "PutItem").await;
        self.pass(91);
    }

    /// Removes and returns the visible messages of the retry queue; if all are delayed, first advances the clock until one is visible.
    pub fn next_retries(&self) -> Vec<Message> {
        if let Some(wait) = self.sqs.until_visible(RETRIES) {
            self.pass(wait.as_millis().div_ceil(1000).try_into().unwrap());
        }
        self.sqs.take_visible(RETRIES)
    }

    /// Delivers each message of the retry queue to a new process with a deadline of `looks` readings of the clock, until the queue is empty.
    /// Returns the bodies of the messages. Advances the clock until delayed messages are visible.
    pub async fn drain_retries(&self, looks: u64) -> Vec<String> {
        let mut bodies = Vec::new();
        while bodies.len() < 1000 {
            let messages = self.next_retries();
            if messages.is_empty() {
                return bodies;
            }
            for message in messages {
                self.work_off(RETRIES, &message, looks).await;
                bodies.push(message.body);
            }
        }
        panic!("the retry queue does not run empty");
    }

    /// Returns the recorded requests and responses.
    pub fn exchanges(&self) -> Exchanges {
        self.transport.exchanges()
    }

    /// Returns the operations of the recorded requests, in their order.
    pub fn operations(&self) -> Vec<String> {
        let exchanges = self.exchanges().all().into_iter();
        exchanges.map(|exchange| exchange.operation).collect()
    }

    /// Returns the heads, read through the table's client.
    pub fn heads(&self) -> Heads {
        Heads::new(Table::new(self.db.client(), TABLE))
    }

    /// Returns a tenant's head.
    pub async fn head(&self, tenant: &str) -> Head {
        self.heads().read(&tenant.parse().unwrap()).await.unwrap().0
    }

    /// Returns a tenant's newest version, which must exist.
    pub async fn committed(&self, tenant: &str) -> Committed {
        self.head(tenant).await.committed.unwrap()
    }

    /// Returns the live items of a tenant's categories and terms: primary key to all attributes except the version.
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

/// Renders a value so that equal values have equal texts, whatever the order of a map is.
pub fn text(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => format!("{text:?}"),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(up) => up.to_string(),
        AttributeValue::L(values) => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("[{}]", values.join(", "))
        }
        AttributeValue::M(map) => {
            let values = map.iter().map(|(name, value)| format!("{name}: {}", text(value)));
            let values: BTreeSet<String> = values.collect();
            format!("{{{}}}", values.into_iter().collect::<Vec<_>>().join(", "))
        }
        other => panic!("nothing of this type is stored: {other:?}"),
    }
}

/// Returns an event of a schedule.
pub fn scheduled(kind: &str) -> Value {
    json!({"source": "taxonomy.schedule", "detail-type": kind})
}

/// The tenant of most tests.
pub const TENANT: &str = ACME;

/// Returns the id of [`TENANT`].
pub fn tenant() -> TenantId {
    TENANT.parse().unwrap()
}
