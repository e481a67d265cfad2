//! Comparing the aggregates with the counted items and with the log (docs/decisions/0032-audits.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, ItemKey, Key, Month, TenantId, Version, pattern};
use taxonomy_model::attribute::{self, Attributes};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_model::{Census, Counts};
use taxonomy_store::{ItemContent, LogEntry, Replacement, StoredItem, UnlessLost as _};

use crate::aggregate::{month_of, totals_of};
use crate::error::VersioningError;
use crate::service::Service;
use crate::verify::difference::{Difference, Findings, Found};
use crate::verify::items::differing;
use crate::verify::mend::Mender;

/// The expected state of an aggregate, or of the marker that a version is counted.
#[derive(Debug)]
struct Expected {
    key: ItemKey,
    version: Version,
    attributes: Attributes,
}

impl Expected {
    fn new(key: ItemKey, version: Version, attributes: Attributes) -> (Key, Self) {
        let stored = key.key();
        let expected = Self {
            key,
            version,
            attributes,
        };
        (stored, expected)
    }
}

impl Service {
    /// Compares every aggregate and every marker with the counted items at the head's version. Returns false, and compares none, if the aggregator has
    /// not counted that version yet, or if the log cannot be read.
    pub(crate) async fn compare_aggregates(
        &self,
        mender: &mut Mender<'_>,
        findings: &mut Findings,
        counted: &Census,
    ) -> Result<bool, VersioningError> {
        let (tenant, version) = (mender.tenant, mender.head.version);
        let Some((mut expected, last)) = self.expected_aggregates(tenant, version, counted).await? else {
            return Ok(false);
        };
        let totals = pattern::tenant_stats(tenant);
        let items = self.reader.whole(pattern::whole(&totals.pk)).await?;
        match items.iter().find(|item| item.key == totals) {
            None => return Ok(false),
            Some(item) if is_behind(item, version) => return Ok(false),
            Some(_) => {}
        }
        for item in items.into_iter().filter(|item| !item.is_void()) {
            let wanted = expected.remove(&item.key);
            let Some(difference) = difference(&item, wanted.as_ref(), version) else {
                continue;
            };
            let replacement = match wanted.or_else(|| too_much(&item, &last)) {
                Some(wanted) => wanted.in_place_of(Some(&item)),
                None => Replacement::void(&item, version.get(), mender.expires_at()),
            };
            mender.take(findings, difference, replacement).await?;
        }
        for (key, wanted) in expected {
            let missing = Difference::item(key, Found::Missing);
            mender.take(findings, missing, wanted.in_place_of(None)).await?;
        }
        mender.flush(findings).await?;
        Ok(true)
    }

    /// Returns every aggregate and marker as it should be, and the log entry of the version; nothing if the log has a gap, which is an error of the chain.
    async fn expected_aggregates(
        &self,
        tenant: &TenantId,
        version: Version,
        counted: &Census,
    ) -> Result<Option<(BTreeMap<Key, Expected>, LogEntry)>, VersioningError> {
        let mut expected = BTreeMap::new();
        let mut months: BTreeMap<String, (Month, Version, Activity)> = BTreeMap::new();
        let (mut next, mut last) = (Version::FIRST, None);
        let tenant_of = || tenant.clone();
        while last.as_ref().is_none_or(|last: &LogEntry| last.version < version) {
            let Ok(entries) = self.heads.entries(tenant, next, version).await.unless_lost()? else {
                return Ok(None);
            };
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
                let counted = ItemKey::Counted {
                    tenant: tenant_of(),
                    version: entry.version,
                };
                expected.extend([Expected::new(counted, entry.version, Attributes::new())]);
                next = entry.version.next();
                last = Some(entry);
            }
        }
        let Some(last) = last else {
            return Ok(None);
        };
        for (month, version, activity) in months.into_values() {
            let tenant = tenant_of();
            let key = ItemKey::MonthActivity { tenant, month };
            expected.extend([Expected::new(key, version, attribute::write(&activity))]);
        }
        for category in &counted.categories {
            if let Some(id) = CategoryId::new(category.id) {
                expected.extend([category_stats(tenant, id, category.counts.clone(), &last)]);
            }
        }
        let key = ItemKey::TenantStats { tenant: tenant_of() };
        let totals = attribute::write(&totals_of(&last, counted));
        expected.extend([Expected::new(key, version, totals)]);
        Ok(Some((expected, last)))
    }
}

