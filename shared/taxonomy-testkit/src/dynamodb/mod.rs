//! DynamoDB for tests: the embedded engine inside the test process, or another one behind HTTP that `TAXONOMY_ENGINE` names.
//!
//! | File | What is in it |
//! |---|---|
//! | `mod` | [`EmbeddedDynamoDb`]: database, client, items, stream, clock |
//! | `engine` | the port to the engine: the embedded one and its sibling over HTTP |
//! | `schema` | the table of decision page 1 |
//! | `service` | requests of the SDK answered by the engine; what they were about and what they cost |
//! | `replica` | [`Lag`]: what eventually consistent reads may see |
//! | `stricter` | AWS's limits that the embedded engine does not have |
//! | `dump` | items as one line each |
//! | `values` | items by hand: [`s`], [`n`], [`key`], [`item`] |

mod dump;
mod engine;
mod replica;
mod schema;
mod service;
mod stricter;
mod values;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, retry::RetryConfig};
use aws_sdk_dynamodb::{Client, Config};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use serde_json::{Value, json};

pub use dump::line;
pub use engine::{CANNOT_RUN, EMBEDDED, engine_name};
pub use replica::Lag;
use replica::{Replicated, tell};
pub use schema::GSI1_ATTRIBUTES;
pub use values::{Item, item, key, n, s};

use crate::exchange::Exchanges;
use crate::wire::Wire;

/// A database of one test, on the embedded engine unless `TAXONOMY_ENGINE` names another. Clones are the same database.
#[derive(Clone)]
pub struct EmbeddedDynamoDb {
    databases: Replicated,
    wire: Wire,
}

impl std::fmt::Debug for EmbeddedDynamoDb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddedDynamoDb")
            .field("wire", &self.wire)
            .finish_non_exhaustive()
    }
}

impl Default for EmbeddedDynamoDb {
    fn default() -> Self {
        Self::new()
    }
}

impl EmbeddedDynamoDb {
    /// An empty database with a wire of its own. Its clock stands still at [`NEW_YEAR_MS`](crate::fixtures::NEW_YEAR_MS).
    pub fn new() -> Self {
        Self::on(&Wire::new())
    }

    /// The same on a wire shared with other services.
    pub fn on(wire: &Wire) -> Self {
        Self {
            databases: Replicated::new(engine::open()),
            wire: wire.clone(),
        }
    }

    /// Creates the table of decision page 1 under this name. Not recorded by the wire.
    ///
    /// Items of tests carry times of a test's clock. An engine that expires items by the time of day gets a table without expiry, so that
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

    /// Writes no stream from now on. For loads of tens of thousands of items that nobody follows: the engine looks through all records of
    /// a stream before it adds one. A replica held later has one again. Not recorded by the wire.
    pub fn stop_stream(&self, table: &str) {
        let request = json!({"TableName": table, "StreamSpecification": {"StreamEnabled": false}});
        self.run("UpdateTable", &request);
    }

    /// The same database in the hands of somebody: what its clients send says so. See [`Wire::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            wire: self.wire.actor(actor),
            ..self.clone()
        }
    }

    /// A client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// What [`client`](Self::client) is built from, for tests that want other retries or time-outs.
    pub fn config(&self) -> aws_sdk_dynamodb::config::Builder {
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "testkit"))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .http_client(self.http_client())
    }

    /// The transport alone, to put under a production `SdkConfig`.
    pub fn http_client(&self) -> SharedHttpClient {
        self.wire
            .http_client(service::Service::new(self.databases.clone()))
    }

    /// The wire: faults go in here.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// What went over the wire.
    pub fn exchanges(&self) -> Exchanges {
        self.wire.exchanges()
    }

    /// All items, sorted by PK and SK. Not recorded by the wire.
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

    /// One item as it is now. Not recorded by the wire.
    pub fn item(&self, table: &str, partition: &str, sort: &str) -> Option<Item> {
        let key = json!({"PK": {"S": partition}, "SK": {"S": sort}});
        let request = json!({"TableName": table, "Key": key, "ConsistentRead": true});
        let answer = self.run("GetItem", &request);
        answer.get("Item").map(dump::item_from_json)
    }

    /// All items as [`line()`]s, sorted by PK and SK, for snapshots:
    /// `CATEGORY#acme#1 | CATEGORY#acme#1 | Category V=1 GSI1PK=CATEGORIES#acme Name=Sector`.
    pub fn dump(&self, table: &str) -> Vec<String> {
        self.items(table).iter().map(line).collect()
    }

    /// Every record of the table's stream, oldest first, as the `Records` of a Lambda event have it: for tests that deliver them
    /// in batches, doubled or out of order.
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

    /// The Lambda event with all of [`stream_records`](Self::stream_records).
    pub fn stream_event(&self, table: &str) -> Value {
        json!({"Records": self.stream_records(table)})
    }

    /// Sets the clock that stamps stream records and expires items.
    pub fn set_time(&self, epoch_ms: u64) {
        self.databases.primary.set_time(epoch_ms / 1000);
    }

    /// Removes what has expired by the clock, as AWS does within days, and says how many items that were.
    pub fn expire_items(&self) -> usize {
        let expire = || self.databases.primary.expire_items();
        self.databases.sweep(expire)
    }

    /// From now on a replica stands still while writes go on: what [`Fault::StaleRead`](crate::Fault::StaleRead) and [`Self::lag`]
    /// read from. Without it nothing is copied. A replica that is already held stays as it is.
    pub fn hold_replica(&self) {
        self.databases.hold();
    }

    /// Answers all eventually consistent reads of this kind from the replica, and holds one if none is held.
    pub fn lag(&self, lag: Lag) {
        self.databases.set_lag(lag);
    }

    /// Lets the oldest writes of items arrive at the replica, at most so many, and says how many arrived. A transaction is as many
    /// writes as it has items.
    ///
    /// # Panics
    /// As all of these but [`drop_replica`](Self::drop_replica), if no replica is held.
    pub fn advance_replica(&self, writes: usize) -> usize {
        self.databases.advance(None, writes)
    }

    /// The same for the items of one partition key; partitions do not wait for each other.
    pub fn advance_partition(&self, partition: &str, writes: usize) -> usize {
        self.databases.advance(Some(partition), writes)
    }

    /// Lets all writes arrive; later ones are held back again.
    pub fn advance_replica_fully(&self) -> usize {
        self.databases.advance(None, usize::MAX)
    }

    /// PK and SK of the writes that have not arrived, oldest first.
    pub fn behind(&self) -> Vec<(String, String)> {
        self.databases.behind()
    }

    /// Does away with the replica: every read is consistent again.
    pub fn drop_replica(&self) {
        self.databases.release();
    }

    /// Sends a request to the engine past the wire, as the JSON of DynamoDB's protocol, and returns the HTTP status and the answer. For
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
