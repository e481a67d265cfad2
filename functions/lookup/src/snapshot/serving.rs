//! The version that a request is answered from, and the source of its data: the table or the version's index file. Both give equal
//! responses, so handlers need not distinguish them (docs/decisions/0018-version-index.md).
//!
//! Point reads of the newest version take the table once all of its items are written. Everything else reads the index file: lists, other versions, and a
//! point read whose item is newer than the version, missing, or damaged. No response mixes versions.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::files::VersionFile;
use taxonomy_cache::{Answered, Unreadable, View};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version, fallback};
use taxonomy_model::Settings;
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_store::Found;
use tokio::time::Instant;
use tracing::error;

use crate::response::problem::Problem;
use crate::snapshot::context::Context;
use crate::snapshot::edition::Edition;

const FILES_ARE_LATE: &str = "The files of the version could not be read in time; try again.";

/// The version of a request, and its sources.
pub(crate) struct Serving<'w> {
    context: &'w Context,
    view: View,
    version: Version,
    /// The index file, once it is opened.
    file: OnceLock<VersionFile<'w>>,
    /// When a batch gives up the file, so that what the table has is still answered in time.
    files_until: Instant,
    /// The culture that `Accept-Language` chose, where that header applies.
    pub(crate) chosen: Option<Culture>,
}

/// Terms that were found.
pub(crate) type Terms = HashMap<TermId, Stored<StoredTerm>>;

/// The terms of a batch.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) found: Terms,
    /// Why the other ids were not looked up in the file; none where they are of no term.
    pub(crate) unread: Option<Problem>,
}

/// A stored value, from the cache of the table or from a file.
#[derive(Debug)]
pub(crate) enum Stored<T> {
    Table(Arc<Found<T>>),
    File(T),
}

impl<T> Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Table(found) => &found.value,
            Self::File(value) => value,
        }
    }
}

impl<'w> Serving<'w> {
    /// Serves the newest version.
    pub(crate) fn current(context: &'w Context, view: View, files_until: Instant) -> Self {
        let version = view.version();
        Self::new(context, view, version, files_until)
    }

    fn new(context: &'w Context, view: View, version: Version, files_until: Instant) -> Self {
        Self {
            context,
            view,
            version,
            file: OnceLock::new(),
            files_until,
            chosen: None,
        }
    }

    /// Serves any version, from its file.
    pub(crate) async fn of_version(
        context: &'w Context,
        view: View,
        version: Version,
        files_until: Instant,
    ) -> Result<Self, Problem> {
        let serving = Self::new(context, view, version, files_until);
        let file = serving.file_of(version).await?;
        // No other reference to it exists yet.
        drop(serving.file.set(file));
        Ok(serving)
    }

    pub(crate) fn tenant(&self) -> &TenantId {
        self.view.tenant()
    }

    /// Returns the version of the response.
    pub(crate) fn version(&self) -> u64 {
        self.version.get()
    }

    /// Returns that version as a number of the model.
    pub(crate) fn number(&self) -> Version {
        self.version
    }

    /// Returns the settings of the version.
    pub(crate) fn settings(&self) -> &Settings {
        match self.file.get() {
            Some(file) => file.footer().settings(),
            None => &self.view.head().settings,
        }
    }

    /// Returns every culture that has names.
    pub(crate) fn cultures(&self) -> &[Culture] {
        match self.file.get() {
            Some(file) => file.footer().cultures(),
            None => &self.view.head().cultures,
        }
    }

    /// Returns the default culture.
    pub(crate) fn default_culture(&self) -> &Culture {
        &self.settings().default_culture
    }

    /// Returns the version of the data read so far, and their tag.
    pub(crate) fn edition(&self) -> Edition {
        match self.file.get() {
            Some(file) => {
                let digits = file.footer().identity().changeset.as_str().get(..16);
                Edition {
                    version: Some(self.version),
                    tag: Some(format!("{}-{}", self.version, digits.unwrap_or_default())),
                }
            }
            None => Edition::of(&self.view),
        }
    }

    /// Whether the request asks for a culture, by a parameter or by `Accept-Language`; otherwise the default one of each version answers.
    pub(crate) fn asks_for_a_culture(&self, requested: Option<&Culture>) -> bool {
        requested.or(self.chosen.as_ref()).is_some()
    }

