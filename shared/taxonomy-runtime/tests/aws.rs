//! The SDK set-up with real clients: the trust store parses, and plain http reaches an endpoint of one's own.
#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::time::Duration;

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
    let (events, requests) = (RetryPolicy::EVENTS, RetryPolicy::REQUESTS);
    for (policy, attempts, pause, seconds) in [(events, 5, 100, [10, 3]), (requests, 4, 25, [3, 1])] {
        let config = sdk_config(&env(), policy);
        let retries = config.retry_config().unwrap();
        let found = (retries.max_attempts(), retries.initial_backoff());
        assert_eq!(found, (attempts, Duration::from_millis(pause)));
        let timeouts = config.timeout_config().unwrap();
        let both = [timeouts.operation_timeout(), timeouts.operation_attempt_timeout()];
        assert_eq!(both, seconds.map(|seconds| Some(Duration::from_secs(seconds))));
    }
    let config = sdk_config(&env(), RetryPolicy::EVENTS);
    assert_eq!(config.endpoint_url(), None);
    assert!(!env().path_style());
}

/// Answers one request without a body, and returns it.
async fn answer_once(listener: TcpListener) -> String {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        stream.read_buf(&mut asked).await.unwrap();
    }
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    stream.write_all(answer).await.unwrap();
    String::from_utf8(asked).unwrap()
}

#[tokio::test]
async fn a_plain_http_endpoint_is_reached_with_a_signed_request_and_the_bucket_in_the_path() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let env = env().with_endpoint_url(Some(endpoint));
    let config = aws_sdk_s3::config::Builder::from(&sdk_config(&env, RetryPolicy::EVENTS));
    let client = aws_sdk_s3::Client::from_conf(config.force_path_style(env.path_style()).build());
    let get = client.get_object().bucket("source").key("taxonomies/acme.json");
    let (asked, answer) = tokio::join!(answer_once(listener), get.send());
    assert!(asked.starts_with("GET /source/taxonomies/acme.json"), "{asked}");
    assert_eq!(answer.unwrap().body.collect().await.unwrap().to_vec(), b"{}");
    for part in [
        "Credential=AKIDEXAMPLE/",
        "/eu-west-1/s3/aws4_request",
        "x-amz-security-token: TOKENEXAMPLE",
    ] {
        assert!(asked.contains(part), "{asked}");
    }
}
