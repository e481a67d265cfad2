//! What handlers stand on: what is asked about a tenant, and what is served of it right now.

use std::fmt;
use std::sync::Arc;

use taxonomy_cache::{CachedReader, View};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::{Aggregates, Committed, Heads, LogEntry};
use taxonomy_versions::Versions;

use crate::authorise::{AuthorisedTenant, Readable};
use crate::cursor::{self, Turn};
use crate::downloads::Downloads;
use crate::event::Event;
use crate::history::History;
use crate::log::Log;
use crate::negotiation::Negotiation;
use crate::parameters::Parameters;
use crate::problem::Problem;
use crate::reply::Reply;
use crate::serving::{Edition, Serving};
use crate::source::{Source, Table};

/// Where answers come from.
#[derive(Debug)]
pub struct World {
    pub(crate) source: Source,
    pub(crate) history: Option<History>,
    downloads: Option<Downloads>,
    /// Whether the served version is read from its file as well.
    pub(crate) reads_files: bool,
}

/// A request about a tenant.
pub(crate) struct Asked<'e> {
    pub(crate) tenant: &'e AuthorisedTenant,
    /// In the place of `{id}` of the path; empty where the route has none.
    pub(crate) id: &'e str,
    pub(crate) event: &'e Event,
    pub(crate) query: &'e Parameters,
    pub(crate) negotiation: &'e Negotiation<'e>,
}

/// A request about the tenants that its caller may read.
pub(crate) struct Listing<'e> {
    pub(crate) readable: &'e Readable,
    pub(crate) query: &'e Parameters,
    pub(crate) negotiation: &'e Negotiation<'e>,
}

impl World {
    /// The projection, and what is counted of it.
    #[must_use]
    pub fn new(reader: CachedReader, aggregates: Aggregates) -> Self {
        Self {
            source: Source::Table(Box::new(Table { reader, aggregates })),
            history: None,
            downloads: None,
            reads_files: false,
        }
    }

    /// A version in memory, which `versions` reads from index files alone, behind those of `heads`, if there are any.
    #[must_use]
    pub fn of_preview(
        tenant: TenantId,
        head: Committed,
        entry: LogEntry,
        versions: Versions,
        heads: Option<Heads>,
    ) -> Self {
        let log = Log::of_preview(tenant.clone(), entry, heads);
        Self {
            source: Source::Preview {
                tenant,
                head: Arc::new(head),
            },
            history: Some(History::new(versions, log)),
            downloads: None,
            reads_files: true,
        }
    }

    /// The same with the index files of versions, and the log of them.
    #[must_use]
    pub fn with_versions(self, versions: Versions, heads: Heads) -> Self {
        Self {
            history: Some(History::new(versions, Log::of_table(heads))),
            ..self
        }
    }

    /// The same with downloads of versions.
    #[must_use]
    pub fn with_downloads(self, downloads: Downloads) -> Self {
        Self {
            downloads: Some(downloads),
            ..self
        }
    }

    /// The same, with everything read from index files: what both can answer, they answer equally.
    #[must_use]
    pub fn reading_files(self) -> Self {
        Self {
            reads_files: true,
            ..self
        }
    }

    /// A tenant as it is now.
    pub(crate) async fn view(&self, tenant: &AuthorisedTenant) -> Result<View, Problem> {
        self.source
            .view(tenant.id(), None)
            .await?
            .ok_or_else(Problem::tenant_not_found)
    }

    /// The version that was the newest of those up to the served one at a moment in epoch milliseconds.
    async fn version_at(&self, view: &View, served: Version, at: u64) -> Result<Version, Problem> {
        let head = view.head();
        if served == head.version && head.committed_at <= at {
            return Ok(served);
        }
        let history = self
            .history
            .as_ref()
            .ok_or_else(|| Problem::version_not_ready(served))?;
        history.version_at(view.tenant(), served, at).await
    }

    /// The downloads of versions.
    pub(crate) fn downloads(&self) -> Result<&Downloads, Problem> {
        match (&self.downloads, &self.source) {
            (Some(downloads), _) => Ok(downloads),
            (None, Source::Preview { .. }) => Err(Problem::route_not_found()),
            (None, Source::Table(_)) => Err(Problem::internal("a lookup without downloads")),
        }
    }

    /// The id of the changeset of a version that is or was served.
    pub(crate) async fn changeset(&self, view: &View, version: Version) -> Result<Hash, Problem> {
        let history = self.history.as_ref();
        let history = history.ok_or_else(|| Problem::internal("a lookup without the log of versions"))?;
        history.changeset(view.tenant(), view.head(), version).await
    }

    /// The version of the page before. Without index files there is nothing but the served version.
    fn page_before(&self, version: Option<u64>) -> Option<Version> {
        version.filter(|_| self.history.is_some()).and_then(Version::new)
    }

    /// The log of versions.
    pub(crate) fn log(&self) -> Result<&Log, Problem> {
        let history = self.history.as_ref().map(History::log);
        history.ok_or_else(|| Problem::internal("a lookup without the log of versions"))
    }

