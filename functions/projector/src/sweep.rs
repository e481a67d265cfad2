//! The sweep: finds tenants whose upload event was lost, whose projection is incomplete after an invocation died, and those that need other
//! settings or another projection format, for which there is no event.

use taxonomy_keys::{Attention, TenantId};
use taxonomy_runtime::Metric;
use taxonomy_store::{Head, ListedSource, TenantPage};
use taxonomy_versioning::{Deadline, behind_ms};
use tracing::{error, info};

use crate::error::ProjectorError;
use crate::event::Sweep;
use crate::handler::Projector;

/// Tenants in one page of a list.
const PAGE: i32 = 100;

impl Projector {
    /// Sweeps. The failure of one tenant is recorded and does not stop the sweep: the next sweep finds those that are behind, and the retry queue gets
    /// all others. If the time does not suffice, the rest of a daily sweep is sent to the retry queue; the sweep of all objects is
    /// followed by that of all tenants. Audits are only requested here.
    pub(crate) async fn sweep(&self, sweep: &Sweep, deadline: Deadline) -> Result<(), ProjectorError> {
        match sweep {
            Sweep::Behind => self.sweep_behind(deadline).await,
            Sweep::Sources { after } => {
                if self.sweep_sources(after.clone(), deadline).await? {
                    self.sweep_tenants(None, deadline, true).await?;
                }
                Ok(())
            }
            Sweep::Tenants { after } => self.sweep_tenants(after.clone(), deadline, false).await,
            Sweep::Audits { after } => self.ask_for_audits(after.clone(), deadline).await,
        }
    }

    /// Reconciles the tenants that are listed as behind.
    async fn sweep_behind(&self, deadline: Deadline) -> Result<(), ProjectorError> {
        let heads = &self.service.heads;
        let (mut after, mut oldest) = (None, 0);
        loop {
            let behind = heads.attention(Attention::Behind, after.as_ref(), PAGE);
            let page = self.listed(behind.await?);
            if page.is_empty() || deadline.is_over(&*self.service.clock) {
                self.service.metrics.observe(Metric::BehindAge, oldest);
                return Ok(());
            }
            for tenant in page {
                if let Err(failure) = self.finish(&tenant, deadline, &mut oldest).await {
                    self.note_failure(&tenant, &failure);
                }
                after = Some(tenant);
            }
        }
    }

    /// Reconciles a tenant. The time for which it has been behind is recorded before the try, since the alarm is about tenants that fail.
    async fn finish(
        &self,
        tenant: &TenantId,
        deadline: Deadline,
        oldest_ms: &mut u64,
    ) -> Result<(), ProjectorError> {
        let (head, _) = self.service.heads.read(tenant).await?;
        *oldest_ms = (*oldest_ms).max(behind_ms(&head, self.service.clock.now_ms()));
        self.reconcile(tenant, deadline, &mut true).await
    }

    /// Compares every source object with the head of its tenant. Returns false if the rest was sent to the retry queue.
    async fn sweep_sources(
        &self,
        mut after: Option<String>,
        deadline: Deadline,
    ) -> Result<bool, ProjectorError> {
        let (mut seen, mut changed, mut next) = (0_u64, 0_u64, None);
        loop {
            let sources = &self.service.sources;
            let page = sources.list(after.as_deref(), next.as_deref()).await?;
            for ListedSource { key, tenant, etag } in page.objects {
                if deadline.is_over(&*self.service.clock) {
                    return self.continue_sources(after.filter(|_| seen > 0)).await;
                }
                seen += 1;
                if let Some(tenant) = tenant {
                    let known = self.service.heads.read(&tenant).await;
                    if !known.is_ok_and(|(head, _)| knows(&head, &etag)) {
                        changed += 1;
                        self.reconcile_or_ask(&tenant, deadline).await?;
                    }
                }
                after = Some(key);
            }
            // A page may be empty although others follow.
            next = page.next;
            if next.is_none() {
                info!(seen, changed, "all sources compared with their heads");
                return Ok(true);
            }
            if deadline.is_over(&*self.service.clock) {
                return self.continue_sources(after.filter(|_| seen > 0)).await;
            }
        }
    }

    /// Sends the rest of a sweep of all objects to the retry queue; without a key no progress was made. Returns false,
    /// since the sweep is not complete.
    async fn continue_sources(&self, after: Option<String>) -> Result<bool, ProjectorError> {
        let after = after.ok_or(ProjectorError::Stuck)?;
        self.retries.queue.ask_for_sweep(Sweep::SOURCES, &after).await?;
        Ok(false)
    }

    /// Reconciles every tenant. `further` is whether this invocation has made progress.
    async fn sweep_tenants(
        &self,
        mut after: Option<TenantId>,
        deadline: Deadline,
        mut further: bool,
    ) -> Result<(), ProjectorError> {
        let mut seen = 0_u64;
        loop {
            let page = self.tenants(after.as_ref()).await?;
            if page.is_empty() {
                info!(seen, "all tenants seen");
                return Ok(());
            }
            for tenant in page {
                if deadline.is_over(&*self.service.clock) {
                    if !further {
                        return Err(ProjectorError::Stuck);
                    }
                    let after = after.as_ref().map_or("", TenantId::as_str);
                    self.retries.queue.ask_for_sweep(Sweep::TENANTS, after).await?;
                    return Ok(());
                }
                (seen, further) = (seen + 1, true);
                self.reconcile_or_ask(&tenant, deadline).await?;
                after = Some(tenant);
            }
        }
    }

    /// Returns the tenants after `after`; none at the end of the list.
    pub(crate) async fn tenants(&self, after: Option<&TenantId>) -> Result<Vec<TenantId>, ProjectorError> {
        Ok(self.listed(self.service.heads.tenants(after, PAGE).await?))
    }

    /// Logs and counts the damaged entries of a list, and returns the others: one damaged entry does not end a sweep.
    fn listed(&self, page: TenantPage) -> Vec<TenantId> {
        for entry in &page.damaged {
            error!(entry, "an entry in a list of tenants is damaged");
        }
        self.service
            .metrics
            .count(Metric::DamagedEntry, page.damaged.len() as u64);
        page.tenants
    }

    async fn reconcile_or_ask(&self, tenant: &TenantId, deadline: Deadline) -> Result<(), ProjectorError> {
        if let Err(failure) = self.reconcile(tenant, deadline, &mut true).await {
            self.note_failure(tenant, &failure);
            if let Err(lost) = self.retries.queue.ask_for_tenant(tenant).await {
                error!(%tenant, error = %lost, "not even put into the retry queue");
                return Err(failure);
            }
        }
        Ok(())
    }
}

/// Whether the head was made from an object with this `ETag`, or refused it, and the table is at the head. A wrong "no" costs a closer look.
///
/// A refusal alone does not count: a tenant without a version is in no list of tenants, so only this sweep notices when the reason no longer
/// holds.
fn knows(head: &Head, etag: &str) -> bool {
    head.committed.as_ref().is_some_and(|committed| {
        let refused = head.refused.as_ref().map(|refused| refused.etag.as_str());
        committed.is_settled() && (committed.source.etag == etag || refused == Some(etag))
    })
}
