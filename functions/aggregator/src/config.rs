//! What the stack tells the function.

use taxonomy_runtime::{ConfigError, env};

/// Read once, at start.
#[derive(Debug, Clone)]
pub struct Config {
    /// What the function is called in this stack: two stacks in one account must not share a metric.
    pub function: String,
    /// The table.
    pub table: String,
    /// Where changesets and reports lie, which notifications point to.
    pub changesets_bucket: String,
    /// The topic that others are told on.
    pub events_topic: String,
}

impl Config {
    /// Reads `AWS_LAMBDA_FUNCTION_NAME`, `TABLE_NAME`, `CHANGESETS_BUCKET` and `EVENTS_TOPIC_ARN`.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            function: env::required("AWS_LAMBDA_FUNCTION_NAME")?,
            table: env::required("TABLE_NAME")?,
            changesets_bucket: env::required("CHANGESETS_BUCKET")?,
            events_topic: env::required("EVENTS_TOPIC_ARN")?,
        })
    }
}
