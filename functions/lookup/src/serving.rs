//! The version that a request is answered from, and the source of its data: the table or the version's index file. Both give equal
//! responses, so handlers need not distinguish them (docs/decisions/0018-version-index.md).
//!
//! The table answers while all items of the newest version are written. Before, and where an item is newer than the version, the request reads the
//! index file, so that no response mixes versions.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use taxonomy_cache::View;
use taxonomy_keys::{CategoryId, Culture, List, ListPosition, TenantId, TermId, Version, fallback};
use taxonomy_model::Settings;
use taxonomy_model::stored::{ListedCategory, ListedTerm, StoredCategory, StoredTerm};
use taxonomy_store::{Found, ListRow, Page};
use taxonomy_version_reader::VersionFile;

use crate::context::Context;
use crate::edition::Edition;
use crate::problem::Problem;

/// The version of a request, and its sources.
pub(crate) struct Serving<'w> {
    context: &'w Context,
    view: View,
    version: Version,
    /// The index file: opened at once for any other version than the served one, otherwise only where the table does not suffice.
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
    /// Serves the newest version: from its file, while the table does not have all of its items.
    pub(crate) async fn current(context: &'w Context, view: View) -> Result<Self, Problem> {
        let version = view.version();
        let serving = Self::new(context, view, version);
        if !serving.view.head().is_settled() {
            serving.fall_back().await?;
        }
        Ok(serving)
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

    /// Prepares reading lists. A row of the table's index does not record the version that wrote it, and the rows of a recent version may be missing.
    pub(crate) async fn for_lists(&self) -> Result<(), Problem> {
        match self.view.may_answer_lists() {
            true => Ok(()),
            false => self.fall_back().await,
        }
    }

    /// Returns the existing terms out of `ids`, each in the first culture of `order` in which it has a name.
    pub(crate) async fn terms(
        &self,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Stored<StoredTerm>>, Problem> {
        if self.file.get().is_none() {
            let found = self
                .context
                .source
                .table()?
                .reader
                .terms(&self.view, ids, order)
                .await?;
            if self.suffices().await? {
                let found = found.into_iter();
                return Ok(found.map(|(id, found)| (id, Stored::Table(found))).collect());
            }
        }
        let found = self.opened()?.terms(ids, order).await?;
        Ok(found
            .into_iter()
            .map(|(id, term)| (id, Stored::File(term)))
            .collect())
    }

    /// Returns a category.
    pub(crate) async fn category(&self, id: CategoryId) -> Result<Option<Stored<StoredCategory>>, Problem> {
        if self.file.get().is_none() {
            let found = self
                .context
                .source
                .table()?
                .reader
                .category(&self.view, id)
                .await?;
            if self.suffices().await? {
                return Ok(found.map(Stored::Table));
            }
        }
        Ok(self.opened()?.category(id).await?.map(Stored::File))
    }

    /// Returns a page of the categories.
    pub(crate) async fn categories(
        &self,
        limit: u16,
        after: Option<ListPosition>,
    ) -> Result<Arc<Page<ListRow<CategoryId, ListedCategory>>>, Problem> {
        if self.file.get().is_none() {
            let page = self
                .context
                .source
                .table()?
                .reader
                .categories(&self.view, limit, after.clone())
                .await?;
            if self.suffices().await? {
                return Ok(page);
            }
        }
        Ok(Arc::new(self.opened()?.categories(limit, after.as_ref()).await?))
    }

    /// Returns a page of a list of terms.
    pub(crate) async fn listed_terms(
        &self,
        list: List,
        limit: u16,
        after: Option<ListPosition>,
    ) -> Result<Arc<Page<ListRow<TermId, ListedTerm>>>, Problem> {
        if self.file.get().is_none() {
            let reader = &self.context.source.table()?.reader;
            let page = reader
                .listed_terms(&self.view, list, limit, after.clone())
                .await?;
            if self.suffices().await? {
                return Ok(page);
            }
        }
        Ok(Arc::new(
            self.opened()?.listed_terms(list, limit, after.as_ref()).await?,
        ))
    }

    /// Returns whether data that were just read from the table may be used: they are exact for the version, or there is no file.
    async fn suffices(&self) -> Result<bool, Problem> {
        if self.view.tag().is_none() {
            self.fall_back().await?;
        }
        Ok(self.file.get().is_none())
    }

    /// Switches the rest of the request to the index file of the version. A lookup without files, as in tests, has the table alone.
    async fn fall_back(&self) -> Result<(), Problem> {
        if self.file.get().is_none() && self.context.history.is_some() {
            let file = self.file_of(self.version).await?;
            // If two tasks do this at once, either file will do.
            drop(self.file.set(file));
        }
        Ok(())
    }

    /// Opens the index file of the version, for requests that the table cannot answer.
    pub(crate) async fn with_file(self) -> Result<Self, Problem> {
        self.fall_back().await?;
        self.opened()?;
        Ok(self)
    }

    /// Returns the index file, after [`with_file`](Self::with_file).
    pub(crate) fn file(&self) -> Result<&VersionFile<'w>, Problem> {
        self.opened()
    }

    /// Opens the index file of a version of the tenant, which is not newer than the served one.
    pub(crate) async fn file_of(&self, version: Version) -> Result<VersionFile<'w>, Problem> {
        let history = self.context.history()?;
        history.open(self.tenant(), self.view.head(), version).await
    }

    fn opened(&self) -> Result<&VersionFile<'w>, Problem> {
        let none = || Problem::internal("a version without its index file");
        self.file.get().ok_or_else(none)
    }
}
