//! The database of a probe, and short forms of its responses.

use serde_json::{Value, json};
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::fixtures::TABLE;

/// A database with the table, which is empty at first.
pub(crate) struct Probe(EmbeddedDynamoDb);

impl Probe {
    pub(crate) fn new() -> Self {
        let db = EmbeddedDynamoDb::new();
        db.create_table(TABLE);
        Self(db)
    }

    /// Returns a token that no request has used: engines remember tokens longer than tables.
    pub(crate) fn token(&self) -> String {
        format!("{:032x}", fastrand::u128(..))
    }

    pub(crate) fn db(&self) -> &EmbeddedDynamoDb {
        &self.0
    }

    /// Returns the response to a request that must succeed.
    pub(crate) fn send(&self, operation: &str, request: &Value) -> Value {
        let (status, answer) = self.0.answer(operation, &with_table(request).to_string());
        assert_eq!(status, 200, "{operation} {request}: {answer}");
        answer
    }

    /// Returns the body of a request that must fail.
    pub(crate) fn refusal(&self, operation: &str, request: &Value) -> Value {
        let (status, answer) = self.0.answer(operation, &with_table(request).to_string());
        assert_ne!(status, 200, "{operation} {request}: {answer}");
        answer
    }

    /// Returns `accepted` or the error's code.
    pub(crate) fn verdict(&self, operation: &str, request: &Value) -> String {
        let (status, answer) = self.0.answer(operation, &with_table(request).to_string());
        match status {
            200 => "accepted".to_owned(),
            _ => code(&answer).to_owned(),
        }
    }

    pub(crate) fn put(&self, item: Value) {
        self.send("PutItem", &json!({"Item": item}));
    }

    /// Returns `what: verdict` of each request in one line.
    pub(crate) fn verdicts<const N: usize>(&self, operation: &str, requests: [(&str, Value); N]) -> String {
        line(requests.map(|(what, request)| (what, self.verdict(operation, &request))))
    }

    /// Returns the same for items to put.
    pub(crate) fn puts<const N: usize>(&self, items: [(&str, Value); N]) -> String {
        self.verdicts("PutItem", items.map(|(what, item)| (what, json!({"Item": item}))))
    }

    /// Returns an item, or null if there is none.
    pub(crate) fn get(&self, key: &Value) -> Value {
        self.send("GetItem", &json!({"Key": key, "ConsistentRead": true}))["Item"].take()
    }

    /// Returns `what: units` of each request in one line.
    pub(crate) fn costs<const N: usize>(&self, operation: &str, requests: [(&str, Value); N]) -> String {
        line(requests.map(|(what, request)| (what, self.units(operation, request))))
    }

    /// Returns the capacity units of a request.
    pub(crate) fn units(&self, operation: &str, request: Value) -> String {
        let mut request = request;
        request["ReturnConsumedCapacity"] = json!("TOTAL");
        let answer = self.send(operation, &request);
        let consumed = &answer["ConsumedCapacity"];
        let consumed = consumed.get(0).unwrap_or(consumed);
        consumed["CapacityUnits"].to_string()
    }
}

/// Adds the table to a request for one table. Requests that name tables inside remain as they are.
fn with_table(request: &Value) -> Value {
    let mut request = request.clone();
    if request
        .get("TransactItems")
        .or(request.get("RequestItems"))
        .is_none()
    {
        request["TableName"] = json!(TABLE);
    }
    request
}

/// Returns the error's code of a refusal.
pub(crate) fn code(refusal: &Value) -> &str {
    let code = refusal["__type"].as_str().unwrap_or("no code");
    code.rsplit('#').next().unwrap_or(code)
}

pub(crate) fn key(partition: &str, sort: &str) -> Value {
    json!({"PK": {"S": partition}, "SK": {"S": sort}})
}

/// Returns a key with further attributes.
pub(crate) fn item(partition: &str, sort: &str, attributes: Value) -> Value {
    let mut item = key(partition, sort);
    for (name, value) in attributes.as_object().unwrap() {
        item[name] = value.clone();
    }
    item
}

pub(crate) fn text(length: usize) -> Value {
    json!({"S": "x".repeat(length)})
}

/// Returns `what: verdict` pairs in one line.
pub(crate) fn line<const N: usize>(verdicts: [(&str, String); N]) -> String {
    verdicts
        .map(|(what, verdict)| format!("{what}: {verdict}"))
        .join("; ")
}

/// Returns a query for the items of a partition.
pub(crate) fn query(partition: &str) -> Value {
    json!({"KeyConditionExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": {"S": partition}}})
}

/// Returns a query of the index for the items of a partition.
pub(crate) fn query_index(partition: &str) -> Value {
    let mut query = query(partition);
    query["KeyConditionExpression"] = json!("GSI1PK = :pk");
    query["IndexName"] = json!("GSI1");
    query
}

pub(crate) fn batch(keys: &[Value]) -> Value {
    json!({"RequestItems": {TABLE: {"Keys": keys}}})
}
