//! Tests of the functions' SDK set-up over the testkit's transport, with which tests of a whole function build their clients.

use std::time::Duration;

use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use taxonomy_runtime::{AwsEnv, RetryPolicy, sdk_config};
use taxonomy_testkit::dynamodb::key;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::{EmbeddedDynamoDb, Fault, When};
use tokio::time::Instant;

fn env() -> AwsEnv {
    AwsEnv::new("eu-west-1", "test", "test", None).with_endpoint_url(Some("http://aws.test".to_owned()))
}

fn table(patience: RetryPolicy) -> (EmbeddedDynamoDb, aws_sdk_dynamodb::Client) {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    let config = sdk_config(&env(), patience)
        .into_builder()
        .http_client(db.http_client())
        .build();
    let client = aws_sdk_dynamodb::Client::new(&config);
    (db, client)
}

#[tokio::test(start_paused = true)]
async fn a_throttled_lookup_is_answered_within_the_patience_of_its_caller() {
    // The pauses are random, so a single run is not conclusive.
    for _ in 0..50 {
        let (db, client) = table(RetryPolicy::REQUESTS);
        db.transport().inject(When::nth(1).times(2), Fault::Throttle);
        let start = Instant::now();
        client
            .get_item()
            .table_name(TABLE)
            .set_key(Some(key("TERM#acme#1", "TERM#acme#1")))
            .send()
            .await
            .unwrap();
        assert_eq!(db.exchanges().count("GetItem"), 3);
        assert!(
            start.elapsed() <= Duration::from_millis(25 + 50 + 5),
            "{:?}",
            start.elapsed()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_projection_gives_up_after_five_attempts() {
    let (db, client) = table(RetryPolicy::EVENTS);
    db.transport().inject(When::always(), Fault::Throttle);
    let get = client
        .get_item()
        .table_name(TABLE)
        .set_key(Some(key("TERM#acme#1", "TERM#acme#1")));
    let refused = get.send().await.unwrap_err();
    assert_eq!(refused.code(), Some("ProvisionedThroughputExceededException"));
    assert_eq!(db.exchanges().len(), 5);
}
