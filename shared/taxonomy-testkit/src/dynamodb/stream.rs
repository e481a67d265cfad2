//! The stream of a table, read on from where the last reading ended.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::engine::Engine;
use super::replica::tell;

/// A reader of a table's stream. The transport does not record its requests.
pub struct Stream {
    engine: Arc<dyn Engine>,
    arn: Value,
    /// Where the next reading of each shard begins.
    iterators: Vec<Value>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("arn", &self.arn)
            .finish_non_exhaustive()
    }
}

impl Stream {
    pub(super) fn open(engine: &Arc<dyn Engine>, table: &str) -> Self {
        let ask = |operation: &str, request: &Value| tell(&**engine, operation, request);
        let arn = ask("DescribeTable", &json!({"TableName": table}))["Table"]["LatestStreamArn"].take();
        assert!(arn.is_string(), "table {table} has no stream");
        let described = ask("DescribeStream", &json!({"StreamArn": arn}));
        let description = &described["StreamDescription"];
        assert!(
            description["LastEvaluatedShardId"].is_null(),
            "a stream of a test has one page of shards"
        );
        let shards = description["Shards"]
            .as_array()
            .expect("a stream lists its shards");
        let oldest = |shard: &Value| {
            let request =
                json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
            ask("GetShardIterator", &request)["ShardIterator"].take()
        };
        Self {
            engine: Arc::clone(engine),
            iterators: shards.iter().map(oldest).collect(),
            arn,
        }
    }

    /// Returns every change since the last reading, oldest first, in the form of the `Records` of a Lambda event.
    pub fn changes(&mut self) -> Vec<Value> {
        let mut records = self.records();
        // The engine also records writes that change nothing; AWS does not.
        records.retain(|record| record["dynamodb"]["OldImage"] != record["dynamodb"]["NewImage"]);
        records
    }

    /// Returns the engine's records since the last reading.
    pub fn records(&mut self) -> Vec<Value> {
        let mut records = Vec::new();
        for iterator in &mut self.iterators {
            loop {
                let mut page = tell(&*self.engine, "GetRecords", &json!({"ShardIterator": iterator}));
                *iterator = page["NextShardIterator"].take();
                let found = page["Records"].as_array_mut().expect("a shard lists its records");
                if found.is_empty() {
                    break;
                }
                for record in found {
                    record["eventSourceARN"] = self.arn.clone();
                    record["awsRegion"] = json!("eu-west-1");
                    records.push(record.take());
                }
            }
        }
        records
    }
}
