//! What follows for caches: the version pushed forward in the second tier, and the CDN told to forget a tenant
//! (docs/decisions/0010-caches.md).

use std::time::Duration;

use aws_sdk_cloudfront::types::{InvalidationBatch, Paths};
use taxonomy_keys::TenantId;
use taxonomy_runtime::Clock;
use taxonomy_valkey::Valkey;
use tokio::time::sleep;
use tracing::info;

use crate::change::Projected;
use crate::error::FollowError;

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

/// A lookup may answer from a head that is so old, and a moment more; what a CDN fetched again before would be the old version.
const HEADS_ARE_NEW_MS: u64 = 2_500;

impl Caches {
    pub(crate) fn new(tier: Option<Valkey>, distribution: Option<Distribution>) -> Self {
        Self { tier, distribution }
    }

    /// Both can be done twice, late and in any order: the version only moves up, and an invalidation that is asked for again under the
    /// same reference is the same invalidation. One that fails does not keep the other from being tried.
    pub(crate) async fn follow(
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

impl Distribution {
    async fn invalidate(&self, tenant: &TenantId, projected: Projected) -> Result<(), FollowError> {
        // What can be in a tenant's id needs no encoding in a path.
        let own = format!("/v1/tenants/{tenant}");
        let below = format!("{own}/*");
        let paths = Paths::builder().quantity(2).items(own).items(below).build();
        let batch = InvalidationBatch::builder()
            .paths(paths.map_err(|error| FollowError::Invalidation(error.into()))?)
            .caller_reference(format!("{tenant}-{}-{}", projected.to, projected.at))
            .build();
        let request = self.client.create_invalidation().distribution_id(&self.id);
        request
            .invalidation_batch(batch.map_err(|error| FollowError::Invalidation(error.into()))?)
            .send()
            .await
            .map_err(|error| FollowError::Invalidation(error.into()))?;
        Ok(())
    }
}
