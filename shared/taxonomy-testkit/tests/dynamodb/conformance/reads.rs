//! Reads, their order and their limits.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::TABLE;

use super::Behaviour;
use super::probe::{Probe, item, key, line, text};

const QUERY: &str = "Query (API reference)";
const BATCH: &str = "BatchGetItem (API reference)";
const MIB: usize = 1 << 20;
/// The size of an item in bytes: three such items exceed 1 MB, and 44 exceed 16 MB.
const LARGE: usize = 390_000;

fn batch(keys: &[Value]) -> Value {
    json!({"RequestItems": {TABLE: {"Keys": keys}}})
}

fn numbered(count: usize) -> Vec<Value> {
    (0..count).map(|id| key("a", &id.to_string())).collect()
}

fn put_large(probe: &Probe, count: usize) {
    for id in 0..count {
        probe.put(item("a", &id.to_string(), json!({"Data": text(LARGE)})));
    }
}

fn query(partition: &str) -> Value {
    json!({"KeyConditionExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": {"S": partition}}})
}

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "Sort keys are ordered by their UTF-8 bytes",
        page: QUERY,
        aws: "A a z ä ｡ 😀",
        probe: |probe| {
            for sort in ["z", "😀", "a", "｡", "ä", "A"] {
                probe.put(key("a", sort));
            }
            let answer = probe.send("Query", &query("a"));
            let sorts: Vec<_> = answer["Items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["SK"]["S"].as_str().unwrap())
                .collect();
            sorts.join(" ")
        },
    },
    Behaviour {
        name: "A page of a query has at most 1 MB",
        page: QUERY,
        aws: "at most 1 MB, more to come",
        probe: |probe| {
            put_large(probe, 4);
            let answer = probe.send("Query", &query("a"));
            let count = answer["Items"].as_array().unwrap().len();
            let size = if count * LARGE <= MIB {
                "at most 1 MB"
            } else {
                "more than 1 MB"
            };
            let more = if answer["LastEvaluatedKey"].is_null() {
                "the end"
            } else {
                "more to come"
            };
            format!("{size}, {more}")
        },
    },
    Behaviour {
        name: "A batch reads 100 items, each once",
        page: BATCH,
        aws: "100: accepted; 101: ValidationException; one twice: ValidationException",
        probe: |probe| {
            let verdict = |keys: &[Value]| probe.verdict("BatchGetItem", &batch(keys));
            line([
                ("100", verdict(&numbered(100))),
                ("101", verdict(&numbered(101))),
                ("one twice", verdict(&[key("a", "b"), key("a", "b")])),
            ])
        },
    },
    Behaviour {
        name: "A batch answers at most 16 MB and names the rest",
        page: BATCH,
        aws: "at most 16 MB, every other key unprocessed",
        probe: |probe| {
            put_large(probe, 44);
            let answer = probe.send("BatchGetItem", &batch(&numbered(44)));
            let answered = answer["Responses"][TABLE].as_array().map_or(0, Vec::len);
            let unprocessed = answer["UnprocessedKeys"][TABLE]["Keys"]
                .as_array()
                .map_or(0, Vec::len);
            let size = if answered * LARGE <= 16 * MIB {
                "at most 16 MB"
            } else {
                "more than 16 MB"
            };
            let rest = if answered + unprocessed == 44 {
                "every other key unprocessed"
            } else {
                "keys are missing"
            };
            format!("{size}, {rest}")
        },
    },
    Behaviour {
        name: "The index shows an item with both of its keys alone, and the projected attributes",
        page: "Take advantage of sparse indexes",
        aws: "b: GSI1PK GSI1SK PK SK",
        probe: |probe| {
            let both = json!({"GSI1PK": {"S": "p"}, "GSI1SK": {"S": "s"}, "Name": {"S": "n"}});
            probe.put(item("a", "b", both));
            probe.put(item("a", "c", json!({"GSI1PK": {"S": "p"}})));
            let mut read = query("p");
            read["KeyConditionExpression"] = json!("GSI1PK = :pk");
            read["IndexName"] = json!("GSI1");
            let answer = probe.send("Query", &read);
            let shown = |item: &Value| {
                let names: std::collections::BTreeSet<_> =
                    item.as_object().unwrap().keys().cloned().collect();
                let names: Vec<_> = names.into_iter().collect();
                format!("{}: {}", item["SK"]["S"].as_str().unwrap(), names.join(" "))
            };
            let items: Vec<_> = answer["Items"].as_array().unwrap().iter().map(shown).collect();
            items.join("; ")
        },
    },
];
