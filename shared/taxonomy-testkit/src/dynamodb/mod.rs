//! DynamoDB for tests: the embedded engine inside the test process, or another engine behind HTTP that `TAXONOMY_ENGINE` names.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`EmbeddedDynamoDb`]: database, client, items, stream, clock |
//! | `engine` | the port to the engine: the embedded one, or one over HTTP |
//! | `schema` | the table of decision page 1 |
//! | `service` | SDK requests, answered by the engine, with their targets and capacity units |
//! | `replica` | [`Lag`]: a lagging copy that eventually consistent reads can be answered from |
//! | `aws_constraints` | limits of AWS that the embedded engine does not enforce |
//! | `dump` | items as text, one line each |
//! | `values` | short constructors of items: [`s`], [`n`], [`key`], [`item`] |

mod aws_constraints;
mod dump;
mod engine;
mod replica;
mod schema;
mod service;
mod values;

use aws_sdk_dynamodb::config::{
    BehaviorVersion, Credentials, Region, SharedCredentialsProvider, retry::RetryConfig,
};
use aws_sdk_dynamodb::{Client, Config};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_types::SdkConfig;
use serde_json::{Value, json};

pub use dump::line;
pub use engine::{EMBEDDED, engine_name};
pub use replica::Lag;
use replica::{Replicated, tell};
pub use values::{Item, item, key, n, s};

use crate::exchange::Exchanges;
use crate::transport::Transport;

/// The database of one test, on the embedded engine unless `TAXONOMY_ENGINE` names another. Clones share one database.
#[derive(Clone)]
pub struct EmbeddedDynamoDb {
    databases: Replicated,
    transport: Transport,
}

impl std::fmt::Debug for EmbeddedDynamoDb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedDynamoDb")
            .field("transport", &self.transport)
            .finish_non_exhaustive()
    }
}

impl Default for EmbeddedDynamoDb {
    fn default() -> Self {
        Self::new()
    }
}

impl EmbeddedDynamoDb {
    /// Creates an empty database with a transport of its own. Its clock is fixed at [`NEW_YEAR_MS`](crate::fixtures::NEW_YEAR_MS).
    pub fn new() -> Self {
        Self::on(&Transport::new())
    }

    /// Creates an empty database on a transport that other services share.
    pub fn on(transport: &Transport) -> Self {
        Self {
            databases: Replicated::new(engine::open()),
            transport: transport.clone(),
        }
    }

    /// Copies the tables with their items to a database of its own, on a transport that other services share. The streams of the copy begin
    /// with its items.
    #[must_use]
    pub fn copy_on(&self, transport: &Transport) -> Self {
        Self {
            databases: self.databases.copy(),
            transport: transport.clone(),
        }
    }

    /// Creates the table of decision page 1 under this name. The transport does not record the requests.
    ///
    /// Items of tests carry times of the test's clock. An engine that expires items by the time of day gets a table without expiry, so that
    /// it does not remove them in the middle of a test.
    pub fn create_table(&self, name: &str) {
        let expires = self.databases.primary.expires_on_request();
        for (operation, request) in schema::requests(name) {
            if operation == "UpdateTimeToLive" && !expires {
                continue;
            }
            self.run(operation, &request);
            self.databases.note(operation, &request);
        }
    }

    /// Switches the stream of a table off, for loads of tens of thousands of items whose stream no test reads: the engine searches all
    /// records of a stream before it adds one. A replica that is held later has a stream again. The transport does not record the request.
    pub fn stop_stream(&self, table: &str) {
        let request = json!({"TableName": table, "StreamSpecification": {"StreamEnabled": false}});
        self.run("UpdateTable", &request);
    }

