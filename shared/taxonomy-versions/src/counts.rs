//! The counts of categories.

use taxonomy_index::Counted;
use taxonomy_keys::CategoryId;

use crate::error::VersionError;
use crate::file::VersionFile;

impl VersionFile<'_> {
    /// The counts of a category; none if neither the version nor one before it had it.
    ///
    /// # Errors
    /// [`VersionError`] if the file cannot be read.
    pub async fn counted(&self, id: CategoryId) -> Result<Option<Counted>, VersionError> {
        let Some((_, part)) = self.footer().counts_of(id) else {
            return Ok(None);
        };
        Ok(self.counts(part).await?.of(id).cloned())
    }
}
