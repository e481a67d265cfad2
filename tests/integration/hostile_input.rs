//! Tests of hostile input. Whatever is uploaded, the last good version continues to be served, one report describes the refusal, only the
//! report and the refusal in the head are written, the event does not come again, and the next good file is accepted.

mod bytes;
mod sizes;
mod values;

use serde_json::{Value, json};
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, SOURCE_BUCKET};
use taxonomy_testkit::s3::sns_event;
use taxonomy_tests::world::{TENANT, World, expected, small};

const KEY: &str = "taxonomies/acme.json";

/// The place of the fields of [`term`].
const TERM: &str = "/categories/0/terms/0";

/// An upload as S3 stores it.
#[derive(Default)]
struct Upload {
    bytes: Vec<u8>,
    encoding: Option<&'static str>,
    /// The length that HeadObject returns, if it is false.
    claimed_length: Option<u64>,
}

impl<T: Into<Vec<u8>>> From<T> for Upload {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self {
            bytes,
            ..Self::default()
        }
    }
}

/// A tenant that is served while hostile files are uploaded to it.
struct Victim {
    world: World,
    good: Vec<u8>,
}

impl Victim {
    /// Creates a tenant whose projector accepts files of up to 16 MiB.
    async fn new() -> Self {
        let mut world = World::new();
        world.max_file_bytes = 16 << 20;
        let good = small(&[(1, "IT"), (2, "Law")]);
        world.push(TENANT, &good).await;
        Self { world, good }
    }

    /// Writes an object as an upstream does and delivers its event, which must be acknowledged.
    async fn upload(&self, what: &str, upload: Upload) {
        let s3 = &self.world.s3;
        s3.put_with(SOURCE_BUCKET, KEY, upload.bytes, upload.encoding, &[]);
        if let Some(length) = upload.claimed_length {
            s3.claim_size(SOURCE_BUCKET, KEY, length);
        }
        let event = sns_event(&[s3.event(SOURCE_BUCKET, KEY)]);
        self.world.exchanges().clear();
        let response = self.world.deliver(event).await;
        let response = response.unwrap_or_else(|error| panic!("{what}: not acknowledged: {error}"));
        assert_eq!(response, json!({"batchItemFailures": []}), "{what}");
    }

    /// Returns the writing operations since the last upload.
    fn writes(&self) -> Vec<String> {
        let exchanges = self.world.exchanges().all().into_iter();
        let operations = exchanges.map(|exchange| exchange.operation);
        let reads = ["Query", "GetItem", "BatchGetItem", "HeadObject", "GetObject"];
        operations
            .filter(|operation| !reads.contains(&operation.as_str()))
            .collect()
    }

    /// Checks every promise of a refusal; returns the report's one error.
    async fn refuses(&mut self, what: &str, poison: impl Into<Upload>, code: &str, pointer: &str) -> Value {
        let before = self.world.committed(TENANT).await;
        self.upload(what, poison.into()).await;
        let requests = self.world.exchanges().lines();
        assert_eq!(
            self.writes(),
            ["PutObject", "UpdateItem", "TransactWriteItems"],
            "{what}: {requests:#?}"
        );

        let head = self.world.head(TENANT).await;
        let refused = head.refused.unwrap_or_else(|| panic!("{what}: not refused"));
        let puts = self
            .world
            .exchanges()
            .all()
            .into_iter()
            .filter(|exchange| exchange.operation == "PutObject");
        let puts: Vec<String> = puts.map(|put| put.target).collect();
        assert_eq!(
            puts,
            [format!("{CHANGESETS_BUCKET}/{}", refused.report_key)],
            "{what}"
        );
        let report = self
            .world
            .s3
            .object(CHANGESETS_BUCKET, &refused.report_key)
            .unwrap()
            .bytes;
        let report: Value = serde_json::from_slice(&report).unwrap();
        let issues = report["issues"].as_array().unwrap();
        let errors: Vec<&Value> = issues
            .iter()
            .filter(|issue| issue["severity"] == "error")
            .collect();
        assert_eq!(report["errors"], 1, "{what}: {errors:#?}");
        let found = (&errors[0]["code"], &errors[0]["pointer"]);
        assert_eq!(found, (&json!(code), &json!(pointer)), "{what}");
        assert_eq!(
            (refused.code.as_str(), &report["accepted"]),
            (code, &json!(false)),
            "{what}"
        );
        let error = errors[0].clone();

        assert_eq!(head.committed.as_ref(), Some(&before), "{what}");
        assert!(before.is_settled(), "{what}");
        assert_eq!(self.world.live(TENANT), expected(TENANT, &self.good), "{what}");

        let good = small(&[(1, &format!("IT after {}", before.version.get())), (2, "Law")]);
        self.takes(&format!("the good file after {what}"), good).await;
        error
    }

    /// Checks that the file becomes the next version.
    async fn takes(&mut self, what: &str, good: Vec<u8>) {
        self.takes_upload(what, good.clone().into(), good).await;
    }

    /// Checks that an upload becomes the next version with the content of `content`.
    async fn takes_upload(&mut self, what: &str, upload: Upload, content: Vec<u8>) {
        let before = self.world.committed(TENANT).await.version;
        self.upload(what, upload).await;
        let head = self.world.head(TENANT).await;
        assert_eq!(head.refused, None, "{what}");
        let committed = head.committed.unwrap();
        assert_eq!(committed.version, before.next(), "{what}");
        assert!(committed.is_settled(), "{what}");
        assert!(
            self.world.live(TENANT) == expected(TENANT, &content),
            "{what}: other items are live"
        );
        self.good = content;
    }
}

/// Returns a file with one category and one term of these fields.
fn term(fields: &str) -> String {
    format!(r#"{{"categories":[{{"id":1,"name":"Sector","terms":[{{{fields}}}]}}]}}"#)
}

/// Returns a file with one term called IT and further fields.
fn it(fields: &str) -> String {
    term(&format!(r#""id":1,"name":"IT",{fields}"#))
}
