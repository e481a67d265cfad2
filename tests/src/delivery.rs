//! What AWS and an upstream do: uploads, events, records and messages that are delivered to new processes.

use projector::ProjectorError;
use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::sqs::{Message, sqs_event};
use taxonomy_testkit::{Fault, When};
use taxonomy_versioning::Deadline;

use crate::queues::{DEFERRED, RETRIES};
use crate::world::{TENANT, World};

/// Returns an event of a schedule.
pub fn scheduled(kind: &str) -> Value {
    json!({"source": "taxonomy.schedule", "detail-type": kind})
}

impl World {
    /// Uploads a file as an upstream does, and returns the event of the upload.
    pub fn upload(&self, tenant: &str, file: &[u8]) -> Value {
        self.s3
            .put(SOURCE_BUCKET, &format!("taxonomies/{tenant}.json"), file);
        self.event_of(&[tenant])
    }

    /// Uploads a file without a removal limit, and returns the event of the upload.
    pub fn upload_replacement(&self, tenant: &str, file: &[u8]) -> Value {
        self.upload_with(tenant, file, &[("allow-removals", "true")])
    }

    /// Uploads a file with metadata, and returns the event of the upload.
    pub fn upload_with(&self, tenant: &str, file: &[u8], metadata: &[(&str, &str)]) -> Value {
        let key = format!("taxonomies/{tenant}.json");
        self.s3
            .put_with(SOURCE_BUCKET, &key, file.to_vec(), None, metadata);
        self.event_of(&[tenant])
    }

    /// Returns the event of the newest uploads of tenants.
    pub fn event_of(&self, tenants: &[&str]) -> Value {
        let event = |tenant: &&str| self.s3.event(SOURCE_BUCKET, &format!("taxonomies/{tenant}.json"));
        sns_event(&tenants.iter().map(event).collect::<Vec<_>>())
    }

    /// Deletes the newest upload of a tenant.
    pub fn delete_upload(&self, tenant: &str) {
        self.s3
            .delete(SOURCE_BUCKET, &format!("taxonomies/{tenant}.json"));
    }

    /// Uploads a file without a removal limit, and delivers the event to a new process.
    pub async fn replace(&self, tenant: &str, file: &[u8]) {
        let event = self.upload_replacement(tenant, file);
        self.deliver(event).await.unwrap();
    }

    /// Uploads a file, and delivers the event to a new process.
    pub async fn push(&self, tenant: &str, file: &[u8]) {
        let event = self.upload(tenant, file);
        self.deliver(event).await.unwrap();
    }

    /// Delivers an event to a new process of the projector, without a deadline.
    pub async fn deliver(&self, event: Value) -> Result<Value, ProjectorError> {
        let response = self.projector().handle(event, Deadline::NONE).await?;
        Ok(serde_json::to_value(response).unwrap())
    }

    /// Delivers an event to a new process of the projector, with time for `looks` readings of the clock.
    ///
    /// # Errors
    /// As [`projector::Projector::handle`].
    pub async fn deliver_within(&self, event: Value, looks: u64) -> Result<Value, ProjectorError> {
        let projector = self.projector();
        let response = Box::pin(projector.handle(event, self.deadline_in(looks))).await?;
        Ok(serde_json::to_value(response).unwrap())
    }

    /// Delivers a message of a queue to such a process, which acknowledges it.
    pub async fn work_off(&self, queue: &str, message: &Message, looks: u64) {
        let event = sqs_event(queue, std::slice::from_ref(message));
        let response = self.deliver_within(event, looks).await.unwrap();
        assert_eq!(response, json!({ "batchItemFailures": [] }));
    }

    /// Sends a message to a queue and receives it.
    pub fn received(&self, queue: &str, body: &str) -> Message {
        let message = self.sqs.send(queue, body);
        self.sqs.take(queue);
        message
    }

    /// Delivers an event to a new process of the projector that meets a crash. Returns whether it died.
    pub async fn dies(&self, event: Value, when: When, crash: Fault) -> bool {
        self.transport.inject(when, crash);
        let died = self.transport.until_crash(self.deliver(event)).await.is_none();
        self.transport.reset_faults();
        died
    }

    /// Delivers an event to a new process of the projector that dies before its n-th request of this operation.
    pub async fn dies_at(&self, event: Value, nth: usize, operation: &str) {
        let when = When::nth(nth).operation(operation);
        assert!(
            self.dies(event, when, Fault::Crash).await,
            "it does not come so far"
        );
    }

    /// Injects a fault into requests of the stack.
    pub fn inject(&self, when: When, fault: Fault) {
        self.transport.inject(when, fault);
    }

    /// Leaves a version committed and not projected, by a process whose heartbeat is stale.
    pub async fn leave_unfinished(&self, file: &[u8]) {
        let event = self.upload(TENANT, file);
        self.dies_at(event, 1, "PutItem").await;
        self.pass(91);
    }

    /// Removes and returns the visible messages of the retry queue; if all are delayed, first advances the clock until one is visible.
    pub fn next_retries(&self) -> Vec<Message> {
        if let Some(wait) = self.sqs.until_visible(RETRIES) {
            self.pass(wait.as_millis().div_ceil(1000).try_into().unwrap());
        }
        self.sqs.take_visible(RETRIES)
    }

    /// Delivers each message of the retry queue to a new process with a deadline of `looks` readings of the clock, until the queue is empty.
    /// Returns the bodies of the messages. Advances the clock until delayed messages are visible.
    pub async fn drain_retries(&self, looks: u64) -> Vec<String> {
        let mut bodies = Vec::new();
        while bodies.len() < 1000 {
            let messages = self.next_retries();
            if messages.is_empty() {
                return bodies;
            }
            for message in messages {
                self.work_off(RETRIES, &message, looks).await;
                bodies.push(message.body);
            }
        }
        panic!("the retry queue does not run empty");
    }

    /// Delivers all records of the stream to a new process of the aggregator.
    pub async fn aggregate(&self) {
        let failed = self.aggregate_records(&self.db.stream_records(TABLE)).await;
        assert_eq!(failed, json!([]));
    }

    /// Returns the records that pass the stream's filter: those of heads.
    pub fn head_records(&self) -> Vec<Value> {
        let mut records = self.db.stream_records(TABLE);
        records.retain(|record| record["dynamodb"]["Keys"]["SK"]["S"] == "HEAD");
        records
    }

    /// Delivers these records to a new process of the aggregator, and returns those that failed.
    pub async fn aggregate_records(&self, records: &[Value]) -> Value {
        let batch = serde_json::from_value(json!({ "Records": records })).unwrap();
        let response = Box::pin(self.aggregator().handle(batch, Deadline::NONE)).await;
        serde_json::to_value(response).unwrap()["batchItemFailures"].take()
    }

    /// Delivers each message of the deferred queue to a new process of the aggregator until the queue is empty, for at most `rounds` rounds.
    /// Returns the number of messages.
    pub async fn drain_deferred(&self, rounds: usize) -> usize {
        let mut tried = 0;
        for _ in 0..rounds {
            let messages = self.sqs.take(DEFERRED);
            if messages.is_empty() {
                return tried;
            }
            for message in messages {
                let batch = serde_json::from_value(sqs_event(DEFERRED, &[message])).unwrap();
                let response = Box::pin(self.aggregator().handle(batch, Deadline::NONE)).await;
                assert!(response.batch_item_failures.is_empty());
                tried += 1;
            }
        }
        tried
    }
}
