//! The table and the buckets: the embedded engine and the S3 fake of the testkit.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hyper::Request;
use hyper::body::Bytes;
use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{SOURCE_BUCKET, TABLE};
use taxonomy_testkit::s3::sns_event;
use taxonomy_testkit::{EmbeddedDynamoDb, S3Fake};

use crate::requests::Requests;
use crate::server::{Whole, response};

/// The stores, and what is counted of them.
pub(crate) struct Stores {
    db: EmbeddedDynamoDb,
    s3: S3Fake,
    pub(crate) requests: Requests,
    /// Each request with a multiple of this number is refused; none for 0.
    every: AtomicU64,
    seen: AtomicU64,
    refused: AtomicU64,
}

impl Stores {
    /// Creates empty stores.
    pub(crate) fn new() -> Self {
        let db = EmbeddedDynamoDb::new();
        db.create_table(TABLE);
        // Its records would be searched before each write, and no aggregator reads them here.
        db.stop_stream(TABLE);
        Self {
            db,
            s3: S3Fake::new(),
            requests: Requests::default(),
            every: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// Answers a request of an SDK.
    pub(crate) fn answer(&self, request: &Request<()>, body: &Bytes) -> Whole {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        match header("x-amz-target").and_then(|target| target.split_once('.')) {
            Some(("DynamoDB_20120810", operation)) => self.table(operation, body),
            // A message of a function to a queue is a sign that it could not do its work.
            Some(_) => response(501, [], Bytes::new()),
            None => self.bucket(request, body),
        }
    }

    /// Returns the event of an object in the source bucket; none for any other request.
    pub(crate) fn uploaded(request: &Request<()>, stores: &Self) -> Option<String> {
        let key = request.uri().path().strip_prefix(&format!("/{SOURCE_BUCKET}/"))?;
        (request.method() == "PUT").then(|| sns_event(&[stores.s3.event(SOURCE_BUCKET, key)]).to_string())
    }

    /// Refuses each so many requests. Returns the number that was refused before.
    pub(crate) fn throttle(&self, every: u64) -> u64 {
        self.every.store(every, Ordering::SeqCst);
        self.refused.swap(0, Ordering::SeqCst)
    }

    fn is_refused(&self) -> bool {
        let every = self.every.load(Ordering::SeqCst);
        let refuses = every > 0 && (self.seen.fetch_add(1, Ordering::SeqCst) + 1).is_multiple_of(every);
        self.refused.fetch_add(refuses.into(), Ordering::SeqCst);
        refuses
    }

    fn table(&self, operation: &str, body: &[u8]) -> Whole {
        let arrived = Instant::now();
        let headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("x-amzn-requestid", "HOST"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        if self.is_refused() {
            let code = "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException";
            return response(
                400,
                headers,
                json!({"__type": code, "message": "throttled by the host"}).to_string(),
            );
        }
        let mut request: Value = serde_json::from_slice(body).unwrap_or_default();
        // So that the units of every request are known, whether or not its sender asks for them.
        request["ReturnConsumedCapacity"] = "TOTAL".into();
        let (status, answer) = self.db.answer(operation, &request.to_string());
        let text = answer.to_string();
        self.requests.count(
            kind_of(operation, &request),
            arrived,
            body.len(),
            text.len(),
            units(&answer["ConsumedCapacity"]),
        );
        response(status, headers, text)
    }

    fn bucket(&self, request: &Request<()>, body: &Bytes) -> Whole {
        let arrived = Instant::now();
        if self.is_refused() {
            let slow = "<Error><Code>SlowDown</Code><Message>throttled by the host</Message></Error>";
            return response(503, [], slow);
        }
        let headers = request.headers().iter();
        let headers =
            headers.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        let target = request
            .uri()
            .path_and_query()
            .map_or("/", |target| target.as_str());
        let method = request.method().as_str();
        let (status, headers, answer) = self.s3.answer(method, target, headers.collect(), body.to_vec());
        self.requests.count(
            format!("{method} {}", folder_of(target)),
            arrived,
            body.len(),
            answer.len(),
            0.0,
        );
        response(status, headers, answer)
    }
}

/// `PutItem Term`, `GetItem HEAD`: the operation with the type of the item that it writes, else with the beginning of its sort key.
fn kind_of(operation: &str, request: &Value) -> String {
    let written = request.pointer("/Item/EntityType/S");
    let of = written
        .or_else(|| request.pointer("/Key/SK/S"))
        .and_then(Value::as_str);
    let of = of.and_then(|of| of.split('#').next()).unwrap_or_default();
    format!("{operation} {of}").trim_end().to_owned()
}

/// The folder of an object: `snapshots`, `indexes`, `search` for an object of the search, `source` for an upload.
fn folder_of(target: &str) -> &str {
    let path = target
        .split('?')
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    match key.split('/').next() {
        _ if bucket == SOURCE_BUCKET => "source",
        _ if key.contains(".search-") => "search",
        Some(folder) => folder,
        None => "",
    }
}

/// The units of an answer: of one table, or of several.
fn units(used: &Value) -> f64 {
    let of = |used: &Value| used["CapacityUnits"].as_f64().unwrap_or_default();
    match used {
        Value::Array(tables) => tables.iter().map(of).sum(),
        table => of(table),
    }
}