    /// Returns the cultures to try for the name of each node, the best first and the default last.
    pub(crate) fn order(&self, requested: Option<&Culture>) -> Vec<Culture> {
        let requested = requested.or(self.chosen.as_ref());
        order(requested, self.settings(), self.cultures())
    }

    /// The same for the file of any version, with the settings and cultures of that version.
    pub(crate) fn order_in(&self, file: &VersionFile<'_>, requested: Option<&Culture>) -> Vec<Culture> {
        let (footer, requested) = (file.footer(), requested.or(self.chosen.as_ref()));
        order(requested, footer.settings(), footer.cultures())
    }

    /// Returns the culture of the one item of a term that has its names by an order: its own, `None`, where the order is the default alone, otherwise that
    /// of the first culture. None where that item's own order is another: the file answers.
    fn item_of(&self, order: &[Culture]) -> Option<Option<Culture>> {
        match order {
            [_] => Some(None),
            [first, ..] => (self.order(Some(first)) == order).then(|| Some(first.clone())),
            [] => None,
        }
    }

    /// Returns the existing terms out of `ids`, with their names by `order`.
    pub(crate) async fn terms(&self, ids: &[TermId], order: &[Culture]) -> Result<Terms, Problem> {
        let Batch { found, unread } = self.batch(ids, order).await?;
        unread.map_or(Ok(found), Err)
    }

    /// The same for a response with a status for each id: those that are not in the table may be unread, because the file cannot be read.
    pub(crate) async fn batch(&self, ids: &[TermId], order: &[Culture]) -> Result<Batch, Problem> {
        let mut found = Terms::with_capacity(ids.len());
        if let Some(culture) = self.item_of(order).filter(|_| self.reads_the_table()) {
            let reader = &self.context.source.table()?.reader;
            let read = reader.terms(&self.view, ids, culture.as_ref()).await?;
            let read = read.into_iter();
            let there = read.filter_map(|(id, term)| Some((id, Stored::Table(self.there(term)?))));
            found.extend(there);
        }
        let missing = ids.iter().copied().filter(|id| !found.contains_key(id));
        let missing: Vec<TermId> = missing.collect();
        if missing.is_empty() {
            return Ok(Batch { found, unread: None });
        }
        let read = async { Ok::<_, Problem>(self.file().await?.terms(&missing, order).await?) };
        let late = |late| Err(Problem::archive_unavailable(FILES_ARE_LATE, late));
        let read = tokio::time::timeout_at(self.files_until, Box::pin(read));
        match read.await.unwrap_or_else(late) {
            Ok(terms) => {
                let terms = terms.into_iter();
                found.extend(terms.map(|(id, term)| (id, Stored::File(term))));
                Ok(Batch { found, unread: None })
            }
            Err(problem) => Ok(Batch {
                found,
                unread: Some(problem),
            }),
        }
    }

    /// Returns a category.
    pub(crate) async fn category(&self, id: CategoryId) -> Result<Option<Stored<StoredCategory>>, Problem> {
        if self.reads_the_table() {
            let reader = &self.context.source.table()?.reader;
            let read = reader.category(&self.view, id).await?;
            if let Some(found) = self.there(read) {
                return Ok(Some(Stored::Table(found)));
            }
        }
        Ok(self.file().await?.category(id).await?.map(Stored::File))
    }

    /// Returns what the table has of an item; none where the index file must be read.
    fn there<T>(&self, answered: Answered<T>) -> Option<Arc<Found<T>>> {
        match answered {
            Ok(found) => found,
            Err(Unreadable::Newer) => None,
            Err(Unreadable::Damaged(error)) => {
                let (tenant, problem) = (self.tenant(), Problem::from(error));
                error!(%tenant, cause = problem.cause(), "an item is damaged; the index file answers, and a rebuild mends the item");
                None
            }
        }
    }

    /// Whether point reads may take the table: it has all items of the version, and no read of this request went to the file.
    fn reads_the_table(&self) -> bool {
        self.file.get().is_none() && self.view.trusts_the_table()
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
        let history = self.context.history()?;
        history.open(self.tenant(), self.view.head(), version).await
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
