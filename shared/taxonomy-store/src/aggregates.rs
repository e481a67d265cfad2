//! Aggregates: absolute values of a version, guarded by it, and counters that a version is added to once
//! (docs/decisions/0009-aggregates.md).

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, TransactWriteItem, Update};
use taxonomy_keys::{CategoryId, ItemKey, Month, TenantId, Version, pattern};
use taxonomy_model::attribute::{self, Attributes, get};
use taxonomy_model::stats::{Activity, CategoryStats, TenantStats};

use crate::attributes::{sdk_item, sdk_key};
use crate::backoff;
use crate::error::StoreError;
use crate::paced::{self, Stopped};
use crate::reader::{Found, found};
use crate::sabotage::Sabotage;
use crate::table::{Consistency, Table};

/// Reads and writes what is counted.
#[derive(Debug, Clone)]
pub struct Aggregates {
    table: Table,
}

/// Categories that are written at once: 16 requests of 10 ms fill the partition's 1,000 units a second.
const CONCURRENCY: usize = 16;

/// The most pages of one list: a gigabyte.
const MAX_PAGES: usize = 1024;

/// How many aggregates were written, and how many this or a newer version had written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Put {
    /// Written.
    pub written: u64,
    /// Left as they were.
    pub already: u64,
}

impl Put {
    fn note(&mut self, written: bool) {
        self.written += u64::from(written);
        self.already += u64::from(!written);
    }
}

/// Totals, if there are any, and activity by month.
pub type WithActivity = (Option<Found<TenantStats>>, Vec<(Month, Found<Activity>)>);

/// Which stored values give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Those of older versions.
    Older,
    /// What was seen under this version, or that nothing was there: a repair.
    Seen(Option<u64>),
}

impl Aggregates {
    /// The aggregates in `table`.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// The version that everything counted of a tenant is right for, as it is now; none before anything was counted, and where the totals
    /// are not as this build writes them. To count again from the first version costs writes and is right.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn stands_at(&self, tenant: &TenantId) -> Result<Option<Version>, StoreError> {
        let key = pattern::tenant_stats(tenant);
        let item = match self.table.get(key, Consistency::Strong).await {
            // Attributes of types that this service never stores.
            Err(StoreError::Damaged { .. }) => None,
            item => item?,
        };
        let whole = item.filter(|item| TenantStats::read(item).is_ok_and(|stats| stats.is_whole()));
        Ok(whole.and_then(|item| get(&item, "V").ok()))
    }

    /// The totals of a tenant and its activity by month, oldest first: one Query, perhaps a moment old.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
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

    /// What is counted of a category: one GetItem, perhaps a moment old.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn category(
        &self,
        tenant: &TenantId,
        id: CategoryId,
    ) -> Result<Option<Found<CategoryStats>>, StoreError> {
        let key = pattern::category_stats(tenant, id);
        let item = self.table.get(key, Consistency::Eventual).await?;
        item.map(found).transpose()
    }

    /// The version of every category's counts, by id, perhaps a moment old. An item without a version counts as version 0.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read, or the list does not end.
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

    /// Writes the counts of many categories, each as the version says that comes with it, at the pace that their partition takes. What
    /// this or a newer version had written stays.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written; the categories that were written stay.
    pub async fn put_categories(
        &self,
        tenant: &TenantId,
        categories: impl Iterator<Item = (Version, CategoryStats)>,
    ) -> Result<Put, StoreError> {
        let mut put = Put::default();
        let ran = paced::run(
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
            Some(Stopped::Told) | None => Ok(put),
        }
    }

    /// Writes the totals of a version. False when this or a newer version had written them: exact under duplicates, disorder and
    /// replays, because a value is never added to.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
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
        self.put(&key, version, stats.attributes(), over).await
    }

    /// Writes what is counted of a category in a version. False when this or a newer version had written it.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
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
        self.put(&key, version, stats.attributes(), over).await
    }

    /// Replaces the counters of a month: a repair. False when a later version was counted in it meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
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
            .set_item(Some(sdk_item(key, version, None, attributes)))
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let request = if Sabotage::UnguardedAggregates.is_on() {
            request
        } else {
            let values = known.map(|known| (":v".to_owned(), AttributeValue::N(known.to_string())));
            request
                .condition_expression(guard)
                .set_expression_attribute_values(values.map(|value| [value].into()))
        };
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

    /// Adds a version to the month that it was committed in, once. False when it had been added.
    ///
    /// A refusal is ambiguous: it may be one's own transaction whose answer was lost, or another one that was under way. So the
    /// proof decides, not the error.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known whether it was added, and trying again did not tell.
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

    /// What everybody tries first: adds to the number of terms. Exact as long as every record comes once.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    #[cfg(feature = "sabotage")]
    pub async fn add_terms(&self, tenant: &TenantId, version: Version, by: i64) -> Result<(), StoreError> {
        let key = ItemKey::TenantStats {
            tenant: tenant.clone(),
        };
        let request = self.table.client.update_item().table_name(&*self.table.name);
        let request = request
            .set_key(Some(sdk_key(key.key())))
            .update_expression("SET EntityType = :type, V = :v ADD Terms :by")
            .expression_attribute_values(":type", AttributeValue::S(key.entity_type().to_owned()))
            .expression_attribute_values(":v", AttributeValue::N(version.to_string()))
            .expression_attribute_values(":by", AttributeValue::N(by.to_string()));
        let sent = request.send().await;
        sent.map(drop)
            .map_err(|error| StoreError::request("UpdateItem", error))
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
            .set_item(Some(sdk_item(&proof, version.get(), None, Attributes::new())));
        let put = if Sabotage::CountedWithoutProof.is_on() {
            put
        } else {
            put.condition_expression("attribute_not_exists(PK)")
        };
        let names: Vec<String> = activity
            .counters()
            .iter()
            .map(|(name, _)| format!("{name} :{name}"))
            .collect();
        let mut update = Update::builder()
            .table_name(&*self.table.name)
            .set_key(Some(sdk_key(counters.key())))
            .update_expression(format!("SET EntityType = :type, V = :v ADD {}", names.join(", ")))
            .expression_attribute_values(":type", AttributeValue::S(counters.entity_type().to_owned()))
            .expression_attribute_values(":v", AttributeValue::N(version.to_string()));
        for (name, counted) in activity.counters() {
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
