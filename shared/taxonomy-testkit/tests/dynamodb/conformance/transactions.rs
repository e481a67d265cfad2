//! Transactions.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::TABLE;

use super::Behaviour;
use super::probe::{Probe, item, key, line, text};

const WRITE: &str = "TransactWriteItems (API reference)";
const OVERVIEW: &str = "Amazon DynamoDB Transactions: How it works";

fn put(item: Value) -> Value {
    json!({"Put": {"TableName": TABLE, "Item": item}})
}

fn puts(count: usize) -> Value {
    let actions: Vec<_> = (0..count).map(|id| put(key("a", &id.to_string()))).collect();
    json!({"TransactItems": actions})
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
fn half_failing(returning: Option<&str>) -> Value {
    let mut check =
        json!({"TableName": TABLE, "Item": key("a", "b"), "ConditionExpression": "attribute_not_exists(PK)"});
    if let Some(returning) = returning {
        check["ReturnValuesOnConditionCheckFailure"] = json!(returning);
    }
    json!({"TransactItems": [put(key("a", "new")), {"Put": check}]})
}

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "A transaction has at most 100 actions",
        page: WRITE,
        aws: "10: accepted; 25: accepted; 100: accepted; 101: ValidationException",
        probe: |probe| {
            let verdict = |count| probe.verdict("TransactWriteItems", &puts(count));
            line([
                ("10", verdict(10)),
                ("25", verdict(25)),
                ("100", verdict(100)),
                ("101", verdict(101)),
            ])
        },
    },
    Behaviour {
        name: "A transaction has at most 4 MB",
        page: WRITE,
        aws: "3.9 MB: accepted; 4.3 MB: refused",
        probe: |probe| {
            let of = |count: usize, length| {
                let actions: Vec<_> = (0..count)
                    .map(|id| put(item("a", &id.to_string(), json!({"Data": text(length)}))))
                    .collect();
                probe.verdict("TransactWriteItems", &json!({"TransactItems": actions}))
            };
            // AWS does not document whether the transaction is invalid or cancelled.
            let or_refused = |verdict: String| {
                if verdict == "accepted" {
                    verdict
                } else {
                    "refused".to_owned()
                }
            };
            line([
                ("3.9 MB", or_refused(of(10, 400_000))),
                ("4.3 MB", or_refused(of(11, 400_000))),
            ])
        },
    },
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
        name: "The order in which a request names an item's attributes does not matter to its token",
        page: WRITE,
        aws: "accepted",
        probe: |probe| {
            let token = probe.token();
            let send = |item: &str| {
                let action = format!(r#"{{"Put":{{"TableName":"{TABLE}","Item":{item}}}}}"#);
                let request = format!(r#"{{"ClientRequestToken":"{token}","TransactItems":[{action}]}}"#);
                probe.verdict_of_text("TransactWriteItems", &request)
            };
            assert_eq!(send(r#"{"PK":{"S":"a"},"SK":{"S":"b"}}"#), "accepted");
            send(r#"{"SK":{"S":"b"},"PK":{"S":"a"}}"#)
        },
    },
    Behaviour {
        name: "A cancelled transaction names the reason of each action in order and applies none",
        page: OVERVIEW,
        aws: "TransactionCanceledException: None, ConditionalCheckFailed; applied: no",
        probe: |probe| {
            probe.put(key("a", "b"));
            let refusal = probe.refusal("TransactWriteItems", &half_failing(None));
            let code = refusal["__type"].as_str().unwrap_or_default().rsplit('#').next();
            let reasons = refusal["CancellationReasons"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let reasons: Vec<_> = reasons
                .iter()
                .map(|reason| reason["Code"].as_str().unwrap_or("-"))
                .collect();
            let applied = if probe.get(&key("a", "new")).is_null() {
                "no"
            } else {
                "yes"
            };
            format!(
                "{}: {}; applied: {applied}",
                code.unwrap_or_default(),
                reasons.join(", ")
            )
        },
    },
    Behaviour {
        name: "A cancelled transaction shows the item that failed where the action asks for it",
        page: WRITE,
        aws: "asked: V=1; not asked: nothing",
        probe: |probe| {
            probe.put(item("a", "b", json!({"V": {"N": "1"}})));
            let shown = |returning| {
                let refusal = probe.refusal("TransactWriteItems", &half_failing(returning));
                let version = refusal["CancellationReasons"][1]["Item"]["V"]["N"].as_str();
                version.map_or("nothing".to_owned(), |version| format!("V={version}"))
            };
            line([("asked", shown(Some("ALL_OLD"))), ("not asked", shown(None))])
        },
    },
];

/// Returns the units of a small item in a transaction, without a token and with one that is sent twice.
pub(super) fn price(probe: &Probe) -> String {
    let plain = probe.units("TransactWriteItems", puts(1));
    let request = add_one(&probe.token());
    let first = probe.units("TransactWriteItems", request.clone());
    let again = probe.units("TransactWriteItems", request);
    format!("{plain}; with a token: {first}; the same again: {again}")
}
