//! Aggregates: absolute values of a version, guarded by it, and counters that a version is added to once
//! (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, TransactWriteItem, Update};
use taxonomy_keys::{CategoryId, ItemKey, Month, TenantId, Version, pattern};
use taxonomy_model::attribute::{self, Attributes, get};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};

use crate::backoff;
use crate::concurrent::{self, Stopped};
use crate::error::StoreError;
use crate::table::attributes::{sdk_item, sdk_key};
use crate::table::reader::{Found, found};
use crate::table::{Consistency, Table};

/// Reads and writes aggregates.
#[derive(Debug, Clone)]
pub struct Aggregates {
    table: Table,
}

/// Categories that are written concurrently: 16 requests of 10 ms use the partition's 1,000 units a second.
const CONCURRENCY: usize = 16;

/// The maximum number of pages of one list: a gigabyte.
const MAX_PAGES: usize = 1024;

/// The numbers of aggregates that were written, and that this or a newer version had written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Put {
    /// Written.
    pub written: u64,
    /// Already there.
    pub already: u64,
}

impl Put {
    fn note(&mut self, written: bool) {
        self.written += u64::from(written);
        self.already += u64::from(!written);
    }
}

/// The totals, if there are any, and the activity by month.
pub type WithActivity = (Option<Found<TenantStats>>, Vec<(Month, Found<Activity>)>);

/// The stored values that a write replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Those of older versions.
    Older,
    /// The value that was read under this version, or its absence: a repair.
    Seen(Option<u64>),
}

impl Aggregates {
    /// Returns the aggregates in `table`.
    #[must_use]
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
        let page = self.table.query(query, Consistency::Eventual, None, None).await?;
        let (mut stats, mut months) = (None, Vec::new());
        for item in page.items {
            let key = ItemKey::parse(get(&item, "PK")?, get(&item, "SK")?);
            match key.map_err(|error| StoreError::damaged("an item", error))? {
                ItemKey::MonthActivity { month, .. } => {
                    months.push((month, found(item)?));
                }
                _ => stats = Some(found(item)?),
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
    ) -> Result<Option<Found<CategoryStats>>, StoreError> {
        let key = pattern::category_stats(tenant, id);
        let item = self.table.get(key, Consistency::Eventual).await?;
        item.map(found).transpose()
    }

    /// Returns the version of every category's counts by id, eventually consistent. An item without a version counts as version 0.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the list does not end.
    pub async fn category_versions(&self, tenant: &TenantId) -> Result<BTreeMap<u64, u64>, StoreError> {
        let (mut versions, mut start) = (BTreeMap::new(), None);
        for _ in 0..MAX_PAGES {
            let query = pattern::all_category_stats(tenant);
            let page = self.table.query_versions(query, start).await?;
            for item in &page.items {
                if let Ok(ItemKey::CategoryStats { category, .. }) =
                    ItemKey::parse(get(item, "PK")?, get(item, "SK")?)
                {
                    versions.insert(category.get(), get(item, "V").unwrap_or(0));
                }
            }
            start = page.next;
            if start.is_none() {
                return Ok(versions);
            }
        }
        Err(StoreError::Unprocessed { operation: "Query" })
    }

    /// Writes the counts of many categories, each with its version, at the rate of their partition. Counts of this or a newer version
    /// stay.
    ///
    /// # Errors
    /// [`StoreError`] if a request fails; the written categories stay.
    pub async fn put_categories(
        &self,
        tenant: &TenantId,
        categories: impl Iterator<Item = (Version, CategoryStats)>,
    ) -> Result<Put, StoreError> {
        let mut put = Put::default();
        let ran = concurrent::run(
            CONCURRENCY,
            categories,
            async |(version, stats): &(Version, CategoryStats)| {
                self.put_category(tenant, *version, stats, Over::Older).await
            },
            |written| put.note(written),
            |_| true,
        )
        .await;
        match ran.stopped {
            Some(Stopped::Failed(error)) => Err(error),
            Some(Stopped::Ended) | None => Ok(put),
        }
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
        over: Over,
    ) -> Result<bool, StoreError> {
        let key = ItemKey::TenantStats {
            tenant: tenant.clone(),
        };
        self.put(&key, version, attribute::write(stats), over).await
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
        over: Over,
    ) -> Result<bool, StoreError> {
        let key = ItemKey::CategoryStats {
            tenant: tenant.clone(),
            category: stats.id,
        };
        self.put(&key, version, attribute::write(stats), over).await
    }

    /// Replaces the counters of a month: a repair. Returns false if a later version was counted in it meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn put_activity(
        &self,
        tenant: &TenantId,
        month: Month,
        last: Version,
        activity: Activity,
        over: Over,
    ) -> Result<bool, StoreError> {
        let key = ItemKey::MonthActivity {
            tenant: tenant.clone(),
            month,
        };
        self.put(&key, last, attribute::write(&activity), over).await
    }

    async fn put(
        &self,
        key: &ItemKey,
        version: Version,
        attributes: Attributes,
        over: Over,
    ) -> Result<bool, StoreError> {
        let version = version.get();
        let (guard, known) = match over {
            Over::Older => ("attribute_not_exists(PK) OR V < :v", Some(version)),
            Over::Seen(Some(seen)) => ("V = :v", Some(seen)),
            Over::Seen(None) => ("attribute_not_exists(PK)", None),
        };
        let request = self
            .table
            .client
            .put_item()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(key, version, attributes)))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let values = known.map(|known| (":v".to_owned(), AttributeValue::N(known.to_string())));
        let request = request
            .condition_expression(guard)
            .set_expression_attribute_values(values.map(|value| [value].into()));
        match request
            .send()
            .await
            .map_err(|error| StoreError::request("PutItem", error))
        {
            Ok(_) => Ok(true),
            Err(error) if error.is_condition_failed() => Ok(false),
            Err(error) => Err(error),
        }
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
        Ok(item.is_some())
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
        let invalid = |error| StoreError::damaged("a request", error);
        let put = aws_sdk_dynamodb::types::Put::builder()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(&proof, version.get(), Attributes::new())))
            .condition_expression("attribute_not_exists(PK)");
        let counted = attribute::write(&activity);
        let names: Vec<String> = counted.keys().map(|name| format!("{name} :{name}")).collect();
        let mut update = Update::builder()
            .table_name(&*self.table.name)
            .set_key(Some(sdk_key(counters.key())))
            .update_expression(format!("SET EntityType = :type, V = :v ADD {}", names.join(", ")))
            .expression_attribute_values(":type", AttributeValue::S(counters.entity_type().to_owned()))
            .expression_attribute_values(":v", AttributeValue::N(version.to_string()));
        for (name, counted) in counted {
            update = update
                .expression_attribute_values(format!(":{name}"), AttributeValue::N(counted.to_string()));
        }
        let put = TransactWriteItem::builder().put(put.build().map_err(invalid)?);
        let update = TransactWriteItem::builder().update(update.build().map_err(invalid)?);
        let request = self.table.client.transact_write_items();
        request
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .transact_items(put.build())
            .transact_items(update.build())
            .send()
            .await
            .map_err(|error| StoreError::request("TransactWriteItems", error))?;
        Ok(())
    }
}
