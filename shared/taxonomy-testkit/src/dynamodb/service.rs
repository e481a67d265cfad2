//! SDK requests, which the engine answers on the calling thread.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::engine::Refused;
use super::replica::{Replicated, actions, key_of};
use crate::iam::Access;
use crate::transport::{Call, Measure, Refusal, Reply, Service, Subject};

impl Replicated {
    fn answer(&self, call: &Call, stale: bool) -> Reply {
        let operation = call.json_operation();
        self.apply(operation, call.json(), stale, |engine| {
            match engine.run(operation, &call.body) {
                Ok(body) => Reply::json(200, body),
                Err(Refused { status, body }) => Reply::json(status, body),
            }
        })
    }
}

impl Service for Replicated {
    fn name(&self) -> &'static str {
        "DynamoDB"
    }

    fn subject(&self, call: &Call) -> Subject {
        Subject {
            operation: call.json_operation().to_owned(),
            target: target(call.json()),
        }
    }

    fn apply(&self, call: &Call) -> Reply {
        self.answer(call, false)
    }

    fn apply_stale(&self, call: &Call) -> Reply {
        self.answer(call, true)
    }

    fn refuse(&self, call: &Call, refusal: Refusal) -> Reply {
        let (status, code) = match refusal {
            Refusal::ServerError => (500, "InternalServerError"),
            Refusal::Throttle => (400, "ProvisionedThroughputExceededException"),
            Refusal::Invalid => (400, "ValidationException"),
            Refusal::Conflict if call.json_operation().starts_with("Transact") => {
                (400, "TransactionCanceledException")
            }
            Refusal::Conflict => (400, "TransactionConflictException"),
        };
        let kind = format!("com.amazonaws.dynamodb.v20120810#{code}");
        let mut refused = json!({"__type": kind, "message": "injected by the testkit"});
        if code == "TransactionCanceledException" {
            let mut reasons = vec![json!({"Code": "None"}); actions(call.json()).count()];
            reasons[0] =
                json!({"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"});
            refused["CancellationReasons"] = json!(reasons);
        }
        Reply::json(status, refused.to_string())
    }

    fn accesses(&self, call: &Call, _: Option<u16>) -> Vec<Access> {
        accesses(call.json_operation(), call.json())
    }

    fn measure(&self, call: &Call, reply: &Reply) -> Measure {
        let answer: Answer = if reply.is_success() {
            serde_json::from_slice(&reply.body).expect("the engine answers in JSON")
        } else {
            Answer::default()
        };
        let items = match call.json_operation() {
            _ if !reply.is_success() => 0,
            "GetItem" => usize::from(answer.item.is_some()),
            "Query" | "Scan" => answer.items.len(),
            "BatchGetItem" => answer.responses.values().map(Vec::len).sum(),
            "TransactWriteItems" => actions(call.json()).count(),
            "PutItem" | "UpdateItem" | "DeleteItem" => 1,
            _ => 0,
        };
        Measure {
            error: reply.json_error(),
            items,
            units: units(&answer.consumed_capacity),
        }
    }
}

/// What is counted of a response. The items themselves are passed over, since large answers are measured as well.
#[derive(Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct Answer {
    item: Option<IgnoredAny>,
    items: Vec<IgnoredAny>,
    responses: BTreeMap<String, Vec<IgnoredAny>>,
    consumed_capacity: Value,
}

/// Returns one access per item, by its partition key; a transaction needs the permission of each of its actions.
fn accesses(operation: &str, request: &Value) -> Vec<Access> {
    let table = |of: &Value| of["TableName"].as_str().unwrap_or_default().to_owned();
    let item = |action: &str, of: &Value| {
        let partition = key_text(&key_of(of)["PK"]);
        Access::item(&format!("dynamodb:{action}"), &table(of), None, &partition)
    };
    match operation {
        "GetItem" | "PutItem" | "UpdateItem" | "DeleteItem" => vec![item(operation, request)],
        "Query" => {
            // `PK = :pk`, with which every condition begins.
            let condition = request["KeyConditionExpression"].as_str().unwrap_or_default();
            let mut words = condition.split_whitespace();
            assert!(
                matches!((words.next(), words.next()), (Some("PK" | "GSI1PK"), Some("="))),
                "{condition}"
            );
            let name = words.next().unwrap_or_default();
            let partition = key_text(&request["ExpressionAttributeValues"][name]);
            let index = request["IndexName"].as_str();
            vec![Access::item("dynamodb:Query", &table(request), index, &partition)]
        }
        "TransactWriteItems" => {
            let accesses = actions(request).map(|(name, of)| match name {
                "ConditionCheck" => item("ConditionCheckItem", of),
                name => item(&format!("{name}Item"), of),
            });
            accesses.collect()
        }
        "BatchGetItem" => {
            let keys = batched(request).map(|(table, key)| (table, key_text(&key["PK"])));
            keys.map(|(table, partition)| Access::item("dynamodb:BatchGetItem", table, None, &partition))
                .collect()
        }
        // These operations name no partition, so no condition key describes the items they touch.
        other => {
            let resource = Access::item("", &table(request), None, "").resource;
            vec![Access::new(&format!("dynamodb:{other}"), resource)]
        }
    }
}

/// Returns the tables and keys of a batch.
fn batched(request: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let tables = request["RequestItems"].as_object().into_iter().flatten();
    tables.flat_map(|(table, wanted)| {
        let keys = wanted["Keys"].as_array().into_iter().flatten();
        keys.map(move |key| (table.as_str(), key))
    })
}

/// Returns the capacity units; `ConsumedCapacity` is one object or a list of them, one per table.
fn units(consumed: &Value) -> Option<f64> {
    let of = |table: &Value| table["CapacityUnits"].as_f64();
    match consumed {
        Value::Array(tables) => Some(tables.iter().filter_map(of).sum()),
        table => of(table),
    }
}

/// Returns `table PK SK`, further keys after commas; for a query the values of its conditions.
fn target(request: &Value) -> String {
    let table = |of: &Value| of["TableName"].as_str().unwrap_or_default().to_owned();
    let item = |table: &str, key: &Value| {
        let key = format!("{table} {} {}", key_text(&key["PK"]), key_text(&key["SK"]));
        key.trim_end().to_owned()
    };
    if request["KeyConditionExpression"].is_string() {
        let index = request["IndexName"].as_str();
        let index = index.map_or_else(String::new, |index| format!(".{index}"));
        let values = request["ExpressionAttributeValues"].as_object();
        let values = values.into_iter().flatten();
        let values = values.map(|(name, value)| format!(" {name}={}", key_text(value)));
        return format!("{}{index}{}", table(request), values.collect::<String>());
    }
    let written = actions(request).map(|(_, action)| item(&table(action), key_of(action)));
    let read = batched(request).map(|(table, key)| item(table, key));
    let keys: Vec<_> = written.chain(read).collect();
    if keys.is_empty() {
        item(&table(request), key_of(request))
    } else {
        keys.join(", ")
    }
}

fn key_text(value: &Value) -> String {
    let typed = value.as_object().and_then(|typed| typed.values().next());
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    typed.map(text).unwrap_or_default()
}
