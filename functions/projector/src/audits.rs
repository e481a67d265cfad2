//! Audits: one of a tenant, and the fan-out that asks for one of each tenant.

use futures_util::{StreamExt, TryStreamExt, stream};
use taxonomy_keys::TenantId;
use taxonomy_protocol::{Audited, Deadline, Order, ProtocolError};
use taxonomy_runtime::Clock;
use tracing::{error, info};

use crate::error::ProjectorError;
use crate::handler::Projector;

/// Messages that are sent at once.
const CONCURRENCY: usize = 16;

/// A schedule's event that comes again within the hour asks for the same run, so a tenant is audited by schedule at most once an hour.
const RUN_MS: u64 = 3_600_000;

impl<C: Clock> Projector<C> {
    /// Audits a tenant. One that has no version, or that is changing right now, is left to the next time. One that is out of time goes on
    /// in the next invocation, if it verified anything that the next one can begin behind; if not, it would not fit there either.
    pub(crate) async fn audit(
        &self,
        tenant: &TenantId,
        order: Order,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        match Box::pin(self.taxonomies.audit_as(tenant, order, deadline)).await {
            Ok(Audited::Ended(_)) => Ok(()),
            Ok(Audited::Before) => {
                info!(%tenant, "audited before");
                Ok(())
            }
            Ok(Audited::Paused { full }) => {
                self.audits.ask_for_audit(tenant, order.run, full).await?;
                info!(%tenant, full, "an audit is to be continued");
                Ok(())
            }
            Err(ProtocolError::NoVersion | ProtocolError::Overtaken | ProtocolError::Purging) => {
                info!(%tenant, "not audited this time");
                Ok(())
            }
            Err(ProtocolError::OutOfTime) => {
                error!(%tenant, "an audit does not fit into an invocation");
                Ok(())
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Asks for an audit of every tenant behind `after`, all in this invocation: there is no chain of messages that a redelivery could fork.
    /// Asking twice for the same run costs a read a tenant.
    pub(crate) async fn ask_for_audits(
        &self,
        mut after: Option<TenantId>,
        deadline: Deadline,
    ) -> Result<(), ProjectorError> {
        let now = self.taxonomies.clock().now_ms();
        let (run, mut asked) = (now - now % RUN_MS, 0);
        loop {
            let page = self.tenants(after.as_ref()).await?;
            let Some(last) = page.last().cloned() else {
                info!(asked, run, "all tenants are to be audited");
                return Ok(());
            };
            if deadline.is_over(self.taxonomies.clock()) {
                return Err(ProjectorError::TooManyTenants(asked));
            }
            asked += page.len();
            stream::iter(page)
                .map(Ok)
                .try_for_each_concurrent(CONCURRENCY, async |tenant| {
                    self.audits.ask_for_audit(&tenant, Some(run), false).await
                })
                .await?;
            after = Some(last);
        }
    }
}
