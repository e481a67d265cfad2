//! The aggregates of a tenant, updated to a committed version (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, Month, TenantId, Version};
use taxonomy_model::Census;
use taxonomy_model::changeset::Header;
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_store::{Aggregates, Archive, Heads, LOG_PAGE, LogEntry, StoreError, Table};

/// The number of changed categories from which their stored versions are read before they are written, if they are a tenth of all or more. Those
/// that have the version already are left out. A page of the list costs as much as 128 failed conditions and contains some 3,000 categories.
const READ_FIRST: usize = 100;

/// The aggregates of all tenants.
#[derive(Debug, Clone)]
pub struct AggregateUpdater {
    heads: Heads,
    archive: Archive,
    pub(crate) aggregates: Aggregates,
}

/// The most work for one tenant while other tenants wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpdateLimits {
    /// Categories to write for a page of the log.
    pub categories: usize,
    /// Bytes of a changeset's header.
    pub header_bytes: usize,
}

impl UpdateLimits {
    /// No limit.
    pub const NONE: Self = Self {
        categories: usize::MAX,
        header_bytes: usize::MAX,
    };
}

/// The result of an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AggregateUpdate {
    /// Aggregates that were written.
    pub written: u64,
    /// Aggregates that this or a newer version had written already.
    pub already: u64,
    /// The log entry of the version, if it was read.
    pub entry: Option<LogEntry>,
}

impl AggregateUpdate {
    fn note(&mut self, written: bool) {
        self.written += u64::from(written);
        self.already += u64::from(!written);
    }
}

/// Consecutive versions, and the aggregates that they change.
#[derive(Default)]
pub(crate) struct AggregateStep {
    entries: Vec<LogEntry>,
    /// The changed categories, each with the last version that changed it.
    pub(crate) touched: BTreeMap<u64, Touch>,
    /// The last version that changed every category that ever existed.
    everything: Option<Touch>,
    /// The counts of the last version.
    pub(crate) census: Census,
    /// The versions of the stored categories, by id, if they were read.
    stored: BTreeMap<u64, u64>,
}

/// The last version that changed a category. The stored aggregate states this version and no later one, whichever versions were counted
/// together. A late writer with an older version then fails its condition, and the stored items are the same after any loss and any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    version: Version,
    /// Its commit time, in epoch milliseconds.
    at: u64,
}

impl AggregateUpdater {
    /// Returns the aggregates in `table`, counted from the changesets in `archive`.
    pub fn new(table: Table, archive: Archive) -> Self {
        Self {
            heads: Heads::new(table.clone()),
            aggregates: Aggregates::new(table),
            archive,
        }
    }

