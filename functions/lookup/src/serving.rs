//! The version that a request is answered from, and where it is read: the projection or the version's index file. Both answer alike, so
//! handlers do not know which one it was (docs/decisions/0018-version-index.md).
//!
//! The projection answers for the version that is served. While the next one is written, an item may be newer and a list may show both;
//! then the index file of the served version answers instead, and no answer mixes versions. Only where that file is missing, because
//! it could not be built, the answer is what the table shows, and carries no tag.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use taxonomy_cache::View;
use taxonomy_index::INDEX_FORMAT;
use taxonomy_keys::{CategoryId, Culture, List, Place, TenantId, TermId, Version, fallback};
use taxonomy_model::Settings;
use taxonomy_model::stored::{ListedCategory, ListedTerm, StoredCategory, StoredTerm};
use taxonomy_store::{Found, Page, Row};
use taxonomy_versions::VersionFile;

use crate::problem::Problem;
use crate::world::World;

/// The version of a request, and its sources.
pub(crate) struct Serving<'w> {
    world: &'w World,
    view: View,
    version: Version,
    /// The index file: opened at once for another version than the served one, else where the table does not suffice.
    file: OnceLock<VersionFile<'w>>,
    /// True where an older version answers than the one that is served.
    is_late: bool,
    /// True where the request names the version, by its number, by a time or by the page before: no other one answers.
    pub(crate) is_named: bool,
    /// The culture that `Accept-Language` chose, where that decides.
    pub(crate) chosen: Option<Culture>,
}

/// A stored value, from the table's cache or from a file.
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

/// The version of an answer, and its tag where the answer is exactly of that version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edition {
    pub(crate) version: Option<Version>,
    pub(crate) tag: Option<String>,
}

impl Edition {
    /// What was answered through a view of the served version.
    pub(crate) fn of(view: &View) -> Self {
        Self {
            version: view.version(),
            tag: view.tag(),
        }
    }
}

impl<'w> Serving<'w> {
    /// The version that is served. While the next one is projected its settings are not in the head any more, so the file says them.
    pub(crate) async fn current(world: &'w World, view: View) -> Result<Self, Problem> {
        let version = view.version().ok_or_else(Problem::tenant_not_found)?;
        let serving = Self::new(world, view, version);
        if !serving.view.head().is_settled() {
            serving.fall_back().await?;
        }
        Ok(serving)
    }

    fn new(world: &'w World, view: View, version: Version) -> Self {
        Self {
            world,
            view,
            version,
            file: OnceLock::new(),
            is_late: false,
            is_named: false,
            chosen: None,
        }
    }

    /// Any version, from its file.
    pub(crate) async fn of_version(world: &'w World, view: View, version: Version) -> Result<Self, Problem> {
        let serving = Self::new(world, view, version);
        let opened = serving.open().await?;
        let file = opened.ok_or_else(|| Problem::version_not_ready(version))?;
        // Nobody else has it yet.
        drop(serving.file.set(file));
        Ok(serving)
    }

    pub(crate) fn tenant(&self) -> &TenantId {
        self.view.tenant()
    }

    /// The version of the answer.
    pub(crate) fn version(&self) -> u64 {
        self.version.get()
    }

    /// The number of that version.
    pub(crate) fn number(&self) -> Version {
        self.version
    }

    /// The settings of the version.
    ///
    /// # Errors
    /// `version-not-ready` while another version is projected and this one has no index file.
    pub(crate) fn certain_settings(&self) -> Result<&Settings, Problem> {
        match self.file.get().is_some() || self.view.head().is_settled() {
            true => Ok(self.settings()),
            false => Err(Problem::version_not_ready(self.version)),
        }
    }

    fn settings(&self) -> &Settings {
        match self.file.get() {
            Some(file) => file.footer().settings(),
            None => &self.view.head().settings,
        }
    }

    /// Every culture in which something has a name.
    pub(crate) fn cultures(&self) -> &[Culture] {
        match self.file.get() {
            Some(file) => file.footer().cultures(),
            None => &self.view.head().cultures,
        }
    }

    /// The default culture, where one is certain: it is not while another default culture is projected.
    pub(crate) fn default_culture(&self) -> Option<&Culture> {
        let is_certain = self.file.get().is_some() || !self.view.head().changes_default();
        is_certain.then(|| &self.settings().default_culture)
    }

    /// The version of what was answered so far, and its tag.
    pub(crate) fn edition(&self) -> Edition {
        match self.file.get() {
            Some(file) => {
                let digits = file.footer().identity().changeset.as_str().get(..16);
                Edition {
                    version: Some(self.version),
                    tag: (!self.is_late).then(|| format!("{}-{}", self.version, digits.unwrap_or_default())),
                }
            }
            None => Edition::of(&self.view),
        }
    }

    /// The cultures to try for `requested`, best first and the default last. None where none is requested: each item then answers in the
    /// default culture that it was written with.
    pub(crate) fn order(&self, requested: Option<&Culture>) -> Vec<Culture> {
        let Some(requested) = requested.or(self.chosen.as_ref()) else {
            return Vec::new();
        };
        let settings = self.settings();
        let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
        let head = self.view.head();
        if self.file.get().is_some() || !head.changes_default() {
            return fallback(requested, self.cultures(), chain, default);
        }
        // What is still stored in a former default culture is found as well, though the new version may have nothing in it.
        let stored = [&*head.cultures, &*head.former_defaults].concat();
        fallback(requested, &stored, chain, default)
    }