    /// The entry of a version in the log.
    pub(crate) async fn entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, Problem> {
        let entry = self.log()?.entry(tenant, version).await?;
        entry.ok_or_else(|| Problem::internal("a version without its entry in the log"))
    }

    /// A tenant of which a version is served, and that version. A request that names a version sees it if any process serves it.
    pub(crate) async fn served(
        &self,
        tenant: &AuthorisedTenant,
        named: Option<Version>,
    ) -> Result<(View, Version), Problem> {
        let view = self.source.view(tenant.id(), named).await?;
        let view = view.ok_or_else(Problem::tenant_not_found)?;
        let served = view.version().ok_or_else(Problem::tenant_not_found)?;
        Ok((view, served))
    }
}

impl Asked<'_> {
    /// The answer to a caller who has what would be answered.
    pub(crate) fn known(&self, edition: impl FnOnce() -> Edition) -> Option<Reply> {
        self.negotiation.unchanged(edition)
    }

    /// Where in `list` the page begins that is asked for, and the version that the page before was of.
    pub(crate) fn turn<P>(
        &self,
        list: &impl fmt::Display,
        parse: impl FnOnce(&str) -> Option<P>,
    ) -> Result<Option<Turn<P>>, Problem> {
        let Some(text) = self.query.cursor()? else {
            return Ok(None);
        };
        let turn = cursor::read(self.tenant.id().as_str(), &list.to_string(), text, parse).ok_or_else(|| {
            let detail = "The cursor is not one of this tenant and this list, or was changed.";
            Problem::invalid_parameter(detail, "/query/cursor")
        });
        turn.map(Some)
    }

    /// The cursor of the page of `list` that begins there.
    pub(crate) fn next_cursor<P: fmt::Display>(
        &self,
        list: &impl fmt::Display,
        serving: &Serving<'_>,
        at: Option<P>,
    ) -> Option<String> {
        let version = serving.version();
        let cursor = cursor::write(
            self.tenant.id().as_str(),
            &list.to_string(),
            &Turn { version, at: at? },
        )?;
        self.negotiation.leads_to(&cursor);
        Some(cursor)
    }

    /// The version that is asked for, in the culture that `Accept-Language` chooses where that decides: that of `version=` or `asOf=`, of
    /// the page before, or else the one that is served.
    ///
    /// # Errors
    /// `version-not-found`; `version-not-ready` where its index file has not been built; `invalid-parameter`.
    pub(crate) async fn serving<'w>(
        &self,
        world: &'w World,
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let mut serving = self.serving_in_no_culture(world, before).await?;
        serving.chosen = self.negotiation.choose(&serving);
        Ok(serving)
    }

    /// The same for an answer without names, which no culture changes.
    ///
    /// # Errors
    /// As those of [`serving`](Self::serving).
    pub(crate) async fn serving_in_no_culture<'w>(
        &self,
        world: &'w World,
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let page_before = world.page_before(before);
        let named = self.query.version()?.max(page_before);
        let (view, served) = world.served(self.tenant, named).await?;
        let wanted = self.wanted(world, &view, served, page_before).await?;
        let mut serving = match wanted == served && !world.reads_files {
            true => Serving::current(world, view).await?,
            false => Serving::of_version(world, view, wanted).await?,
        };
        serving.is_named = before.is_some() || self.query.names_a_version()?;
        Ok(serving)
    }

    /// The later one of two versions by its index file alone: the given one or, without one, that of [`serving`](Self::serving).
    ///
    /// # Errors
    /// `version-not-found` for either of them; `version-not-ready` where the index file has not been built; `invalid-parameter`.
    pub(crate) async fn serving_later_of<'w>(
        &self,
        world: &'w World,
        (earlier, later): (Option<Version>, Option<Version>),
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let page_before = world.page_before(before);
        let named = self.query.version()?.max(page_before).max(earlier).max(later);
        let (view, served) = world.served(self.tenant, named).await?;
        let wanted = match later {
            Some(later) => later,
            None => self.wanted(world, &view, served, page_before).await?,
        };
        if wanted > served || earlier > Some(wanted) {
            return Err(Problem::version_not_found());
        }
        let mut serving = Serving::of_version(world, view, wanted).await?;
        serving.chosen = self.negotiation.choose(&serving);
        Ok(serving)
    }

    async fn wanted(
        &self,
        world: &World,
        view: &View,
        served: Version,
        before: Option<Version>,
    ) -> Result<Version, Problem> {
        let asked = match (self.query.version()?, self.query.as_of()?) {
            (Some(_), Some(_)) => {
                let detail = "version and asOf exclude each other.";
                return Err(Problem::invalid_parameter(detail, "/query/asOf"));
            }
            (Some(version), None) => Some(version),
            (None, Some(at)) => Some(world.version_at(view, served, at).await?),
            (None, None) => None,
        };
        match (asked, before) {
            (Some(asked), Some(before)) if asked != before => {
                let detail = "The cursor is of another version.";
                Err(Problem::invalid_parameter(detail, "/query/cursor"))
            }
            (Some(version), _) | (None, Some(version)) if version > served => {
                Err(Problem::version_not_found())
            }
            (Some(version), _) | (None, Some(version)) => Ok(version),
            (None, None) => Ok(served),
        }
    }
}
