//! Reads, their order and their limits.

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::TABLE;

use super::Behaviour;
use super::probe::{Probe, batch, item, key, query, query_index, text};

const QUERY: &str = "Query (API reference)";
const BATCH: &str = "BatchGetItem (API reference)";
const MIB: usize = 1 << 20;
/// The size of an item in bytes: three such items exceed 1 MB, and 44 exceed 16 MB.
const LARGE: usize = 390_000;

fn numbered(count: usize) -> Vec<Value> {
    (0..count).map(|id| key("a", &id.to_string())).collect()
}

fn put_large(probe: &Probe, count: usize) {
    for id in 0..count {
        probe.put(item("a", &id.to_string(), json!({"Data": text(LARGE)})));
    }
}

fn length(list: &Value) -> usize {
    list.as_array().map_or(0, Vec::len)
}

/// Whether large items are within a bound.
fn bound(items: &Value, bytes: usize) -> &'static str {
    match length(items) * LARGE <= bytes {
        true => "at most",
        false => "more than",
    }
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
            let found = probe.send("Query", &query("a"))["Items"].take();
            let sorts = found.as_array().unwrap().iter();
            let sorts: Vec<_> = sorts.map(|item| item["SK"]["S"].as_str().unwrap()).collect();
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
            let more = match answer["LastEvaluatedKey"].is_null() {
                true => "the end",
                false => "more to come",
            };
            format!("{} 1 MB, {more}", bound(&answer["Items"], MIB))
        },
    },
    Behaviour {
        name: "A batch reads 100 items, each once",
        page: BATCH,
        aws: "100: accepted; 101: ValidationException; one twice: ValidationException",
        probe: |probe| {
            let twice = [key("a", "b"), key("a", "b")];
            probe.verdicts(
                "BatchGetItem",
                [
                    ("100", batch(&numbered(100))),
                    ("101", batch(&numbered(101))),
                    ("one twice", batch(&twice)),
                ],
            )
        },
    },
    Behaviour {
        name: "A batch answers at most 16 MB and names the rest",
        page: BATCH,
        aws: "at most 16 MB, every other key unprocessed",
        probe: |probe| {
            put_large(probe, 44);
            let answer = probe.send("BatchGetItem", &batch(&numbered(44)));
            let answered = &answer["Responses"][TABLE];
            let rest = match length(answered) + length(&answer["UnprocessedKeys"][TABLE]["Keys"]) {
                44 => "every other key unprocessed",
                _ => "keys are missing",
            };
            format!("{} 16 MB, {rest}", bound(answered, 16 * MIB))
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
            let answer = probe.send("Query", &query_index("p"));
            let shown = |item: &Value| {
                let mut names: Vec<_> = item.as_object().unwrap().keys().cloned().collect();
                names.sort();
                format!("{}: {}", item["SK"]["S"].as_str().unwrap(), names.join(" "))
            };
            let items: Vec<_> = answer["Items"].as_array().unwrap().iter().map(shown).collect();
            items.join("; ")
        },
    },
];
