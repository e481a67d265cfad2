//! The newest version at a time.

use taxonomy_index::IdTable;
use taxonomy_keys::Version;

use crate::files::error::VersionError;
use crate::files::version_file::VersionFile;

impl VersionFile<'_> {
    /// Returns the newest version before that of this file that was committed at or before `at` (epoch milliseconds); none before the first. The
    /// file's own commit time is in the head and in the log.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn version_at(&self, at: u64) -> Result<Option<Version>, VersionError> {
        let Some(bucket) = self.bucket_at(IdTable::Times, at).await? else {
            return Ok(None);
        };
        let found = bucket.predecessor(at);
        Ok(found.and_then(|(_, version)| Version::new(version.into())))
    }
}
