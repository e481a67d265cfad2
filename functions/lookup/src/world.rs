//! What handlers stand on: the reader, and what is served of a tenant right now.

use std::sync::Arc;

use taxonomy_keys::{Culture, TenantId, fallback};
use taxonomy_runtime::Clock;
use taxonomy_store::{Aggregates, Committed, Reader, Table};

use crate::authorise::AuthorisedTenant;
use crate::head_cache::HeadCache;
use crate::problem::Problem;

pub(crate) struct World {
    pub(crate) reader: Reader,
    pub(crate) aggregates: Aggregates,
    heads: HeadCache,
}

/// A tenant with a projected version.
pub(crate) struct Serving<'t> {
    pub(crate) tenant: &'t TenantId,
    /// The version that is served.
    pub(crate) version: u64,
    head: Arc<Committed>,
}

impl World {
    pub(crate) fn new(table: Table, clock: Arc<dyn Clock>) -> Self {
        let aggregates = Aggregates::new(table.clone());
        let reader = Reader::new(table);
        Self {
            aggregates,
            heads: HeadCache::new(reader.clone(), clock),
            reader,
        }
    }

    /// The head of a tenant.
    pub(crate) async fn head(&self, tenant: &AuthorisedTenant) -> Result<Arc<Committed>, Problem> {
        self.heads
            .head(tenant)
            .await?
            .ok_or_else(Problem::tenant_not_found)
    }

    /// What is served of a tenant. Until its first version is projected completely there is nothing, whatever items there are.
    pub(crate) async fn serving<'t>(&self, tenant: &'t AuthorisedTenant) -> Result<Serving<'t>, Problem> {
        let head = self.head(tenant).await?;
        let version = head.projected.ok_or_else(Problem::tenant_not_found)?.get();
        Ok(Serving {
            tenant: tenant.id(),
            version,
            head,
        })
    }
}

impl Serving<'_> {
    /// The cultures to try for `requested`, best first and the default last; the default alone where none is requested.
    pub(crate) fn order(&self, requested: Option<&Culture>) -> Vec<Culture> {
        let settings = &self.head.settings;
        match requested {
            None => vec![settings.default_culture.clone()],
            Some(culture) => fallback(
                culture,
                &self.head.cultures,
                &settings.fallback_chain,
                &settings.default_culture,
            ),
        }
    }
}
