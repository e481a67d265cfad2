//! A stack for tests: projector and aggregator with their table, buckets, queues and topic in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use aggregator::{Aggregator, CachesConfig};
use projector::{Config, Projector};
use taxonomy_keys::TenantId;
use taxonomy_runtime::{AwsEnv, Clock, RetryPolicy, sdk_config};
use taxonomy_store::{Archive, Sources, Table};
use taxonomy_testkit::fixtures::{ACME, CHANGESETS_BUCKET, NEW_YEAR_MS, SOURCE_BUCKET, TABLE};
use taxonomy_testkit::iam::deployed;
use taxonomy_testkit::sqs::queue_url;
use taxonomy_testkit::{
    CloudFrontFake, EmbeddedDynamoDb, Exchanges, S3Fake, SnsFake, SqsFake, Transport, unlimited_retries,
};
use taxonomy_versioning::{Deadline, Service, ServiceConfig, Stores};
use tokio::time::Instant;

pub use crate::delivery::scheduled;
pub use crate::files::{expected, named, read, sample, small};
use crate::notification;
pub use crate::queues::{
    AUDIT_DEAD_LETTERS, AUDITS, DEAD_LETTERS, DEFERRED, DOWNLOAD_DEAD_LETTERS, DOWNLOADS, RETRIES,
    create_queues,
};
pub use crate::stored::text;

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

    /// Returns the recorded requests and responses.
    pub fn exchanges(&self) -> Exchanges {
        self.transport.exchanges()
    }

    /// Returns the operations of the recorded requests, in their order.
    pub fn operations(&self) -> Vec<String> {
        let exchanges = self.exchanges().all().into_iter();
        exchanges.map(|exchange| exchange.operation).collect()
    }
}

/// The tenant of most tests.
pub const TENANT: &str = ACME;

/// Returns the id of [`TENANT`].
pub fn tenant() -> TenantId {
    TENANT.parse().unwrap()
}
