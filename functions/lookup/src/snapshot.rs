//! A snapshot: the version that a request is answered from, and the source of its data: the table or the version's index file. Both give equal
//! responses, so handlers need not distinguish them (docs/decisions/0018-version-index.md).
//!
//! Point reads of the newest version take the table once all of its items are written. Everything else reads the index file: lists, other versions, and a
//! point read whose item is newer than the version, missing, or damaged. No response mixes versions.

pub(crate) mod context;
pub(crate) mod downloads;
pub(crate) mod existence;
pub(crate) mod history;
pub(crate) mod log;
pub(crate) mod version_tag;

use std::collections::HashMap;
use std::sync::OnceLock;

use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version, fallback};
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_model::{NodeId, Settings};
use taxonomy_store::{Committed, LogEntry, TermItem};
use tokio::time::Instant;

use crate::cache::CachedReader;
use crate::cache::current_version::CurrentVersion;
use crate::cache::entry::{EntryName, Kept};
use crate::files::VersionFile;
use crate::request::language::Language;
use crate::response::etag::Tags;
use crate::response::problem::Problem;
use crate::snapshot::context::Context;
use crate::snapshot::version_tag::VersionTag;

/// The version of a request with its sources, and the language that it is answered in.
pub(crate) struct Snapshot<'w> {
    context: &'w Context,
    current: CurrentVersion,
    version: Version,
    /// Whether its answers are kept: those of the current version are.
    is_kept: bool,
    /// The index file, once it is opened.
    file: OnceLock<VersionFile<'w>>,
    /// When a batch gives up the file, so that what the table has is still answered in time.
    files_until: Instant,
    language: Language,
}

/// The terms that were found, by their ids.
pub(crate) type TermsById = HashMap<TermId, StoredTerm>;

/// The terms of a batch.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) found: TermsById,
    /// Why the other ids were not looked up in the file; none where they are of no term.
    pub(crate) unread: Option<Problem>,
}

impl<'w> Snapshot<'w> {
    /// Reads the newest version.
    pub(crate) fn current(context: &'w Context, current: CurrentVersion, files_until: Instant) -> Self {
        Self {
            version: current.version(),
            context,
            current,
            is_kept: true,
            file: OnceLock::new(),
            files_until,
            language: Language::default(),
        }
    }

    /// Reads any version, from its file.
    pub(crate) async fn of_version(
        context: &'w Context,
        current: CurrentVersion,
        version: Version,
        files_until: Instant,
    ) -> Result<Self, Problem> {
        let newest = Self::current(context, current, files_until);
        let file = newest.file_of(version).await?;
        Ok(Self {
            version,
            is_kept: false,
            file: OnceLock::from(file),
            ..newest
        })
    }

    /// Answers in the language that a request asks for, by `culture=` or by `Accept-Language`.
    pub(crate) fn in_language(self, requested: Option<Culture>, accept_language: Option<&str>) -> Self {
        let language = Language::new(requested, accept_language, self.cultures(), self.settings());
        Self { language, ..self }
    }

    /// Returns the language of the response.
    pub(crate) fn language(&self) -> &Language {
        &self.language
    }

    pub(crate) fn tenant(&self) -> &TenantId {
        self.current.tenant()
    }

    /// Returns the head of the tenant, which is of the newest version.
    pub(crate) fn head(&self) -> &Committed {
        self.current.head()
    }

    /// Returns the version of the response.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Returns the settings of the version.
    pub(crate) fn settings(&self) -> &Settings {
        match self.file.get() {
            Some(file) => file.footer().settings(),
            None => &self.current.head().settings,
        }
    }

    /// Returns every culture that has names.
    pub(crate) fn cultures(&self) -> &[Culture] {
        match self.file.get() {
            Some(file) => file.footer().cultures(),
            None => &self.current.head().cultures,
        }
    }

    /// Returns the default culture.
    pub(crate) fn default_culture(&self) -> &Culture {
        &self.settings().default_culture
    }

    /// Returns the version of the response, with its tag.
    pub(crate) fn tag(&self) -> VersionTag {
        let tag = match self.file.get() {
            Some(file) => {
                let digits = file.footer().identity().changeset.as_str().get(..16);
                format!("{}-{}", self.version, digits.unwrap_or_default())
            }
            None => self.current.tag(),
        };
        VersionTag {
            version: self.version,
            tags: Tags::new(&tag, self.language.chosen.as_ref()),
            vary: self.language.vary,
        }
    }

    /// Returns the cultures to try for the name of each node, the best first and the default last.
    pub(crate) fn order(&self) -> Vec<Culture> {
        order(self.language.culture(), self.settings(), self.cultures())
    }

    /// The same for another culture than that of the response.
    pub(crate) fn order_of(&self, culture: &Culture) -> Vec<Culture> {
        order(Some(culture), self.settings(), self.cultures())
    }

    /// The same for the file of any version, with the settings and cultures of that version.
    pub(crate) fn order_in(&self, file: &VersionFile<'_>) -> Vec<Culture> {
        let footer = file.footer();
        order(self.language.culture(), footer.settings(), footer.cultures())
    }

