//! When the table fails or holds nonsense: what the caller gets, and what the log gets.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use taxonomy_runtime::telemetry;
use taxonomy_testkit::dynamodb::s;
use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
use taxonomy_testkit::{Fault, When};

use crate::stack::{BATCH, Stack};

/// The log lines of the function itself while this is done, of less than 64 KiB, which a pipe holds.
async fn logged(done: impl Future<Output = ()>) -> Vec<Value> {
    let (lines, writer) = std::io::pipe().unwrap();
    let subscriber = telemetry::subscriber(None, Arc::new(writer));
    let recording = tracing::subscriber::set_default(subscriber);
    done.await;
    drop(recording);
    let text = std::io::read_to_string(lines).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &Value| line["target"].as_str().unwrap().starts_with("lookup"))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_table_that_does_not_answer_is_said_to_be_unavailable() {
    for key in ["HEAD", "TERM#"] {
        let stack = Stack::new().await;
        stack.inject(When::always().containing(key), Fault::Throttle);
        let got = stack.get("terms/100").await;
        assert_eq!(got.refused(), "503 upstream-unavailable");
        let headers = ["retry-after", "cache-control"].map(|name| got.headers[name].as_str());
        assert_eq!(headers, ["1", "no-store"]);
        assert!(!got.body.to_string().contains("Throughput"), "{}", got.body);
        stack.world.transport.reset_faults();
        stack.found("terms/100").await;
    }
}

