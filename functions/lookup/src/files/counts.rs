//! The counts of categories.

use taxonomy_index::StoredCounts;
use taxonomy_keys::CategoryId;

use crate::files::error::VersionError;
use crate::files::version_file::VersionFile;

impl VersionFile<'_> {
    /// Returns the counts of a category; none if neither the version nor an earlier one had it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn counted(&self, id: CategoryId) -> Result<Option<StoredCounts>, VersionError> {
        let Some((_, part)) = self.footer().counts_of(id) else {
            return Ok(None);
        };
        Ok(self.counts(part).await?.get(id).cloned())
    }
}
