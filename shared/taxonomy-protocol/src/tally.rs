//! What is counted of a tenant, brought up to a version that the table holds (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, Month, TenantId, Version};
use taxonomy_model::Census;
use taxonomy_model::changeset::Header;
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};
use taxonomy_store::{
    Aggregates, Archive, Heads, LOG_PAGE, LogEntry, Over, Put, Sabotage, StoreError, Table,
};

/// From so many categories on that are a tenth of all or more, their stored versions are read before they are written, and those that
/// have the version already are left out. A page of the list costs as much as 128 failed conditions and holds some 3,000 categories.
const READ_FIRST: usize = 100;

/// What is counted, of all tenants.
#[derive(Debug, Clone)]
pub struct Tally {
    heads: Heads,
    archive: Archive,
    pub(crate) aggregates: Aggregates,
}

/// How much of one tenant is counted while others wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TallyLimits {
    /// Categories to write for a page of the log.
    pub categories: usize,
    /// Bytes of a changeset's header.
    pub header_bytes: usize,
}

impl TallyLimits {
    /// Counts whatever there is.
    pub const NONE: Self = Self {
        categories: usize::MAX,
        header_bytes: usize::MAX,
    };
}

/// What there was to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tallied {
    /// Aggregates that were written.
    pub written: u64,
    /// Aggregates that this or a newer version had written.
    pub already: u64,
    /// The log entry of the version, where it had to be read.
    pub entry: Option<LogEntry>,
}

impl Tallied {
    fn note(&mut self, written: bool) {
        self.written += u64::from(written);
        self.already += u64::from(!written);
    }
}

/// Some versions, one after the other, and what has to be written for them.
pub(crate) struct Step {
    entries: Vec<LogEntry>,
    /// Ids of the categories that any of them touched, each with the last one that did.
    pub(crate) touched: BTreeMap<u64, Touch>,
    /// The last of them that touched every category that there is or was.
    everything: Option<Touch>,
    /// What the last of them has.
    pub(crate) census: Census,
    /// The versions of stored categories, by id, where they were read.
    stored: BTreeMap<u64, u64>,
}

/// Who touched a category last. What is written says this version and no later one, whichever versions were counted together: whoever
/// comes late with an older one finds this, and the same is stored whatever got lost and in whatever order it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    version: Version,
    /// Its commit, in epoch milliseconds.
    at: u64,
}

impl Tally {
    /// The aggregates in `table`, counted from the changesets in `archive`.
    #[must_use]
    pub fn new(table: Table, archive: Archive) -> Self {
        Self {
            heads: Heads::new(table.clone()),
            aggregates: Aggregates::new(table),
            archive,
        }
    }

    /// Whether a record of the tenant's head asks for anything: not where the tenant is being purged, where it has no head, and where its
    /// head is older than the version that the record speaks of, as after a purge and a new upload.
    ///
    /// # Errors
    /// [`StoreError`] when the head cannot be read.
    pub async fn is_served(&self, tenant: &TenantId, version: Option<Version>) -> Result<bool, StoreError> {
        let (head, configuration) = self.heads.read(tenant).await?;
        let newest = head.committed.as_ref().map(|head| head.version);
        let has_head = newest.is_some() || head.refused.is_some();
        Ok(configuration.purge.is_none() && has_head && newest >= version)
    }

    /// Brings everything that is counted of a tenant up to `to`, which the table must hold, and does nothing where it is there. May be done
    /// twice, at once and in any order, and may stop anywhere: what was written stays right, and whoever comes next finishes it.
    ///
    /// # Errors
    /// [`StoreError`] when something could not be read or written, or is damaged.
    pub async fn advance(&self, tenant: &TenantId, to: Version) -> Result<Tallied, StoreError> {
        let tallied = self.advance_within(tenant, to, TallyLimits::NONE).await?;
        tallied.ok_or_else(|| damaged(format!("the log of {tenant}"), "it has no end"))
    }

