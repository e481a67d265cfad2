//! A copy of the database that lags behind, from which eventually consistent reads can be answered.
//!
//! The copy is made item by item, not request by request: in AWS too the parts of a transaction arrive one by one, and partitions
//! independently.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::engine::Engine;
use crate::transport::{Call, Reply};

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
#[derive(Clone)]
pub(super) struct Replicated {
    pub(super) primary: Arc<dyn Engine>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The requests that created the tables.
    tables: Vec<(String, Value)>,
    replica: Option<Replica>,
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

impl Replicated {
    pub(super) fn new(primary: Arc<dyn Engine>) -> Self {
        Self {
            primary,
            state: Arc::default(),
        }
    }

    /// Copies the current items to a new replica and holds later writes back from it.
    pub(super) fn hold(&self) {
        let mut state = self.state();
        if state.replica.is_some() {
            return;
        }
        state.replica = Some(Replica {
            database: state.copy(&*self.primary),
            lag: Lag::Nothing,
            behind: VecDeque::new(),
        });
    }

    /// Copies the tables and the current items to another database, without a replica.
    pub(super) fn copy(&self) -> Self {
        let state = self.state();
        let copied = State {
            tables: state.tables.clone(),
            replica: None,
        };
        Self {
            primary: state.copy(&*self.primary),
            state: Arc::new(Mutex::new(copied)),
        }
    }

    pub(super) fn set_lag(&self, lag: Lag) {
        self.hold();
        self.held(|replica| replica.lag = lag);
    }

    pub(super) fn release(&self) {
        self.state().replica = None;
    }

    /// Returns PK and SK of the items that wait, oldest write first.
    pub(super) fn behind(&self) -> Vec<(String, String)> {
        self.held(|replica| replica.behind.iter().map(Change::key).collect())
    }

    /// Applies the oldest pending writes, of one partition or of all, and returns their number.
    pub(super) fn advance(&self, partition: Option<&str>, writes: usize) -> usize {
        self.held(|replica| {
            let mut arrived = 0;
            while arrived < writes {
                let mut changes = replica.behind.iter();
                let next = changes.position(|change| partition.is_none_or(|wanted| change.key().0 == wanted));
                let Some(change) = next.and_then(|next| replica.behind.remove(next)) else {
                    break;
                };
                change.arrive(&*replica.database);
                arrived += 1;
            }
            arrived
        })
    }

    /// Answers a request from the primary or the replica; `stale` if the request met the fault.
    pub(super) fn apply(
        &self,
        call: &Call,
        request: &Value,
        stale: bool,
        answer: impl Fn(&dyn Engine) -> Reply,
    ) -> Reply {
        let operation = call.json_operation();
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        let Some(replica) = &mut self.replica else {
            return;
        };
        for (table, key) in written(operation, request) {
            let read = json!({"TableName": table, "Key": key, "ConsistentRead": true});
            let mut found = tell(primary, "GetItem", &read);
            let item = Some(found["Item"].take()).filter(Value::is_object);
            replica.behind.push_back(Change { table, key, item });
        }
    }
}

impl Replica {
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
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let whole = |target: &Value| {
        let table = target["TableName"].as_str()?.to_owned();
        let named = if target["Key"].is_object() {
            &target["Key"]
        } else {
            &target["Item"]
        };
        Some((table, key_of(named)))
    };
    let found: Vec<(String, Value)> = match operation {
        "PutItem" | "UpdateItem" | "DeleteItem" => whole(request).into_iter().collect(),
        "TransactWriteItems" => {
            let actions = list(&request["TransactItems"]);
            let writes = actions.iter().filter_map(Value::as_object).flatten();
            let writes = writes.filter(|(kind, _)| *kind != "ConditionCheck");
            writes.filter_map(|(_, action)| whole(action)).collect()
        }
        "BatchWriteItem" => {
            let mut found = Vec::new();
            for (table, writes) in request["RequestItems"].as_object().into_iter().flatten() {
                for write in list(writes) {
                    let put = &write["PutRequest"]["Item"];
                    let named = if put.is_object() {
                        put
                    } else {
                        &write["DeleteRequest"]["Key"]
                    };
                    found.push((table.clone(), key_of(named)));
                }
            }
            found
        }
        _ => Vec::new(),
    };
    let mut seen = BTreeSet::new();
    let once = found
        .into_iter()
        .filter(|(table, key)| seen.insert(format!("{table} {key}")));
    once.collect()
}

fn key_of(item: &Value) -> Value {
    json!({"PK": item["PK"], "SK": item["SK"]})
}

fn scan(database: &dyn Engine, table: &Value) -> Vec<Value> {
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
