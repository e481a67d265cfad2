//! Audits: verification of a tenant, and repair of its aggregates (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, ItemKey, Key, Month, TenantId, Version, pattern};
use taxonomy_model::attribute;
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Counts};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Committed, LogEntry, Over, StoreError, StoredItem};
use tracing::{info, warn};

use crate::aggregate::{month_of, totals_of};
use crate::checkpoint::Begun;
use crate::deadline::Deadline;
use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::{Difference, Verdict};

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

/// A wrong aggregate.
#[derive(Debug)]
pub(crate) struct Repair {
    /// The version under which it was read; `None` where it is missing.
    seen: Option<u64>,
    right: Right,
}

/// The expected state of an aggregate.
#[derive(Debug)]
enum Right {
    Tenant(TenantStats),
    Category(CategoryStats),
    Month(Month, Version, Activity),
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

impl<C: Clock> Service<C> {
    /// Verifies a tenant and repairs its aggregates, but only if nothing else differs: counts of a damaged table would be no more right. Begins at
    /// the checkpoint of the last audit, and writes one for the next.
    ///
    /// # Errors
    /// As [`Service::verify`], and [`VersioningError::OutOfTime`]. Then nothing is repaired, except versions that were never counted: that
    /// work continues where it stopped, so it needs no deadline.
    pub async fn audit(&self, tenant: &TenantId, deadline: Deadline) -> Result<Audit, VersioningError> {
        match self.audit_as(tenant, AuditRequest::default(), deadline).await? {
            Audited::Ended(audit) => Ok(audit),
            Audited::Before | Audited::Paused { .. } => Err(VersioningError::OutOfTime),
        }
    }

    /// As [`Self::audit`], for a message.
    ///
    /// # Errors
    /// As [`Service::audit`]; [`VersioningError::OutOfTime`] only if nothing was verified that the next audit could continue from, so that it would
    /// not fit either. Such an audit is counted as [`Metric::AuditUnfinished`].
    pub async fn audit_as(
        &self,
        tenant: &TenantId,
        order: AuditRequest,
        deadline: Deadline,
    ) -> Result<Audited, VersioningError> {
        let audit = self.audit_within(tenant, order, deadline).await;
        if matches!(audit, Err(VersioningError::OutOfTime)) {
            self.count(Metric::AuditUnfinished, 1);
        }
        audit
    }

    async fn audit_within(
        &self,
        tenant: &TenantId,
        order: AuditRequest,
        deadline: Deadline,
    ) -> Result<Audited, VersioningError> {
        let found = self.found(tenant).await?;
        // A full replay may be complete while its audit is not.
        let is_done = |last: u64| order.run.is_some_and(|run| run <= last);
        let full = order.full && !is_done(found.note.full_run);
        if !full && is_done(found.note.run) {
            return Ok(Audited::Before);
        }
        let head = self.committed(tenant).await?;
        let uncounted = self.count_what_was_lost(tenant, &head).await?;
        let mut begun = self.begin(tenant, &head, found, full).await?;
        if begun.mistrusted.is_some() {
            // Immediately: an audit that continues in another invocation begins at its own progress.
            self.count(Metric::AuditDifferences, 1);
        }
        let examined = self.examine(tenant, &head, &mut begun.replay, deadline);
        let (mut verdict, repairs) = match examined.await {
            Ok(examined) => examined,
            Err(failure) => return self.stopped(tenant, begun, order.run, failure).await,
        };
        let mut repaired = uncounted;
        if verdict.differences == repairs.len() as u64 {
            let version = Version::new(verdict.version).unwrap_or(head.version);
            for repair in repairs.into_values() {
                let done = u64::from(self.repair(tenant, version, repair).await?);
                self.count(Metric::AggregateRepaired, done);
                repaired += done;
            }
        }
        self.count(Metric::AuditDifferences, verdict.differences);
        if let Some(why) = begun.mistrusted.take() {
            verdict.note(Difference::Checkpoint(why));
        }
        let (differences, since) = (verdict.differences, verdict.since);
        if differences > 0 || repaired > 0 {
            warn!(%tenant, version = verdict.version, since, differences, repaired, first = ?verdict.listed.first(), "not as it should be");
        } else {
            info!(%tenant, version = verdict.version, since, items = verdict.items, "audited");
        }
        self.end(tenant, begun, order.run).await?;
        Ok(Audited::Ended(Audit { verdict, repaired }))
    }

    /// Updates the aggregates to the head. Returns how many of them are overdue.
    async fn count_what_was_lost(&self, tenant: &TenantId, head: &Committed) -> Result<u64, VersioningError> {
        if !head.is_settled() {
            return Ok(0);
        }
        let tallied = self.tally.advance(tenant, head.version).await?;
        let late = self.clock.now_ms().saturating_sub(head.projected_at) > LATE_MS;
        let uncounted = if late { tallied.written } else { 0 };
        // Immediately: a later step may fail, and the next audit would find no difference to report.
        self.count(Metric::AggregateRepaired, uncounted);
        Ok(uncounted)
    }

    /// Saves the verified part of an audit that failed or ran out of time.
    async fn stopped(
        &self,
        tenant: &TenantId,
        begun: Begun,
        run: Option<u64>,
        failure: VersioningError,
    ) -> Result<Audited, VersioningError> {
        if let Some(first) = begun.replay.wrong_indexes.first() {
            // Immediately: the continuation begins behind the versions of these files.
            let wrong = begun.replay.wrong_indexes.len() as u64;
            self.count(Metric::AuditDifferences, wrong);
            warn!(%tenant, wrong, first, "files of versions are not as they should be");
        }
        match (self.pause(tenant, begun, run).await, failure) {
            (Ok(Some(full)), VersioningError::OutOfTime) => Ok(Audited::Paused { full }),
            (Err(lost), VersioningError::OutOfTime) => Err(lost),
            (_, failure) => Err(failure),
        }
    }

