//! The table, request by request. Every request reports its consumed capacity, so that tests and tools can add it up.

pub(crate) mod aggregates;
pub(crate) mod attributes;
pub(crate) mod checkpoints;
pub(crate) mod commit;
pub(crate) mod configuration;
pub(crate) mod configure;
pub(crate) mod cursor;
pub(crate) mod head;
pub(crate) mod heads;
pub(crate) mod listing;
pub(crate) mod loads;
pub(crate) mod log;
pub(crate) mod log_parts;
pub(crate) mod projection;
pub(crate) mod raw_items;
pub(crate) mod reader;
pub(crate) mod replace;
pub(crate) mod requests;
pub(crate) mod tenants;
pub(crate) mod update_expression;

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, Put, ReturnConsumedCapacity, TransactWriteItem,
};
use futures_util::future::try_join_all;
use taxonomy_keys::pattern::{KeyQuery, KeySchema, SortCondition};
use taxonomy_keys::{ItemKey, Key, Version};
use taxonomy_model::attribute::Attributes;

use crate::backoff;
use crate::error::{StoreError, sent, unless};
use crate::table::attributes::{SdkItem, from_sdk, number, sdk_item, sdk_key};
use crate::table::update_expression::{UpdateExpression, names_in};
use crate::usage;

/// BatchGetItem takes at most 100 keys (API reference, "BatchGetItem").
const BATCH: usize = 100;

/// The maximum number of pages of one query: a gigabyte.
const MAX_PAGES: usize = 1024;

/// The service's one table.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) client: Client,
    pub(crate) name: Arc<str>,
}

/// The consistency of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consistency {
    /// Eventually consistent, at half the price.
    Eventual,
    /// Strongly consistent. An index has no such reads.
    Strong,
}

/// One page of items, and the start of the next.
pub(crate) struct ItemPage {
    pub(crate) items: Vec<SdkItem>,
    pub(crate) next: Option<SdkItem>,
}

impl Table {
    /// Returns the table with this name. The client sends every request.
    pub fn new(client: Client, name: &str) -> Self {
        Self {
            client,
            name: name.into(),
        }
    }

    pub(crate) async fn get(
        &self,
        key: Key,
        consistency: Consistency,
    ) -> Result<Option<Attributes>, StoreError> {
        let request = self
            .client
            .get_item()
            .table_name(&*self.name)
            .set_key(Some(sdk_key(key)))
            .consistent_read(consistency == Consistency::Strong)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = sent("GetItem", request.send()).await?;
        usage::note_request(&answer.consumed_capacity);
        Ok(answer.item.map(from_sdk).transpose()?)
    }

    /// Returns the existing items, in no order; keys must differ. Sends as many concurrent requests as the number of keys needs.
    pub(crate) async fn get_all(
        &self,
        keys: Vec<Key>,
        consistency: Consistency,
    ) -> Result<Vec<Attributes>, StoreError> {
        let keys: Vec<SdkItem> = keys.into_iter().map(sdk_key).collect();
        let batches = keys
            .chunks(BATCH)
            .map(|batch| self.batch_get(batch.to_vec(), consistency));
        let batches = try_join_all(batches).await?;
        Ok(batches.into_iter().flatten().collect())
    }

    async fn batch_get(
        &self,
        mut keys: Vec<SdkItem>,
        consistency: Consistency,
    ) -> Result<Vec<Attributes>, StoreError> {
        let mut items = Vec::with_capacity(keys.len());
        for attempt in 0..backoff::TRIES {
            let asked = KeysAndAttributes::builder()
                .set_keys(Some(keys))
                .consistent_read(consistency == Consistency::Strong);
            let request = self
                .client
                .batch_get_item()
                .request_items(&*self.name, asked.build()?)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let answer = sent("BatchGetItem", request.send()).await?;
            usage::note_request(answer.consumed_capacity.iter().flatten());
            for item in answer.responses.unwrap_or_default().into_values().flatten() {
                items.push(from_sdk(item)?);
            }
            keys = answer
                .unprocessed_keys
                .unwrap_or_default()
                .into_values()
                .flat_map(|left| left.keys)
                .collect();
            if keys.is_empty() {
                return Ok(items);
            }
            backoff::pause(attempt).await;
        }
        Err(StoreError::Unprocessed {
            operation: "BatchGetItem",
        })
    }

    /// Returns the items of the first page of a query.
    pub(crate) async fn query(
        &self,
        query: KeyQuery,
        consistency: Consistency,
    ) -> Result<Vec<Attributes>, StoreError> {
        let page = page(self.query_request(query, consistency)).await?;
        let items = page.items.into_iter().map(from_sdk);
        Ok(items.collect::<Result<_, _>>()?)
    }

    /// Passes every item of a query to `take`, page by page.
    pub(crate) async fn query_all(
        &self,
        request: QueryFluentBuilder,
        mut take: impl FnMut(SdkItem) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut start = None;
        for _ in 0..MAX_PAGES {
            let page = page(request.clone().set_exclusive_start_key(start)).await?;
            page.items.into_iter().try_for_each(&mut take)?;
            start = page.next;
            if start.is_none() {
                return Ok(());
            }
        }
        Err(StoreError::Unprocessed { operation: "Query" })
    }

