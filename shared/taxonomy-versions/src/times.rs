//! The version in force at a moment.

use taxonomy_index::Table;
use taxonomy_keys::Version;

use crate::error::VersionError;
use crate::file::VersionFile;

impl VersionFile<'_> {
    /// The newest version up to this file's that was committed at `at` or before, in epoch milliseconds; none before the first.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn version_at(&self, at: u64) -> Result<Option<Version>, VersionError> {
        let Some(bucket) = self.bucket_at(Table::Times, at).await? else {
            return Ok(None);
        };
        let found = bucket.predecessor(at);
        Ok(found.and_then(|(_, version)| Version::new(version.into())))
    }
}