    async fn repair(&self, tenant: &TenantId, version: Version, repair: Repair) -> Result<bool, StoreError> {
        // An aggregate that changed since it was read is another process's to repair.
        let (aggregates, over) = (&self.tally.aggregates, Over::Seen(repair.seen));
        match repair.right {
            Right::Tenant(stats) => aggregates.put_tenant(tenant, version, &stats, over).await,
            Right::Category(stats) => aggregates.put_category(tenant, version, &stats, over).await,
            Right::Month(month, last, activity) => {
                aggregates.put_activity(tenant, month, last, activity, over).await
            }
        }
    }

    /// Returns every aggregate that differs at `version` from the counted items. Returns none, and reads none, if the aggregator has not counted
    /// that version yet.
    pub(crate) async fn miscounted(
        &self,
        tenant: &TenantId,
        version: Version,
        counted: &Census,
    ) -> Result<Option<BTreeMap<Key, Repair>>, VersioningError> {
        let Some((mut expected, last)) = self.expected(tenant, version, counted).await? else {
            return Ok(None);
        };
        let totals = pattern::tenant_stats(tenant);
        let items = self.reader.whole(pattern::whole(&totals.pk)).await?;
        let is_behind = |item: &StoredItem| {
            let stats = TenantStats::read(&item.attributes);
            item.version < version.get() && stats.is_ok_and(|stats| stats.is_whole())
        };
        match items.iter().find(|item| item.key == totals) {
            None => return Ok(None),
            Some(item) if is_behind(item) => return Ok(None),
            Some(_) => {}
        }
        let mut repairs = BTreeMap::new();
        for item in items {
            let right = expected.remove(&item.key).or_else(|| too_much(&item, &last));
            if let Some(right) = right.filter(|right| !right.is(&item, version)) {
                let seen = Some(item.version);
                repairs.insert(item.key, Repair { seen, right });
            }
        }
        let missing = expected
            .into_iter()
            .map(|(key, right)| (key, Repair { seen: None, right }));
        repairs.extend(missing);
        Ok(Some(repairs))
    }

    /// Returns the expected state of every aggregate, and the log entry of the version; nothing if the log has a gap, which is an error of the chain.
    async fn expected(
        &self,
        tenant: &TenantId,
        version: Version,
        counted: &Census,
    ) -> Result<Option<(BTreeMap<Key, Right>, LogEntry)>, VersioningError> {
        let mut expected = BTreeMap::new();
        let mut months: BTreeMap<String, (Month, Version, Activity)> = BTreeMap::new();
        let (mut next, mut last) = (Version::FIRST, None);
        while next <= version {
            let entries = self.heads.entries(tenant, next, version).await?;
            if entries.is_empty() {
                return Ok(None);
            }
            for entry in entries {
                if entry.version != next {
                    return Ok(None);
                }
                let (month, activity) = (month_of(&entry)?, Activity::of(entry.changes));
                months
                    .entry(month.to_string())
                    .and_modify(|(_, last, sum)| (*last, *sum) = (entry.version, sum.and(activity)))
                    .or_insert((month, entry.version, activity));
                next = entry.version.next();
                last = Some(entry);
            }
        }
        let Some(last) = last else {
            return Ok(None);
        };
        for (month, version, activity) in months.into_values() {
            let key = ItemKey::MonthActivity {
                tenant: tenant.clone(),
                month,
            };
            expected.insert(key.key(), Right::Month(month, version, activity));
        }
        for category in &counted.categories {
            if let Some(id) = CategoryId::new(category.id) {
                let stats = CategoryStats {
                    id,
                    counts: category.counts.clone(),
                    changed_at: last.committed_at,
                    removed: false,
                };
                expected.insert(pattern::category_stats(tenant, id), Right::Category(stats));
            }
        }
        let totals = totals_of(&last, counted);
        expected.insert(pattern::tenant_stats(tenant), Right::Tenant(totals));
        Ok(Some((expected, last)))
    }
}

/// Returns the expected state of an aggregate that should not exist: zeros, since nothing is ever deleted. Proofs of counting are not compared.
fn too_much(item: &StoredItem, last: &LogEntry) -> Option<Right> {
    match ItemKey::parse(&item.key.pk, &item.key.sk) {
        Ok(ItemKey::CategoryStats { category, .. }) => Some(Right::Category(CategoryStats {
            id: category,
            counts: Counts::default(),
            changed_at: last.committed_at,
            removed: true,
        })),
        Ok(ItemKey::MonthActivity { month, .. }) => {
            Some(Right::Month(month, last.version, Activity::default()))
        }
        _ => None,
    }
}

impl Right {
    /// Whether the stored aggregate equals this one, except for the last change of a category, which the counts do not contain.
    fn is(&self, item: &StoredItem, version: Version) -> bool {
        match self {
            Self::Tenant(wanted) => {
                item.version == version.get() && TenantStats::read(&item.attributes).as_ref() == Ok(wanted)
            }
            Self::Category(wanted) => {
                let right = CategoryStats::read(&item.attributes).is_ok_and(|found| {
                    (found.id, &found.counts, found.removed) == (wanted.id, &wanted.counts, wanted.removed)
                });
                right && item.version <= version.get()
            }
            Self::Month(_, last, wanted) => {
                item.version == last.get() && attribute::read(item.attributes.clone()).as_ref() == Ok(wanted)
            }
        }
    }
}
