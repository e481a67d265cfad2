//! Looking for tenants that nobody told of: behind, since an invocation died; changed, since an event was lost; due for other
//! settings or another format, of which no event tells.

use std::collections::BTreeSet;

use taxonomy_keys::TenantId;
use taxonomy_protocol::Deadline;
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Head, Listed};
use tracing::{error, info};

use crate::error::ProjectorError;
use crate::event::{Sweep, Tenants};
use crate::handler::Projector;

/// The function's time-out. A version that was committed less than this ago may still be on its way, and writing it a second time at
/// the same moment would only slow both down.
const LONGEST_RUN_MS: u64 = 900_000;

/// Tenants that are looked for in one request.
const PAGE: i32 = 100;

impl<C: Clock> Projector<C> {
    /// Sweeps. One tenant's failure puts that tenant into the retry queue and does not keep the sweep from the others. Where time does not suffice, the
    /// rest of the sweep goes into the retry queue; a sweep of all objects is followed by one of all tenants.
    pub(crate) async fn sweep(&self, sweep: Sweep, deadline: Deadline) -> Result<(), ProjectorError> {
        match sweep {
            Sweep::Behind => {
                let tenants = self.left_behind().await?;
                self.look_at(Tenants { tenants, ignored: 0 }, deadline).await
            }
            Sweep::Sources { after } => {
                if self.sweep_sources(after, deadline).await? {
                    self.sweep_tenants(None, deadline, true).await?;
                }
                Ok(())
            }
            Sweep::Tenants { after } => self.sweep_tenants(after, deadline, false).await,
        }
    }

    /// The tenants that are behind and that nobody can be working on any more.
    async fn left_behind(&self) -> Result<BTreeSet<TenantId>, ProjectorError> {
        let heads = self.taxonomies.heads();
        let (mut left, mut after) = (BTreeSet::new(), None);
        let (now, mut oldest) = (self.taxonomies.clock().now_ms(), 0);
        loop {
            let page = heads.behind(after.as_ref(), PAGE).await?;
            if page.is_empty() {
                self.taxonomies.observe(Metric::BehindAge, oldest);
                return Ok(left);
            }
            for tenant in page {
                let (head, _) = heads.read(&tenant).await?;
                // The index may lag: a head that has settled since is not behind.
                let behind = head.committed.filter(|head| !head.is_settled());
                let age = behind.map_or(0, |head| now.saturating_sub(head.committed_at));
                oldest = oldest.max(age);
                if age > LONGEST_RUN_MS {
                    left.insert(tenant.clone());
                }
                after = Some(tenant);
            }
        }
    }

    /// Compares every object with its tenant's head. False when the rest was put into the retry queue.
    async fn sweep_sources(
        &self,
        mut after: Option<String>,
        deadline: Deadline,
    ) -> Result<bool, ProjectorError> {
        let (mut seen, mut changed) = (0_u64, 0_u64);
        loop {
            let page = self.taxonomies.sources().list(after.as_deref()).await?;
            if page.is_empty() {
                info!(seen, changed, "all sources compared with their heads");
                return Ok(true);
            }
            for Listed { key, tenant, etag } in page {
                if deadline.is_over(self.taxonomies.clock()) {
                    let Some(after) = after.filter(|_| seen > 0) else {
                        return Err(ProjectorError::Stuck);
                    };
                    self.retries.ask_for_sweep(Sweep::SOURCES, &after).await?;
                    return Ok(false);
                }
                seen += 1;
                if let Some(tenant) = tenant {
                    let (head, _) = self.taxonomies.heads().read(&tenant).await?;
                    if !knows(&head, &etag) {
                        changed += 1;
                        self.look_or_ask(&tenant, deadline).await?;
                    }
                }
                after = Some(key);
            }
        }
    }

    /// Looks at every tenant there is. `further` says whether this invocation got anything done yet.
    async fn sweep_tenants(
        &self,
        mut after: Option<TenantId>,
        deadline: Deadline,
        mut further: bool,
    ) -> Result<(), ProjectorError> {
        let mut seen = 0_u64;
        loop {
            let page = self.taxonomies.heads().tenants(after.as_ref(), PAGE).await?;
            if page.is_empty() {
                info!(seen, "all tenants looked at");
                return Ok(());
            }
            for tenant in page {
                if deadline.is_over(self.taxonomies.clock()) {
                    if !further {
                        return Err(ProjectorError::Stuck);
                    }
                    let after = after.as_ref().map_or("", TenantId::as_str);
                    self.retries.ask_for_sweep(Sweep::TENANTS, after).await?;
                    return Ok(());
                }
                (seen, further) = (seen + 1, true);
                self.look_or_ask(&tenant, deadline).await?;
                after = Some(tenant);
            }
        }
    }

    async fn look_or_ask(&self, tenant: &TenantId, deadline: Deadline) -> Result<(), ProjectorError> {
        if let Err(failure) = self.bring_to_rest(tenant, deadline, &mut true).await {
            self.note_failure(tenant, &failure);
            if let Err(lost) = self.retries.ask_for_tenant(tenant).await {
                error!(%tenant, error = %lost, "not even put into the retry queue");
                return Err(failure);
            }
        }
        Ok(())
    }
}

/// Whether the head was made from, or has refused, an object with this `ETag`, and the table is at it. A false "no" costs a closer look.
fn knows(head: &Head, etag: &str) -> bool {
    let settled = head
        .committed
        .as_ref()
        .is_none_or(taxonomy_store::Committed::is_settled);
    let source = head.committed.as_ref().map(|head| head.source.etag.as_str());
    let refused = head.refused.as_ref().map(|refused| refused.etag.as_str());
    settled && (source == Some(etag) || refused == Some(etag))
}
