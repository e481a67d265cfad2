//! The stream.

use serde_json::json;
use taxonomy_testkit::fixtures::TABLE;

use super::Behaviour;
use super::probe::{Probe, item, key};

const STREAMS: &str = "Change data capture for DynamoDB Streams";

fn names(probe: &Probe) -> String {
    let records = probe.db().all_stream_records(TABLE);
    let names: Vec<_> = records
        .iter()
        .map(|record| record["eventName"].as_str().unwrap_or("-"))
        .collect();
    names.join(" ")
}

pub(super) const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        name: "The stream has a record of each change in order",
        page: STREAMS,
        aws: "INSERT MODIFY REMOVE",
        probe: |probe| {
            probe.put(item("a", "b", json!({"V": {"N": "1"}})));
            probe.put(item("a", "b", json!({"V": {"N": "2"}})));
            probe.send("DeleteItem", &json!({"Key": key("a", "b")}));
            names(probe)
        },
    },
    Behaviour {
        name: "A write that changes nothing has no record in the stream",
        page: STREAMS,
        aws: "INSERT",
        probe: |probe| {
            for _ in 0..2 {
                probe.put(item("a", "b", json!({"V": {"N": "1"}})));
            }
            names(probe)
        },
    },
];
