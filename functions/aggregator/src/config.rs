//! What the stack tells the function.

use taxonomy_runtime::{ConfigError, env};
use taxonomy_valkey::ValkeyConfig;

use crate::source::EventSource;

/// What a deployment of the function does for each version; read once, at start.
#[derive(Debug, Clone)]
pub enum Config {
    /// Counts it and tells of it: `FOLLOWS=versions`.
    Versions(VersionsConfig),
    /// Brings caches up to it: `FOLLOWS=caches`. Its own deployment, so that a dead cache delays nothing else.
    Caches(CachesConfig),
}

/// Where versions are counted, and others told.
#[derive(Debug, Clone)]
pub struct VersionsConfig {
    /// What the function is called in this stack: two stacks in one account must not share a metric.
    pub function: String,
    /// The table.
    pub table: String,
    /// Where changesets and reports lie.
    pub changesets_bucket: String,
    /// The topic that versions and refusals are published to.
    pub events_topic: String,
    /// The `source` of published events.
    pub events_source: EventSource,
    /// The queue of deferred records.
    pub deferred_queue: String,
    /// Where parked records go.
    pub failures_bucket: String,
}

/// Which caches there are.
#[derive(Debug, Clone)]
pub struct CachesConfig {
    /// What the function is called in this stack.
    pub function: String,
    /// The second cache tier.
    pub tier: Option<ValkeyConfig>,
    /// The id of the CloudFront distribution in front of the HTTP API.
    pub distribution: Option<String>,
}

impl Config {
    /// Reads `AWS_LAMBDA_FUNCTION_NAME` and `FOLLOWS`; for versions `TABLE_NAME`, `CHANGESETS_BUCKET`, `EVENTS_TOPIC_ARN`,
    /// `EVENTS_SOURCE`, `DEFERRED_QUEUE_URL` and `FAILURES_BUCKET`; for caches
    /// `CDN_DISTRIBUTION_ID` and what [`ValkeyConfig::from_env`] reads.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing or wrong.
    pub fn from_env() -> Result<Self, ConfigError> {
        let function = env::required("AWS_LAMBDA_FUNCTION_NAME")?;
        match env::required("FOLLOWS")?.as_str() {
            "versions" => Ok(Self::Versions(VersionsConfig {
                function,
                table: env::required("TABLE_NAME")?,
                changesets_bucket: env::required("CHANGESETS_BUCKET")?,
                events_topic: env::required("EVENTS_TOPIC_ARN")?,
                events_source: env::required_as("EVENTS_SOURCE")?,
                deferred_queue: env::required("DEFERRED_QUEUE_URL")?,
                failures_bucket: env::required("FAILURES_BUCKET")?,
            })),
            "caches" => Ok(Self::Caches(CachesConfig {
                function,
                tier: ValkeyConfig::from_env()?,
                distribution: env::optional("CDN_DISTRIBUTION_ID")?,
            })),
            _ => Err(ConfigError::Invalid {
                name: "FOLLOWS",
                reason: "it is one of versions and caches".to_owned(),
            }),
        }
    }
}
