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
pub(crate) mod loads;
pub(crate) mod log;
pub(crate) mod log_parts;
pub(crate) mod projection;
pub(crate) mod raw_items;
pub(crate) mod reader;
pub(crate) mod requests;
pub(crate) mod tenants;
pub(crate) mod update_expression;

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes, ReturnConsumedCapacity};
use futures_util::future::try_join_all;
use taxonomy_keys::Key;
use taxonomy_keys::pattern::{KeyQuery, KeySchema, SortCondition};
use taxonomy_model::attribute::Attributes;

use crate::backoff;
use crate::error::StoreError;
use crate::table::attributes::{SdkItem, from_sdk, sdk_key};
use crate::usage;

/// BatchGetItem takes at most 100 keys (API reference, "BatchGetItem").
const BATCH: usize = 100;

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

/// One page of a query, and the start of the next.
pub(crate) struct QueryPage<T = Attributes> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<SdkItem>,
}

impl Table {
    /// Returns the table with this name. The client sends every request.
    #[must_use]
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
        let answer = request.send().await;
        let answer = answer.map_err(|error| StoreError::request("GetItem", error))?;
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
            let asked = asked
                .build()
                .map_err(|error| StoreError::damaged("a request", error))?;
            let request = self
                .client
                .batch_get_item()
                .request_items(&*self.name, asked)
                .return_consumed_capacity(ReturnConsumedCapacity::Total);
            let answer = request.send().await;
            let answer = answer.map_err(|error| StoreError::request("BatchGetItem", error))?;
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

    /// Returns one page of at most `limit` items.
    pub(crate) async fn query(
        &self,
        query: KeyQuery,
        consistency: Consistency,
        limit: Option<i32>,
        start: Option<SdkItem>,
    ) -> Result<QueryPage, StoreError> {
        let page = self.query_raw(query, consistency, limit, start).await?;
        page.read()
    }

    /// The same without decoding the items.
    pub(crate) async fn query_raw(
        &self,
        query: KeyQuery,
        consistency: Consistency,
        limit: Option<i32>,
        start: Option<SdkItem>,
    ) -> Result<QueryPage<SdkItem>, StoreError> {
        self.page(self.request(query, consistency, limit, start)).await
    }

    /// Returns one page of as many items as fit, key and version of each alone.
    pub(crate) async fn query_versions(
        &self,
        query: KeyQuery,
        start: Option<SdkItem>,
    ) -> Result<QueryPage, StoreError> {
        let request = self.request(query, Consistency::Eventual, None, start);
        self.page(request.projection_expression("PK, SK, V"))
            .await?
            .read()
    }

    /// Returns one page of as many keys as fit, read consistently, without decoding the items.
    #[cfg(feature = "purge")]
    pub(crate) async fn query_keys(
        &self,
        query: KeyQuery,
        start: Option<SdkItem>,
    ) -> Result<QueryPage<SdkItem>, StoreError> {
        let request = self.request(query, Consistency::Strong, None, start);
        self.page(request.projection_expression("PK, SK")).await
    }

    /// Returns one page of the keys of the whole table, read consistently, without decoding the items.
    #[expect(
        clippy::disallowed_methods,
        reason = "for an operator who looks for what no version names; no function may"
    )]
    pub(crate) async fn scan_keys(&self, start: Option<SdkItem>) -> Result<QueryPage<SdkItem>, StoreError> {
        let request = self
            .client
            .scan()
            .table_name(&*self.name)
            .projection_expression("PK, SK")
            .consistent_read(true)
            .set_exclusive_start_key(start)
            .return_consumed_capacity(ReturnConsumedCapacity::Total);
        let answer = request.send().await;
        let answer = answer.map_err(|error| StoreError::request("Scan", error))?;
        Ok(QueryPage {
            items: answer.items.unwrap_or_default(),
            next: answer.last_evaluated_key,
        })
    }

    fn request(
        &self,
        query: KeyQuery,
        consistency: Consistency,
        limit: Option<i32>,
        start: Option<SdkItem>,
    ) -> QueryFluentBuilder {
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
            .set_limit(limit)
            .set_exclusive_start_key(start)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
    }

    async fn page(&self, request: QueryFluentBuilder) -> Result<QueryPage<SdkItem>, StoreError> {
        let answer = request.send().await;
        let answer = answer.map_err(|error| StoreError::request("Query", error))?;
        usage::note_request(&answer.consumed_capacity);
        Ok(QueryPage {
            items: answer.items.unwrap_or_default(),
            next: answer.last_evaluated_key,
        })
    }
}

impl QueryPage<SdkItem> {
    fn read(self) -> Result<QueryPage, StoreError> {
        let items = self.items.into_iter().map(from_sdk);
        Ok(QueryPage {
            items: items.collect::<Result<_, _>>()?,
            next: self.next,
        })
    }
}

#[cfg(test)]
mod tests;
