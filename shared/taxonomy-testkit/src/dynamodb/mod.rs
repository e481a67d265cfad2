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
//! | `stream` | [`Stream`]: the records of a table's changes, as Lambda delivers them |
//! | `dump` | items as text, one line each |
//! | `values` | short constructors of items: [`s`], [`n`], [`key`], [`item`] |

mod aws_constraints;
mod dump;
mod engine;
mod replica;
mod schema;
mod service;
mod stream;
mod values;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::Builder;
use serde_json::{Value, json};

pub use dump::line;
pub use engine::{EMBEDDED, engine_name};
pub use replica::{Lag, Replicated};
use replica::{scan, tell};
pub use stream::Stream;
pub use values::{Item, item, key, n, s};

use crate::transport::Transport;
use crate::{Fake, unlimited_retries};

/// The database of one test, on the embedded engine unless `TAXONOMY_ENGINE` names another. Clones share one database. Its clock is fixed at
/// [`NEW_YEAR_MS`](crate::fixtures::NEW_YEAR_MS).
pub type EmbeddedDynamoDb = Fake<Replicated>;

impl EmbeddedDynamoDb {
    /// Copies the tables with their items to a database of its own, on a transport that other services share. The streams of the copy begin
    /// with its items.
    #[must_use]
    pub fn copy_on(&self, transport: &Transport) -> Self {
        Self::with(self.state.copy(), transport)
    }

    /// Creates the table of decision page 1 under this name. The transport does not record the requests.
    ///
    /// Items of tests carry times of the test's clock. An engine that expires items by the time of day gets a table without expiry, so that
    /// it does not remove them in the middle of a test.
    pub fn create_table(&self, name: &str) {
        let expires = self.state.primary.expires_on_request();
        for (operation, request) in schema::requests(name) {
            if operation == "UpdateTimeToLive" && !expires {
                continue;
            }
            self.run(operation, &request);
            self.state.note(operation, &request);
        }
    }

    /// Switches the stream of a table off, for loads of tens of thousands of items whose stream no test reads: the engine searches all
    /// records of a stream before it adds one. A replica that is held later has a stream again. The transport does not record the request.
    pub fn stop_stream(&self, table: &str) {
        let request = json!({"TableName": table, "StreamSpecification": {"StreamEnabled": false}});
        self.run("UpdateTable", &request);
    }

    /// Returns a client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        let config = Builder::from(&self.sdk()).retry_partition(unlimited_retries());
        Client::from_conf(config.build())
    }

    /// Returns all items, sorted by PK and SK. The transport does not record the requests.
    pub fn items(&self, table: &str) -> Vec<Item> {
        let items = scan(&*self.state.primary, &json!(table));
        let mut items: Vec<Item> = items.iter().map(dump::item_from_json).collect();
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

    /// Opens the stream of a table at its oldest record.
    pub fn stream(&self, table: &str) -> Stream {
        Stream::open(&self.state.primary, table)
    }

    /// Returns every change in the table's stream, oldest first, in the form of the `Records` of a Lambda event, for tests that deliver them
    /// in batches, twice or out of order.
    pub fn stream_records(&self, table: &str) -> Vec<Value> {
        self.stream(table).changes()
    }

    /// Returns the records of the engine, for tests of the engine itself.
    pub fn all_stream_records(&self, table: &str) -> Vec<Value> {
        self.stream(table).records()
    }

    /// Sends a request to the engine without the transport, as the JSON of DynamoDB's protocol, and returns the HTTP status and the body. For
    /// tests of the engine itself.
    pub fn answer(&self, operation: &str, request: &str) -> (u16, Value) {
        let answer = self.state.primary.run(operation, request.as_bytes());
        let (status, body) = answer.map_or_else(|refused| (refused.status, refused.body), |body| (200, body));
        (
            status,
            serde_json::from_str(&body).expect("an engine answers in JSON"),
        )
    }

    fn run(&self, operation: &str, request: &Value) -> Value {
        tell(&*self.state.primary, operation, request)
    }
}
