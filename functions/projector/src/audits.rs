//! Audits: the audit of one tenant, and the fan-out that requests one for each tenant.

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::TenantId;
use taxonomy_versioning::{AuditRequest, Audited, Deadline, VersioningError};
use tracing::{error, info};

use crate::error::ProjectorError;
use crate::handler::Projector;

/// The maximum number of messages that are sent concurrently.
const CONCURRENCY: usize = 16;

/// A schedule's event that arrives again within the hour requests the same run, so the schedule audits a tenant at most once an hour.
const RUN_MS: u64 = 3_600_000;

impl Projector {
    /// Audits a tenant. Skips one without a version, or one that changes at the same time, until the next run. An audit that runs out of time continues
    /// in the next invocation if it verified anything; if not, it would not fit there either.
    pub(crate) async fn audit(
        &self,
        tenant: &TenantId,
        order: AuditRequest,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        match Box::pin(self.service.audit(tenant, order, deadline)).await {
            Ok(Audited::Ended(_)) => {}
            Ok(Audited::Before) => info!(%tenant, "audited before"),
            Ok(Audited::Paused { full }) => {
                self.audits.queue.ask_for_audit(tenant, order.run, full).await?;
                info!(%tenant, full, "an audit is to be continued");
            }
            Err(VersioningError::NoVersion | VersioningError::Overtaken | VersioningError::Purging) => {
                info!(%tenant, "not audited this time");
            }
            Err(VersioningError::OutOfTime) => error!(%tenant, "an audit does not fit into an invocation"),
            Err(failure) => return Err(failure.into()),
        }
        Ok(())
    }

    /// Requests an audit of every tenant after `after`, in this invocation: there is no chain of messages that a redelivery could fork. A second
    /// request for the same run costs a read for each tenant.
    pub(crate) async fn ask_for_audits(
        &self,
        mut after: Option<TenantId>,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        let now = self.service.clock.now_ms();
        let (run, mut asked) = (now - now % RUN_MS, 0);
        loop {
            let page = self.tenants(after.as_ref()).await?;
            let Some(last) = page.last().cloned() else {
                info!(asked, run, "all tenants are to be audited");
                return Ok(());
            };
            if deadline.is_over(&*self.service.clock) {
                return Err(ProjectorError::TooManyTenants(asked));
            }
            asked += page.len();
            stream::iter(page)
                .map(Ok)
                .try_for_each_concurrent(CONCURRENCY, async |tenant| {
                    self.audits.queue.ask_for_audit(&tenant, Some(run), false).await
                })
                .await?;
            after = Some(last);
        }
    }
}
