//! The files of the versions of a walk: search objects and index files, built again and compared with the stored ones.

use taxonomy_collation::sibling_keys;
use taxonomy_index::Preorder;
use taxonomy_keys::Version;
use taxonomy_model::Taxonomy;
use taxonomy_model::changeset::Changeset;
use taxonomy_store::{LogEntry, Object, UnlessLost as _};
use tracing::info;

use crate::error::VersioningError;
use crate::ingest::files::{NewFiles, StoredIndex, StoredVersion, changed_by, identity};
use crate::verify::Examination;
use crate::verify::compare::Comparison;
use crate::verify::difference::{Difference, Mending};
use crate::verify::walk::{Step, Walked};

impl Examination<'_> {
    /// Builds the files of a version again, and compares them with the stored ones. Returns the index file, which is stored if the examination mends;
    /// `None` where it cannot be built.
    pub(super) async fn compare_files(
        &self,
        comparison: &mut Comparison<'_>,
        step: Step<'_>,
        content: Option<&Taxonomy>,
        changeset: Option<&Changeset>,
    ) -> Result<Option<StoredIndex>, VersioningError> {
        let Step { entry, before } = step;
        let (Some(content), Some(Changeset { header, facts })) = (content, changeset) else {
            return self.compare_index_alone(comparison, entry).await;
        };
        let identity = identity(header, entry.changeset.clone());
        let files = NewFiles {
            identity: &identity,
            taxonomy: content,
            order: &Preorder::new(content, sibling_keys),
        };
        let mut search = Vec::new();
        for culture in content.cultures() {
            let file = files.search_object(files.names_in(culture), culture)?;
            comparison.object(&file.object).await?;
            search.push(file.digest);
        }
        let read;
        let previous = match before {
            Some(Walked {
                index: Some(index), ..
            }) => Some(index),
            Some(last) => {
                read = self
                    .service
                    .whole_index(self.tenant, &(&last.entry).into())
                    .await
                    .unless_lost()?;
                read.as_ref().ok()
            }
            None => None,
        };
        if previous.is_none() && entry.version != Version::FIRST {
            return self.compare_index_alone(comparison, entry).await;
        }
        let old = step.old().flatten().map(Taxonomy::settings);
        let mut changed = changed_by(header, old, content.settings());
        facts.iter().for_each(|fact| changed.add(fact));
        let object = files.index_object(files.index(&changed, &search, previous)?);
        self.compare_index(comparison, entry, object).await.map(Some)
    }

    /// Compares the index file that a version names with the one that was built again, and returns that.
    async fn compare_index(
        &self,
        comparison: &mut Comparison<'_>,
        entry: &LogEntry,
        object: Object,
    ) -> Result<StoredIndex, VersioningError> {
        let archive = &self.service.archive;
        let mut of = StoredVersion {
            index_key: object.key.clone(),
            ..entry.into()
        };
        // Where neither log nor head names the file, it has the name that this build gives it.
        if entry.index_key.is_empty() || entry.index_key == object.key {
            comparison.object(&object).await?;
        } else {
            let named = Object::file(entry.index_key.clone(), object.body.clone());
            let name = archive.object(&named.key);
            match (archive.compare(&named).await.unless_lost()?, comparison.mends) {
                (Ok(()), _) => of.index_key = named.key,
                (Err(lost), true) => {
                    archive.put(&object).await?;
                    let difference = Difference::lost(name, &lost);
                    comparison.findings.note(difference.with(Mending::Mended));
                }
                (Err(lost), false) => {
                    comparison.findings.note(Difference::lost(name, &lost));
                    of.index_key = named.key;
                }
            }
        }
        Ok(StoredIndex {
            object: archive.object(&of.index_key),
            of,
            body: object.body,
        })
    }

    /// Compares an index file with its own sums where it cannot be built again.
    async fn compare_index_alone(
        &self,
        comparison: &mut Comparison<'_>,
        entry: &LogEntry,
    ) -> Result<Option<StoredIndex>, VersioningError> {
        if entry.index_key.is_empty() {
            return Ok(None);
        }
        let stored = self.service.whole_index(self.tenant, &entry.into()).await;
        match stored.unless_lost()? {
            Ok(index) => Ok(Some(index)),
            Err(lost) => {
                let difference = Difference::lost(self.service.archive.object(&entry.index_key), &lost);
                comparison.leave(difference, "what it follows from is lost too");
                Ok(None)
            }
        }
    }

    /// Lets log entry and head name the index file of a version, to which this build gave another name.
    pub(super) async fn rename_index(&self, entry: &LogEntry, key: &str) -> Result<(), VersioningError> {
        let (head, tenant) = (self.head, self.tenant);
        let is_head = (head.version, &head.index_key) == (entry.version, &entry.index_key);
        match self
            .service
            .heads
            .rename_index(tenant, entry, key, is_head)
            .await?
        {
            true => {
                info!(%tenant, version = entry.version.get(), before = entry.index_key, key, "the index file has another name");
                Ok(())
            }
            false => Err(VersioningError::Overtaken),
        }
    }
}
