//! The repair of aggregates that differ from the counted items (docs/decisions/0032-audits.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, ItemKey, Key, Month, TenantId, Version, pattern};
use taxonomy_model::attribute;
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Counts};
use taxonomy_store::{LogEntry, Overwrite, StoreError, StoredItem};

use crate::aggregate::{month_of, totals_of};
use crate::error::VersioningError;
use crate::service::Service;

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

impl Service {
    /// Writes the expected state of an aggregate. Returns false if another process changed it first.
    pub(crate) async fn repair(
        &self,
        tenant: &TenantId,
        version: Version,
        repair: Repair,
    ) -> Result<bool, StoreError> {
        // An aggregate that changed since it was read is another process's to repair.
        let (aggregates, over) = (&self.updater.aggregates, Overwrite::Seen(repair.seen));
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
            let stats = attribute::read(item.attributes.clone());
            item.version < version.get() && stats.is_ok_and(|stats: TenantStats| stats.is_whole())
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
                let (month, activity) = (month_of(&entry)?, Activity::new(entry.changes));
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
                let stored = attribute::read(item.attributes.clone());
                item.version == version.get() && stored.as_ref() == Ok(wanted)
            }
            Self::Category(wanted) => {
                let stored = attribute::read(item.attributes.clone());
                let right = stored.is_ok_and(|found: CategoryStats| {
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
