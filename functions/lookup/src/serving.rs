//! The version that a request is answered from, and the source of its data: the table or the version's index file. Both give equal
//! responses, so handlers need not distinguish them (docs/decisions/0018-version-index.md).
//!
//! Point reads of the newest version take the table once all of its items are written. Everything else reads the index file: lists, other versions, and a
//! point read whose item is newer than the version, missing, or damaged. No response mixes versions.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use taxonomy_cache::{ReadError, View};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId, Version, fallback};
use taxonomy_model::Settings;
use taxonomy_model::stored::{StoredCategory, StoredTerm};
use taxonomy_store::{Found, StoreError};
use taxonomy_version_reader::VersionFile;
use tracing::error;

use crate::context::Context;
use crate::edition::Edition;
use crate::problem::Problem;

/// The version of a request, and its sources.
pub(crate) struct Serving<'w> {
    context: &'w Context,
    view: View,
    version: Version,
    /// The index file, once it is opened.
    file: OnceLock<VersionFile<'w>>,
    /// The culture that `Accept-Language` chose, where that header applies.
    pub(crate) chosen: Option<Culture>,
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
    pub(crate) fn current(context: &'w Context, view: View) -> Self {
        let version = view.version();
        Self::new(context, view, version)
    }

    fn new(context: &'w Context, view: View, version: Version) -> Self {
        Self {
            context,
            view,
            version,
            file: OnceLock::new(),
            chosen: None,
        }
    }

    /// Serves any version, from its file.
    pub(crate) async fn of_version(
        context: &'w Context,
        view: View,
        version: Version,
    ) -> Result<Self, Problem> {
        let serving = Self::new(context, view, version);
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

    /// Returns the cultures to try for `requested`, the best first and the default last. Empty if none is requested: each item then answers in the
    /// default culture of the version that wrote it.
    pub(crate) fn order(&self, requested: Option<&Culture>) -> Vec<Culture> {
        let Some(requested) = requested.or(self.chosen.as_ref()) else {
            return Vec::new();
        };
        self.order_of_items(requested, self.cultures())
    }

    /// The same for the file of any version, with the settings and cultures of that version.
    pub(crate) fn order_in(&self, file: &VersionFile<'_>, requested: Option<&Culture>) -> Vec<Culture> {
        let Some(requested) = requested.or(self.chosen.as_ref()) else {
            return Vec::new();
        };
        let (footer, settings) = (file.footer(), file.footer().settings());
        let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
        fallback(requested, footer.cultures(), chain, default)
    }

    /// The cultures to try for the name of the category in FinalNames of `culture`.
    pub(crate) fn order_of_items(&self, culture: &Culture, available: &[Culture]) -> Vec<Culture> {
        let settings = self.settings();
        fallback(
            culture,
            available,
            &settings.fallback_chain,
            &settings.default_culture,
        )
    }

    /// Returns the existing terms out of `ids`, each in the first culture of `order` in which it has a name.
    pub(crate) async fn terms(
        &self,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Stored<StoredTerm>>, Problem> {
        if self.reads_the_table() {
            let reader = &self.context.source.table()?.reader;
            let found = reader.terms(&self.view, ids, order).await;
            if let Some(found) =
                exact(self.tenant(), found)?.filter(|found| ids.iter().all(|id| found.contains_key(id)))
            {
                let found = found.into_iter();
                return Ok(found.map(|(id, found)| (id, Stored::Table(found))).collect());
            }
        }
        let found = self.file().await?.terms(ids, order).await?;
        Ok(found
            .into_iter()
            .map(|(id, term)| (id, Stored::File(term)))
            .collect())
    }

    /// Returns a category.
    pub(crate) async fn category(&self, id: CategoryId) -> Result<Option<Stored<StoredCategory>>, Problem> {
        if self.reads_the_table() {
            let reader = &self.context.source.table()?.reader;
            let found = reader.category(&self.view, id).await;
            if let Some(found) = exact(self.tenant(), found)?.flatten() {
                return Ok(Some(Stored::Table(found)));
            }
        }
        Ok(self.file().await?.category(id).await?.map(Stored::File))
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

/// Returns what the table has of the version; `None` where the index file must be read: an item is newer, or cannot be read.
fn exact<T>(tenant: &TenantId, read: Result<T, ReadError>) -> Result<Option<T>, Problem> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(ReadError::Newer) => Ok(None),
        Err(ReadError::Store(error @ StoreError::Damaged { .. })) => {
            let problem = Problem::from(error);
            error!(%tenant, cause = problem.cause(), "an item is damaged; the index file answers, and a rebuild mends the item");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
