//! The configuration of the function, from the environment.

use taxonomy_runtime::{ConfigError, env};
use taxonomy_valkey::ValkeyConfig;

use crate::source::EventSource;

/// The task of a deployment of the function, read once at start.
#[derive(Debug, Clone)]
pub enum Config {
    /// Updates the aggregates and publishes messages: `FOLLOWS=versions`.
    Versions(VersionsConfig),
    /// Updates caches: `FOLLOWS=caches`. A deployment of its own, so that a dead cache delays nothing else.
    Caches(CachesConfig),
}

/// The configuration of counting and publishing.
#[derive(Debug, Clone)]
pub struct VersionsConfig {
    /// The name of the function in this stack: two stacks of one account must not share a metric.
    pub function: String,
    /// The table.
    pub table: String,
    /// The bucket of changesets and reports.
    pub changesets_bucket: String,
    /// The topic of versions and refusals.
    pub events_topic: String,
    /// The `source` of published events.
    pub events_source: EventSource,
    /// The queue of deferred records.
    pub deferred_queue: String,
    /// The bucket of parked records.
    pub failures_bucket: String,
}

/// The configuration of the caches.
#[derive(Debug, Clone)]
pub struct CachesConfig {
    /// The name of the function in this stack.
    pub function: String,
    /// The second cache tier.
    pub tier: Option<ValkeyConfig>,
    /// The id of the CloudFront distribution in front of the HTTP API.
    pub distribution: Option<String>,
}

impl Config {
    /// Reads `AWS_LAMBDA_FUNCTION_NAME` and `FOLLOWS`; for versions `TABLE_NAME`, `CHANGESETS_BUCKET`, `EVENTS_TOPIC_ARN`,
    /// `EVENTS_SOURCE`, `DEFERRED_QUEUE_URL` and `FAILURES_BUCKET`; for caches
    /// `CDN_DISTRIBUTION_ID` and the variables of [`ValkeyConfig::from_env`].
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing or invalid.
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
            _ => Err(ConfigError::invalid(
                "FOLLOWS",
                "it is one of versions and caches",
            )),
        }
    }
}
