//! Updating caches after a version: the newest version in the second tier, and an invalidation in the CDN
//! (docs/decisions/0010-caches.md and 0011-isolation.md).

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_cloudfront::types::{InvalidationBatch, Paths};
use futures_util::{StreamExt, stream};
use taxonomy_keys::TenantId;
use taxonomy_runtime::{Clock, Metric, Metrics, causes};
use taxonomy_valkey::Valkey;
use tokio::time::sleep;
use tracing::{error, info};

use crate::change::{CommittedVersion, HeadRecord, by_tenant};
use crate::error::FollowError;

/// The maximum number of tenants in progress. CloudFront processes 15 invalidations with a wildcard at a time, so more would only be refused.
const TENANTS_AT_ONCE: usize = 10;

/// The caches in front of the table.
#[derive(Debug)]
pub(crate) struct Caches {
    pub(crate) tier: Option<Valkey>,
    pub(crate) distribution: Option<Distribution>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Metrics,
}

/// A CloudFront distribution.
#[derive(Debug)]
pub(crate) struct Distribution {
    pub(crate) client: aws_sdk_cloudfront::Client,
    pub(crate) id: String,
}

/// The delay of an invalidation after the time of its record: a lookup may answer from a head of two seconds, and an answer that a CDN fetched earlier
/// would be of the old version. The time of a record is rounded down to a second, and clocks differ by less than half of one.
const HEADS_ARE_NEW_MS: u64 = 3_500;

/// The last version of a tenant in a batch with its record, and the position of the first record with a version.
struct LastVersion<'a> {
    first: usize,
    committed: CommittedVersion,
    record: &'a HeadRecord,
}

impl Caches {
    /// Updates both caches to the last version of each tenant of a batch. Returns the positions of the first records of tenants that must be
    /// delivered again. Both caches may be updated twice, late and in any order: the version only increases, and a second invalidation
    /// with the same reference is the first one.
    ///
    /// A failure of the second tier or of CloudFront affects all tenants alike, so the batch is delivered again. A refusal that would affect the
    /// request of this tenant alone, every time, is logged and counted, and the next version of the tenant updates the caches again.
    pub(crate) async fn follow(&self, heads: &[HeadRecord]) -> Vec<usize> {
        let failed = stream::iter(by_tenant(heads))
            .map(async |records| {
                let last = last_version(&records)?;
                let failure = Box::pin(self.follow_tenant(&last)).await.err()?;
                let (tenant, cause) = (&last.record.change.tenant, causes(&failure));
                if failure.is_permanent() {
                    self.metrics.count(Metric::Parked, 1);
                    error!(%tenant, error = cause, "a cache refuses what follows for this tenant; its next version follows anew");
                    return None;
                }
                error!(%tenant, error = cause, "a cache does not follow; the stream delivers it again");
                Some(last.first)
            })
            .buffered(TENANTS_AT_ONCE);
        failed.filter_map(async |failed| failed).collect().await
    }

    /// Tries both caches, whichever fails.
    async fn follow_tenant(&self, last: &LastVersion<'_>) -> Result<(), FollowError> {
        let pushed = self.push(last).await;
        let invalidated = self.invalidate(last).await;
        pushed.and(invalidated)
    }

    async fn push(&self, last: &LastVersion<'_>) -> Result<(), FollowError> {
        if let Some(tier) = &self.tier {
            let (tenant, version) = (&last.record.change.tenant, last.committed.version);
            let newest = tier.advance(tenant, version).await?;
            info!(%tenant, version = version.get(), newest = newest.get(), "pushed");
        }
        Ok(())
    }

    async fn invalidate(&self, last: &LastVersion<'_>) -> Result<(), FollowError> {
        if let Some(distribution) = &self.distribution {
            let now = self.clock.now_ms();
            let since = now.saturating_sub(last.record.recorded_at.unwrap_or(now));
            sleep(Duration::from_millis(HEADS_ARE_NEW_MS.saturating_sub(since))).await;
            let (tenant, committed) = (&last.record.change.tenant, last.committed);
            distribution.invalidate(tenant, committed).await?;
            info!(%tenant, version = committed.version.get(), "invalidated");
        }
        Ok(())
    }
}

/// Returns the last version of a tenant; `None` if its records have none.
fn last_version<'a>(records: &[(usize, &'a HeadRecord)]) -> Option<LastVersion<'a>> {
    let versions = records.iter().filter_map(|(position, record)| {
        Some(LastVersion {
            first: *position,
            committed: record.change.committed?,
            record,
        })
    });
    versions.reduce(
        |last, next| match last.committed.version < next.committed.version {
            true => LastVersion {
                first: last.first,
                ..next
            },
            false => last,
        },
    )
}

impl Distribution {
    async fn invalidate(&self, tenant: &TenantId, committed: CommittedVersion) -> Result<(), FollowError> {
        let paths = Paths::builder().quantity(1).items(path(tenant)).build();
        let batch = InvalidationBatch::builder()
            .paths(paths?)
            .caller_reference(format!("{tenant}-{}-{}", committed.version, committed.at))
            .build();
        let request = self.client.create_invalidation().distribution_id(&self.id);
        let sent = request.invalidation_batch(batch?).send().await;
        sent.map_err(|error| FollowError::Invalidation(Box::new(error)))?;
        Ok(())
    }
}

/// Returns the path of the tenant and everything below it, with any query: `/v1/tenants/acme*`. A tenant whose id begins with this one's is
/// invalidated as well, which costs it a fetch. CloudFront refuses a `~` that is not encoded, the only such character of a tenant's id.
fn path(tenant: &TenantId) -> String {
    format!("/v1/tenants/{}*", tenant.as_str().replace('~', "%7E"))
}
