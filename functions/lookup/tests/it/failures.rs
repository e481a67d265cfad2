//! When the table fails or holds nonsense: what the caller gets, and what the log gets.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use taxonomy_runtime::telemetry;
use taxonomy_testkit::dynamodb::{key, s};
use taxonomy_testkit::fixtures::{ACME, CHANGESETS_BUCKET, TABLE};
use taxonomy_testkit::{Fault, When};

use crate::stack::Stack;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Records what this thread logs from now on.
    fn record(&self) -> tracing::subscriber::DefaultGuard {
        let lines = self.clone();
        tracing::subscriber::set_default(telemetry::subscriber(None, move || lines.clone()))
    }

    /// The log lines of the function itself.
    fn all(&self) -> Vec<Value> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .filter(|line| line["target"].as_str().unwrap().starts_with("lookup"))
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_table_that_does_not_answer_is_said_to_be_unavailable() {
    for key in ["HEAD", "TERM#"] {
        let stack = Stack::new().await;
        stack
            .db
            .transport()
            .inject(When::always().containing(key), Fault::Throttle);
        let got = stack.get("/v1/tenants/acme/terms/100").await;
        assert_eq!(got.refused(), "503 upstream-unavailable");
        assert_eq!(
            (
                got.headers["retry-after"].as_str(),
                got.headers["cache-control"].as_str()
            ),
            ("1", "no-store")
        );
        assert!(!got.body.to_string().contains("Throughput"), "{}", got.body);
        stack.db.transport().reset_faults();
        stack.get("/v1/tenants/acme/terms/100").await.found();
    }
}

