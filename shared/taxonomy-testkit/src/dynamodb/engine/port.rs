//! The port to an engine.

use std::sync::Arc;

/// One database: its tables are invisible to every other value of this trait.
pub(in crate::dynamodb) trait Engine: Send + Sync {
    /// Runs one operation; request and response are JSON as in DynamoDB's protocol.
    fn run(&self, operation: &str, request: &[u8]) -> Result<String, Refused>;
    /// Opens an empty database on the same kind of engine.
    fn another(&self) -> Arc<dyn Engine>;
    /// Whether no item expires by itself.
    fn expires_on_request(&self) -> bool;
}

/// A response that is not a success.
#[derive(Debug)]
pub(in crate::dynamodb) struct Refused {
    /// The HTTP status.
    pub(in crate::dynamodb) status: u16,
    /// The JSON body with `__type` and the message.
    pub(in crate::dynamodb) body: String,
}
