//! A request to a handler, and the version that answers it.

pub(crate) mod auth;
pub mod authorise;
pub(crate) mod cursor;
pub mod event;
pub(crate) mod language;
pub(crate) mod negotiation;
pub mod parameters;
pub(crate) mod path_parameters;

use std::fmt;

use taxonomy_cache::View;
use taxonomy_keys::{Culture, Version};
use tokio::time::Instant;

use crate::request::authorise::tenant::{AuthorisedTenant, Readable};
use crate::request::cursor::Turn;
use crate::request::event::Event;
use crate::request::negotiation::Negotiation;
use crate::request::parameters::Parameters;
use crate::response::prepared::{KeyParts, Prepared};
use crate::response::problem::Problem;
use crate::response::reply::Reply;
use crate::snapshot::context::Context;
use crate::snapshot::edition::Edition;
use crate::snapshot::serving::Serving;

/// A request about a tenant.
pub(crate) struct Request<'e> {
    pub(crate) tenant: &'e AuthorisedTenant,
    /// The path of the route.
    pub(crate) route: &'static str,
    /// The value of `{id}` in the path; empty where the route has none.
    pub(crate) id: &'e str,
    pub(crate) event: &'e Event,
    pub(crate) query: &'e Parameters,
    pub(crate) negotiation: &'e Negotiation<'e>,
    pub(crate) prepared: &'e Prepared,
    /// When files are given up.
    pub(crate) files_until: Instant,
}

/// A request about the tenants that its caller may read.
pub(crate) struct Listing<'e> {
    pub(crate) readable: &'e Readable,
    pub(crate) query: &'e Parameters,
    pub(crate) negotiation: &'e Negotiation<'e>,
}

impl Request<'_> {
    /// Returns the reply that needs no data beside the head: a 304 if the caller has the current response, or the response that was sent before.
    pub(crate) fn known(&self, edition: &Edition) -> Option<Reply> {
        let tags = self.negotiation.tags(edition)?;
        if let Some(unchanged) = self.negotiation.unchanged(&tags) {
            return Some(unchanged.of_version(edition.version));
        }
        let found = self.prepared.find(KeyParts {
            tags: &tags,
            tenant: self.tenant.id().as_str(),
            route: self.route,
            id: self.id,
            query: &self.event.raw_query_string,
            accept_encoding: self.negotiation.accept_encoding(),
        });
        match found {
            Ok(response) => Some(Reply::prepared(response)),
            Err(key) => {
                self.negotiation.keep_as(key);
                None
            }
        }
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
        let turn = cursor::read(self.tenant.id().as_str(), &list.to_string(), text, parse);
        turn.ok_or_else(Problem::foreign_cursor).map(Some)
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
    /// `version-not-found`; `archive-unavailable` where its index file cannot be read; `invalid-parameter`.
    pub(crate) async fn serving<'w>(
        &self,
        context: &'w Context,
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let mut serving = self.serving_in_no_culture(context, before).await?;
        serving.chosen = self
            .negotiation
            .choose(serving.cultures(), serving.default_culture());
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
        let page_before = before.and_then(Version::new);
        let named = self.query.version()?.max(page_before);
        let view = context.view(self.tenant, named).await?;
        let wanted = self.wanted(context, &view, page_before).await?;
        match wanted == view.version() && !context.reads_files {
            true => Ok(Serving::current(context, view, self.files_until)),
            false => Serving::of_version(context, view, wanted, self.files_until).await,
        }
    }

    /// Returns the later of two versions, from its index file alone: the given one or, without one, that of [`serving`](Self::serving).
    ///
    /// # Errors
    /// `version-not-found` for either of them; `archive-unavailable` where the index file cannot be read; `invalid-parameter`.
    pub(crate) async fn serving_later_of<'w>(
        &self,
        context: &'w Context,
        (earlier, later): (Option<Version>, Option<Version>),
        before: Option<u64>,
    ) -> Result<Serving<'w>, Problem> {
        let page_before = before.and_then(Version::new);
        let named = self.query.version()?.max(page_before).max(earlier).max(later);
        let view = context.view(self.tenant, named).await?;
        let wanted = match later {
            Some(later) => later,
            None => self.wanted(context, &view, page_before).await?,
        };
        if wanted > view.version() || earlier > Some(wanted) {
            return Err(Problem::version_not_found());
        }
        let mut serving = Serving::of_version(context, view, wanted, self.files_until).await?;
        serving.chosen = self
            .negotiation
            .choose(serving.cultures(), serving.default_culture());
        Ok(serving)
    }

    async fn wanted(
        &self,
        context: &Context,
        view: &View,
        before: Option<Version>,
    ) -> Result<Version, Problem> {
        let request = match (self.query.version()?, self.query.as_of()?) {
            (Some(_), Some(_)) => {
                let detail = "version and asOf exclude each other.";
                return Err(Problem::invalid_parameter(detail, "/query/asOf"));
            }
            (Some(version), None) => Some(version),
            (None, Some(at)) => {
                let history = context.history()?;
                Some(history.version_at(view.tenant(), view.head(), at).await?)
            }
            (None, None) => None,
        };
        let served = view.version();
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

    /// Returns the culture of `culture=`. Without one the response depends on `Accept-Language`.
    ///
    /// # Errors
    /// `invalid-culture` where it is not a language tag.
    pub(crate) fn culture(&self) -> Result<Option<Culture>, Problem> {
        let culture = self.query.culture()?;
        self.negotiation.depend_on_language(culture.is_none());
        Ok(culture)
    }
}
