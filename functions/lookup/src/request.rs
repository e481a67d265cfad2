//! A request to a handler, and the version that answers it.

pub(crate) mod auth;
pub mod authorise;
pub(crate) mod cursor;
pub mod event;
pub(crate) mod language;
pub mod parameters;
pub(crate) mod path_parameters;

use taxonomy_keys::{Culture, Version};
use tokio::time::Instant;

use crate::cache::current_version::CurrentVersion;
use crate::request::authorise::tenant::{AuthorisedTenant, Readable};
use crate::request::event::Event;
use crate::request::parameters::Parameters;
use crate::response::answer::Answer;
use crate::response::etag::Tags;
use crate::response::prepared::{Prepared, ResponseKey};
use crate::response::problem::Problem;
use crate::snapshot::Snapshot;
use crate::snapshot::context::Context;
use crate::snapshot::version_tag::VersionTag;

/// A request about a tenant.
pub(crate) struct Request<'e> {
    pub(crate) context: &'e Context,
    pub(crate) tenant: &'e AuthorisedTenant,
    /// The path of the route.
    pub(crate) route: &'static str,
    /// The value of `{id}` in the path; empty where the route has none.
    pub(crate) id: &'e str,
    pub(crate) event: &'e Event,
    pub(crate) query: &'e Parameters,
    pub(crate) prepared: &'e Prepared,
    /// When files are given up.
    pub(crate) files_until: Instant,
}

/// A request about the tenants that its caller may read.
pub(crate) struct Listing<'e> {
    pub(crate) context: &'e Context,
    pub(crate) readable: &'e Readable,
    pub(crate) query: &'e Parameters,
}

impl<'e> Request<'e> {
    /// Returns the answer that needs no data beside the head: a 304 if the caller has the current response, or the response that was sent before.
    pub(crate) fn known(&self, tag: &VersionTag) -> Option<Answer> {
        let tags = &tag.tags;
        let if_none_match = self.event.headers.if_none_match.as_deref();
        if let Some(etag) = if_none_match.and_then(|held| tags.named_by(held, self.event.headers.accepted()))
        {
            return Some(Answer::unchanged(etag, tag));
        }
        self.prepared.find(&self.key(tags.clone())).map(Answer::prepared)
    }

    /// Returns everything that the response with these tags depends on.
    pub(crate) fn key(&self, tags: Tags) -> ResponseKey {
        ResponseKey {
            tags,
            tenant: self.tenant.id().clone(),
            route: self.route,
            id: self.id.to_owned(),
            query: self.event.raw_query_string.clone(),
            accept_encoding: self.event.headers.accept_encoding.clone(),
        }
    }

    /// Returns the version of the previous page, and the position in `list` where the requested page begins.
    pub(crate) fn position<P>(
        &self,
        list: &str,
        parse: impl FnOnce(&str) -> Option<P>,
    ) -> Result<(Option<Version>, Option<P>), Problem> {
        let Some(text) = self.query.text("cursor")? else {
            return Ok((None, None));
        };
        let position = cursor::read(self.tenant.id().as_str(), list, text, parse);
        let (version, at) = position.ok_or_else(Problem::foreign_cursor)?;
        Ok((Version::new(version), Some(at)))
    }

    /// Returns the cursor of the page of `list` that begins at a position.
    pub(crate) fn next_cursor(
        &self,
        list: &str,
        snapshot: &Snapshot<'_>,
        at: Option<impl ToString>,
    ) -> Option<String> {
        cursor::write(self.tenant.id().as_str(), list, snapshot.version().get(), &at?)
    }

    /// Returns the current version of the tenant. A request that names a version sees it if any process serves it.
    pub(crate) async fn current(&self, named: Option<Version>) -> Result<CurrentVersion, Problem> {
        let current = self.context.current(self.tenant.id(), named).await?;
        current.ok_or_else(Problem::tenant_not_found)
    }

    /// Returns the requested version, in the requested language: the version of `version=` or `asOf=`, of the previous page, or else the served one.
    ///
    /// # Errors
    /// `version-not-found`; `archive-unavailable` where its index file cannot be read; `invalid-parameter`; `invalid-culture`.
    pub(crate) async fn snapshot(&self, before: Option<Version>) -> Result<Snapshot<'e>, Problem> {
        let culture = self.query.culture()?;
        let snapshot = self.snapshot_without_names(before).await?;
        Ok(self.in_language(snapshot, culture))
    }

    fn in_language(&self, snapshot: Snapshot<'e>, culture: Option<Culture>) -> Snapshot<'e> {
        snapshot.in_language(culture, self.event.headers.accept_language.as_deref())
    }

    /// The same for a response without names, which does not depend on a language.
    ///
    /// # Errors
    /// Those of [`snapshot`](Self::snapshot).
    pub(crate) async fn snapshot_without_names(
        &self,
        before: Option<Version>,
    ) -> Result<Snapshot<'e>, Problem> {
        let named = self.query.version()?.max(before);
        let current = self.current(named).await?;
        let wanted = self.wanted_version(&current, before).await?;
        match wanted == current.version() && !self.context.reads_files {
            true => Ok(Snapshot::current(self.context, current, self.files_until)),
            false => Snapshot::of_version(self.context, current, wanted, self.files_until).await,
        }
    }

    /// Returns the later of two versions, from its index file alone: the given one or, without one, that of [`snapshot`](Self::snapshot).
    ///
    /// # Errors
    /// `version-not-found` for either of them; `archive-unavailable` where the index file cannot be read; `invalid-parameter`.
    pub(crate) async fn snapshot_of_later(
        &self,
        (earlier, later): (Option<Version>, Option<Version>),
        before: Option<Version>,
    ) -> Result<Snapshot<'e>, Problem> {
        let culture = self.query.culture()?;
        let named = self.query.version()?.max(before).max(earlier).max(later);
        let current = self.current(named).await?;
        let wanted = match later {
            Some(later) => later,
            None => self.wanted_version(&current, before).await?,
        };
        if wanted > current.version() || earlier > Some(wanted) {
            return Err(Problem::version_not_found());
        }
        let snapshot = Snapshot::of_version(self.context, current, wanted, self.files_until).await?;
        Ok(self.in_language(snapshot, culture))
    }

    async fn wanted_version(
        &self,
        current: &CurrentVersion,
        before: Option<Version>,
    ) -> Result<Version, Problem> {
        let request = match (self.query.version()?, self.query.as_of()?) {
            (Some(_), Some(_)) => {
                let detail = "version and asOf exclude each other.";
                return Err(Problem::invalid_parameter(detail, "/query/asOf"));
            }
            (Some(version), None) => Some(version),
            (None, Some(at)) => {
                let (tenant, head) = (current.tenant(), current.head());
                Some(self.context.version_at(tenant, head, at).await?)
            }
            (None, None) => None,
        };
        if let (Some(request), Some(before)) = (request, before)
            && request != before
        {
            let detail = "The cursor is of another version.";
            return Err(Problem::invalid_parameter(detail, "/query/cursor"));
        }
        let wanted = request.or(before).unwrap_or(current.version());
        match wanted > current.version() {
            true => Err(Problem::version_not_found()),
            false => Ok(wanted),
        }
    }
}
