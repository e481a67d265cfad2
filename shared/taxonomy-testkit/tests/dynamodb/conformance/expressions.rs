//! Conditions, updates and key conditions.

use serde_json::{Value, json};

use super::Behaviour;
use super::probe::{item, key, query_index};

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

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "A reserved word needs a placeholder",
        page: "Reserved words in DynamoDB",
        aws: "plain: ValidationException; placeholder: accepted",
        probe: |probe| {
            let mut named = conditional("attribute_not_exists(#n)", Value::Null);
            named["ExpressionAttributeNames"] = json!({"#n": "Name"});
            let plain = conditional("attribute_not_exists(Name)", Value::Null);
            probe.verdicts("PutItem", [("plain", plain), ("placeholder", named)])
        },
    },
    Behaviour {
        name: "A comparison with an attribute that is not there is false",
        page: CONDITIONS,
        aws: "V < 1: ConditionalCheckFailedException; V = 1: ConditionalCheckFailedException",
        probe: |probe| {
            let compared = |condition| conditional(condition, json!({":v": {"N": "1"}}));
            let (less, equal) = (compared("V < :v"), compared("V = :v"));
            probe.verdicts("PutItem", [("V < 1", less), ("V = 1", equal)])
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
            let one = json!({":one": {"N": "1"}});
            let add = json!({"Key": key("a", "b"), "UpdateExpression": "ADD V :one", "ExpressionAttributeValues": one});
            probe.send("UpdateItem", &add);
            let stored = probe.get(&key("a", "b"))["V"]["N"].take();
            format!("V={}", stored.as_str().unwrap_or_default())
        },
    },
    Behaviour {
        name: "A read of the index cannot be consistent",
        page: QUERY,
        aws: "consistent: ValidationException; eventual: accepted",
        probe: |probe| {
            let (eventual, mut consistent) = (query_index("a"), query_index("a"));
            consistent["ConsistentRead"] = json!(true);
            probe.verdicts("Query", [("consistent", consistent), ("eventual", eventual)])
        },
    },
];
