//! A copy of the database that lags behind, from which eventually consistent reads can be answered.
//!
//! The copy is made item by item, not request by request: in AWS too the parts of a transaction arrive one by one, and partitions
//! independently.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use super::EmbeddedDynamoDb;
use super::engine::{self, Engine};
use crate::lock;
use crate::transport::Reply;

/// The eventually consistent reads that the replica answers. It never answers consistent reads or transactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lag {
    /// Only reads that meet a [`Fault::StaleRead`](crate::Fault::StaleRead).
    #[default]
    Nothing,
    /// Queries and scans of an index.
    Index,
    /// Those, and `GetItem`, `BatchGetItem`, `Query` and `Scan` of the table.
    Everything,
}

/// The database and, once a test holds one, its replica.
pub struct Replicated {
    pub(super) primary: Arc<dyn Engine>,
    state: Mutex<State>,
}

/// An empty database.
impl Default for Replicated {
    fn default() -> Self {
        Self {
            primary: engine::open(),
            state: Mutex::default(),
        }
    }
}

impl fmt::Debug for Replicated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replicated")
    }
}

#[derive(Default)]
struct State {
    /// The requests that created the tables.
    tables: Vec<(String, Value)>,
    replica: Option<Replica>,
    writes: usize,
}

struct Replica {
    database: Arc<dyn Engine>,
    lag: Lag,
    behind: VecDeque<Change>,
}

/// The state of an item after a write; `None` if the write removed it.
struct Change {
    table: String,
    key: Value,
    item: Option<Value>,
}

impl EmbeddedDynamoDb {
    /// Holds a replica: it stays as it is now while writes continue. [`Fault::StaleRead`](crate::Fault::StaleRead) and [`Self::lag`]
    /// read from it. Without a replica no item is copied. Does nothing if a replica is already held.
    pub fn hold_replica(&self) {
        let mut state = self.state.state();
        if state.replica.is_none() {
            state.replica = Some(Replica {
                database: state.copy(&*self.state.primary),
                lag: Lag::Nothing,
                behind: VecDeque::new(),
            });
        }
    }

    /// Answers all eventually consistent reads of this kind from the replica, and holds a replica if none is held.
    pub fn lag(&self, lag: Lag) {
        self.hold_replica();
        self.state.held(|replica| replica.lag = lag);
    }

    /// Applies up to `writes` of the oldest pending writes to the items of one partition key to the replica, and returns how many it applied.
    /// A transaction counts as one write per item. Partitions do not wait for each other.
    ///
    /// # Panics
    /// Panics if no replica is held, as every method about the replica does except [`drop_replica`](Self::drop_replica).
    pub fn advance_partition(&self, partition: &str, writes: usize) -> usize {
        self.state
            .held(|replica| replica.advance(Some(partition), writes))
    }

    /// Applies all pending writes to the replica and returns their number; later writes are held back again.
    pub fn advance_replica_fully(&self) -> usize {
        self.state.held(|replica| replica.advance(None, usize::MAX))
    }

    /// Returns PK and SK of the writes that the replica does not have yet, oldest first.
    pub fn behind(&self) -> Vec<(String, String)> {
        self.state
            .held(|replica| replica.behind.iter().map(Change::key).collect())
    }

    /// Returns the number of requests that wrote so far, by which a test knows whether anything can have changed.
    pub fn writes(&self) -> usize {
        self.state.state().writes
    }

    /// Removes the replica: every read is consistent again.
    pub fn drop_replica(&self) {
        self.state.state().replica = None;
    }
}

impl Replicated {
    /// Copies the tables and the current items to another database, without a replica.
    pub(super) fn copy(&self) -> Self {
        let state = self.state();
        let copied = State {
            tables: state.tables.clone(),
            ..State::default()
        };
        Self {
            primary: state.copy(&*self.primary),
            state: Mutex::new(copied),
        }
    }

    /// Answers a request from the primary or the replica; `stale` if the request met the fault.
    pub(super) fn apply(
        &self,
        operation: &str,
        request: &Value,
        stale: bool,
        answer: impl Fn(&dyn Engine) -> Reply,
    ) -> Reply {
        let mut state = self.state();
        if stale && !is_consistent(operation, request) {
            let replica = state.replica.as_ref();
            let replica = replica.expect("a stale read needs a replica: EmbeddedDynamoDb::hold_replica");
            return answer(&*replica.database);
        }
        if let Some(replica) = &state.replica
            && replica.answers(operation, request)
        {
            return answer(&*replica.database);
        }
        let reply = answer(&*self.primary);
        if reply.is_success() {
            state.note(&*self.primary, operation, request);
        }
        reply
    }

    /// Records the changes of a request that did not pass the transport.
    pub(super) fn note(&self, operation: &str, request: &Value) {
        self.state().note(&*self.primary, operation, request);
    }

