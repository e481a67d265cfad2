//! Attempts, time-outs and errors of a read.

use std::time::Duration;

use aws_smithy_types::timeout::TimeoutConfig;
use taxonomy_keys::pattern;
use taxonomy_testkit::fixtures::TABLE;
use taxonomy_testkit::{Fault, When};

use super::*;
use crate::fakes::database;

/// Three attempts, and the code of the refusal.
#[tokio::test(start_paused = true)]
async fn a_read_is_tried_again() {
    let db = database();
    let tenant = "acme".parse().unwrap();
    let attempts = async |table: &Table| {
        db.exchanges().clear();
        let read = table.get(pattern::head(&tenant), Consistency::Strong).await;
        (read, db.exchanges().count("GetItem"))
    };
    let table = Table::new(db.client(), TABLE);
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
    assert_eq!((operation, attempts), ("GetItem", 5));
    assert_eq!(code, Some("ProvisionedThroughputExceededException"));
}

#[tokio::test(start_paused = true)]
async fn the_time_outs_are_those_of_the_configuration() {
    let db = database();
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(Duration::from_secs(1))
        .operation_timeout(Duration::from_secs(2));
    let sdk = db.sdk().into_builder().timeout_config(timeouts.build()).build();
    let table = Table::new(Client::new(&sdk), TABLE);
    let slow = Fault::SlowAnswer(Duration::from_secs(10));
    db.transport().inject(When::always(), slow);
    let start = tokio::time::Instant::now();
    let tenant = "acme".parse().unwrap();
    let read = table.get(pattern::head(&tenant), Consistency::Strong).await;
    assert!(read.is_err());
    assert_eq!(start.elapsed(), Duration::from_secs(2));
}
