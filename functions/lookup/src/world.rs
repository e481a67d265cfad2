//! What handlers stand on: what is asked about a tenant, and what is served of it right now.

use taxonomy_cache::{CachedReader, View};
use taxonomy_keys::{Culture, List, Place, TenantId, fallback};
use taxonomy_store::Aggregates;

use crate::authorise::AuthorisedTenant;
use crate::cursor;
use crate::event::Event;
use crate::negotiation::Negotiation;
use crate::parameters::Parameters;
use crate::problem::{Code, Problem};
use crate::reply::Reply;

/// Where answers come from.
#[derive(Debug)]
pub struct World {
    pub(crate) reader: CachedReader,
    pub(crate) aggregates: Aggregates,
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

/// A tenant with a projected version.
pub(crate) struct Serving {
    /// What it is read through.
    pub(crate) view: View,
    /// The version that is served.
    pub(crate) version: u64,
    /// The culture that `Accept-Language` chose, where that decides.
    pub(crate) chosen: Option<Culture>,
}

impl World {
    /// The projection, and what is counted of it.
    #[must_use]
    pub fn new(reader: CachedReader, aggregates: Aggregates) -> Self {
        Self { reader, aggregates }
    }

    /// A tenant as it is now.
    pub(crate) async fn view(&self, tenant: &AuthorisedTenant) -> Result<View, Problem> {
        self.reader
            .view(tenant.id())
            .await?
            .ok_or_else(Problem::tenant_not_found)
    }

    /// What is served of a tenant. Until its first version is projected completely there is nothing, whatever items there are.
    pub(crate) async fn serving(&self, tenant: &AuthorisedTenant) -> Result<Serving, Problem> {
        let view = self.view(tenant).await?;
        let version = view.version().ok_or_else(Problem::tenant_not_found)?.get();
        Ok(Serving {
            view,
            version,
            chosen: None,
        })
    }

    /// Whether answers in these cultures, read through the view of `serving`, hold: the request begins again where they do not.
    pub(crate) async fn confirm(&self, serving: &Serving, order: &[Culture]) -> Result<(), Problem> {
        match order {
            [] => Ok(()),
            _ => Ok(self.reader.confirm(&serving.view).await?),
        }
    }
}

impl Asked<'_> {
    /// The answer to who has what would be answered: from the head alone.
    pub(crate) fn known(&self, view: &View) -> Option<Reply> {
        self.negotiation.unchanged(view)
    }

    /// After which place of `list` the page begins that is asked for.
    pub(crate) fn after(&self, list: List) -> Result<Option<Place>, Problem> {
        let Some(text) = self.query.cursor()? else {
            return Ok(None);
        };
        let place = cursor::place(self.tenant.id(), list, text).ok_or_else(|| {
            let detail = "The cursor is not one of this tenant and this list, or was changed.";
            Problem::new(Code::InvalidParameter, detail).at("/query/cursor")
        });
        place.map(Some)
    }

    /// The cursor of the page after one that ends at a place of `list`.
    pub(crate) fn next_cursor(&self, list: List, end: Option<&Place>) -> Option<String> {
        let cursor = cursor::after(self.tenant.id(), list, end?)?;
        self.negotiation.leads_to(&cursor);
        Some(cursor)
    }
}

impl Serving {
    pub(crate) fn tenant(&self) -> &TenantId {
        self.view.tenant()
    }

    /// The cultures to try for `requested`, best first and the default last. None where none is requested: each item then answers in the
    /// default culture that it was written with.
    pub(crate) fn order(&self, requested: Option<&Culture>) -> Vec<Culture> {
        let Some(requested) = requested.or(self.chosen.as_ref()) else {
            return Vec::new();
        };
        let head = self.view.head();
        let settings = &head.settings;
        let (chain, default) = (&settings.fallback_chain, &settings.default_culture);
        if !head.changes_default() {
            return fallback(requested, &head.cultures, chain, default);
        }
        // What is still stored in a former default culture is found as well, though the new version may have nothing in it.
        let stored = [&*head.cultures, &*head.former_defaults].concat();
        fallback(requested, &stored, chain, default)
    }
}