    /// The same, but returns `None` as soon as more turns out to be counted than `limits` allow. Pages of the log before that are counted.
    ///
    /// # Errors
    /// As [`Tally::advance`].
    pub async fn advance_within(
        &self,
        tenant: &TenantId,
        to: Version,
        limits: TallyLimits,
    ) -> Result<Option<Tallied>, StoreError> {
        #[cfg(feature = "sabotage")]
        if Sabotage::PlainAdd.is_on() {
            return crate::mistaken::add(self, tenant, to).await.map(Some);
        }
        let mut tallied = Tallied::default();
        let mut at = self.aggregates.stands_at(tenant).await?;
        while at < Some(to) {
            let from = at.map_or(Version::FIRST, Version::next);
            let Some(step) = self.read(tenant, from, to, limits).await? else {
                return Ok(None);
            };
            #[cfg(feature = "sabotage")]
            let step = crate::mistaken::leave_out_what_counts_the_same(self, tenant, at, step).await?;
            let last = self.write(tenant, step, &mut tallied).await?;
            at = Some(last.version);
            tallied.entry = Some(last);
        }
        Ok(Some(tallied))
    }

    /// At most a page of the log: versions whose changesets are read before anything is written. `None` where that is more than `limits`
    /// allow.
    async fn read(
        &self,
        tenant: &TenantId,
        from: Version,
        to: Version,
        limits: TallyLimits,
    ) -> Result<Option<Step>, StoreError> {
        let until = Version::new(from.get() + LOG_PAGE - 1).map_or(to, |until| until.min(to));
        let entries = self.heads.entries(tenant, from, until).await?;
        let expected = (from.get()..=until.get()).map(Version::new);
        if !expected.eq(entries.iter().map(|entry| Some(entry.version))) {
            let what = format!("the log of {tenant}");
            return Err(damaged(
                what,
                format!("not every version from {from} to {until} is there"),
            ));
        }
        let mut step = Step {
            entries: Vec::new(),
            touched: BTreeMap::new(),
            everything: None,
            census: Census::default(),
            stored: BTreeMap::new(),
        };
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

    /// Categories first, then activity, the tenant's totals last: they say that all of it is done.
    async fn write(
        &self,
        tenant: &TenantId,
        step: Step,
        tallied: &mut Tallied,
    ) -> Result<LogEntry, StoreError> {
        let Some(last) = step.entries.last().cloned() else {
            return Err(damaged(format!("the log of {tenant}"), "it is empty"));
        };
        let (version, totals) = (last.version, totals_of(&last, &step.census));
        if Sabotage::TotalsFirst.is_on() {
            self.aggregates
                .put_tenant(tenant, version, &totals, Over::Older)
                .await?;
        }
        let due = categories_of(&step).filter(|(touched_in, stats)| {
            let stored = step.stored.get(&stats.id.get());
            stored.is_none_or(|stored| *stored < touched_in.get())
        });
        let Put { written, .. } = self.aggregates.put_categories(tenant, due).await?;
        tallied.written += written;
        tallied.already += step.touched.len() as u64 - written;
        for entry in &step.entries {
            let month = month_of(entry)?;
            let activity = Activity::of(entry.changes);
            let counted = self
                .aggregates
                .count(tenant, entry.version, month, activity)
                .await?;
            tallied.note(counted);
        }
        let written = self
            .aggregates
            .put_tenant(tenant, version, &totals, Over::Older)
            .await?;
        tallied.note(written);
        Ok(last)
    }

    /// The log entry of a version.
    ///
    /// # Errors
    /// [`StoreError`] when it cannot be read, or is not there.
    pub async fn entry(&self, tenant: &TenantId, version: Version) -> Result<LogEntry, StoreError> {
        self.heads.required_entry(tenant, version).await
    }

    #[cfg(feature = "sabotage")]
    pub(crate) async fn header(&self, entry: &LogEntry, tenant: &TenantId) -> Result<Header, StoreError> {
        self.archive.header(tenant, entry.version, &entry.changeset).await
    }
}

impl Step {
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

/// The totals of a version.
pub(crate) fn totals_of(entry: &LogEntry, census: &Census) -> TenantStats {
    TenantStats {
        counts: census.totals.clone(),
        changed_at: entry.committed_at,
        added: entry.changes.added,
        changed: entry.changes.changed,
        removed: entry.changes.removed,
    }
}

fn categories_of(step: &Step) -> impl Iterator<Item = (Version, CategoryStats)> {
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

/// The month that a version was committed in.
pub(crate) fn month_of(entry: &LogEntry) -> Result<Month, StoreError> {
    Month::at(entry.committed_at).ok_or_else(|| {
        damaged(
            format!("version {} in the log", entry.version),
            "it was committed at no time",
        )
    })
}

fn damaged(what: String, why: impl Into<String>) -> StoreError {
    StoreError::Damaged {
        what,
        source: why.into().into(),
    }
}
