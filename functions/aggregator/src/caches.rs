//! Updating caches after a version: the newest version in the second tier, and an invalidation in the CDN
//! (docs/decisions/0010-caches.md and 0011-isolation.md).

use std::collections::BTreeMap;
use std::time::Duration;

use aws_sdk_cloudfront::types::{InvalidationBatch, Paths};
use futures_util::{StreamExt, stream};
use taxonomy_keys::TenantId;
use taxonomy_runtime::{Clock, Metric};
use taxonomy_valkey::Valkey;
use taxonomy_versioning::causes;
use tokio::time::sleep;
use tracing::{error, info};

use crate::change::{HeadChange, Projected};
use crate::counters::Counters;
use crate::error::FollowError;

/// The maximum number of tenants in progress. CloudFront processes 15 invalidations with a wildcard at a time, so more would only be refused.
const TENANTS_AT_ONCE: usize = 10;

/// The caches in front of the table.
#[derive(Debug)]
pub(crate) struct Caches {
    tier: Option<Valkey>,
    distribution: Option<Distribution>,
}

/// A CloudFront distribution.
#[derive(Debug)]
pub(crate) struct Distribution {
    pub(crate) client: aws_sdk_cloudfront::Client,
    pub(crate) id: String,
}

/// The delay of an invalidation: a lookup may answer from a head of this age, and an answer that a CDN fetched earlier would be of the old version.
const HEADS_ARE_NEW_MS: u64 = 2_500;

/// The last version of a tenant in a batch, and the position of the tenant's first record.
struct Last {
    first: usize,
    tenant: TenantId,
    projected: Projected,
}

impl Caches {
    pub(crate) fn new(tier: Option<Valkey>, distribution: Option<Distribution>) -> Self {
        Self { tier, distribution }
    }

    /// Updates both caches to the last version of each tenant of a batch. Returns the positions of the first records of tenants that must be
    /// delivered again. Both caches may be updated twice, late and in any order: the version only increases, and a second invalidation
    /// with the same reference is the first one.
    ///
    /// A failure of the second tier or of CloudFront affects all tenants alike, so the batch is delivered again. A refusal that would affect the
    /// request of this tenant alone, every time, is logged and counted, and the next version of the tenant updates the caches again.
    pub(crate) async fn follow(
        &self,
        changes: Vec<(usize, HeadChange)>,
        clock: &dyn Clock,
        counters: &Counters,
    ) -> Vec<usize> {
        let failed = stream::iter(last_of_each(changes))
            .map(async |last| {
                let Last { first, tenant, projected } = last;
                let failure = Box::pin(self.follow_tenant(&tenant, projected, clock)).await.err()?;
                let cause = causes(&failure);
                if failure.is_permanent() {
                    counters.count(Metric::Parked, 1);
                    error!(%tenant, error = cause, "a cache refuses what follows for this tenant; its next version follows anew");
                    return None;
                }
                error!(%tenant, error = cause, "a cache does not follow; the stream delivers it again");
                Some(first)
            })
            .buffered(TENANTS_AT_ONCE);
        failed.filter_map(async |failed| failed).collect().await
    }

    /// Tries both caches, whichever fails.
    async fn follow_tenant(
        &self,
        tenant: &TenantId,
        projected: Projected,
        clock: &dyn Clock,
    ) -> Result<(), FollowError> {
        let pushed = self.push(tenant, projected).await;
        let invalidated = self.invalidate(tenant, projected, clock).await;
        pushed.and(invalidated)
    }

    async fn push(&self, tenant: &TenantId, projected: Projected) -> Result<(), FollowError> {
        if let Some(tier) = &self.tier {
            let newest = tier.advance(tenant, projected.to).await?;
            info!(%tenant, version = projected.to.get(), newest = newest.get(), "pushed");
        }
        Ok(())
    }

    async fn invalidate(
        &self,
        tenant: &TenantId,
        projected: Projected,
        clock: &dyn Clock,
    ) -> Result<(), FollowError> {
        if let Some(distribution) = &self.distribution {
            let since = clock.now_ms().saturating_sub(projected.at);
            sleep(Duration::from_millis(HEADS_ARE_NEW_MS.saturating_sub(since))).await;
            distribution.invalidate(tenant, projected).await?;
            info!(%tenant, version = projected.to.get(), "invalidated");
        }
        Ok(())
    }
}

/// In the order of the tenants' first records.
fn last_of_each(changes: Vec<(usize, HeadChange)>) -> Vec<Last> {
    let mut tenants: BTreeMap<TenantId, Last> = BTreeMap::new();
    for (
        position,
        HeadChange {
            tenant, projected, ..
        },
    ) in changes
    {
        let Some(projected) = projected else {
            continue;
        };
        let last = tenants.entry(tenant.clone()).or_insert(Last {
            first: position,
            tenant,
            projected,
        });
        if last.projected.to < projected.to {
            last.projected = projected;
        }
    }
    let mut last: Vec<Last> = tenants.into_values().collect();
    last.sort_by_key(|last| last.first);
    last
}

impl Distribution {
    async fn invalidate(&self, tenant: &TenantId, projected: Projected) -> Result<(), FollowError> {
        let paths = Paths::builder().quantity(1).items(path(tenant)).build();
        let batch = InvalidationBatch::builder()
            .paths(paths.map_err(|error| FollowError::Request(error.into()))?)
            .caller_reference(format!("{tenant}-{}-{}", projected.to, projected.at))
            .build();
        let request = self.client.create_invalidation().distribution_id(&self.id);
        request
            .invalidation_batch(batch.map_err(|error| FollowError::Request(error.into()))?)
            .send()
            .await
            .map_err(|error| FollowError::Invalidation(Box::new(error)))?;
        Ok(())
    }
}

/// Returns the path of the tenant and everything below it, with any query: `/v1/tenants/acme*`. A tenant whose id begins with this one's is
/// invalidated as well, which costs it a fetch. CloudFront refuses a `~` that is not encoded, the only such character of a tenant's id.
fn path(tenant: &TenantId) -> String {
    format!("/v1/tenants/{}*", tenant.as_str().replace('~', "%7E"))
}
