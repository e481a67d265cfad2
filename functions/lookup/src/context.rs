//! The dependencies of the handlers: the request about a tenant, and the sources of that tenant's data.

use std::fmt;
use std::sync::Arc;

use taxonomy_cache::{CachedReader, View};
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Hash;
use taxonomy_store::{Aggregates, Committed, Heads, LogEntry};
use taxonomy_version_reader::Versions;

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

/// The sources of the data: the table or a preview, index files, and downloads.
#[derive(Debug)]
pub struct Context {
    pub(crate) source: Source,
    pub(crate) history: Option<History>,
    downloads: Option<Downloads>,
    /// Whether the served version is read from its index file as well.
    pub(crate) reads_files: bool,
}

/// A request about a tenant.
pub(crate) struct Request<'e> {
    pub(crate) tenant: &'e AuthorisedTenant,
    /// The value of `{id}` in the path; empty where the route has none.
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

impl Context {
    /// Reads the projection and its aggregates from the table.
    #[must_use]
    pub fn new(reader: CachedReader, aggregates: Aggregates) -> Self {
        Self {
            source: Source::Table(Box::new(Table { reader, aggregates })),
            history: None,
            downloads: None,
            reads_files: false,
        }
    }

    /// Serves a version in memory, which `versions` reads from index files alone; it follows the versions of `heads`, if there are any.
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

    /// Adds the index files of versions, and the log of versions.
    #[must_use]
    pub fn with_versions(self, versions: Versions, heads: Heads) -> Self {
        Self {
            history: Some(History::new(versions, Log::of_table(heads))),
            ..self
        }
    }

    /// Adds the downloads of versions.
    #[must_use]
    pub fn with_downloads(self, downloads: Downloads) -> Self {
        Self {
            downloads: Some(downloads),
            ..self
        }
    }

    /// Reads everything from index files. For every request that both can answer, the table and the files give equal responses.
    #[must_use]
    pub fn reading_files(self) -> Self {
        Self {
            reads_files: true,
            ..self
        }
    }

    /// Returns the current view of a tenant.
    pub(crate) async fn view(&self, tenant: &AuthorisedTenant) -> Result<View, Problem> {
        self.source
            .view(tenant.id(), None)
            .await?
            .ok_or_else(Problem::tenant_not_found)
    }

    /// Returns the newest version, up to the served one, at a time in epoch milliseconds.
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

    /// Returns the downloads of versions.
    pub(crate) fn downloads(&self) -> Result<&Downloads, Problem> {
        match (&self.downloads, &self.source) {
            (Some(downloads), _) => Ok(downloads),
            (None, Source::Preview { .. }) => Err(Problem::route_not_found()),
            (None, Source::Table(_)) => Err(Problem::internal("a lookup without downloads")),
        }
    }

    /// Returns the id of the changeset of a version that is or was served.
    pub(crate) async fn changeset(&self, view: &View, version: Version) -> Result<Hash, Problem> {
        let history = self.history.as_ref();
        let history = history.ok_or_else(|| Problem::internal("a lookup without the log of versions"))?;
        history.changeset(view.tenant(), view.head(), version).await
    }

    /// Returns the version of the previous page. Without index files there is only the served version.
    fn page_before(&self, version: Option<u64>) -> Option<Version> {
        version.filter(|_| self.history.is_some()).and_then(Version::new)
    }

    /// Returns the log of versions.
    pub(crate) fn log(&self) -> Result<&Log, Problem> {
        let history = self.history.as_ref().map(History::log);
        history.ok_or_else(|| Problem::internal("a lookup without the log of versions"))
    }

    /// Returns the log entry of a version.
    pub(crate) async fn entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, Problem> {
        let entry = self.log()?.entry(tenant, version).await?;
        entry.ok_or_else(|| Problem::internal("a version without its entry in the log"))
    }

    /// Returns the view of a tenant that has a served version, and that version. A request that names a version sees it if any process serves it.
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

impl Request<'_> {
    /// Returns a 304 reply if the caller has the current response.
    pub(crate) fn known(&self, edition: impl FnOnce() -> Edition) -> Option<Reply> {
        self.negotiation.unchanged(edition)
    }

    /// Returns the position in `list` where the requested page begins, and the version of the previous page.
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

    /// Returns the cursor of the page of `list` that begins at a position.
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

    /// Returns the requested version, in the culture that `Accept-Language` chooses where that header applies: the version of `version=` or `asOf=`,
    /// of the previous page, or else the served one.
    ///
    /// # Errors
    /// `version-not-found`; `version-not-ready` where its index file has not been built; `invalid-parameter`.
    pub(crate) async fn serving<'w>(
        &self,
        context: &'w Context,
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let mut serving = self.serving_in_no_culture(context, before).await?;
        serving.chosen = self.negotiation.choose(&serving);
        Ok(serving)
    }

    /// The same for a response without names, which does not depend on a culture.
    ///
    /// # Errors
    /// Those of [`serving`](Self::serving).
    pub(crate) async fn serving_in_no_culture<'w>(
        &self,
        context: &'w Context,
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let page_before = context.page_before(before);
        let named = self.query.version()?.max(page_before);
        let (view, served) = context.served(self.tenant, named).await?;
        let wanted = self.wanted(context, &view, served, page_before).await?;
        let mut serving = match wanted == served && !context.reads_files {
            true => Serving::current(context, view).await?,
            false => Serving::of_version(context, view, wanted).await?,
        };
        serving.is_named = before.is_some() || self.query.names_a_version()?;
        Ok(serving)
    }

    /// Returns the later of two versions, from its index file alone: the given one or, without one, that of [`serving`](Self::serving).
    ///
    /// # Errors
    /// `version-not-found` for either of them; `version-not-ready` where the index file has not been built; `invalid-parameter`.
    pub(crate) async fn serving_later_of<'w>(
        &self,
        context: &'w Context,
        (earlier, later): (Option<Version>, Option<Version>),
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let page_before = context.page_before(before);
        let named = self.query.version()?.max(page_before).max(earlier).max(later);
        let (view, served) = context.served(self.tenant, named).await?;
        let wanted = match later {
            Some(later) => later,
            None => self.wanted(context, &view, served, page_before).await?,
        };
        if wanted > served || earlier > Some(wanted) {
            return Err(Problem::version_not_found());
        }
        let mut serving = Serving::of_version(context, view, wanted).await?;
        serving.chosen = self.negotiation.choose(&serving);
        Ok(serving)
    }

    async fn wanted(
        &self,
        context: &Context,
        view: &View,
        served: Version,
        before: Option<Version>,
    ) -> Result<Version, Problem> {
        let request = match (self.query.version()?, self.query.as_of()?) {
            (Some(_), Some(_)) => {
                let detail = "version and asOf exclude each other.";
                return Err(Problem::invalid_parameter(detail, "/query/asOf"));
            }
            (Some(version), None) => Some(version),
            (None, Some(at)) => Some(context.version_at(view, served, at).await?),
            (None, None) => None,
        };
        match (request, before) {
            (Some(request), Some(before)) if request != before => {
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