    /// Returns the culture of the one item that has a term's names by an order: `Some(None)` for an order of the default culture alone, whose item
    /// names no culture; else `Some` of the order's first culture. `None` if no single item has them; then the index file answers.
    fn item_of(&self, order: &[Culture]) -> Option<Option<Culture>> {
        match order {
            [_] => Some(None),
            [first, ..] => (self::order(Some(first), self.settings(), self.cultures()) == order)
                .then(|| Some(first.clone())),
            [] => None,
        }
    }

    /// Returns the reader that keeps answers of this snapshot, and the culture of their names; none where they are not kept.
    fn keeper(&self) -> Option<(&CachedReader, Option<Culture>)> {
        let culture = self.item_of(&self.order()).filter(|_| self.is_kept)?;
        Some((&self.context.table().ok()?.reader, culture))
    }

    /// Returns the answers about nodes in the language of this snapshot that are kept.
    ///
    /// # Errors
    /// [`Problem::has_moved`] where another process has seen a newer version.
    pub(crate) async fn kept(
        &self,
        nodes: impl Iterator<Item = NodeId>,
    ) -> Result<HashMap<NodeId, Kept>, Problem> {
        let Some((reader, culture)) = self.keeper() else {
            return Ok(HashMap::new());
        };
        let name = |node| EntryName {
            node,
            culture: culture.clone(),
        };
        let found = reader.entries(&self.current, nodes.map(name).collect()).await?;
        Ok(found.into_iter().map(|(name, kept)| (name.node, kept)).collect())
    }

    /// Keeps answers about nodes in the language of this snapshot.
    pub(crate) async fn keep(&self, answers: impl Iterator<Item = (NodeId, Kept)>) {
        let Some((reader, culture)) = self.keeper() else {
            return;
        };
        let entry = |(node, kept)| {
            let culture = culture.clone();
            (EntryName { node, culture }, kept)
        };
        reader.keep(&self.current, answers.map(entry).collect()).await;
    }

    /// Returns the existing terms out of `ids`, with their names by `order`.
    pub(crate) async fn terms(&self, ids: &[TermId], order: &[Culture]) -> Result<TermsById, Problem> {
        let Batch { found, unread } = self.batch(ids, order).await?;
        unread.map_or(Ok(found), Err)
    }

    /// The same for a response with a status for each id: those that are not in the table may be unread, because the file cannot be read. No id is
    /// named twice.
    pub(crate) async fn batch(&self, ids: &[TermId], order: &[Culture]) -> Result<Batch, Problem> {
        let mut found = TermsById::with_capacity(ids.len());
        if let Some(culture) = self.item_of(order).filter(|_| self.reads_the_table()) {
            let item = |id: &TermId| TermItem {
                id: *id,
                culture: culture.clone(),
            };
            let items: Vec<TermItem> = ids.iter().map(item).collect();
            let reader = &self.context.table()?.reader;
            let read = reader.terms(&self.current, &items).await?;
            let there = ids.iter().zip(read);
            found.extend(there.filter_map(|(id, term)| Some((*id, term?))));
        }
        let missing = ids.iter().copied().filter(|id| !found.contains_key(id));
        let missing: Vec<TermId> = missing.collect();
        if missing.is_empty() {
            return Ok(Batch { found, unread: None });
        }
        let read = async { Ok::<_, Problem>(self.file().await?.terms(&missing, order).await?) };
        let late = |late| Err(Problem::files_late(late));
        let read = tokio::time::timeout_at(self.files_until, Box::pin(read));
        let unread = match read.await.unwrap_or_else(late) {
            Ok(terms) => {
                found.extend(terms);
                None
            }
            Err(problem) => Some(problem),
        };
        Ok(Batch { found, unread })
    }

    /// Returns a category.
    pub(crate) async fn category(&self, id: CategoryId) -> Result<Option<StoredCategory>, Problem> {
        if self.reads_the_table() {
            let reader = &self.context.table()?.reader;
            if let Some(found) = reader.category(&self.current, id).await? {
                return Ok(Some(found));
            }
        }
        Ok(self.file().await?.category(id).await?)
    }

    /// Whether point reads may take the table: it has all items of the version, and no read of this request went to the file.
    fn reads_the_table(&self) -> bool {
        self.file.get().is_none() && self.current.trusts_the_table()
    }

    /// Returns the index file of the version, which is opened by the first call. From then on the request reads nothing else.
    pub(crate) async fn file(&self) -> Result<&VersionFile<'w>, Problem> {
        if self.file.get().is_none() {
            let file = self.file_of(self.version).await?;
            // If two tasks do this at once, either file will do.
            drop(self.file.set(file));
        }
        let none = || Problem::internal("a version without its index file");
        self.file.get().ok_or_else(none)
    }

    /// Opens the index file of a version of the tenant, which is not newer than the served one.
    pub(crate) async fn file_of(&self, version: Version) -> Result<VersionFile<'w>, Problem> {
        let (tenant, head) = (self.tenant(), self.current.head());
        self.context.open(tenant, head, version).await
    }

    /// Returns the log entry of a version that is or was served.
    pub(crate) async fn entry(&self, version: Version) -> Result<LogEntry, Problem> {
        self.context.entry(self.tenant(), version).await
    }
}

/// Returns the order of a request in a version with these settings and cultures.
fn order(requested: Option<&Culture>, settings: &Settings, available: &[Culture]) -> Vec<Culture> {
    let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
    match requested {
        Some(requested) => fallback(requested, available, chain, default),
        None => vec![default.clone()],
    }
}
