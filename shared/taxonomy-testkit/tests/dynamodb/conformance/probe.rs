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
        self.verdict_of_text(operation, &with_table(request).to_string())
    }

    /// Returns the same for a request in its exact text.
    pub(crate) fn verdict_of_text(&self, operation: &str, request: &str) -> String {
        let (status, answer) = self.0.answer(operation, request);
        if status == 200 {
            return "accepted".to_owned();
        }
        let code = answer["__type"].as_str().unwrap_or("no code");
        code.rsplit('#').next().unwrap_or(code).to_owned()
    }

    pub(crate) fn put(&self, item: Value) {
        self.send("PutItem", &json!({"Item": item}));
    }

    pub(crate) fn put_verdict(&self, item: &Value) -> String {
        self.verdict("PutItem", &json!({"Item": item}))
    }

    /// Returns an item, or null if there is none.
    pub(crate) fn get(&self, key: &Value) -> Value {
        self.send("GetItem", &json!({"Key": key, "ConsistentRead": true}))["Item"].take()
    }

    /// Returns the capacity units of a request.
    pub(crate) fn units(&self, operation: &str, request: Value) -> String {
        let mut request = request;
        request["ReturnConsumedCapacity"] = json!("TOTAL");
        let answer = self.send(operation, &request);
        let consumed = &answer["ConsumedCapacity"];
        let consumed = if consumed.is_array() {
            &consumed[0]
        } else {
            consumed
        };
        consumed["CapacityUnits"].to_string()
    }
}

/// Adds the table to a request for one table. Requests that name tables inside remain as they are.
fn with_table(request: &Value) -> Value {
    let mut request = request.clone();
    let names_tables_inside = request["TransactItems"].is_array() || request["RequestItems"].is_object();
    if !names_tables_inside && request["TableName"].is_null() {
        request["TableName"] = json!(TABLE);
    }
    for index in ["TransactItems", "RequestItems"] {
        if request[index].is_null() {
            request.as_object_mut().unwrap().remove(index);
        }
    }
    request
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
