//! The port to an engine.

use std::sync::Arc;

/// The prefix of the panic message of a test that the engine cannot run. `make prove NAMES=conformance` uses it to separate such a test from a failed
/// one.
pub const CANNOT_RUN: &str = "cannot run there: ";

/// One database: its tables are invisible to every other value of this trait.
pub(in crate::dynamodb) trait Engine: Send + Sync {
    /// Runs one operation; request and response are JSON as in DynamoDB's protocol.
    fn run(&self, operation: &str, request: &[u8]) -> Result<String, Refused>;
    /// Opens an empty database on the same kind of engine.
    fn another(&self) -> Arc<dyn Engine>;
    /// Whether items expire only when a test requests it, and never by themselves.
    fn expires_on_request(&self) -> bool;
    /// Sets the clock that stamps stream records and expires items.
    fn set_time(&self, epoch_seconds: u64);
    /// Removes the expired items and returns their number.
    fn expire_items(&self) -> usize;
}

/// A response that is not a success.
#[derive(Debug)]
pub(in crate::dynamodb) struct Refused {
    /// The HTTP status.
    pub(in crate::dynamodb) status: u16,
    /// The JSON body with `__type` and the message.
    pub(in crate::dynamodb) body: String,
}
