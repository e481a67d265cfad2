//! The versions that had an id which the version of a request lacks, by the index file of the served version.

use taxonomy_keys::Version;
use taxonomy_model::NodeId;

use crate::files::VersionFile;
use crate::response::problem::Problem;
use crate::snapshot::Snapshot;

/// A version, and its commit time in epoch milliseconds.
pub(crate) type Committed = (Version, u64);

/// The versions that had an id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lifetime {
    /// The first one that had it.
    pub(crate) from: Committed,
    /// The one that removed it; none where the served version has it.
    pub(crate) until: Option<Committed>,
}

impl Snapshot<'_> {
    /// Returns which versions had an id that this one lacks; none where no version did. An index file has every id that its version and those
    /// before had, so the served version needs no further read, and an older one at most a bucket of ids, a column and two buckets of times.
    ///
    /// # Errors
    /// `archive-unavailable` where the file of the served version cannot be read.
    pub(crate) async fn lifetime(&self, node: NodeId) -> Result<Option<Lifetime>, Problem> {
        if self.version == self.current.version() {
            return Ok(None);
        }
        let read = Box::pin(self.lifetime_in_served(node));
        let read = tokio::time::timeout_at(self.files_until, read).await;
        read.unwrap_or_else(|late| Err(Problem::files_late(late)))
    }

    async fn lifetime_in_served(&self, node: NodeId) -> Result<Option<Lifetime>, Problem> {
        let file = self.file_of(self.current.version()).await?;
        let Some(row) = file.row_of(node).await? else {
            return Ok(None);
        };
        let removed_in = row.removed.then_some(row.changed_in);
        let until = match removed_in {
            Some(version) => Some(self.committed(&file, version).await?),
            None => None,
        };
        Ok(Some(Lifetime {
            from: self.committed(&file, row.created_in).await?,
            until,
        }))
    }

    /// Returns a version with its commit time: the file of the served version has those of the versions before.
    async fn committed(&self, file: &VersionFile<'_>, version: Version) -> Result<Committed, Problem> {
        let head = self.head();
        let at = match version == head.version {
            true => head.committed_at,
            false => file.committed_at(version).await?,
        };
        Ok((version, at))
    }
}
