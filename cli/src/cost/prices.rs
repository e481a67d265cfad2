//! Prices, of one date and one region. The built-in ones are list prices of AWS without free tier, discounts and taxes.

use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

const BUILT_IN: &str = include_str!("prices.json");

/// A file of prices.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PriceList {
    /// The day on which the prices were read, `YYYY-MM-DD`.
    pub(crate) date: String,
    /// The region of the prices.
    pub(crate) region: String,
    pub(crate) dollars: Dollars,
    pub(crate) peers: Vec<Peer>,
}

/// The price of each quantity, in dollars. A GB-month of storage has 10^9 bytes.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Dollars {
    pub(crate) http_api_million_requests: f64,
    pub(crate) lambda_million_requests: f64,
    pub(crate) lambda_gb_second: f64,
    pub(crate) dynamodb_million_read_units: f64,
    pub(crate) dynamodb_million_write_units: f64,
    pub(crate) dynamodb_read_unit_hour: f64,
    pub(crate) dynamodb_write_unit_hour: f64,
    pub(crate) dynamodb_gb_month: f64,
    pub(crate) dynamodb_backup_gb_month: f64,
    pub(crate) s3_gb_month: f64,
    pub(crate) s3_thousand_puts: f64,
    pub(crate) s3_thousand_gets: f64,
    pub(crate) sns_million_publishes: f64,
    pub(crate) sqs_million_requests: f64,
    pub(crate) logs_gb: f64,
    pub(crate) logs_gb_month: f64,
    pub(crate) metric_month: f64,
    pub(crate) alarm_month: f64,
    pub(crate) dashboard_month: f64,
    pub(crate) million_traces: f64,
    pub(crate) transfer_gb: f64,
}

/// RDS for PostgreSQL in two zones, and ElastiCache for Valkey with one replica: an alternative to DynamoDB, of one size.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) database: String,
    /// Of both zones together.
    pub(crate) database_hour: f64,
    pub(crate) cache: String,
    /// Of one of the two nodes.
    pub(crate) cache_hour: f64,
    /// Of both zones together.
    pub(crate) database_gb_month: f64,
    pub(crate) database_gb: f64,
}

impl PriceList {
    /// Reads prices from a file, or returns the built-in ones.
    ///
    /// # Errors
    /// [`Failure`] when the file cannot be read or is no file of prices.
    pub(crate) fn read(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Self::parse(BUILT_IN, Path::new("the built-in file of prices"));
        };
        let text = std::fs::read_to_string(path).map_err(|cause| Failure::Read {
            path: path.to_owned(),
            cause,
        })?;
        Self::parse(&text, path)
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|cause| Failure::Configuration {
            path: path.to_owned(),
            cause: cause.into(),
        })
    }
}
