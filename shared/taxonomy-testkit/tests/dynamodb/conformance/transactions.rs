//! Transactions.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::TABLE;

use super::Behaviour;
use super::probe::{Probe, code, key};

const WRITE: &str = "TransactWriteItems (API reference)";
const OVERVIEW: &str = "Amazon DynamoDB Transactions: How it works";

fn put(item: Value) -> Value {
    json!({"Put": {"TableName": TABLE, "Item": item}})
}

fn add_one(token: &str) -> Value {
    let update = json!({
        "TableName": TABLE,
        "Key": key("a", "b"),
        "UpdateExpression": "ADD V :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    });
    json!({"TransactItems": [{"Update": update}], "ClientRequestToken": token})
}

/// Returns a transaction whose second action fails.
fn half_failing() -> Value {
    let check =
        json!({"TableName": TABLE, "Item": key("a", "b"), "ConditionExpression": "attribute_not_exists(PK)"});
    json!({"TransactItems": [put(key("a", "new")), {"Put": check}]})
}

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "A transaction sent twice with one token is applied once",
        page: WRITE,
        aws: "accepted, accepted, V=1",
        probe: |probe| {
            let request = add_one(&probe.token());
            let first = probe.verdict("TransactWriteItems", &request);
            let second = probe.verdict("TransactWriteItems", &request);
            let stored = probe.get(&key("a", "b"))["V"]["N"].take();
            format!("{first}, {second}, V={}", stored.as_str().unwrap_or_default())
        },
    },
    Behaviour {
        name: "A cancelled transaction names the reason of each action in order and applies none",
        page: OVERVIEW,
        aws: "TransactionCanceledException: None, ConditionalCheckFailed; applied: no",
        probe: |probe| {
            probe.put(key("a", "b"));
            let refusal = probe.refusal("TransactWriteItems", &half_failing());
            let reasons = refusal["CancellationReasons"].as_array().into_iter().flatten();
            let reasons: Vec<_> = reasons
                .map(|reason| reason["Code"].as_str().unwrap_or("-"))
                .collect();
            let applied = match probe.get(&key("a", "new")).is_null() {
                true => "no",
                false => "yes",
            };
            format!("{}: {}; applied: {applied}", code(&refusal), reasons.join(", "))
        },
    },
];

/// Returns the units of a small item in a transaction, without a token and with one that is sent twice.
pub(super) fn price(probe: &Probe) -> String {
    let plain = probe.units(
        "TransactWriteItems",
        json!({"TransactItems": [put(key("a", "0"))]}),
    );
    let request = add_one(&probe.token());
    let first = probe.units("TransactWriteItems", request.clone());
    let again = probe.units("TransactWriteItems", request);
    format!("{plain}; with a token: {first}; the same again: {again}")
}
