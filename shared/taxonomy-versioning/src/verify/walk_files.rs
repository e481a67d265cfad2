//! The files of the versions of a walk: search objects and index files, built again and compared with the stored ones.

use taxonomy_index::{Digest, Preorder};
use taxonomy_keys::Version;
use taxonomy_model::changeset::Header;
use taxonomy_model::{Fact, Taxonomy};
use taxonomy_store::{LogEntry, UnlessLost as _};

use crate::error::VersioningError;
use crate::ingest::files::{NewFiles, StoredIndex, StoredVersion, changed_by, identity};
use crate::verify::difference::{Difference, Findings, Found, Mending};
use crate::verify::walk::{Walk, Walked, Walker};

/// A version whose files are compared.
#[derive(Clone, Copy)]
pub(super) struct FilesToCompare<'a> {
    pub(super) entry: &'a LogEntry,
    pub(super) content: &'a Taxonomy,
    pub(super) header: &'a Header,
    pub(super) facts: &'a [Fact],
}

impl Walker<'_> {
    /// Builds the files of a version again, and compares them with the stored ones. Returns the index file, stored or not; `None` where that of the version
    /// before is lost.
    pub(super) async fn compare_files(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        version: FilesToCompare<'_>,
        before: Option<&Walked>,
    ) -> Result<Option<StoredIndex>, VersioningError> {
        let FilesToCompare {
            entry,
            content,
            header,
            facts,
        } = version;
        let identity = identity(header, entry.changeset.clone());
        let files = NewFiles {
            identity: &identity,
            taxonomy: content,
            order: &Preorder::new(content),
        };
        let search = self.compare_search_objects(walk, findings, files).await?;
        let read;
        let previous = match before {
            None => None,
            Some(Walked {
                index: Some(index), ..
            }) => Some(index),
            Some(last) => {
                read = self
                    .service
                    .whole_index(self.tenant, &last.of)
                    .await
                    .unless_lost()?;
                read.as_ref().ok()
            }
        };
        if previous.is_none() && entry.version != Version::FIRST {
            self.compare_index_alone(findings, entry).await?;
            return Ok(None);
        }
        let settings = before
            .and_then(|last| last.content.as_ref())
            .map(Taxonomy::settings);
        let mut changed = changed_by(header, settings, content.settings());
        facts.iter().for_each(|fact| changed.add(fact));
        let built = files.index(&changed, &search, previous)?;
        let key = identity.index_key(built.digest);
        let index = StoredIndex {
            of: StoredVersion {
                index_key: key.clone(),
                ..entry.into()
            },
            object: self.service.archive.object(&key),
            body: built.body.into(),
        };
        self.compare_index(walk, findings, entry, index).await.map(Some)
    }

    /// Compares the index file that a version names with the one that was built again.
    async fn compare_index(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        entry: &LogEntry,
        built: StoredIndex,
    ) -> Result<StoredIndex, VersioningError> {
        let (service, key) = (self.service, built.of.index_key.clone());
        // Where neither log nor head names the file, it has the name that this build gives it.
        let named = match entry.index_key.is_empty() {
            true => key.clone(),
            false => entry.index_key.clone(),
        };
        let of = StoredVersion {
            index_key: named.clone(),
            ..built.of.clone()
        };
        let object = service.archive.object(&named);
        let difference = match service.whole_index(self.tenant, &of).await.unless_lost()? {
            Ok(_) if named == key => {
                walk.indexes += 1;
                return Ok(built);
            }
            Ok(_) => Difference::object(object, Found::Altered, "it has other content than the version"),
            Err(lost) => Difference::lost(object, &lost),
        };
        if !self.mends {
            findings.note(difference);
            // Under the name that is stored: nothing is renamed.
            return Ok(StoredIndex { of, ..built });
        }
        service.archive.replace_index(&key, built.body.clone()).await?;
        if named != key {
            service.follow_index(self.tenant, entry, &key).await?;
        }
        findings.note(difference.with(Mending::Mended));
        Ok(built)
    }

    /// Compares an index file with its own sums where it cannot be built again.
    pub(super) async fn compare_index_alone(
        &self,
        findings: &mut Findings,
        entry: &LogEntry,
    ) -> Result<(), VersioningError> {
        if entry.index_key.is_empty() {
            return Ok(());
        }
        let stored = self.service.whole_index(self.tenant, &entry.into()).await;
        if let Err(lost) = stored.unless_lost()? {
            let difference = Difference::lost(self.service.archive.object(&entry.index_key), &lost);
            findings.note(self.left(difference, "what it follows from is lost too"));
        }
        Ok(())
    }

    /// Builds the search objects of a version, one at a time, compares each with the stored one, and returns their digests.
    async fn compare_search_objects(
        &self,
        walk: &mut Walk,
        findings: &mut Findings,
        files: NewFiles<'_>,
    ) -> Result<Vec<Digest>, VersioningError> {
        let (mut digests, archive) = (Vec::new(), &self.service.archive);
        walk.search_bytes = 0;
        for culture in files.taxonomy.cultures() {
            let object = files.search_object(files.names_in(culture), culture)?;
            digests.push(object.digest);
            walk.search_bytes += object.body.len() as u64;
            let compared = archive.compare(&object.key, &object.body).await;
            let Err(lost) = compared.unless_lost()? else {
                walk.search_objects += 1;
                continue;
            };
            let difference = Difference::lost(archive.object(&object.key), &lost);
            findings.note(match self.mends {
                true => {
                    archive.replace_index(&object.key, object.body).await?;
                    difference.with(Mending::Mended)
                }
                false => difference,
            });
        }
        Ok(digests)
    }
}
