//! The files of a version for reading: one search object for each culture in which a node has a name, then its index file, which names them
//! (docs/decisions/0018-version-index.md, 0019-search.md, 0037-extraction.md). A file is a function of the version and of the index file of the
//! version before, so every process builds the same.
//!
//! The search object of a culture contains the categories and terms that have a name in it: the preferred name and the alternative names in that
//! culture, and the notation.

use bytes::Bytes;
use taxonomy_index::search::{self, Entry, Kind, WriteError};
use taxonomy_index::{
    BuildError, Built, Changed, Digest, Expected, File, INDEX_FORMAT, Identity, Preorder, Previous, Source,
    format_of,
};
use taxonomy_keys::{Culture, TenantId, Version};
use taxonomy_model::changeset::Header;
use taxonomy_model::{Hash, Node, Settings, Taxonomy};
use taxonomy_store::{Committed, LogEntry, Object, StoreError};

use crate::error::VersioningError;
use crate::service::Service;

/// A version that is committed, as head and log name it.
#[derive(Debug, Clone)]
pub(crate) struct StoredVersion {
    pub(crate) version: Version,
    pub(crate) changeset: Hash,
    pub(crate) state: Hash,
    pub(crate) snapshot_key: String,
    pub(crate) index_key: String,
    pub(crate) committed_at: u64,
}

/// The index file of a version that is committed.
#[derive(Debug, Clone)]
pub(crate) struct StoredIndex {
    pub(crate) of: StoredVersion,
    /// Its name in messages.
    pub(crate) object: String,
    pub(crate) body: Bytes,
}

impl From<&Committed> for StoredVersion {
    fn from(head: &Committed) -> Self {
        Self {
            version: head.version,
            changeset: head.changeset.clone(),
            state: head.state.clone(),
            snapshot_key: head.snapshot_key.clone(),
            index_key: head.index_key.clone(),
            committed_at: head.committed_at,
        }
    }
}

impl From<&LogEntry> for StoredVersion {
    fn from(entry: &LogEntry) -> Self {
        Self {
            version: entry.version,
            changeset: entry.changeset.clone(),
            state: entry.state.clone(),
            snapshot_key: entry.snapshot_key.clone(),
            index_key: entry.index_key.clone(),
            committed_at: entry.committed_at,
        }
    }
}

impl Service {
    /// Reads the index file of a version.
    pub(crate) async fn stored_index(&self, of: impl Into<StoredVersion>) -> Result<StoredIndex, StoreError> {
        let of = of.into();
        check_format(&of.index_key)?;
        let (body, object) = (
            self.archive.whole(&of.index_key).await?,
            self.archive.object(&of.index_key),
        );
        Ok(StoredIndex { of, object, body })
    }
}

/// Refuses the file of a newer build.
pub(crate) fn check_format(index_key: &str) -> Result<(), StoreError> {
    match format_of(index_key).filter(|format| *format != INDEX_FORMAT) {
        Some(format) => Err(StoreError::UnknownFormat {
            what: index_key.to_owned(),
            format,
        }),
        None => Ok(()),
    }
}

impl StoredIndex {
    /// Opens the file.
    pub(crate) fn open(&self, tenant: &TenantId) -> Result<File<'_>, StoreError> {
        let expected = Expected {
            tenant,
            version: self.of.version,
            changeset: &self.of.changeset,
        };
        File::open(&self.body, expected).map_err(|error| self.damaged(error))
    }

    pub(crate) fn damaged(&self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
        StoreError::damaged(&self.object, source)
    }
}

/// A version whose files are built.
#[derive(Clone, Copy)]
pub(crate) struct NewFiles<'a> {
    pub(crate) identity: &'a Identity,
    pub(crate) taxonomy: &'a Taxonomy,
    pub(crate) order: &'a Preorder,
}

