//! The heads of tenants: reading them, and every update except the commit of a version.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity, TransactWriteItem};
use taxonomy_keys::{TenantId, pattern};
use taxonomy_model::attribute::{self, get};

use crate::error::StoreError;
use crate::table::attributes::{SdkItem, sdk_key, to_sdk};
use crate::table::configuration::Configuration;
use crate::table::head::{Committed, Head, Refusal, SourceStamp};
use crate::table::update_expression::UpdateExpression;
use crate::table::{Consistency, Table};

/// The heads of all tenants.
#[derive(Debug, Clone)]
pub struct Heads {
    pub(crate) table: Table,
}

impl Heads {
    /// Returns the heads in `table`.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Returns head and configuration of a tenant, by one consistent Query.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn read(&self, tenant: &TenantId) -> Result<(Head, Configuration), StoreError> {
        let query = pattern::head_and_configuration(tenant);
        let page = self.table.query(query, Consistency::Strong, None, None).await?;
        let (mut head, mut configuration) = (Head::default(), Configuration::default());
        for item in page.items {
            match get(&item, "EntityType")? {
                "Head" => head = Head::read(item)?,
                "Tenant" => configuration = attribute::read(item)?,
                _ => {}
            }
        }
        Ok((head, configuration))
    }

    /// Records a refused upload. Returns false if head or refusal changed since they were read, so that this one may no longer hold.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn refuse(
        &self,
        tenant: &TenantId,
        (onto, before): (Option<&Committed>, Option<&Refusal>),
        refusal: &Refusal,
    ) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("EntityType", AttributeValue::S("Head".to_owned()));
        change.set("Refused", AttributeValue::M(to_sdk(attribute::write(refusal))));
        let version = onto.map_or(0, |onto| onto.version.get());
        change.value(":from", AttributeValue::N(version.to_string()));
        change.set_if_absent("V", AttributeValue::N("0".to_owned()));
        let mut conditions = vec![refusal_as_read(before, &mut change)];
        match onto {
            Some(onto) => {
                conditions.push("V = :from");
                conditions.push(source_as_read(onto, &mut change));
            }
            None => conditions.push("(attribute_not_exists(PK) OR V = :from)"),
        }
        self.apply(sdk_key(pattern::head(tenant)), change, &conditions.join(" AND "))
            .await
    }

    /// Records another source object with the head's content. Returns false if the head, its source or the refusal changed since they were read.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn update_source(
        &self,
        tenant: &TenantId,
        (onto, refused): (&Committed, Option<&Refusal>),
        source: &SourceStamp,
    ) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("Source", AttributeValue::M(to_sdk(attribute::write(source))));
        change.remove("Refused");
        change.remove("Detached");
        change.value(":from", AttributeValue::N(onto.version.to_string()));
        change.value(":on", AttributeValue::S(onto.changeset.to_string()));
        let conditions = [
            "V = :from AND ChangesetId = :on",
            source_as_read(onto, &mut change),
            refusal_as_read(refused, &mut change),
        ];
        self.apply(sdk_key(pattern::head(tenant)), change, &conditions.join(" AND "))
            .await
    }

    /// Makes writes of several items together, or none of them. Returns false if a condition did not hold, or if another request for one of the items
    /// was in progress.
    pub(crate) async fn transact(&self, items: Vec<TransactWriteItem>) -> Result<bool, StoreError> {
        let answer = self
            .table
            .client
            .transact_write_items()
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .set_transact_items(Some(items))
            .send()
            .await;
        match answer.map_err(|error| StoreError::request("TransactWriteItems", error)) {
            Ok(_) => Ok(true),
            Err(error) if error.is_transaction_cancelled() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Applies an update. Returns false if the condition did not hold.
    pub(crate) async fn apply(
        &self,
        key: SdkItem,
        change: UpdateExpression,
        condition: &str,
    ) -> Result<bool, StoreError> {
        let update = change.update(&self.table.name, key, condition)?;
        let answer = self
            .table
            .client
            .update_item()
            .table_name(update.table_name)
            .set_key(Some(update.key))
            .update_expression(update.update_expression)
            .set_condition_expression(update.condition_expression)
            .set_expression_attribute_names(update.expression_attribute_names)
            .set_expression_attribute_values(update.expression_attribute_values)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        match answer.map_err(|error| StoreError::request("UpdateItem", error)) {
            Ok(_) => Ok(true),
            // A commit of the same head is in progress: the caller reads the head again and finds its outcome.
            Err(error) if error.is_condition_failed() || error.is_transaction_conflict() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The condition that the refusal is the one that was read: an update that arrives late must not undo what a later upload left.
pub(crate) fn refusal_as_read(read: Option<&Refusal>, change: &mut UpdateExpression) -> &'static str {
    change.name("Refused");
    let Some(read) = read else {
        return "attribute_not_exists(#Refused)";
    };
    change.value(":refused", AttributeValue::S(read.version_id.clone()));
    change.value(":refusedAt", AttributeValue::N(read.at.to_string()));
    change.name("VersionId");
    change.name("At");
    "#Refused.#VersionId = :refused AND #Refused.#At = :refusedAt"
}

/// The condition that the source is the one that was read, for the same reason.
fn source_as_read(read: &Committed, change: &mut UpdateExpression) -> &'static str {
    change.value(":etag", AttributeValue::S(read.source.etag.clone()));
    change.value(":object", AttributeValue::S(read.source.version_id.clone()));
    for name in ["Source", "ETag", "VersionId"] {
        change.name(name);
    }
    "#Source.#ETag = :etag AND #Source.#VersionId = :object"
}