/// A request waits for a file nearly as long as it may take, and then answers what the table has.
#[tokio::test(start_paused = true)]
async fn a_slow_file_is_waited_for_while_there_is_time() {
    for (seconds, is_whole) in [(7, true), (60, false)] {
        let stack = Stack::new().await;
        let slow = Fault::SlowBody(Duration::from_secs(seconds));
        stack
            .db
            .transport()
            .inject(When::always().operation("GetObject"), slow);
        let began = tokio::time::Instant::now();
        let got = stack
            .get("/v1/tenants/acme/terms?ids=100,102&culture=fr-FR")
            .await;
        assert_eq!(got.status, 200);
        assert_eq!(
            got.headers.contains_key("etag"),
            is_whole,
            "{seconds} s: {}",
            got.body
        );
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
}

/// The others are in the table. No cache keeps the answer, because it is not the whole answer of the version.
#[tokio::test(start_paused = true)]
async fn a_term_that_needs_a_file_is_unavailable_alone() {
    let stack = Stack::new().await;
    let reads = When::always().operation("GetObject");
    stack.db.transport().inject(reads, Fault::Throttle);
    let batch = "/v1/tenants/acme/terms?ids=100,102,7&culture=fr-FR";
    let outcomes = |body: &Value| -> Vec<(u64, String)> {
        let items = body["items"].as_array().unwrap().iter();
        let outcome = |item: &Value| match item["problem"]["type"].as_str() {
            Some(problem) => problem.to_owned(),
            None => item["term"]["finalName"].as_str().unwrap().to_owned(),
        };
        items
            .map(|item| (item["status"].as_u64().unwrap(), outcome(item)))
            .collect()
    };
    let unread = (503, "/problems/archive-unavailable".to_owned());
    let there = (200, "Secteur:Informatique".to_owned());
    let got = stack.get(batch).await;
    assert_eq!(
        outcomes(&got.body),
        [there.clone(), unread.clone(), unread.clone()]
    );
    assert_eq!(
        (got.status, got.headers["cache-control"].as_str()),
        (200, "no-store")
    );
    assert!(!got.headers.contains_key("etag"));
    let body = r#"{"ids":[7,100]}"#;
    let got = stack
        .post("/v1/tenants/acme/terms:batchGet?culture=fr-FR", body)
        .await;
    assert_eq!(outcomes(&got.body), [unread, there]);
    let alone = stack.get("/v1/tenants/acme/terms/102?culture=fr-FR").await;
    assert_eq!(alone.refused(), "503 archive-unavailable");
    let default = stack.get("/v1/tenants/acme/terms?ids=100,102").await;
    assert!(
        default.headers.contains_key("etag"),
        "the default culture needs no file"
    );
    stack.db.transport().reset_faults();
    let got = stack.get(batch).await;
    assert!(got.headers.contains_key("etag"));
    assert_eq!(
        outcomes(&got.body)[1..],
        [
            (200, "Secteur:Async".to_owned()),
            (404, "/problems/term-not-found".to_owned())
        ]
    );
}

#[tokio::test]
async fn a_damaged_item_is_logged_once_and_never_shown() {
    let stack = Stack::new().await;
    let update = stack.writer().update_item().table_name(TABLE);
    let update = update.set_key(Some(key("TERM#acme#102", "TERM#acme#102")));
    let update = update
        .update_expression("SET Metadata = :m")
        .expression_attribute_values(":m", s("{secret"));
    update.send().await.unwrap();
    let lines = Lines::default();
    let recording = lines.record();
    let got = stack.get("/v1/tenants/acme/terms/102").await;
    drop(recording);
    assert_eq!(got.found()["name"], "Async", "the index file answers");
    let mut logged = lines.all();
    logged.retain(|line| line["level"] == "ERROR");
    assert_eq!(logged.len(), 1, "{logged:?}");
    let cause = logged[0]["cause"].as_str().unwrap();
    assert!(cause.starts_with("an item is damaged: "), "{cause}");
    assert!(cause.contains("Metadata") && !cause.contains("secret"), "{cause}");
}

#[tokio::test]
async fn a_request_is_one_line_without_query_body_or_token() {
    let stack = Stack::new().await;
    let lines = Lines::default();
    let recording = lines.record();
    stack
        .get("/v1/tenants/acme/terms/102?culture=fr-FR&q=secret")
        .await
        .found();
    stack
        .post("/v1/tenants/acme/terms:batchGet", r#"{"secret":1}"#)
        .await;
    stack.get("/v1/secret").await;
    stack.get("/v1/tenants/secret!").await;
    drop(recording);
    let logged = lines.all();
    let said: Vec<_> = logged
        .iter()
        .map(|line| {
            (
                line["message"].as_str().unwrap(),
                line["tenant"].as_str(),
                line["status"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("GET /v1/tenants/{tenant}/terms/{id} 200", Some("acme"), 200),
            ("POST /v1/tenants/{tenant}/terms:batchGet 400", Some("acme"), 400),
            ("GET - 404", None, 404),
            ("GET /v1/tenants/{tenant} 400", None, 400),
        ]
    );
    for line in &logged {
        assert!(
            !line.to_string().contains("secret") && !line.to_string().contains("fr-FR"),
            "{line}"
        );
        assert_eq!(
            (&line["request_id"], line["duration_ms"].as_u64()),
            (&"r-1".into(), Some(0)),
            "{line}"
        );
    }
}

/// A repair stored the file under another key, while the process knows the places in the file that is gone.
#[tokio::test]
async fn a_file_that_is_stored_elsewhere_is_opened_once_more() {
    // Names that do not compress, so that the file is longer than the end of it that is read first.
    let digits = |seed: u64| format!("{:016x}", seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let name = |id: u64| (1..=15).map(|nth| digits(id * 100 + nth)).collect::<String>();
    let terms: Vec<Value> = (1..=1_500)
        .map(|id| json!({"id": id, "name": name(id)}))
        .collect();
    let file = json!({"defaultCulture": "en-GB", "categories": [{"id": 1, "name": "Many", "terms": terms}]});
    let stack = Stack::empty(lookup::Auth::Iam);
    stack.publish(ACME, &[&file.to_string()]).await;
    let history = |id: u64| format!("/v1/tenants/acme/terms/{id}/history");
    stack.get(&history(1)).await.found();
    let old = stack.committed(ACME).await.index_key;
    let (name, _) = old.rsplit_once('-').unwrap();
    let new = format!("{name}-0123456789abcdef.index");
    let object = stack.s3.object(CHANGESETS_BUCKET, &old).unwrap();
    assert!(object.bytes.len() > 128 << 10, "{}", object.bytes.len());
    stack.s3.put(CHANGESETS_BUCKET, &new, object.bytes.to_vec());
    stack.s3.delete(CHANGESETS_BUCKET, &old);
    let update = stack.writer().update_item().table_name(TABLE);
    let update = update.set_key(Some(key("TAXONOMY#acme", "HEAD")));
    let update = update.update_expression("SET IndexKey = :new");
    let update = update.expression_attribute_values(":new", s(&new));
    update.send().await.unwrap();
    stack.get(&history(1_400)).await.found();
    // Where there is none, the second look is the last.
    stack.s3.delete(CHANGESETS_BUCKET, &new);
    let mut refused = Vec::new();
    for id in (50..1_500).step_by(50) {
        stack.requests();
        let got = stack.get(&history(id)).await;
        if got.status != 200 {
            refused.push(got.refused());
            assert!(stack.requests().len() < 8);
        }
    }
    assert!(refused.len() > 5, "most of it was not in memory");
    assert!(refused.iter().all(|refused| refused == "503 archive-unavailable"));
}