impl NewFiles<'_> {
    /// Collects the names of a culture.
    pub(crate) fn names_in<'n>(&'n self, culture: &'n Culture) -> Vec<Entry<'n>> {
        let mut names = Vec::new();
        let categories = self.order.categories_of(self.taxonomy);
        let categories = categories.map(|category| (category.id().get(), 0, category.node));
        let terms = self.order.terms_of(self.taxonomy);
        let terms = terms.map(|term| (term.id().get(), term.depth(), term.node));
        for (ordinal, (id, depth, node)) in (0..).zip(categories.chain(terms)) {
            names.extend(entries(ordinal, id, depth, node, culture));
        }
        names
    }

    /// Builds a search object.
    pub(crate) fn search_object(
        &self,
        names: Vec<Entry<'_>>,
        culture: &Culture,
    ) -> Result<SearchObject, VersioningError> {
        let body = search::write(culture.into(), self.order.len(), names);
        let body = body.map_err(|error| self.unwritten(error))?;
        let digest = Digest::from_content(&body);
        let object = Object::file(self.identity.search_key(culture, digest), body.into());
        Ok(SearchObject { digest, object })
    }

    /// Builds the index file, given the digests of the search objects.
    pub(crate) fn index(
        &self,
        changed: &Changed,
        search: &[Digest],
        before: Option<&StoredIndex>,
    ) -> Result<Built, VersioningError> {
        let file = before
            .map(|before| before.open(&self.identity.tenant))
            .transpose()?;
        let previous = file.as_ref().zip(before).map(|(file, before)| Previous {
            file,
            committed_at: before.of.committed_at,
        });
        let source = Source {
            identity: self.identity,
            taxonomy: self.taxonomy,
            order: self.order,
            changed,
            search,
            previous,
        };
        taxonomy_index::build(&source).map_err(|error| match (error, before) {
            (error @ (BuildError::TooLarge(_) | BuildError::TooMany(_)), _) => {
                VersioningError::unbuildable(&error)
            }
            (BuildError::Previous(error), Some(before)) => before.damaged(error).into(),
            (error, _) => self.damaged(error),
        })
    }

    /// Returns an index file that was built, as it is stored.
    pub(crate) fn index_object(&self, built: Built) -> Object {
        Object::packed_file(
            self.identity.index_key(built.digest),
            built.body.into(),
            is_of_key,
        )
    }

    fn unwritten(&self, error: WriteError) -> VersioningError {
        match error {
            error @ (WriteError::TooLong(_) | WriteError::TooMany) => VersioningError::unbuildable(&error),
            error => self.damaged(error),
        }
    }

    fn damaged(&self, error: impl std::error::Error + Send + Sync + 'static) -> VersioningError {
        let Identity { tenant, version, .. } = self.identity;
        StoreError::damaged(format!("a file of {tenant} at version {version}"), error).into()
    }
}

/// Whether bytes are an index file of the content that its key names, however it is packed.
fn is_of_key(key: &str, bytes: &[u8]) -> bool {
    let digest = File::open(bytes, None).and_then(|file| file.digest());
    digest.is_ok_and(|digest| key.ends_with(&format!("-{digest}.index")))
}

/// A search object that was built.
pub(crate) struct SearchObject {
    pub(crate) digest: Digest,
    pub(crate) object: Object,
}

/// Returns the ids that a version changed without its facts, to which the caller adds the facts.
pub(crate) fn changed_by(header: &Header, before: Option<&Settings>, after: &Settings) -> Changed {
    let changed = Changed::new(before, after);
    match header {
        Header {
            full: false,
            touched: Some(touched),
            ..
        } => changed.touching(touched.iter().copied()),
        _ => changed,
    }
}

/// Returns the identity of a version.
pub(crate) fn identity(header: &Header, changeset: Hash) -> Identity {
    Identity {
        tenant: header.tenant.clone(),
        version: header.version,
        changeset,
        state: header.after.clone(),
        projection_format: header.projection_format,
    }
}

/// Returns the names of a node that has one in the culture.
fn entries<'a>(
    ordinal: u32,
    id: u64,
    depth: u8,
    node: Node<'a>,
    culture: &'a Culture,
) -> impl Iterator<Item = Entry<'a>> {
    let details = node.details();
    let preferred = node.name_in(culture).map(|name| (Kind::Preferred, name.name));
    let alternative = details.alt_names.iter().filter(move |(tag, _)| tag == culture);
    let alternative = alternative.map(|(_, name)| (Kind::Alternative, name.as_str()));
    let mut names = preferred.into_iter().chain(alternative).peekable();
    let is_named = names.peek().is_some();
    let notation = details.notation.as_deref().filter(|_| is_named);
    let names = names.chain(notation.map(|notation| (Kind::Notation, notation)));
    names.map(move |(kind, name)| Entry {
        ordinal,
        id,
        name,
        kind,
        depth,
        deprecated: details.deprecated,
        sort_key: details.sort_key.as_deref().unwrap_or_default(),
    })
}
