//! Aggregates: absolute values of a version, guarded by it, and counters that a version is added to once
//! (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use taxonomy_keys::{CategoryId, ItemKey, Month, TenantId, Version, pattern};
use taxonomy_model::attribute::{self, Attributes, get};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};

use crate::backoff;
use crate::concurrent;
use crate::error::StoreError;
use crate::table::attributes::{from_sdk, sdk_item};
use crate::table::reader::{Versioned, is_void, versioned};
use crate::table::update_expression::UpdateExpression;
use crate::table::{Consistency, Table};

/// Reads and writes aggregates.
#[derive(Debug, Clone)]
pub struct Aggregates {
    table: Table,
}

/// Categories that are written concurrently: 16 requests of 10 ms use the partition's 1,000 units a second.
const CONCURRENCY: usize = 16;

/// The totals, if there are any, and the activity by month.
pub type WithActivity = (Option<Versioned<TenantStats>>, Vec<(Month, Versioned<Activity>)>);

impl Aggregates {
    /// Returns the aggregates in `table`.
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Returns the version that every aggregate of a tenant is right for, read consistently; `None` before the first, and where the totals are not in
    /// this build's format. Counting again from the first version costs writes and is right.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn stands_at(&self, tenant: &TenantId) -> Result<Option<Version>, StoreError> {
        let key = pattern::tenant_stats(tenant);
        let item = match self.table.get(key, Consistency::Strong).await {
            // Attributes of types that this service never stores.
            Err(StoreError::Damaged { .. }) => None,
            item => item?,
        };
        let whole = item
            .filter(|item| attribute::read(item.clone()).is_ok_and(|stats: TenantStats| stats.is_whole()));
        Ok(whole.and_then(|item| get(&item, "V").ok()))
    }

    /// Returns the totals of a tenant and its activity by month, oldest first, by one eventually consistent Query.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn with_activity(&self, tenant: &TenantId) -> Result<WithActivity, StoreError> {
        let query = pattern::stats_and_activity(tenant);
        // A month takes some 200 bytes, so four centuries of them are one page.
        let (mut stats, mut months) = (None, Vec::new());
        let items = self.table.query(query, Consistency::Eventual).await?;
        for item in items.into_iter().filter(|item| !is_void(item)) {
            let key = ItemKey::parse(get(&item, "PK")?, get(&item, "SK")?);
            match key.map_err(|error| StoreError::damaged("an item", error))? {
                ItemKey::MonthActivity { month, .. } => {
                    months.push((month, versioned(item)?));
                }
                _ => stats = Some(versioned(item)?),
            }
        }
        Ok((stats, months))
    }

    /// Returns the counts of a category, by one eventually consistent GetItem.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn category(
        &self,
        tenant: &TenantId,
        id: CategoryId,
    ) -> Result<Option<Versioned<CategoryStats>>, StoreError> {
        let key = pattern::category_stats(tenant, id);
        let item = self.table.get(key, Consistency::Eventual).await?;
        item.filter(|item| !is_void(item)).map(versioned).transpose()
    }

    /// Returns the version of every category's counts by id, eventually consistent. An item without a version counts as version 0.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the list does not end.
    pub async fn category_versions(&self, tenant: &TenantId) -> Result<BTreeMap<u64, u64>, StoreError> {
        let query = pattern::all_category_stats(tenant);
        let request = self.table.query_request(query, Consistency::Eventual);
        let mut versions = BTreeMap::new();
        let take = |item| {
            let item = from_sdk(item)?;
            let key = ItemKey::parse(get(&item, "PK")?, get(&item, "SK")?);
            if let Ok(ItemKey::CategoryStats { category, .. }) = key {
                versions.insert(category.get(), get(&item, "V").unwrap_or(0));
            }
            Ok(())
        };
        self.table
            .query_all(request.projection_expression("PK, SK, V"), take)
            .await?;
        Ok(versions)
    }

    /// Writes the counts of many categories, each with its version, at the rate of their partition, and returns the number of those that were
    /// written. Counts of this or a newer version stay.
    ///
    /// # Errors
    /// [`StoreError`] if a request fails; the written categories stay.
    pub async fn put_categories(
        &self,
        tenant: &TenantId,
        categories: impl Iterator<Item = (Version, CategoryStats)>,
    ) -> Result<u64, StoreError> {
        let mut written = 0;
        let ran = concurrent::run(
            CONCURRENCY,
            categories,
            async |(version, stats): &(Version, CategoryStats)| {
                self.put_category(tenant, *version, stats).await
            },
            |is_written| written += u64::from(is_written),
            |_| true,
        )
        .await;
        ran.completed()?;
        Ok(written)
    }

    /// Writes the totals of a version. Returns false if this or a newer version had written them: exact under duplicates, disorder and
    /// replays, because no value is incremented.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn put_tenant(
        &self,
        tenant: &TenantId,
        version: Version,
        stats: &TenantStats,
    ) -> Result<bool, StoreError> {
        let key = ItemKey::TenantStats {
            tenant: tenant.clone(),
        };
        self.put(&key, version, attribute::write(stats)).await
    }

    /// Writes the counts of a category in a version. Returns false if this or a newer version had written them.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn put_category(
        &self,
        tenant: &TenantId,
        version: Version,
        stats: &CategoryStats,
    ) -> Result<bool, StoreError> {
        let key = ItemKey::CategoryStats {
            tenant: tenant.clone(),
            category: stats.id,
        };
        self.put(&key, version, attribute::write(stats)).await
    }

    async fn put(&self, key: &ItemKey, version: Version, attributes: Attributes) -> Result<bool, StoreError> {
        let version = version.get();
        let item = sdk_item(key, version, attributes);
        let older = Some("attribute_not_exists(PK) OR V < :v");
        self.table.put(item, older, Some(version)).await
    }

    /// Adds a version to the month of its commit, once. Returns false if it was added before.
    ///
    /// A cancellation is ambiguous: it may be caused by this transaction itself, whose response was lost, or by a concurrent one. So the
    /// proof decides, not the error.
    ///
    /// # Errors
    /// [`StoreError`] if the outcome is unknown after all attempts.
    pub async fn count(
        &self,
        tenant: &TenantId,
        version: Version,
        month: Month,
        activity: Activity,
    ) -> Result<bool, StoreError> {
        let mut attempt = 0;
        loop {
            let Err(error) = self.try_count(tenant, version, month, activity).await else {
                return Ok(true);
            };
            if !error.is_transaction_cancelled() {
                return Err(error);
            }
            if self.is_counted(tenant, version).await? {
                return Ok(false);
            }
            if attempt + 1 == backoff::TRIES {
                return Err(error);
            }
            backoff::pause(attempt).await;
            attempt += 1;
        }
    }

    async fn is_counted(&self, tenant: &TenantId, version: Version) -> Result<bool, StoreError> {
        let proof = pattern::counted(tenant, version);
        let item = self.table.get(proof, Consistency::Strong).await?;
        Ok(item.is_some_and(|item| !is_void(&item)))
    }

    async fn try_count(
        &self,
        tenant: &TenantId,
        version: Version,
        month: Month,
        activity: Activity,
    ) -> Result<(), StoreError> {
        let proof = ItemKey::Counted {
            tenant: tenant.clone(),
            version,
        };
        let counters = ItemKey::MonthActivity {
            tenant: tenant.clone(),
            month,
        };
        let mut change = UpdateExpression::default();
        change.set("EntityType", counters.entity_type());
        change.set("V", version.get());
        for (name, counted) in attribute::write(&activity) {
            change.add(&name, counted);
        }
        let proof = self.table.put_new(&proof, version, Attributes::new())?;
        let counters = change.transact_item(&self.table, counters.key())?;
        self.table.transact(vec![proof, counters]).await
    }
}
