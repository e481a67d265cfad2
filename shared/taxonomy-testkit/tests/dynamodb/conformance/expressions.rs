//! Conditions, updates and key conditions.

use serde_json::{Value, json};

use super::Behaviour;
use super::probe::{item, key, line};

const QUERY: &str = "Query (API reference)";
const UPDATE: &str = "UpdateItem (API reference)";
const NAMES: &str = "Expression attribute names (aliases) in DynamoDB";
const VALUES: &str = "Using expression attribute values in DynamoDB";
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
        name: "A placeholder is defined and used",
        page: VALUES,
        aws: "undefined: ValidationException; unused: ValidationException; used: accepted",
        probe: |probe| {
            let one = json!({":v": {"N": "1"}});
            let unused = conditional("attribute_not_exists(PK)", one.clone());
            let used = conditional("attribute_not_exists(PK) OR V < :v", one);
            line([
                (
                    "undefined",
                    probe.verdict("PutItem", &conditional("V < :v", Value::Null)),
                ),
                ("unused", probe.verdict("PutItem", &unused)),
                ("used", probe.verdict("PutItem", &used)),
            ])
        },
    },
    Behaviour {
        name: "A name placeholder that nothing uses is refused",
        page: NAMES,
        aws: "ValidationException",
        probe: |probe| {
            let mut put = conditional("attribute_not_exists(PK)", Value::Null);
            put["ExpressionAttributeNames"] = json!({"#n": "Name"});
            probe.verdict("PutItem", &put)
        },
    },
    Behaviour {
        name: "An expression has at most 4 KB",
        page: "Quotas in Amazon DynamoDB",
        aws: "4096: accepted; 4097: ValidationException",
        probe: |probe| {
            let of = |length: usize| {
                let expression = "attribute_not_exists(Absent)";
                // The padding is parentheses instead of blanks, because blanks may not count.
                let rest = (length - expression.len()) % 2;
                let pairs = (length - expression.len() - rest) / 2;
                let pairs = pairs.min(1);
                let head = format!("{}{expression}{}", "(".repeat(pairs), ")".repeat(pairs));
                let fill = length - head.len();
                // Each clause is ` OR attribute_exists(AAA…)`.
                format!(
                    "{head} OR attribute_exists({})",
                    "A".repeat(fill - " OR attribute_exists()".len())
                )
            };
            line([
                (
                    "4096",
                    probe.verdict("PutItem", &conditional(&of(4096), Value::Null)),
                ),
                (
                    "4097",
                    probe.verdict("PutItem", &conditional(&of(4097), Value::Null)),
                ),
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
        name: "An update does not change a key",
        page: UPDATE,
        aws: "ValidationException",
        probe: |probe| probe.verdict("UpdateItem", &update("SET SK = :v", json!({":v": {"S": "c"}}))),
    },
    Behaviour {
        name: "An update names a path once",
        page: "Using update expressions in DynamoDB",
        aws: "ValidationException",
        probe: |probe| {
            let values = json!({":v": {"N": "1"}});
            probe.verdict("UpdateItem", &update("SET V = :v REMOVE V", values))
        },
    },
    Behaviour {
        name: "An update inside of a map that is not there is refused",
        page: "Using update expressions in DynamoDB",
        aws: "ValidationException",
        probe: |probe| {
            probe.put(key("a", "b"));
            probe.verdict(
                "UpdateItem",
                &update("SET Totals2.Terms = :v", json!({":v": {"N": "1"}})),
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
    Behaviour {
        name: "A filter does not name a key",
        page: "Filter expressions for the Query operation in DynamoDB",
        aws: "ValidationException",
        probe: |probe| {
            let mut read = query("PK = :pk");
            read["FilterExpression"] = json!("SK > :pk");
            probe.verdict("Query", &read)
        },
    },
    Behaviour {
        name: "A table that is not there is named as missing",
        page: "Error handling with DynamoDB",
        aws: "ResourceNotFoundException",
        probe: |probe| probe.verdict("PutItem", &json!({"TableName": "other", "Item": key("a", "b")})),
    },
];