fn category_stats(tenant: &TenantId, id: CategoryId, counts: Counts, last: &LogEntry) -> (Key, Expected) {
    let key = ItemKey::CategoryStats {
        tenant: tenant.clone(),
        category: id,
    };
    let stats = CategoryStats {
        id,
        removed: false,
        counts,
        changed_at: last.committed_at,
    };
    Expected::new(key, last.version, attribute::write(&stats))
}

/// Whether totals are those of an older version, which the aggregator has yet to count.
fn is_behind(item: &StoredItem, version: Version) -> bool {
    item.content.as_ref().is_ok_and(|content| {
        let stats = attribute::read(content.attributes.clone());
        content.version < version.get() && stats.is_ok_and(|stats: TenantStats| stats.is_whole())
    })
}

/// Returns the expected state of an aggregate of something that is gone: zeros, since nothing is ever deleted; `None` of anything else.
fn too_much(item: &StoredItem, last: &LogEntry) -> Option<Expected> {
    match ItemKey::parse(&item.key.pk, &item.key.sk).ok()? {
        ItemKey::CategoryStats { tenant, category } => {
            let stats = CategoryStats {
                id: category,
                counts: Counts::default(),
                changed_at: last.committed_at,
                removed: true,
            };
            let key = ItemKey::CategoryStats { tenant, category };
            Some(Expected::new(key, last.version, attribute::write(&stats)).1)
        }
        ItemKey::MonthActivity { tenant, month } => {
            let key = ItemKey::MonthActivity { tenant, month };
            let nothing = attribute::write(&Activity::default());
            Some(Expected::new(key, last.version, nothing).1)
        }
        _ => None,
    }
}

/// Returns the difference of an aggregate or marker. The time and version of the last change of a category, which the counts do not contain, may be any up
/// to the head's; a category that is gone has zeros.
fn difference(item: &StoredItem, wanted: Option<&Expected>, version: Version) -> Option<Difference> {
    let key = || item.key.clone();
    let ItemContent {
        version: written,
        attributes,
    } = match &item.content {
        Ok(content) => content,
        Err(malformed) => return Some(Difference::malformed(key(), malformed)),
    };
    if *written > version.get() {
        let cause = format!("it is of version {written}");
        return Some(Difference::item(key(), Found::Future).because(cause));
    }
    let parsed = ItemKey::parse(&item.key.pk, &item.key.sk);
    let is_category = matches!(parsed, Ok(ItemKey::CategoryStats { .. }));
    let Some(wanted) = wanted else {
        let is_gone = match parsed {
            Ok(ItemKey::CategoryStats { category, .. }) => is_zeros(attributes, category),
            Ok(ItemKey::MonthActivity { .. }) => {
                attribute::read(attributes.clone()) == Ok(Activity::default())
            }
            _ => false,
        };
        return (!is_gone).then(|| Difference::item(key(), Found::Foreign));
    };
    let mut names = differing(attributes, &wanted.attributes);
    names.retain(|name| !(is_category && name == "ChangedAt" && attributes.contains_key(name)));
    if !is_category && *written != wanted.version.get() {
        names.push("V".to_owned());
    }
    (!names.is_empty()).then(|| Difference::item(key(), Found::Altered).of(names))
}

/// Whether these are the counts of a category that is gone.
fn is_zeros(attributes: &Attributes, category: CategoryId) -> bool {
    attribute::read(attributes.clone()).is_ok_and(|stats: CategoryStats| {
        stats.id == category && stats.removed && stats.counts == Counts::default()
    })
}

impl Expected {
    fn in_place_of(self, seen: Option<&StoredItem>) -> Replacement {
        Replacement::item(&self.key, self.version.get(), self.attributes, seen)
    }
}
