//! Whether what is counted of a tenant is what the table holds, and putting it right (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, ItemKey, Key, Month, TenantId, Version, pattern};
use taxonomy_model::attribute;
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Counts};
use taxonomy_runtime::{Clock, Metric};
use taxonomy_store::{Committed, LogEntry, Over, StoreError, StoredItem};
use tracing::{info, warn};

use crate::checkpoint::Begun;
use crate::deadline::Deadline;
use crate::error::ProtocolError;
use crate::tally::{month_of, totals_of};
use crate::taxonomies::Taxonomies;
use crate::verify::{Difference, Verdict};

/// After so long the aggregator should have counted a version; if it has not, its record was lost.
const LATE_MS: u64 = 900_000;

/// What an audit found and did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audit {
    /// What was found, before anything was repaired.
    pub verdict: Verdict,
    /// Aggregates that were put right.
    pub repaired: u64,
}

/// An aggregate that is wrong.
#[derive(Debug)]
pub(crate) struct Repair {
    /// The version under which it was seen; none where it is missing.
    seen: Option<u64>,
    right: Right,
}

/// An aggregate as it should be.
#[derive(Debug)]
enum Right {
    Tenant(TenantStats),
    Category(CategoryStats),
    Month(Month, Version, Activity),
}

/// Which audit is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Order {
    /// When it was asked for, in epoch milliseconds, so that a second message for the same audit is known; none where that is not known.
    pub run: Option<u64>,
    /// Whether the chain is replayed from the first version on.
    pub full: bool,
}

/// How an audit ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audited {
    /// It came to its end.
    Ended(Audit),
    /// An audit that was asked for then or later had ended before.
    Before,
    /// Time did not suffice, and the chain is verified further than before: the next audit goes on from there.
    Paused {
        /// Whether the next one must be a full one, to go on with this one.
        full: bool,
    },
}

impl<C: Clock> Taxonomies<C> {
    /// Verifies a tenant and repairs its aggregates, but only where everything else is as it should be: what is counted of a damaged table
    /// would be no more right. Begins at the checkpoint of the last audit, and leaves one for the next.
    ///
    /// # Errors
    /// As [`Taxonomies::verify`], and [`ProtocolError::OutOfTime`], with nothing repaired but versions that were never counted: that goes on
    /// where it stopped, so it knows no deadline.
    pub async fn audit(&self, tenant: &TenantId, deadline: Deadline) -> Result<Audit, ProtocolError> {
        match self.audit_as(tenant, Order::default(), deadline).await? {
            Audited::Ended(audit) => Ok(audit),
            Audited::Before | Audited::Paused { .. } => Err(ProtocolError::OutOfTime),
        }
    }

    /// The same as a message asks for it.
    ///
    /// # Errors
    /// As [`Taxonomies::audit`]; [`ProtocolError::OutOfTime`] only where nothing was verified that the next audit could begin behind, so
    /// that it would not fit either. This is counted as [`Metric::AuditUnfinished`].
    pub async fn audit_as(
        &self,
        tenant: &TenantId,
        order: Order,
        deadline: Deadline,
    ) -> Result<Audited, ProtocolError> {
        let audit = self.audit_within(tenant, order, deadline).await;
        if matches!(audit, Err(ProtocolError::OutOfTime)) {
            self.count(Metric::AuditUnfinished, 1);
        }
        audit
    }

    async fn audit_within(
        &self,
        tenant: &TenantId,
        order: Order,
        deadline: Deadline,
    ) -> Result<Audited, ProtocolError> {
        let found = self.found(tenant).await?;
        // A full replay may be done while the audit that it belongs to is not.
        let is_done = |last: u64| order.run.is_some_and(|run| run <= last);
        let full = order.full && !is_done(found.note.full_run);
        if !full && is_done(found.note.run) {
            return Ok(Audited::Before);
        }
        let head = self.committed(tenant).await?;
        let uncounted = self.count_what_was_lost(tenant, &head).await?;
        let mut begun = self.begin(tenant, &head, found, full).await?;
        if begun.mistrusted.is_some() {
            // At once: if the audit is continued in another invocation, that one begins at its own progress.
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

    /// Brings the aggregates up to the head, and returns how many of them should have been written long ago.
    async fn count_what_was_lost(&self, tenant: &TenantId, head: &Committed) -> Result<u64, ProtocolError> {
        if !head.is_settled() {
            return Ok(0);
        }
        let tallied = self.tally.advance(tenant, head.version).await?;
        let late = self.clock.now_ms().saturating_sub(head.projected_at) > LATE_MS;
        let uncounted = if late { tallied.written } else { 0 };
        // At once: what comes now may fail, and the next audit would find nothing to report.
        self.count(Metric::AggregateRepaired, uncounted);
        Ok(uncounted)
    }

    /// Keeps what an audit verified before it failed or ran out of time.
    async fn stopped(
        &self,
        tenant: &TenantId,
        begun: Begun,
        run: Option<u64>,
        failure: ProtocolError,
    ) -> Result<Audited, ProtocolError> {
        if let Some(first) = begun.replay.wrong_indexes.first() {
            // At once: what goes on from here begins behind the versions whose files these are.
            let wrong = begun.replay.wrong_indexes.len() as u64;
            self.count(Metric::AuditDifferences, wrong);
            warn!(%tenant, wrong, first, "files of versions are not as they should be");
        }
        match (self.pause(tenant, begun, run).await, failure) {
            (Ok(Some(full)), ProtocolError::OutOfTime) => Ok(Audited::Paused { full }),
            (Err(lost), ProtocolError::OutOfTime) => Err(lost),
            (_, failure) => Err(failure),
        }
    }

    async fn repair(&self, tenant: &TenantId, version: Version, repair: Repair) -> Result<bool, StoreError> {
        // What changed since it was seen is somebody else's to get right.
        let (aggregates, over) = (&self.tally.aggregates, Over::Seen(repair.seen));
        match repair.right {
            Right::Tenant(stats) => aggregates.put_tenant(tenant, version, &stats, over).await,
            Right::Category(stats) => aggregates.put_category(tenant, version, &stats, over).await,
            Right::Month(month, last, activity) => {
                aggregates.put_activity(tenant, month, last, activity, over).await
            }
        }
    }

    /// Every aggregate that is not as it should be at `version`, given what was counted again. None of them, and none looked at, where
    /// the aggregator has not come so far.
    pub(crate) async fn miscounted(
        &self,
        tenant: &TenantId,
        version: Version,
        counted: &Census,
    ) -> Result<Option<BTreeMap<Key, Repair>>, ProtocolError> {
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

    /// Every aggregate as it should be, and the log entry of the version; nothing where the log has a hole, which is the chain's to tell.
    async fn expected(
        &self,
        tenant: &TenantId,
        version: Version,
        counted: &Census,
    ) -> Result<Option<(BTreeMap<Key, Right>, LogEntry)>, ProtocolError> {
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

/// What should stand where nothing is expected: zeros, since nothing is ever deleted. Proofs stand for themselves.
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
    /// Whether this is what is stored, but for when a category was touched last, which the counts do not tell.
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
