//! The configuration of the function, from the environment.

use taxonomy_keys::Culture;
use taxonomy_runtime::{ConfigError, env};

/// The configuration, read once at start.
#[derive(Debug, Clone)]
pub struct Config {
    /// The name of the function in this stack: two stacks of one account must not share a metric.
    pub function: String,
    /// The table.
    pub table: String,
    /// The bucket of the source objects.
    pub source_bucket: String,
    /// The bucket of snapshots, changesets and reports.
    pub changesets_bucket: String,
    /// The default culture where neither the tenant nor the file names one.
    pub default_culture: Culture,
    /// The retry queue, which delivers unfinished work again.
    pub retry_queue: String,
    /// The queue of audits.
    pub audit_queue: String,
    /// The queue of downloads.
    pub download_queue: String,
    /// The dead-letter queue of the retry queue.
    pub dead_letters: String,
    /// The dead-letter queue of audits.
    pub audit_dead_letters: String,
    /// The dead-letter queue of downloads.
    pub download_dead_letters: String,
    /// The largest file, as stored and decoded, in bytes.
    pub max_file_bytes: u64,
}

impl Config {
    /// Where the environment names no limit: 128 MiB, about 270,000 terms in one culture with long names, or 330,000 in five with shorter ones.
    pub const MAX_FILE_BYTES: u64 = 128 << 20;
    /// The largest limit: 512 MiB. Positions in memory, bodies in S3 and times are sized for it (docs/decisions/0027-large-files.md).
    pub const LARGEST_FILE_BYTES: u64 = 512 << 20;

    /// Reads `AWS_LAMBDA_FUNCTION_NAME`, `TABLE_NAME`, `SOURCE_BUCKET`, `CHANGESETS_BUCKET`,
    /// `RETRY_QUEUE_URL`, `AUDIT_QUEUE_URL`, `DEAD_LETTERS_URL`, `AUDIT_DEAD_LETTERS_URL`, `DOWNLOAD_QUEUE_URL`, `DOWNLOAD_DEAD_LETTERS_URL`, `DEFAULT_CULTURE` and `MAX_FILE_BYTES`.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing or invalid.
    pub fn from_env() -> Result<Self, ConfigError> {
        Ok(Self {
            function: env::required("AWS_LAMBDA_FUNCTION_NAME")?,
            table: env::required("TABLE_NAME")?,
            source_bucket: env::required("SOURCE_BUCKET")?,
            changesets_bucket: env::required("CHANGESETS_BUCKET")?,
            retry_queue: env::required("RETRY_QUEUE_URL")?,
            audit_queue: env::required("AUDIT_QUEUE_URL")?,
            download_queue: env::required("DOWNLOAD_QUEUE_URL")?,
            dead_letters: env::required("DEAD_LETTERS_URL")?,
            audit_dead_letters: env::required("AUDIT_DEAD_LETTERS_URL")?,
            download_dead_letters: env::required("DOWNLOAD_DEAD_LETTERS_URL")?,
            default_culture: env::required_as("DEFAULT_CULTURE")?,
            max_file_bytes: env::parsed("MAX_FILE_BYTES", Self::MAX_FILE_BYTES)?,
        })
    }
}
