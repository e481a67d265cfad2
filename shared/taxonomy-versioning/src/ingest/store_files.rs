//! Storing the files of a version before its commit. Nobody sees them before the head names them.

use std::time::Duration;

use futures_util::future::try_join_all;
use taxonomy_index::{Built, Changed, Digest};
use taxonomy_store::{Committed, Object, UnlessLost as _, extra_time};
use tracing::info;

use crate::error::VersioningError;
use crate::ingest::files::NewFiles;
use crate::plan::TenantState;
use crate::service::Service;

/// The time to write one name, three times the measured one (docs/decisions/0019-search.md).
const MICROSECONDS_A_NAME: u64 = 20;

/// The most search objects that are sent at once, and the bytes of them after which no other is built before they are sent.
const SENT_AT_ONCE: usize = 8;
const BYTES_AT_ONCE: usize = 4 << 20;

/// The interval in which the head is read while files are built.
const LOOK_MS: u64 = 2_000;

impl Service {
    /// Builds and stores the search objects of a version one after the other, then its index file, and returns the key of the index file.
    ///
    /// # Errors
    /// [`VersioningError::Overtaken`] if the tenant moved meanwhile: the files would be those of no version. [`VersioningError::Unbuildable`] for
    /// content that a file cannot hold. [`VersioningError::OutOfTime`]; the next invocation sends only what is missing.
    pub(crate) async fn store_files(
        &self,
        files: NewFiles<'_>,
        changed: &Changed,
        state: TenantState<'_>,
    ) -> Result<String, VersioningError> {
        let (began, deadline) = (self.clock.now_ms(), state.deadline);
        let (search, search_bytes, looked_at) = self.store_search_objects(files, state, began).await?;
        self.look(state, looked_at).await?;
        deadline.in_time(&*self.clock)?;
        // The same time again as for reading the file of the version before.
        let size = state.committed().map_or(0, |head| head.source.size);
        deadline.in_time_for(extra_time(size), &*self.clock)?;
        let built = self.index_onto_head(files, changed, &search, state).await?;
        let object = files.index_object(built);
        let bytes = object.body.len();
        deadline.in_time_for(extra_time(bytes as u64), &*self.clock)?;
        self.put(state.tenant, &object).await?;
        let duration_ms = self.clock.now_ms().saturating_sub(began);
        let (tenant, version) = (state.tenant, files.identity.version.get());
        info!(%tenant, version, bytes, search_bytes, duration_ms, "files stored");
        Ok(object.key)
    }

    /// Builds the index file from that of the head, which is restored first where it is lost.
    async fn index_onto_head(
        &self,
        files: NewFiles<'_>,
        changed: &Changed,
        search: &[Digest],
        state: TenantState<'_>,
    ) -> Result<Built, VersioningError> {
        let Some(head) = state.committed() else {
            return files.index(changed, search, None);
        };
        if let Ok(before) = self.stored_index(head).await.unless_lost()? {
            match files.index(changed, search, Some(&before)) {
                Err(VersioningError::Store(error)) if error.is_lost() => {}
                built => return built,
            }
        }
        let before = self.index(state.tenant, &head.into(), state.deadline).await?;
        files.index(changed, search, Some(&before))
    }

    /// Returns the digests of the search objects, their bytes in all, and the time of the last look. Small ones are sent a few at once.
    async fn store_search_objects(
        &self,
        files: NewFiles<'_>,
        state: TenantState<'_>,
        mut looked_at: u64,
    ) -> Result<(Vec<Digest>, usize, u64), VersioningError> {
        let deadline = state.deadline;
        let (mut digests, mut total) = (Vec::new(), 0);
        let (mut built, mut bytes) = (Vec::new(), 0);
        for culture in files.taxonomy.cultures() {
            looked_at = self.look(state, looked_at).await?;
            deadline.in_time(&*self.clock)?;
            let names = files.names_in(culture);
            deadline.in_time_for(time_to_write(names.len()), &*self.clock)?;
            let file = files.search_object(names, culture)?;
            digests.push(file.digest);
            total += file.object.body.len();
            bytes += file.object.body.len();
            built.push(file.object);
            // A large one is not in memory while the next one is built.
            if built.len() == SENT_AT_ONCE || bytes >= BYTES_AT_ONCE {
                self.send(state, std::mem::take(&mut built)).await?;
                bytes = 0;
            }
        }
        self.send(state, built).await?;
        Ok((digests, total, looked_at))
    }

    async fn send(&self, state: TenantState<'_>, objects: Vec<Object>) -> Result<(), VersioningError> {
        let bytes: usize = objects.iter().map(|object| object.body.len()).sum();
        state
            .deadline
            .in_time_for(extra_time(bytes as u64), &*self.clock)?;
        let sent = objects.iter().map(|object| self.put(state.tenant, object));
        try_join_all(sent).await?;
        Ok(())
    }

    /// Checks that head and configuration are as they were read, if the last look is old. Returns the time of the last look.
    async fn look(&self, read: TenantState<'_>, looked_at: u64) -> Result<u64, VersioningError> {
        let now = self.clock.now_ms();
        if now.saturating_sub(looked_at) < LOOK_MS {
            return Ok(looked_at);
        }
        let (head, configuration) = self.heads.read(read.tenant).await?;
        let id = |head: &Committed| (head.version, head.changeset.clone());
        let is_same = head.committed.as_ref().map(id) == read.committed().map(id)
            && configuration.revision == read.configuration.revision;
        match is_same && configuration.purge.is_none() {
            true => Ok(now),
            false => Err(VersioningError::Overtaken),
        }
    }
}

fn time_to_write(names: usize) -> Duration {
    Duration::from_micros((names as u64).saturating_mul(MICROSECONDS_A_NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 512 MiB, the largest that a stack can be set to take, has some eight million names. Its snapshot, changeset, search objects and index
    /// file take less than half of it together (docs/decisions/0027-large-files.md). An invocation has 900 s, 40 of them for its last requests.
    #[test]
    fn the_largest_file_fits_into_an_invocation() {
        const LARGEST: u64 = 512 << 20;
        // For one attempt each; `extra_time` is enough for two.
        let transfers = extra_time(LARGEST + LARGEST / 2) / 2;
        let building = time_to_write(8_000_000);
        assert!(
            transfers + building < Duration::from_secs(860),
            "{transfers:?} {building:?}"
        );
    }
}