    /// Returns the same database with another actor: the requests of its clients carry this name. See [`Transport::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            transport: self.transport.actor(actor),
            ..self.clone()
        }
    }

    /// Returns a client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// Returns the set-up of the SDK for [`client`](Self::client), for production code that takes it.
    pub fn sdk(&self) -> SdkConfig {
        SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials()))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .http_client(self.http_client())
            .build()
    }

    /// Returns the configuration of [`client`](Self::client), for tests that need other retries or time-outs.
    pub fn config(&self) -> aws_sdk_dynamodb::config::Builder {
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(credentials())
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .retry_partition(crate::unlimited_retries())
            .http_client(self.http_client())
    }

    /// Returns the HTTP client alone, for a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.transport
            .http_client(service::Service::new(self.databases.clone()))
    }

    /// Returns the transport, for fault injection.
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// Returns the recorded requests and responses.
    pub fn exchanges(&self) -> Exchanges {
        self.transport.exchanges()
    }

    /// Returns all items, sorted by PK and SK. The transport does not record the requests.
    pub fn items(&self, table: &str) -> Vec<Item> {
        let mut items = Vec::new();
        let mut start = Value::Null;
        loop {
            let mut request = json!({"TableName": table});
            if !start.is_null() {
                request["ExclusiveStartKey"] = start;
            }
            let mut page = self.run("Scan", &request);
            let found = page["Items"].as_array().expect("a scan answers with items");
            items.extend(found.iter().map(dump::item_from_json));
            start = page["LastEvaluatedKey"].take();
            if start.is_null() {
                break;
            }
        }
        items.sort_by_key(dump::key);
        items
    }

    /// Returns the current state of one item. The transport does not record the request.
    pub fn item(&self, table: &str, partition: &str, sort: &str) -> Option<Item> {
        let key = json!({"PK": {"S": partition}, "SK": {"S": sort}});
        let request = json!({"TableName": table, "Key": key, "ConsistentRead": true});
        let answer = self.run("GetItem", &request);
        answer.get("Item").map(dump::item_from_json)
    }

    /// Returns all items as [`line()`]s, sorted by PK and SK, for snapshots:
    /// `CATEGORY#acme#1 | CATEGORY#acme#1 | Category V=1 GSI1PK=CATEGORIES#acme Name=Sector`.
    pub fn dump(&self, table: &str) -> Vec<String> {
        self.items(table).iter().map(line).collect()
    }

    /// Returns every record of the table's stream, oldest first, in the form of the `Records` of a Lambda event, for tests that deliver them
    /// in batches, twice or out of order.
    pub fn stream_records(&self, table: &str) -> Vec<Value> {
        let described = self.run("DescribeTable", &json!({"TableName": table}));
        let arn = described["Table"]["LatestStreamArn"].clone();
        assert!(arn.is_string(), "table {table} has no stream");
        let description = self.run("DescribeStream", &json!({"StreamArn": arn}));
        let description = &description["StreamDescription"];
        assert!(
            description["LastEvaluatedShardId"].is_null(),
            "a stream of a test has one page of shards"
        );
        let shards = description["Shards"]
            .as_array()
            .expect("a stream lists its shards");
        let mut records = Vec::new();
        for shard in shards {
            let shard =
                json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
            let mut iterator = self.run("GetShardIterator", &shard)["ShardIterator"].take();
            loop {
                let mut page = self.run("GetRecords", &json!({"ShardIterator": iterator}));
                let found = page["Records"].as_array_mut().expect("a shard lists its records");
                if found.is_empty() {
                    break;
                }
                for record in found {
                    // The engine also records writes that change nothing; AWS does not.
                    if record["dynamodb"]["OldImage"] == record["dynamodb"]["NewImage"] {
                        continue;
                    }
                    record["eventSourceARN"] = arn.clone();
                    record["awsRegion"] = json!("eu-west-1");
                    records.push(record.take());
                }
                iterator = page["NextShardIterator"].take();
            }
        }
        records
    }

    /// Holds a replica: it stays as it is now while writes continue. [`Fault::StaleRead`](crate::Fault::StaleRead) and [`Self::lag`]
    /// read from it. Without a replica no item is copied. Does nothing if a replica is already held.
    pub fn hold_replica(&self) {
        self.databases.hold();
    }

    /// Answers all eventually consistent reads of this kind from the replica, and holds a replica if none is held.
    pub fn lag(&self, lag: Lag) {
        self.databases.set_lag(lag);
    }

    /// Applies up to `writes` of the oldest pending writes to the items of one partition key to the replica, and returns how many it applied.
    /// A transaction counts as one write per item. Partitions do not wait for each other.
    ///
    /// # Panics
    /// Panics if no replica is held, as every method about the replica does except [`drop_replica`](Self::drop_replica).
    pub fn advance_partition(&self, partition: &str, writes: usize) -> usize {
        self.databases.advance(Some(partition), writes)
    }

    /// Applies all pending writes to the replica and returns their number; later writes are held back again.
    pub fn advance_replica_fully(&self) -> usize {
        self.databases.advance(None, usize::MAX)
    }

    /// Returns PK and SK of the writes that the replica does not have yet, oldest first.
    pub fn behind(&self) -> Vec<(String, String)> {
        self.databases.behind()
    }

    /// Removes the replica: every read is consistent again.
    pub fn drop_replica(&self) {
        self.databases.release();
    }

    /// Sends a request to the engine without the transport, as the JSON of DynamoDB's protocol, and returns the HTTP status and the body. For
    /// tests of the engine itself.
    pub fn answer(&self, operation: &str, request: &str) -> (u16, Value) {
        let answer = self.databases.primary.run(operation, request.as_bytes());
        let (status, body) = answer.map_or_else(|refused| (refused.status, refused.body), |body| (200, body));
        (
            status,
            serde_json::from_str(&body).expect("an engine answers in JSON"),
        )
    }

    fn run(&self, operation: &str, request: &Value) -> Value {
        tell(&*self.databases.primary, operation, request)
    }
}

fn credentials() -> Credentials {
    Credentials::new("test", "test", None, None, "testkit")
}
