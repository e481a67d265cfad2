//! Conditions, updates and key conditions.

use serde_json::{Value, json};

use super::Behaviour;
use super::probe::{item, key, line};

const QUERY: &str = "Query (API reference)";
const UPDATE: &str = "UpdateItem (API reference)";
const CONDITIONS: &str = "DynamoDB condition expression CLI example";

fn conditional(condition: &str, values: Value) -> Value {
    let mut put = json!({"Item": key("a", "b"), "ConditionExpression": condition});
    if !values.is_null() {
        put["ExpressionAttributeValues"] = values;
    }
    put
}

fn update(expression: &str, values: Value) -> Value {
    let mut update = json!({"Key": key("a", "b"), "UpdateExpression": expression});
    if !values.is_null() {
        update["ExpressionAttributeValues"] = values;
    }
    update
}

fn query(condition: &str) -> Value {
    json!({"KeyConditionExpression": condition, "ExpressionAttributeValues": {":pk": {"S": "a"}}})
}

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "A reserved word needs a placeholder",
        page: "Reserved words in DynamoDB",
        aws: "plain: ValidationException; placeholder: accepted",
        probe: |probe| {
            let mut named = conditional("attribute_not_exists(#n)", Value::Null);
            named["ExpressionAttributeNames"] = json!({"#n": "Name"});
            let plain = conditional("attribute_not_exists(Name)", Value::Null);
            line([
                ("plain", probe.verdict("PutItem", &plain)),
                ("placeholder", probe.verdict("PutItem", &named)),
            ])
        },
    },
    Behaviour {
        name: "A comparison with an attribute that is not there is false",
        page: CONDITIONS,
        aws: "V < 1: ConditionalCheckFailedException; V = 1: ConditionalCheckFailedException",
        probe: |probe| {
            let one = || json!({":v": {"N": "1"}});
            line([
                ("V < 1", probe.verdict("PutItem", &conditional("V < :v", one()))),
                ("V = 1", probe.verdict("PutItem", &conditional("V = :v", one()))),
            ])
        },
    },
    Behaviour {
        name: "A failed condition shows the item where the request asks for it",
        page: "PutItem (API reference)",
        aws: "asked: V=1; not asked: nothing",
        probe: |probe| {
            probe.put(item("a", "b", json!({"V": {"N": "1"}})));
            let mut put = conditional("attribute_not_exists(PK)", Value::Null);
            let plain = probe.refusal("PutItem", &put);
            put["ReturnValuesOnConditionCheckFailure"] = json!("ALL_OLD");
            let shown = probe.refusal("PutItem", &put);
            let version = |answer: &Value| {
                answer["Item"]["V"]["N"]
                    .as_str()
                    .map_or("nothing".to_owned(), |v| format!("V={v}"))
            };
            format!("asked: {}; not asked: {}", version(&shown), version(&plain))
        },
    },
    Behaviour {
        name: "An update creates the item that is not there",
        page: UPDATE,
        aws: "V=1",
        probe: |probe| {
            probe.send("UpdateItem", &update("ADD V :one", json!({":one": {"N": "1"}})));
            format!(
                "V={}",
                probe.get(&key("a", "b"))["V"]["N"].as_str().unwrap_or_default()
            )
        },
    },
    Behaviour {
        name: "A read of the index cannot be consistent",
        page: QUERY,
        aws: "consistent: ValidationException; eventual: accepted",
        probe: |probe| {
            let mut read = query("GSI1PK = :pk");
            read["IndexName"] = json!("GSI1");
            let eventual = probe.verdict("Query", &read);
            read["ConsistentRead"] = json!(true);
            line([
                ("consistent", probe.verdict("Query", &read)),
                ("eventual", eventual),
            ])
        },
    },
];