    fn held<T>(&self, action: impl FnOnce(&mut Replica) -> T) -> T {
        let mut state = self.state();
        let replica = state.replica.as_mut();
        action(replica.expect("no replica is held: EmbeddedDynamoDb::hold_replica"))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn copy(&self, primary: &dyn Engine) -> Arc<dyn Engine> {
        let database = primary.another();
        for (operation, request) in &self.tables {
            tell(&*database, operation, request);
        }
        for table in self.table_names() {
            for item in scan(primary, &table) {
                tell(&*database, "PutItem", &json!({"TableName": table, "Item": item}));
            }
        }
        database
    }

    fn table_names(&self) -> Vec<Value> {
        let made = self.tables.iter().filter(|(made, _)| made == "CreateTable");
        made.map(|(_, table)| table["TableName"].clone()).collect()
    }

    fn note(&mut self, primary: &dyn Engine, operation: &str, request: &Value) {
        if matches!(operation, "CreateTable" | "UpdateTimeToLive") {
            self.tables.push((operation.to_owned(), request.clone()));
            if let Some(replica) = &self.replica {
                tell(&*replica.database, operation, request);
            }
        }
        let written = written(operation, request);
        self.writes += usize::from(!written.is_empty());
        let Some(replica) = &mut self.replica else {
            return;
        };
        for (table, key) in written {
            let read = json!({"TableName": table, "Key": key, "ConsistentRead": true});
            let mut found = tell(primary, "GetItem", &read);
            let item = Some(found["Item"].take()).filter(Value::is_object);
            replica.behind.push_back(Change { table, key, item });
        }
    }
}

impl Replica {
    fn advance(&mut self, partition: Option<&str>, writes: usize) -> usize {
        for arrived in 0..writes {
            let mut changes = self.behind.iter();
            let next = changes.position(|change| partition.is_none_or(|wanted| change.key().0 == wanted));
            let Some(change) = next.and_then(|next| self.behind.remove(next)) else {
                return arrived;
            };
            change.arrive(&*self.database);
        }
        writes
    }

    fn answers(&self, operation: &str, request: &Value) -> bool {
        match self.lag {
            Lag::Nothing => false,
            Lag::Index => request["IndexName"].is_string() && !is_consistent(operation, request),
            Lag::Everything => !is_consistent(operation, request),
        }
    }
}

impl Change {
    fn key(&self) -> (String, String) {
        let part = |name: &str| self.key[name]["S"].as_str().unwrap_or_default().to_owned();
        (part("PK"), part("SK"))
    }

    fn arrive(self, replica: &dyn Engine) {
        let Self { table, key, item } = self;
        match item {
            Some(item) => tell(replica, "PutItem", &json!({"TableName": table, "Item": item})),
            None => tell(replica, "DeleteItem", &json!({"TableName": table, "Key": key})),
        };
    }
}

/// Whether AWS answers this request from the newest state.
fn is_consistent(operation: &str, request: &Value) -> bool {
    match operation {
        "GetItem" | "Query" | "Scan" => request["ConsistentRead"] == true,
        "BatchGetItem" => {
            let tables = request["RequestItems"].as_object().into_iter().flatten();
            tables.into_iter().any(|(_, keys)| keys["ConsistentRead"] == true)
        }
        _ => true,
    }
}

/// Returns table and key of every item that a request may have written, each once.
fn written(operation: &str, request: &Value) -> Vec<(String, Value)> {
    let whole = |target: &Value| {
        let table = target["TableName"].as_str()?.to_owned();
        let key = key_of(target);
        Some((table, json!({"PK": key["PK"], "SK": key["SK"]})))
    };
    let found: Vec<(String, Value)> = match operation {
        "PutItem" | "UpdateItem" | "DeleteItem" => whole(request).into_iter().collect(),
        "TransactWriteItems" => {
            let writes = actions(request).filter(|(kind, _)| *kind != "ConditionCheck");
            writes.filter_map(|(_, action)| whole(action)).collect()
        }
        _ => Vec::new(),
    };
    let mut seen = BTreeSet::new();
    let once = found
        .into_iter()
        .filter(|(table, key)| seen.insert(format!("{table} {key}")));
    once.collect()
}

/// Returns the kinds and contents of a transaction's actions.
pub(super) fn actions(request: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let actions = request["TransactItems"].as_array().into_iter().flatten();
    let actions = actions.filter_map(Value::as_object).flatten();
    actions.map(|(kind, action)| (kind.as_str(), action))
}

/// Returns the key of a request about one item, perhaps with the other attributes of the item.
pub(super) fn key_of(request: &Value) -> &Value {
    request.get("Key").unwrap_or(&request["Item"])
}

/// Returns all items of a table.
pub(super) fn scan(database: &dyn Engine, table: &Value) -> Vec<Value> {
    let (mut items, mut start) = (Vec::new(), Value::Null);
    loop {
        let mut request = json!({"TableName": table});
        if !start.is_null() {
            request["ExclusiveStartKey"] = start;
        }
        let mut page = tell(database, "Scan", &request);
        items.extend(page["Items"].as_array().cloned().unwrap_or_default());
        start = page["LastEvaluatedKey"].take();
        if start.is_null() {
            return items;
        }
    }
}

/// Runs an operation of the testkit itself, which must not fail.
pub(super) fn tell(engine: &dyn Engine, operation: &str, request: &Value) -> Value {
    let answer = engine.run(operation, request.to_string().as_bytes());
    let answer = answer.unwrap_or_else(|refused| panic!("{operation} {request}: {}", refused.body));
    serde_json::from_str(&answer).expect("an engine answers in JSON")
}
