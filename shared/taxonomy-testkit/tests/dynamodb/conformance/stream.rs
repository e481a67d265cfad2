//! The stream.

use serde_json::{Value, json};

use super::Behaviour;
use super::probe::{Probe, item, key, line};

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
    Behaviour {
        name: "A record holds both images, the key and a sequence number that grows",
        page: "StreamRecord (API reference)",
        aws: "V 1 to 2, key b, growing",
        probe: |probe| {
            probe.put(item("a", "b", json!({"V": {"N": "1"}})));
            probe.put(item("a", "b", json!({"V": {"N": "2"}})));
            let records = records(probe);
            let change = &records[1]["dynamodb"];
            let version = |image: &str| change[image]["V"]["N"].as_str().unwrap_or("-").to_owned();
            let number = |record: &Value| {
                record["dynamodb"]["SequenceNumber"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            };
            let (first, second) = (number(&records[0]), number(&records[1]));
            let grows = (first.len(), &first) < (second.len(), &second);
            format!(
                "V {} to {}, key {}, {}",
                version("OldImage"),
                version("NewImage"),
                change["Keys"]["SK"]["S"].as_str().unwrap_or("-"),
                if grows { "growing" } else { "not growing" }
            )
        },
    },
    Behaviour {
        name: "A stream is enabled and disabled once",
        page: "UpdateTable (API reference)",
        aws: "enabled again: ValidationException; disabled: accepted; disabled again: ValidationException",
        probe: |probe| {
            let set = |enabled: bool| {
                let mut stream = json!({"StreamEnabled": enabled});
                if enabled {
                    stream["StreamViewType"] = json!("NEW_AND_OLD_IMAGES");
                }
                probe.verdict("UpdateTable", &json!({"StreamSpecification": stream}))
            };
            line([
                ("enabled again", set(true)),
                ("disabled", set(false)),
                ("disabled again", set(false)),
            ])
        },
    },
];