    /// Whether a stream record of the tenant's head needs an update. False for a tenant that is being purged, one without a head, and one whose head
    /// is older than the version of the record, as after a purge and a new upload.
    ///
    /// # Errors
    /// [`StoreError`] when the head cannot be read.
    pub async fn is_served(&self, tenant: &TenantId, version: Option<Version>) -> Result<bool, StoreError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        let newest = head.committed.as_ref().map(|head| head.version);
        let has_head = newest.is_some() || head.refused.is_some();
        Ok(configuration.purge.is_none() && has_head && newest >= version)
    }

    /// Updates every aggregate of a tenant to `to`, which is committed; has no effect where they are there. May be repeated, run concurrently
    /// and in any order, and stop anywhere: every written aggregate stays right, and the next call completes the update.
    ///
    /// # Errors
    /// [`StoreError`] if a request failed, or stored data is damaged.
    pub async fn advance(&self, tenant: &TenantId, to: Version) -> Result<AggregateUpdate, StoreError> {
        let updated = self.advance_within(tenant, to, UpdateLimits::NONE).await?;
        updated.ok_or_else(|| StoreError::damaged(format!("the log of {tenant}"), "it has no end"))
    }

    /// As [`AggregateUpdater::advance`], but returns `None` as soon as the update exceeds `limits`. Earlier pages of the log are then counted.
    ///
    /// # Errors
    /// As [`AggregateUpdater::advance`].
    pub async fn advance_within(
        &self,
        tenant: &TenantId,
        to: Version,
        limits: UpdateLimits,
    ) -> Result<Option<AggregateUpdate>, StoreError> {
        let mut updated = AggregateUpdate::default();
        let mut at = self.aggregates.stands_at(tenant).await?;
        while at < Some(to) {
            let from = at.map_or(Version::FIRST, Version::next);
            let Some(step) = self.read(tenant, from, to, limits).await? else {
                return Ok(None);
            };
            let last = self.write(tenant, step, &mut updated).await?;
            at = Some(last.version);
            updated.entry = Some(last);
        }
        Ok(Some(updated))
    }

    /// Reads at most a page of the log: all changesets are read before the first write. `None` if that exceeds `limits`.
    async fn read(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
        limits: UpdateLimits,
    ) -> Result<Option<AggregateStep>, StoreError> {
        let until = Version::new(from.get() + LOG_PAGE - 1).map_or(to, |until| until.min(to));
        let entries = self.heads.entries(tenant, from, until).await?;
        let expected = (from.get()..=until.get()).map(Version::new);
        if !expected.eq(entries.iter().map(|entry| Some(entry.version))) {
            let what = format!("the log of {tenant}");
            return Err(StoreError::damaged(
                what,
                format!("not every version from {from} to {until} is there"),
            ));
        }
        let mut step = AggregateStep::default();
        for entry in &entries {
            let header =
                self.archive
                    .header_of_at_most(tenant, entry.version, &entry.changeset, limits.header_bytes);
            let Some(header) = header.await? else {
                return Ok(None);
            };
            step.take(entry, header);
            if step.touched.len() > limits.categories {
                return Ok(None);
            }
        }
        if step.everything.is_some() || step.are_many() {
            step.stored = self.aggregates.category_versions(tenant).await?;
        }
        if let Some(everything) = step.everything {
            for id in step.stored.keys() {
                step.touched.entry(*id).or_insert(everything);
            }
        }
        step.entries = entries;
        Ok((step.touched.len() <= limits.categories).then_some(step))
    }

    /// Writes the categories, then the activity, and the tenant's totals last: they state that the update is complete.
    async fn write(
        &self,
        tenant: &TenantId,
        step: AggregateStep,
        updated: &mut AggregateUpdate,
    ) -> Result<LogEntry, StoreError> {
        let Some(last) = step.entries.last().cloned() else {
            return Err(StoreError::damaged(format!("the log of {tenant}"), "it is empty"));
        };
        let (version, totals) = (last.version, totals_of(&last, &step.census));
        let due = categories_of(&step).filter(|(touched_in, stats)| {
            let stored = step.stored.get(&stats.id.get());
            stored.is_none_or(|stored| *stored < touched_in.get())
        });
        let written = self.aggregates.put_categories(tenant, due).await?;
        updated.written += written;
        updated.already += step.touched.len() as u64 - written;
        for entry in &step.entries {
            let month = month_of(entry)?;
            let activity = Activity::new(entry.changes);
            let counted = self
                .aggregates
                .count(tenant, entry.version, month, activity)
                .await?;
            updated.note(counted);
        }
        let written = self.aggregates.put_tenant(tenant, version, &totals).await?;
        updated.note(written);
        Ok(last)
    }

    /// Returns the log entry of a version.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read, or is missing.
    pub async fn entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, StoreError> {
        self.heads.required_entry(tenant, version).await
    }
}

impl AggregateStep {
    fn are_many(&self) -> bool {
        let touched = self.touched.len();
        touched >= READ_FIRST && touched * 10 >= self.census.categories.len()
    }

    fn take(&mut self, entry: &LogEntry, header: Header) {
        let Header {
            census,
            touched,
            full,
            ..
        } = header;
        let touch = Touch {
            version: entry.version,
            at: entry.committed_at,
        };
        if full || touched.is_none() {
            self.everything = Some(touch);
            self.touched.values_mut().for_each(|before| *before = touch);
            let there = census.categories.iter().map(|category| category.id);
            self.touched.extend(there.map(|id| (id, touch)));
        }
        self.touched
            .extend(touched.into_iter().flatten().map(|id| (id, touch)));
        self.census = census;
    }
}

/// Returns the totals of a version.
pub(crate) fn totals_of(entry: &LogEntry, census: &Census) -> TenantStats {
    TenantStats {
        counts: census.totals.clone(),
        changed_at: entry.committed_at,
        added: entry.changes.added,
        changed: entry.changes.changed,
        removed: entry.changes.removed,
    }
}

fn categories_of(step: &AggregateStep) -> impl Iterator<Item = (Version, CategoryStats)> {
    let categories = &step.census.categories;
    step.touched
        .iter()
        .filter_map(|(id, touch)| Some((CategoryId::new(*id)?, touch)))
        .map(move |(id, touch)| {
            let found = categories.binary_search_by_key(&id.get(), |category| category.id);
            let counts = found.ok().map(|at| categories[at].counts.clone());
            let stats = CategoryStats {
                id,
                removed: counts.is_none(),
                counts: counts.unwrap_or_default(),
                changed_at: touch.at,
            };
            (touch.version, stats)
        })
}

/// Returns the month of a version's commit.
pub(crate) fn month_of(entry: &LogEntry) -> Result<Month, StoreError> {
    Month::at(entry.committed_at).ok_or_else(|| {
        StoreError::damaged(
            format!("version {} in the log", entry.version),
            "it was committed at no time",
        )
    })
}
