//! The requests without the client against those of the client.

use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_types::timeout::TimeoutConfig;
use std::time::Duration;
use taxonomy_keys::pattern;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::{EmbeddedDynamoDb, Fault, When};

use super::*;
use crate::attributes::sdk_key;
use crate::table::{Consistency, Table};
use crate::{Aggregates, Heads, StoreError};

fn database() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    db
}

fn tables(db: &EmbeddedDynamoDb) -> [Table; 2] {
    let by_client = Table::new(db.client(), TABLE);
    [by_client.clone(), by_client.reading_by(&db.sdk())]
}

/// Requests and responses, as the transport recorded them.
#[tokio::test]
async fn each_request_is_that_of_the_client() {
    let db = database();
    let tenant = "acme".parse().unwrap();
    let mut sent = Vec::new();
    for table in tables(&db) {
        db.exchanges().clear();
        let keys = [pattern::head(&tenant), pattern::head(&"globex".parse().unwrap())];
        assert_eq!(
            table.get(keys[0].clone(), Consistency::Strong).await.unwrap(),
            None
        );
        let found = table.get_all(keys.into(), Consistency::Eventual).await.unwrap();
        assert_eq!(found, []);
        let stats = Aggregates::new(table.clone());
        assert!(stats.category_versions(&tenant).await.unwrap().is_empty());
        assert!(Heads::new(table).tenants(None, 10).await.unwrap().is_last);
        sent.push(db.exchanges().lines());
    }
    assert!(sent[0].len() >= 4, "{sent:?}");
    assert_eq!(sent[0], sent[1]);
}

/// Three attempts, and the code of the refusal.
#[tokio::test(start_paused = true)]
async fn a_read_is_tried_again_as_the_client_does() {
    let db = database();
    let tenant = "acme".parse().unwrap();
    let attempts = async |table: &Table| {
        db.exchanges().clear();
        let read = table.get(pattern::head(&tenant), Consistency::Strong).await;
        (read, db.exchanges().count("GetItem"))
    };
    for table in tables(&db) {
        for fault in [
            Fault::Throttle,
            Fault::DropBeforeSend,
            Fault::AnswerLost,
            Fault::ServerErrorAfterApply,
        ] {
            db.transport().inject(When::nth(1).times(2), fault);
            let (read, attempts) = attempts(&table).await;
            assert_eq!((read.unwrap(), attempts), (None, 3));
            db.transport().reset_faults();
        }
        db.transport().inject(When::always(), Fault::Throttle);
        let (read, attempts) = attempts(&table).await;
        let Err(StoreError::Request { operation, code, .. }) = read else {
            panic!("{read:?}");
        };
        let code = code.as_deref();
        assert_eq!(
            (operation, code, attempts),
            ("GetItem", Some("ProvisionedThroughputExceededException"), 5)
        );
        db.transport().reset_faults();
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_outs_are_those_of_the_configuration() {
    let db = database();
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(1))
        .operation_timeout(Duration::from_secs(2));
    let sdk = db.sdk().into_builder().timeout_config(timeouts.build()).build();
    let table = Table::new(db.client(), TABLE).reading_by(&sdk);
    db.transport()
        .inject(When::always(), Fault::SlowAnswer(Duration::from_secs(10)));
    let start = tokio::time::Instant::now();
    let tenant = "acme".parse().unwrap();
    let read = table.get(pattern::head(&tenant), Consistency::Strong).await;
    assert!(read.is_err());
    assert_eq!(start.elapsed(), Duration::from_secs(2));
}

#[tokio::test]
async fn an_error_of_the_service_keeps_its_code() {
    let db = EmbeddedDynamoDb::new();
    let reads = TableReads::new(&db.sdk());
    let key = sdk_key(pattern::head(&"acme".parse().unwrap()));
    let request = GetItemInputBuilder::default().table_name("none");
    let refused = reads.send(request.clone().set_key(Some(key))).await.unwrap_err();
    assert!(
        refused
            .as_service_error()
            .unwrap()
            .is_resource_not_found_exception()
    );
    let unfinished = GetItemInputBuilder::default().key("PK", AttributeValue::S("x".to_owned()));
    assert!(matches!(
        reads.send(unfinished).await,
        Err(SdkError::ConstructionFailure(_) | SdkError::ServiceError(_))
    ));
}
