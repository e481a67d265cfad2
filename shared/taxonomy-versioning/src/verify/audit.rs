//! Audits: verification of a tenant, and repair of its aggregates (docs/decisions/0032-audits.md).

use std::collections::BTreeSet;

use taxonomy_keys::TenantId;
use taxonomy_runtime::Metric;
use taxonomy_store::Committed;
use tracing::{info, warn};

use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::service::{Service, boxed};
use crate::verify::checkpoint::RunningAudit;
use crate::verify::{Examination, Mends, Verdict};

/// The time after which the aggregator should have counted a version, in milliseconds. An older version was not counted because its stream record was lost.
const LATE_MS: u64 = 900_000;

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audit {
    /// The differences before the repair.
    pub verdict: Verdict,
    /// The number of repaired aggregates.
    pub repaired: u64,
}

/// A requested audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditRequest {
    /// The time of the request, in epoch milliseconds, by which a second message for the same audit is recognised; `None` where it is unknown.
    pub run: Option<u64>,
    /// Whether to replay the chain from the first version on.
    pub full: bool,
}

/// The outcome of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audited {
    /// It is complete.
    Ended(Audit),
    /// An audit that was requested at the same time or later is complete already.
    Before,
    /// The time did not suffice, and the chain is verified further than before: the next audit continues from there.
    Paused {
        /// Whether the next audit must be a full one to continue this one.
        full: bool,
    },
}

impl Service {
    /// Verifies a tenant and repairs its aggregates, but only if nothing else differs: counts of a damaged table would be no more right. Begins at
    /// the checkpoint of the last audit, and writes one for the next.
    ///
    /// # Errors
    /// As [`Service::verify`]. [`VersioningError::OutOfTime`] only if nothing was verified that the next audit could continue from, so that it would
    /// not fit either; such an audit is counted as [`Metric::AuditUnfinished`]. Then nothing is repaired, except versions that were never counted: that
    /// work continues where it stopped, so it needs no deadline.
    pub async fn audit(
        &self,
        tenant: &TenantId,
        order: AuditRequest,
        deadline: Deadline,
    ) -> Result<Audited, VersioningError> {
        let audit = self.audit_within(tenant, order, deadline).await;
        if matches!(audit, Err(VersioningError::OutOfTime)) {
            self.metrics.count(Metric::AuditUnfinished, 1);
        }
        audit
    }

    async fn audit_within(
        &self,
        tenant: &TenantId,
        order: AuditRequest,
        deadline: Deadline,
    ) -> Result<Audited, VersioningError> {
        let audit = self.audit_record(tenant, order.run).await?;
        // A full replay may be complete while its audit is not.
        let is_done = |last: u64| order.run.is_some_and(|run| run <= last);
        let full = order.full && !is_done(audit.note.full_run);
        if !full && is_done(audit.note.run) {
            return Ok(Audited::Before);
        }
        let head = self.committed(tenant).await?;
        let uncounted = self.count_what_was_lost(tenant, &head).await?;
        let mut audit = self.begin(tenant, &head, audit, full).await?;
        if audit.mistrusted.is_some() {
            // Immediately: an audit that continues in another invocation begins at its own progress.
            self.metrics.count(Metric::AuditDifferences, 1);
        }
        let examination = Examination::new(self, tenant, &head, Mends::Counts, deadline);
        let mut verdict = match boxed(|| examination.run(&mut audit.walk, BTreeSet::new())).await {
            Ok(examined) => examined,
            Err(failure) => return self.stopped(tenant, audit, failure).await,
        };
        let counted_again = verdict.findings.mended;
        self.metrics.count(Metric::AggregateRepaired, counted_again);
        let repaired = uncounted + counted_again;
        self.metrics
            .count(Metric::AuditDifferences, verdict.findings.count);
        let mistrusted = audit.mistrusted.take().into_iter();
        mistrusted.for_each(|checkpoint| verdict.findings.note(checkpoint));
        let (differences, since) = (verdict.findings.count, verdict.since);
        if differences > 0 || repaired > 0 {
            let first = verdict.findings.listed.first().map(ToString::to_string);
            warn!(%tenant, version = verdict.version, since, differences, repaired, first, "not as it should be");
        } else {
            info!(%tenant, version = verdict.version, since, items = verdict.findings.items, "audited");
        }
        self.end(tenant, audit, &verdict.findings).await?;
        Ok(Audited::Ended(Audit { verdict, repaired }))
    }

    /// Updates the aggregates to the head. Returns how many of them are overdue.
    async fn count_what_was_lost(&self, tenant: &TenantId, head: &Committed) -> Result<u64, VersioningError> {
        if !head.is_settled() {
            return Ok(0);
        }
        let updated = self.updater.advance(tenant, head.version).await?;
        let late = self.clock.now_ms().abs_diff(head.projected_at) > LATE_MS;
        let uncounted = if late { updated.written } else { 0 };
        // Immediately: a later step may fail, and the next audit would find no difference to report.
        self.metrics.count(Metric::AggregateRepaired, uncounted);
        Ok(uncounted)
    }

    /// Saves the verified part of an audit that failed or ran out of time.
    async fn stopped(
        &self,
        tenant: &TenantId,
        audit: RunningAudit,
        failure: VersioningError,
    ) -> Result<Audited, VersioningError> {
        if let Some(first) = audit.walk.findings.listed.first() {
            // Immediately: the continuation begins behind the versions of these.
            let found = audit.walk.findings.count;
            self.metrics.count(Metric::AuditDifferences, found);
            warn!(%tenant, found, first = %first, "what is stored of versions is not as it should be");
        }
        match (self.pause(tenant, audit).await, failure) {
            (Ok(Some(full)), VersioningError::OutOfTime) => Ok(Audited::Paused { full }),
            (Err(lost), VersioningError::OutOfTime) => Err(lost),
            (_, failure) => Err(failure),
        }
    }
}
