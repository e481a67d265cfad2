//! The engine of the crate dynoxide, inside the test process.

use std::sync::Arc;

use dynoxide::storage_backend::ManualClock;
use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::aws_constraints;
use super::{Engine, Refused};
use crate::fixtures::NEW_YEAR_MS;

/// A database in memory. Its clock is fixed at [`NEW_YEAR_MS`].
pub(super) struct Embedded {
    database: Database,
}

impl Embedded {
    pub(super) fn new() -> Self {
        let clock = ManualClock::new(NEW_YEAR_MS / 1000);
        let database = Database::memory_with_clock(clock.arc()).expect("an in-memory database opens");
        Self { database }
    }
}

impl Engine for Embedded {
    fn run(&self, operation: &str, request: &[u8]) -> Result<String, Refused> {
        let allowed = aws_constraints::check(operation, request);
        allowed
            .and_then(|()| run(&self.database, operation, request))
            .map_err(|error| Refused {
                status: error.status_code(),
                body: error.to_json(),
            })
    }

    fn another(&self) -> Arc<dyn Engine> {
        Arc::new(Self::new())
    }

    fn expires_on_request(&self) -> bool {
        true
    }
}

fn run(database: &Database, operation: &str, request: &[u8]) -> Result<String, DynoxideError> {
    macro_rules! operations {
        ($($name:literal => $method:ident),* $(,)?) => {
            match operation {
                $($name => execute(request, |request| database.$method(request)),)*
                other => Err(DynoxideError::ValidationException(format!("the testkit does not know {other}"))),
            }
        };
    }
    operations! {
        "BatchGetItem" => batch_get_item,
        "CreateTable" => create_table,
        "DeleteItem" => delete_item,
        "DescribeStream" => describe_stream,
        "DescribeTable" => describe_table,
        "GetItem" => get_item,
        "GetRecords" => get_records,
        "GetShardIterator" => get_shard_iterator,
        "PutItem" => put_item,
        "Query" => query,
        "Scan" => scan,
        "TransactWriteItems" => transact_write_items,
        "UpdateItem" => update_item,
        "UpdateTable" => update_table,
        "UpdateTimeToLive" => update_time_to_live,
    }
}

fn execute<Request: DeserializeOwned, Answer: Serialize>(
    request: &[u8],
    action: impl FnOnce(Request) -> Result<Answer, DynoxideError>,
) -> Result<String, DynoxideError> {
    let invalid =
        |error: serde_json::Error| DynoxideError::ValidationException(without_marker(&error.to_string()));
    let answer = action(serde_json::from_slice(request).map_err(invalid)?)?;
    serde_json::to_string(&answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}

/// Removes the marker of the engine's own messages, a word in capitals and a colon, as dynoxide's server does.
fn without_marker(message: &str) -> String {
    let marked = message
        .split_once(':')
        .filter(|(marker, _)| marker.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
    marked.map_or(message, |(_, rest)| rest).to_owned()
}
