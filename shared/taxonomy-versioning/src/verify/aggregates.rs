//! Comparing the aggregates and the markers of counted versions with the content and the log (docs/decisions/0032-audits.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, ItemKey, Key, Month, TenantId, Version, pattern};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Counts, Taxonomy};
use taxonomy_store::{LogEntry, StoredItem, UnlessLost as _};

use crate::aggregate::{month_of, totals_of};
use crate::error::VersioningError;
use crate::verify::Examination;
use crate::verify::compare::{Comparison, ExpectedItem};

impl ExpectedItem {
    fn exact(key: ItemKey, version: Version, attributes: Attributes) -> Self {
        Self {
            key,
            version: version.get(),
            attributes,
            open: &[],
            exists: true,
        }
    }

    /// Returns the counts of a category. Time and version of its last change are not among what is counted.
    fn category(key: ItemKey, stats: &CategoryStats, last: &LogEntry) -> Self {
        Self {
            open: &["V", "ChangedAt"],
            exists: !stats.removed,
            ..Self::exact(key, last.version, attribute::write(stats))
        }
    }
}

impl Examination<'_> {
    /// Compares every aggregate and every marker at the head's version. Returns false, and compares none, if the aggregator has not counted that version
    /// yet, or if the log has a gap.
    pub(crate) async fn compare_aggregates(
        &self,
        comparison: &mut Comparison<'_>,
        content: &Taxonomy,
    ) -> Result<bool, VersioningError> {
        let Some((mut expected, last)) = self.expected_aggregates(content).await? else {
            return Ok(false);
        };
        let totals = pattern::tenant_stats(self.tenant);
        let items = self.service.reader.whole(pattern::whole(&totals.pk)).await?;
        match items.iter().find(|item| item.key == totals) {
            None => return Ok(false),
            Some(item) if is_behind(item, last.version) => return Ok(false),
            Some(_) => {}
        }
        for item in items {
            let wanted = expected.remove(&item.key).or_else(|| nothing(&item, &last));
            comparison.item(Some(&item), wanted.as_ref()).await?;
        }
        for missing in expected.into_values() {
            comparison.item(None, Some(&missing)).await?;
        }
        comparison.flush().await?;
        Ok(true)
    }

    /// Returns every aggregate and marker as it should be, and the log entry of the version; nothing if the log has a gap, which the walk has noted.
    async fn expected_aggregates(
        &self,
        content: &Taxonomy,
    ) -> Result<Option<(BTreeMap<Key, ExpectedItem>, LogEntry)>, VersioningError> {
        let (mut expected, mut months) = (Vec::new(), BTreeMap::new());
        let (mut next, mut last) = (Version::FIRST, None);
        let tenant = || self.tenant.clone();
        while next <= self.head.version {
            let entries = self
                .service
                .heads
                .entries(self.tenant, next, self.head.version)
                .await;
            let Ok(entries) = entries.unless_lost()? else {
                return Ok(None);
            };
            let first = next;
            for entry in entries {
                if entry.version != next {
                    return Ok(None);
                }
                let (month, activity) = (month_of(&entry)?, Activity::new(entry.changes));
                months
                    .entry(month.to_string())
                    .and_modify(|(_, last, sum): &mut (Month, Version, Activity)| {
                        (*last, *sum) = (entry.version, sum.and(activity));
                    })
                    .or_insert((month, entry.version, activity));
                let (tenant, version) = (tenant(), entry.version);
                let marker = ItemKey::Counted { tenant, version };
                expected.push(ExpectedItem::exact(marker, version, Attributes::new()));
                next = version.next();
                last = Some(entry);
            }
            if next == first {
                return Ok(None);
            }
        }
        let Some(last) = last else { return Ok(None) };
        for (month, version, activity) in months.into_values() {
            let key = ItemKey::MonthActivity {
                tenant: tenant(),
                month,
            };
            expected.push(ExpectedItem::exact(key, version, attribute::write(&activity)));
        }
        let counted = Census::new(content);
        expected.extend(counted.categories.iter().filter_map(|category| {
            let id = CategoryId::new(category.id)?;
            Some(category_stats(tenant(), id, Some(category.counts.clone()), &last))
        }));
        let key = ItemKey::TenantStats { tenant: tenant() };
        let totals = attribute::write(&totals_of(&last, &counted));
        expected.push(ExpectedItem::exact(key, last.version, totals));
        let expected = expected.into_iter().map(|item| (item.key.key(), item));
        Ok(Some((expected.collect(), last)))
    }
}

/// Returns the counts of a category; without counts those of one that is gone.
fn category_stats(tenant: TenantId, id: CategoryId, counts: Option<Counts>, last: &LogEntry) -> ExpectedItem {
    let stats = CategoryStats {
        id,
        removed: counts.is_none(),
        counts: counts.unwrap_or_default(),
        changed_at: last.committed_at,
    };
    let category = id;
    ExpectedItem::category(ItemKey::CategoryStats { tenant, category }, &stats, last)
}

/// Returns what an aggregate of something that no version has must be: zeros, since nothing is ever deleted; `None` of anything else.
fn nothing(item: &StoredItem, last: &LogEntry) -> Option<ExpectedItem> {
    match ItemKey::parse(&item.key.pk, &item.key.sk).ok()? {
        ItemKey::CategoryStats { tenant, category } => Some(category_stats(tenant, category, None, last)),
        key @ ItemKey::MonthActivity { .. } => Some(ExpectedItem {
            open: &["V"],
            exists: false,
            ..ExpectedItem::exact(key, last.version, attribute::write(&Activity::default()))
        }),
        _ => None,
    }
}

/// Whether totals are those of an older version, which the aggregator has yet to count.
fn is_behind(item: &StoredItem, version: Version) -> bool {
    item.content.as_ref().is_ok_and(|content| {
        let stats = attribute::read(content.attributes.clone());
        content.version < version.get() && stats.is_ok_and(|stats: TenantStats| stats.is_whole())
    })
}