    /// Returns one page of the keys of the whole table, read consistently, without decoding the items.
    #[expect(
        clippy::disallowed_methods,
        reason = "for an operator who looks for what no version names; no function may"
    )]
    pub(crate) async fn scan_keys(&self, start: Option<SdkItem>) -> Result<ItemPage, StoreError> {
        let request = self
            .client
            .scan()
            .table_name(&*self.name)
            .projection_expression("PK, SK")
            .consistent_read(true)
            .set_exclusive_start_key(start)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = sent("Scan", request.send()).await?;
        Ok(ItemPage {
            items: answer.items.unwrap_or_default(),
            next: answer.last_evaluated_key,
        })
    }

    /// Puts an item under a condition, whose value is `:v`. Returns false if it did not hold.
    pub(crate) async fn put(
        &self,
        item: SdkItem,
        condition: Option<&str>,
        value: Option<u64>,
    ) -> Result<bool, StoreError> {
        let names = names_in(condition.unwrap_or_default());
        let names: HashMap<String, String> =
            names.map(|name| (format!("#{name}"), name.to_owned())).collect();
        let values = value.map(|value| HashMap::from([(":v".to_owned(), number(value))]));
        let request = self
            .client
            .put_item()
            .table_name(&*self.name)
            .set_item(Some(item))
            .set_condition_expression(condition.map(str::to_owned))
            .set_expression_attribute_names((!names.is_empty()).then_some(names))
            .set_expression_attribute_values(values)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        unless(
            StoreError::is_condition_failed,
            sent("PutItem", request.send()).await,
        )
    }

    /// Updates an item. Returns false if a condition did not hold.
    pub(crate) async fn update(&self, key: Key, change: UpdateExpression) -> Result<bool, StoreError> {
        let update = change.update(self, key)?;
        let request = self
            .client
            .update_item()
            .table_name(update.table_name)
            .set_key(Some(update.key))
            .update_expression(update.update_expression)
            .set_condition_expression(update.condition_expression)
            .set_expression_attribute_names(update.expression_attribute_names)
            .set_expression_attribute_values(update.expression_attribute_values)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        // In a conflict a commit of the same head is in progress: the caller reads the head again and finds its outcome.
        unless(
            |error| error.is_condition_failed() || error.is_transaction_conflict(),
            sent("UpdateItem", request.send()).await,
        )
    }

    /// Builds the part of a transaction that puts an item where there is none, or a void one.
    pub(crate) fn put_new(
        &self,
        key: &ItemKey,
        version: Version,
        attributes: Attributes,
    ) -> Result<TransactWriteItem, StoreError> {
        let put = Put::builder()
            .table_name(&*self.name)
            .set_item(Some(sdk_item(key, version.get(), attributes)))
            .condition_expression("attribute_not_exists(PK) OR attribute_exists(ExpiresAt)");
        Ok(TransactWriteItem::builder().put(put.build()?).build())
    }

    /// Makes writes of several items together, or none of them.
    pub(crate) async fn transact(&self, items: Vec<TransactWriteItem>) -> Result<(), StoreError> {
        let request = self
            .client
            .transact_write_items()
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .set_transact_items(Some(items));
        sent("TransactWriteItems", request.send()).await.map(drop)
    }

    /// The same. Returns false if a condition did not hold, or if another request for one of the items was in progress.
    pub(crate) async fn transact_if(&self, items: Vec<TransactWriteItem>) -> Result<bool, StoreError> {
        unless(StoreError::is_transaction_cancelled, self.transact(items).await)
    }

    pub(crate) fn query_request(&self, query: KeyQuery, consistency: Consistency) -> QueryFluentBuilder {
        let (pk, sk, index) = match query.index {
            KeySchema::Table => ("PK", "SK", None),
            KeySchema::Gsi1 => ("GSI1PK", "GSI1SK", Some("GSI1".to_owned())),
        };
        let mut values = HashMap::from([(":pk".to_owned(), AttributeValue::S(query.partition))]);
        let condition = match query.sort {
            SortCondition::All => format!("{pk} = :pk"),
            SortCondition::BeginsWith(prefix) => {
                values.insert(":from".to_owned(), AttributeValue::S(prefix));
                format!("{pk} = :pk AND begins_with({sk}, :from)")
            }
            SortCondition::Between(from, to) => {
                values.insert(":from".to_owned(), AttributeValue::S(from));
                values.insert(":to".to_owned(), AttributeValue::S(to));
                format!("{pk} = :pk AND {sk} BETWEEN :from AND :to")
            }
        };
        self.client
            .query()
            .table_name(&*self.name)
            .set_index_name(index)
            .key_condition_expression(condition)
            .set_expression_attribute_values(Some(values))
            .consistent_read(consistency == Consistency::Strong)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
    }
}

/// Sends a query for one page.
pub(crate) async fn page(request: QueryFluentBuilder) -> Result<ItemPage, StoreError> {
    let answer = sent("Query", request.send()).await?;
    usage::note_request(&answer.consumed_capacity);
    Ok(ItemPage {
        items: answer.items.unwrap_or_default(),
        next: answer.last_evaluated_key,
    })
}

#[cfg(test)]
mod tests;
