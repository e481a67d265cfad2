//! Looking for tenants that nobody told of: behind, since an invocation died; changed, since an event was lost; due for other
//! settings or another format, of which no event tells.

use std::time::Duration;

use taxonomy_keys::TenantId;
use taxonomy_protocol::{Deadline, INDEX_FORMAT};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Head, Listed, TenantPage};
use tracing::{error, info};

use crate::error::ProjectorError;
use crate::event::Sweep;
use crate::handler::Projector;

/// The function's time-out. A version that was committed less than this ago may still be on its way, and writing it a second time at
/// the same moment would only slow both down.
const LONGEST_RUN_MS: u64 = 900_000;

/// Tenants that are looked for in one request.
const PAGE: i32 = 100;

impl<C: Clock> Projector<C> {
    /// Sweeps. One tenant's failure is noted and does not keep the sweep from the others: who is behind is found by the next sweep, anybody
    /// else is put into the retry queue. Where time does not suffice, the rest of a daily sweep goes into the retry queue; all objects are
    /// followed by all tenants. Audits are only asked for here.
    pub(crate) async fn sweep(&self, sweep: Sweep, deadline: Deadline) -> Result<(), ProjectorError> {
        match sweep {
            Sweep::Behind => self.sweep_behind(deadline).await,
            Sweep::Sources { after } => {
                if self.sweep_sources(after, deadline).await? {
                    self.sweep_tenants(None, deadline, true).await?;
                }
                Ok(())
            }
            Sweep::Tenants { after } => self.sweep_tenants(after, deadline, false).await,
            Sweep::Audits { after } => self.ask_for_audits(after, deadline).await,
        }
    }

    /// Finishes the tenants that are behind and that nobody can be working on any more.
    async fn sweep_behind(&self, deadline: Deadline) -> Result<(), ProjectorError> {
        let heads = self.taxonomies.heads();
        let (mut after, mut oldest) = (None, 0);
        loop {
            let page = self.listed(heads.behind(after.as_ref(), PAGE).await?);
            if page.is_empty() || deadline.is_over(self.taxonomies.clock()) {
                self.taxonomies.observe(Metric::BehindAge, oldest);
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

    /// Finishes a tenant unless somebody may be at it. For how long it has been behind counts before it is tried, since the alarm is
    /// about those that fail.
    async fn finish(
        &self,
        tenant: &TenantId,
        deadline: Deadline,
        oldest_ms: &mut u64,
    ) -> Result<(), ProjectorError> {
        let (head, _) = self.taxonomies.heads().read(tenant).await?;
        // The index may lag: a head that has settled since, and whose versions have their index files, is not behind.
        let Some(head) = head
            .committed
            .filter(|head| !head.is_settled() || !head.is_indexed(INDEX_FORMAT))
        else {
            return Ok(());
        };
        let now = self.taxonomies.clock().now_ms();
        // Of index files their own alarm tells: the version is served.
        if !head.is_settled() {
            *oldest_ms = (*oldest_ms).max(now.saturating_sub(head.committed_at));
        }
        if now.saturating_sub(head.last_moved()) > LONGEST_RUN_MS {
            self.bring_to_rest(tenant, deadline, &mut true).await?;
        }
        Ok(())
    }

    /// Compares every object with its tenant's head. False when the rest was put into the retry queue.
    async fn sweep_sources(
        &self,
        mut after: Option<String>,
        deadline: Deadline,
    ) -> Result<bool, ProjectorError> {
        let (mut seen, mut changed, mut next) = (0_u64, 0_u64, None);
        loop {
            let sources = self.taxonomies.sources();
            let page = sources.list(after.as_deref(), next.as_deref()).await?;
            for Listed { key, tenant, etag } in page.objects {
                if deadline.is_over(self.taxonomies.clock()) {
                    return self.continue_sources(after.filter(|_| seen > 0)).await;
                }
                seen += 1;
                if let Some(tenant) = tenant {
                    let known = self.taxonomies.heads().read(&tenant).await;
                    if !known.is_ok_and(|(head, _)| knows(&head, &etag)) {
                        changed += 1;
                        self.look_or_ask(&tenant, deadline).await?;
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
            if deadline.is_over(self.taxonomies.clock()) {
                return self.continue_sources(after.filter(|_| seen > 0)).await;
            }
        }
    }

    /// Puts the rest of a sweep of all objects into the retry queue; without a key behind which it begins, nothing was done. Returns false,
    /// since the sweep is not at its end.
    async fn continue_sources(&self, after: Option<String>) -> Result<bool, ProjectorError> {
        let after = after.ok_or(ProjectorError::Stuck)?;
        self.retries
            .ask_for_sweep(Sweep::SOURCES, &after, Duration::ZERO)
            .await?;
        Ok(false)
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
            let page = self.tenants(after.as_ref()).await?;
            if page.is_empty() {
                info!(seen, "all tenants seen");
                return Ok(());
            }
            for tenant in page {
                if deadline.is_over(self.taxonomies.clock()) {
                    if !further {
                        return Err(ProjectorError::Stuck);
                    }
                    let after = after.as_ref().map_or("", TenantId::as_str);
                    self.retries
                        .ask_for_sweep(Sweep::TENANTS, after, Duration::ZERO)
                        .await?;
                    return Ok(());
                }
                (seen, further) = (seen + 1, true);
                self.look_or_ask(&tenant, deadline).await?;
                after = Some(tenant);
            }
        }
    }

    /// The tenants after `after`; none at the end of the list.
    pub(crate) async fn tenants(&self, after: Option<&TenantId>) -> Result<Vec<TenantId>, ProjectorError> {
        Ok(self.listed(self.taxonomies.heads().tenants(after, PAGE).await?))
    }

    /// Logs and counts the damaged entries of a list, and returns the others: one damaged entry does not end a sweep.
    fn listed(&self, page: TenantPage) -> Vec<TenantId> {
        for entry in &page.damaged {
            error!(entry, "an entry in a list of tenants is damaged");
        }
        self.taxonomies
            .count(Metric::DamagedEntry, page.damaged.len() as u64);
        page.tenants
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
///
/// A refusal alone does not count: without a version the tenant is in no list of tenants, so this is the only look that notices when
/// the reason no longer holds.
fn knows(head: &Head, etag: &str) -> bool {
    head.committed.as_ref().is_some_and(|committed| {
        let refused = head.refused.as_ref().map(|refused| refused.etag.as_str());
        committed.is_settled() && (committed.source.etag == etag || refused == Some(etag))
    })
}