/// A request waits for a file nearly as long as it may take, and then answers what the table has.
#[tokio::test(start_paused = true)]
async fn a_slow_file_is_waited_for_while_there_is_time() {
    for (seconds, is_whole) in [(7, true), (60, false)] {
        let stack = Stack::new().await;
        let slow = Fault::SlowBody(Duration::from_secs(seconds));
        stack.inject(When::always().operation("GetObject"), slow);
        let began = tokio::time::Instant::now();
        let got = stack.get("terms?ids=100,102&culture=fr-FR").await;
        assert_eq!((got.status, got.is_tagged()), (200, is_whole), "{seconds} s");
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
}

/// Status of each item, and the name of the term or the type of the problem.
fn outcomes(body: &Value) -> Vec<(u64, String)> {
    let items = body["items"].as_array().unwrap().iter();
    let outcome = |item: &Value| {
        let problem = item["problem"]["type"].as_str();
        let text = problem.or(item["term"]["finalName"].as_str()).unwrap();
        (item["status"].as_u64().unwrap(), text.to_owned())
    };
    items.map(outcome).collect()
}

/// The others are in the table. No cache keeps the answer, because it is not the whole answer of the version.
#[tokio::test(start_paused = true)]
async fn a_term_that_needs_a_file_is_unavailable_alone() {
    let stack = Stack::new().await;
    stack.inject(When::always().operation("GetObject"), Fault::Throttle);
    let batch = "terms?ids=100,102,7&culture=fr-FR";
    let unread = (503, "/problems/archive-unavailable".to_owned());
    let there = (200, "Secteur:Informatique".to_owned());
    let got = stack.get(batch).await;
    let expect = [there.clone(), unread.clone(), unread.clone()];
    assert_eq!(outcomes(&got.body), expect);
    let cached = got.headers["cache-control"].as_str();
    assert_eq!((got.status, cached, got.is_tagged()), (200, "no-store", false));
    let french = format!("{BATCH}?culture=fr-FR");
    let got = stack.post(&french, r#"{"ids":[7,100]}"#).await;
    assert_eq!(outcomes(&got.body), [unread, there]);
    let alone = stack.refused("terms/102?culture=fr-FR").await;
    assert_eq!(alone, "503 archive-unavailable");
    let default = stack.get("terms?ids=100,102").await;
    assert!(default.is_tagged(), "the default culture needs no file");
    stack.world.transport.reset_faults();
    let got = stack.get(batch).await;
    assert!(got.is_tagged());
    let missing = (404, "/problems/term-not-found".to_owned());
    assert_eq!(
        outcomes(&got.body)[1..],
        [(200, "Secteur:Async".to_owned()), missing]
    );
}

#[tokio::test]
async fn a_damaged_item_is_logged_once_and_never_shown() {
    let stack = Stack::new().await;
    let item = ("TERM#acme#102", "TERM#acme#102");
    stack.set(item, "Metadata", s("{secret")).await;
    let mut logged = logged(async {
        let found = stack.found("terms/102").await;
        assert_eq!(found["name"], "Async", "the index file answers");
    })
    .await;
    logged.retain(|line| line["level"] == "ERROR");
    assert_eq!(logged.len(), 1, "{logged:?}");
    let cause = logged[0]["cause"].as_str().unwrap();
    assert!(cause.starts_with("an item is damaged: "), "{cause}");
    assert!(cause.contains("Metadata") && !cause.contains("secret"), "{cause}");
}

#[tokio::test]
async fn a_request_is_one_line_without_query_body_or_token() {
    let stack = Stack::new().await;
    let logged = logged(async {
        stack.found("terms/102?culture=fr-FR&q=secret").await;
        stack.post(BATCH, r#"{"secret":1}"#).await;
        stack.get("/v1/secret").await;
        stack.get("/v1/tenants/secret!").await;
    })
    .await;
    let said = logged.iter().map(|line| {
        let text = line.to_string();
        assert!(!text.contains("secret") && !text.contains("fr-FR"), "{line}");
        assert_eq!(
            [&line["request_id"], &line["duration_ms"]],
            [&json!("r-1"), &json!(0)]
        );
        let parts = ["message", "tenant", "status"].map(|name| line[name].clone());
        json!(parts)
    });
    let expect = [
        json!(["GET /v1/tenants/{tenant}/terms/{id} 200", "acme", 200]),
        json!(["POST /v1/tenants/{tenant}/terms:batchGet 400", "acme", 400]),
        json!(["GET - 404", null, 404]),
        json!(["GET /v1/tenants/{tenant} 400", null, 400]),
    ];
    assert_eq!(said.collect::<Vec<_>>(), expect);
}

/// A repair stored the file under another key, while the process knows the places in the file that is gone.
#[tokio::test]
async fn a_file_that_is_stored_elsewhere_is_opened_once_more() {
    // Names that do not compress, so that the file is longer than the end of it that is read first.
    let digits = |seed: u64| format!("{:016x}", seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let name = |id: u64| (1..=15).map(|nth| digits(id * 100 + nth)).collect::<String>();
    let terms = (1..=1_500).map(|id| json!({"id": id, "name": name(id)}));
    let terms: Vec<Value> = terms.collect();
    let file = json!({"categories": [{"id": 1, "name": "Many", "terms": terms}]});
    let stack = Stack::of(&[&file.to_string()]).await;
    let history = |id: u64| format!("terms/{id}/history");
    stack.found(&history(1)).await;
    let old = stack.committed().await.index_key;
    let (name, _) = old.rsplit_once('-').unwrap();
    let new = format!("{name}-0123456789abcdef.index");
    let s3 = &stack.world.s3;
    let object = s3.object(CHANGESETS_BUCKET, &old).unwrap();
    assert!(object.bytes.len() > 128 << 10, "{}", object.bytes.len());
    s3.put(CHANGESETS_BUCKET, &new, object.bytes.to_vec());
    s3.delete(CHANGESETS_BUCKET, &old);
    stack.set(("TAXONOMY#acme", "HEAD"), "IndexKey", s(&new)).await;
    stack.found(&history(1_400)).await;
    // Where there is none, the second look is the last.
    s3.delete(CHANGESETS_BUCKET, &new);
    let mut refused = 0;
    for id in (50..1_500).step_by(50) {
        stack.requests();
        let got = stack.get(&history(id)).await;
        if got.status != 200 {
            assert_eq!(got.refused(), "503 archive-unavailable");
            assert!(stack.requests().len() < 8);
            refused += 1;
        }
    }
    assert!(refused > 5, "most of it was not in memory");
}
