//! The stream.

use serde_json::{Value, json};

use super::Behaviour;
use super::probe::{Probe, item, key};

const STREAMS: &str = "Change data capture for DynamoDB Streams";

/// Returns the engine's records, including those that the testkit leaves out.
fn records(probe: &Probe) -> Vec<Value> {
    let table = probe.send("DescribeTable", &json!({}))["Table"].take();
    let arn = table["LatestStreamArn"].clone();
    let ask = |operation: &str, request: Value| {
        let (status, answer) = probe.db().answer(operation, &request.to_string());
        assert_eq!(status, 200, "{operation}: {answer}");
        answer
    };
    let described = ask("DescribeStream", json!({"StreamArn": arn}));
    let shards = described["StreamDescription"]["Shards"]
        .as_array()
        .unwrap()
        .clone();
    let read = |shard: &Value| {
        let request =
            json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = ask("GetShardIterator", request)["ShardIterator"].take();
        let found = ask("GetRecords", json!({"ShardIterator": iterator}))["Records"].take();
        found.as_array().cloned().unwrap_or_default()
    };
    shards.iter().flat_map(read).collect()
}

fn names(probe: &Probe) -> String {
    let names: Vec<_> = records(probe)
        .iter()
        .map(|record| record["eventName"].as_str().unwrap_or("-").to_owned())
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