    /// The same for the file of any version, by the settings and cultures of that version.
    pub(crate) fn order_in(&self, file: &VersionFile<'_>, requested: Option<&Culture>) -> Vec<Culture> {
        let Some(requested) = requested.or(self.chosen.as_ref()) else {
            return Vec::new();
        };
        let (footer, settings) = (file.footer(), file.footer().settings());
        let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
        fallback(requested, footer.cultures(), chain, default)
    }

    /// The category whose name begins FinalNames in `culture`.
    pub(crate) fn order_of_items(&self, culture: &Culture, available: &[Culture]) -> Vec<Culture> {
        let settings = self.settings();
        fallback(
            culture,
            available,
            &settings.fallback_chain,
            &settings.default_culture,
        )
    }

    /// Prepares for reading lists. The index of the table shows neither which version wrote a row nor, of a young version, all of its rows.
    pub(crate) async fn for_lists(&self) -> Result<(), Problem> {
        match self.view.may_answer_lists() {
            true => Ok(()),
            false => self.fall_back().await,
        }
    }

    /// The terms that exist out of `ids`, each in the first culture of `order` that it is named in.
    pub(crate) async fn terms(
        &self,
        ids: &[TermId],
        order: &[Culture],
    ) -> Result<HashMap<TermId, Stored<StoredTerm>>, Problem> {
        if self.file.get().is_none() {
            let found = self
                .world
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

    /// A category.
    pub(crate) async fn category(&self, id: CategoryId) -> Result<Option<Stored<StoredCategory>>, Problem> {
        if self.file.get().is_none() {
            let found = self.world.source.table()?.reader.category(&self.view, id).await?;
            if self.suffices().await? {
                return Ok(found.map(Stored::Table));
            }
        }
        Ok(self.opened()?.category(id).await?.map(Stored::File))
    }

    /// A page of the categories.
    pub(crate) async fn categories(
        &self,
        limit: u16,
        after: Option<Place>,
    ) -> Result<Arc<Page<Row<CategoryId, ListedCategory>>>, Problem> {
        if self.file.get().is_none() {
            let page = self
                .world
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

    /// A page of a list of terms.
    pub(crate) async fn listed_terms(
        &self,
        list: List,
        limit: u16,
        after: Option<Place>,
    ) -> Result<Arc<Page<Row<TermId, ListedTerm>>>, Problem> {
        if self.file.get().is_none() {
            let reader = &self.world.source.table()?.reader;
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

    /// Whether answers in a certain culture that were read from the table hold: the request begins again where they do not.
    pub(crate) async fn confirm(&self, order: &[Culture]) -> Result<(), Problem> {
        match (order, self.file.get()) {
            ([], _) | (_, Some(_)) => Ok(()),
            _ => Ok(self.world.source.table()?.reader.confirm(&self.view).await?),
        }
    }

    /// Whether what was just read from the table may be answered: it is exactly of the version, or there is no file that is.
    async fn suffices(&self) -> Result<bool, Problem> {
        if self.view.tag().is_none() {
            self.fall_back().await?;
        }
        Ok(self.file.get().is_none())
    }

    /// Takes the index file of the version for the rest of the request, where there is one.
    async fn fall_back(&self) -> Result<(), Problem> {
        if self.file.get().is_none()
            && let Some(file) = self.open().await?
        {
            // Of two at once, either is good.
            drop(self.file.set(file));
        }
        Ok(())
    }

    /// The index file of the version, for questions that the table cannot answer. Where it has not been built and the request names no
    /// version, the newest one that has answers, and says so by its version; such an answer carries no tag.
    pub(crate) async fn with_file(mut self) -> Result<Self, Problem> {
        self.fall_back().await?;
        if self.file.get().is_none() {
            if self.is_named {
                return Err(Problem::version_not_ready(self.version));
            }
            let indexed = self.view.head().indexed_in(INDEX_FORMAT);
            let older = indexed.filter(|indexed| *indexed < self.version);
            self.version = older.ok_or_else(|| Problem::version_not_ready(self.version))?;
            self.is_late = true;
            self.fall_back().await?;
        }
        self.opened()?;
        Ok(self)
    }

    /// The index file, after [`with_file`](Self::with_file).
    pub(crate) fn file(&self) -> Result<&VersionFile<'w>, Problem> {
        self.opened()
    }

    /// The index file of another version of the tenant, up to the newest.
    ///
    /// # Errors
    /// `version-not-ready` where it has not been built.
    pub(crate) async fn file_of(&self, version: Version) -> Result<VersionFile<'w>, Problem> {
        let opened = match &self.world.history {
            Some(history) => history.open(self.tenant(), self.view.head(), version).await?,
            None => None,
        };
        opened.ok_or_else(|| Problem::version_not_ready(version))
    }

    fn opened(&self) -> Result<&VersionFile<'w>, Problem> {
        let none = || Problem::internal("a version without its index file");
        self.file.get().ok_or_else(none)
    }

    /// The index file of the version; none where it has not been built.
    async fn open(&self) -> Result<Option<VersionFile<'w>>, Problem> {
        match &self.world.history {
            Some(history) => history.open(self.tenant(), self.view.head(), self.version).await,
            None => Ok(None),
        }
    }
}
