//! The SDK set-up with real clients: the trust store parses, and plain http reaches an endpoint of one's own.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_runtime::{AwsEnv, RetryPolicy, sdk_config};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn env() -> AwsEnv {
    let token = Some("TOKENEXAMPLE".to_owned());
    AwsEnv::new("eu-west-1", "AKIDEXAMPLE", "SECRETEXAMPLE", token)
}

#[test]
fn the_trust_store_holds_the_five_roots_and_parses() {
    let roots = include_str!("../src/amazon-roots.pem");
    assert_eq!(roots.matches("BEGIN CERTIFICATE").count(), 5);
    // A client sets TLS up when it is made and panics on a certificate that does not parse.
    aws_sdk_dynamodb::Client::new(&sdk_config(&env(), RetryPolicy::REQUESTS));
}

#[test]
fn secrets_are_not_printed_and_retries_are_those_asked_for() {
    let printed = format!("{:?} {:?}", env(), sdk_config(&env(), RetryPolicy::EVENTS));
    assert!(!printed.contains("SECRETEXAMPLE"), "{printed}");
    assert!(!printed.contains("TOKENEXAMPLE"), "{printed}");
    let config = sdk_config(&env(), RetryPolicy::EVENTS);
    assert_eq!(config.retry_config().unwrap().max_attempts(), 5);
    let timeouts = config.timeout_config().unwrap();
    let both = [timeouts.operation_timeout(), timeouts.operation_attempt_timeout()];
    assert_eq!(both, [10, 3].map(|seconds| Some(Duration::from_secs(seconds))));
    assert_eq!(config.endpoint_url(), None);
    assert!(!env().path_style());
}

/// Answers one request with this body and returns the request.
async fn answer_once(listener: TcpListener, content_type: &str, body: &str) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut asked = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = stream.read(&mut buffer).await.unwrap();
        asked.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&asked).to_ascii_lowercase();
        let Some((head, so_far)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .split("content-length: ")
            .nth(1)
            .and_then(|rest| rest.lines().next());
        if so_far.len() >= length.map_or(0, |length| length.trim().parse().unwrap()) {
            break;
        }
    }
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}");
    let answer = format!("{head}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await.unwrap();
    String::from_utf8(asked).unwrap()
}

async fn listen() -> (TcpListener, AwsEnv) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    (listener, env().with_endpoint_url(Some(endpoint)))
}

#[tokio::test]
async fn a_plain_http_endpoint_is_reached_with_a_signed_request() {
    let (listener, env) = listen().await;
    let client = aws_sdk_dynamodb::Client::new(&sdk_config(&env, RetryPolicy::EVENTS));
    let key = AttributeValue::S("TAXONOMY#acme".into());
    let get = client.get_item().table_name("taxonomy").key("PK", key);
    let item = r#"{"Item":{"V":{"N":"3"}}}"#;
    let once = answer_once(listener, "application/x-amz-json-1.0", item);
    let (asked, answer) = tokio::join!(once, get.send());
    assert_eq!(
        answer.unwrap().item().unwrap()["V"],
        AttributeValue::N("3".into())
    );
    for part in [
        "Credential=AKIDEXAMPLE/",
        "/eu-west-1/dynamodb/aws4_request",
        "x-amz-security-token: TOKENEXAMPLE",
    ] {
        assert!(asked.contains(part), "{asked}");
    }
}

#[tokio::test]
async fn buckets_go_into_the_path_of_an_endpoint_of_ones_own() {
    let (listener, env) = listen().await;
    let config = aws_sdk_s3::config::Builder::from(&sdk_config(&env, RetryPolicy::EVENTS));
    let client = aws_sdk_s3::Client::from_conf(config.force_path_style(env.path_style()).build());
    let get = client.get_object().bucket("source").key("taxonomies/acme.json");
    let (asked, answer) = tokio::join!(answer_once(listener, "application/json", "{}"), get.send());
    assert!(asked.starts_with("GET /source/taxonomies/acme.json"), "{asked}");
    assert_eq!(answer.unwrap().body.collect().await.unwrap().to_vec(), b"{}");
}
