//! Tests of hostile input. Whatever is uploaded, the last good version continues to be served, one report describes the refusal, only the
//! report and the refusal in the head are written, the event does not come again, and the next good file is accepted.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use taxonomy_tests::prelude::*;

const KEY: &str = "taxonomies/acme.json";

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
        let reads = ["Query", "GetItem", "BatchGetItem", "HeadObject", "GetObject"];
        let mut writes = self.world.operations();
        writes.retain(|operation| !reads.contains(&operation.as_str()));
        writes
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
        let report = self.world.body(&refused.report_key);
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn encoded(bytes: impl Into<Vec<u8>>, encoding: &'static str) -> Upload {
    Upload {
        encoding: Some(encoding),
        ..bytes.into().into()
    }
}

const GIGABYTE: u64 = 1 << 30;

fn claiming(bytes: Vec<u8>, length: u64) -> Upload {
    Upload {
        claimed_length: Some(length),
        ..bytes.into()
    }
}

/// One mistake of each layer: bytes, syntax, structure, values. The tests of the model have all others.
#[tokio::test]
async fn a_file_with_a_mistake_changes_nothing_and_stops_nothing() {
    let mut victim = Victim::new().await;
    let id = r#"{"categories":[{"id":-1,"name":"Sector"}]}"#;
    let deep = "[".repeat(100_000);
    for (what, file, code, pointer) in [
        ("no UTF-8", &b"\xff"[..], "invalid-utf8", ""),
        ("an empty file", b"", "invalid-json", ""),
        ("lists that never end", deep.as_bytes(), "invalid-json", ""),
        ("no taxonomy", b"[]", "wrong-type", ""),
        (
            "an id below zero",
            id.as_bytes(),
            "invalid-id",
            "/categories/0/id",
        ),
    ] {
        victim.refuses(what, file, code, pointer).await;
    }
}

#[tokio::test]
async fn gzip_is_what_it_says_and_nothing_else() {
    let mut victim = Victim::new().await;
    let file = small(&[(1, "IT"), (3, "Mining")]);
    let zipped = gzip(&file);
    let cut = |end: usize| zipped[..end].to_vec();
    let mut damaged = zipped.clone();
    damaged[zipped.len() - 6] ^= 1;
    for (what, upload) in [
        ("brotli", encoded(file.clone(), "br")),
        ("gzip twice, as declared", encoded(gzip(&zipped), "gzip, gzip")),
        ("plain text called gzip", encoded(file.clone(), "gzip")),
        ("nothing called gzip", encoded("", "gzip")),
        ("gzip that ends in its header", encoded(cut(5), "gzip")),
        (
            "gzip that ends in its body",
            encoded(cut(zipped.len() / 2), "gzip"),
        ),
        (
            "gzip that ends in its checksum",
            encoded(cut(zipped.len() - 3), "gzip"),
        ),
        ("gzip with another checksum", encoded(damaged, "gzip")),
        (
            "gzip and then garbage",
            encoded([&zipped[..], b"garbage"].concat(), "gzip"),
        ),
        (
            "gzip and then zeros",
            encoded([&zipped[..], &[0; 512]].concat(), "gzip"),
        ),
    ] {
        victim.refuses(what, upload, "invalid-encoding", "").await;
    }
    for (what, upload) in [
        ("gzip called plain", zipped.clone().into()),
        ("gzip in gzip", encoded(gzip(&zipped), "gzip")),
    ] {
        victim.refuses(what, upload, "invalid-utf8", "").await;
    }

    let members = [gzip(&file[..9]), gzip(b""), gzip(&file[9..])].concat();
    let what = "gzip in capitals, in several members";
    victim.takes_upload(what, encoded(members, "GZIP"), file).await;
}

#[tokio::test]
async fn what_is_too_large_is_refused_by_its_length_or_at_the_limit() {
    let mut victim = Victim::new().await;
    let (bomb, limit) = (gzip(&vec![b' '; 64 << 20]), victim.world.max_file_bytes);
    assert!(bomb.len() < 1 << 20, "a thousand times larger when unpacked");
    let members = gzip(&vec![b' '; 1 << 20]).repeat(64);
    let long = vec![b' '; usize::try_from(limit).unwrap() + 1];
    for (what, upload) in [
        ("a bomb", encoded(bomb, "gzip")),
        ("a bomb in many members", encoded(members, "gzip")),
        ("a gigabyte", claiming(b"{".to_vec(), GIGABYTE)),
        ("a byte too many", claiming(b"{".to_vec(), limit + 1)),
        ("longer than declared, and too long", claiming(long, 10)),
    ] {
        victim.refuses(what, upload, "file-too-large", "").await;
    }
    let good = small(&[(1, "IT")]);
    victim
        .upload("a gigabyte", claiming(good.clone(), GIGABYTE))
        .await;
    assert_eq!(victim.world.exchanges().count("GetObject"), 0);
    victim
        .takes("the same content again, and its true length", good)
        .await;
}

#[tokio::test]
async fn a_length_that_lies_does_not_matter() {
    let mut victim = Victim::new().await;
    for (name, length) in [("Shorter than declared", 1 << 20), ("Longer than declared", 0)] {
        let file = small(&[(1, name)]);
        victim
            .takes_upload(name, claiming(file.clone(), length), file)
            .await;
    }
    let mut padded = small(&[(1, "Fishing")]);
    padded.resize(usize::try_from(victim.world.max_file_bytes).unwrap(), b' ');
    victim.takes("as much as is allowed", padded).await;
}
