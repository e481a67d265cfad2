//! What the stack tells the function.

use taxonomy_keys::Culture;
use taxonomy_runtime::{ConfigError, env};

/// Read once, at start.
#[derive(Debug, Clone)]
pub struct Config {
    /// What the function is called in this stack: two stacks in one account must not share a metric.
    pub function: String,
    /// The table.
    pub table: String,
    /// Where upstreams put their files.
    pub source_bucket: String,
    /// Where snapshots, changesets and reports go.
    pub changesets_bucket: String,
    /// Used where neither tenant nor file names a default culture.
    pub default_culture: Culture,
    /// The queue that brings back what is not finished.
    pub retry_queue: String,
    /// The queue of audits.
    pub audit_queue: String,
    /// The queue of downloads.
    pub download_queue: String,
    /// The queue for what failed on every try.
    pub dead_letters: String,
    /// The same for audits.
    pub audit_dead_letters: String,
    /// The same for downloads.
    pub download_dead_letters: String,
    /// The largest file, as stored and decoded, in bytes.
    pub max_file_bytes: u64,
}

impl Config {
    /// 128 MiB, about 270,000 terms in one culture.
    pub const MAX_FILE_BYTES: u64 = 128 << 20;

    /// Reads `AWS_LAMBDA_FUNCTION_NAME`, `TABLE_NAME`, `SOURCE_BUCKET`, `CHANGESETS_BUCKET`,
    /// `RETRY_QUEUE_URL`, `AUDIT_QUEUE_URL`, `DEAD_LETTERS_URL`, `AUDIT_DEAD_LETTERS_URL`, `DOWNLOAD_QUEUE_URL`, `DOWNLOAD_DEAD_LETTERS_URL`, `DEFAULT_CULTURE` and `MAX_FILE_BYTES`.
    ///
    /// # Errors
    /// [`ConfigError`] names the variable that is missing or wrong.
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
