//! The head of each tenant: reading it, and every change but the commit of a version.

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity};
use taxonomy_keys::{TenantId, Version, pattern};
use taxonomy_model::attribute::{self, get};

use crate::attributes::{SdkItem, sdk_key, to_sdk};
use crate::change::Change;
use crate::configuration::Configuration;
use crate::error::StoreError;
use crate::head::{Committed, Head, Refusal, SourceStamp};
use crate::table::{Consistency, Table};

/// The heads of all tenants.
#[derive(Debug, Clone)]
pub struct Heads {
    pub(crate) table: Table,
}

/// The index file of a version that is projected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// It is not there: the tenant stays listed as behind.
    Missing,
    /// A newer build has noted that it is there.
    Noted,
    /// It is there, and so are those of all versions before.
    Stored {
        /// Their format.
        format: u32,
    },
}

impl Heads {
    /// The heads in `table`.
    #[must_use]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    /// Head and configuration of a tenant, as they are now: one consistent Query.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
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

    /// Notes that an upload was refused. False when the head moved in the meantime, and the refusal may no longer hold.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn refuse(
        &self,
        tenant: &TenantId,
        onto: Option<&Committed>,
        refusal: &Refusal,
    ) -> Result<bool, StoreError> {
        let mut change = Change::default();
        change.set("EntityType", AttributeValue::S("Head".to_owned()));
        change.set("Refused", AttributeValue::M(to_sdk(attribute::write(refusal))));
        let version = onto.map_or(0, |onto| onto.version.get());
        change.value(":from", AttributeValue::N(version.to_string()));
        change.set_if_absent("V", AttributeValue::N("0".to_owned()));
        let condition = if onto.is_some() {
            "V = :from"
        } else {
            "attribute_not_exists(PK) OR V = :from"
        };
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }

    /// Notes that the head's content was uploaded again as another object. False when the head moved in the meantime.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn restamp(
        &self,
        tenant: &TenantId,
        onto: &Committed,
        source: &SourceStamp,
    ) -> Result<bool, StoreError> {
        let mut change = Change::default();
        change.set("Source", AttributeValue::M(to_sdk(attribute::write(source))));
        change.remove("Refused");
        change.remove("Detached");
        change.value(":from", AttributeValue::N(onto.version.to_string()));
        change.value(":on", AttributeValue::S(onto.changeset.to_string()));
        self.apply(
            sdk_key(pattern::head(tenant)),
            change,
            "V = :from AND ChangesetId = :on",
        )
        .await
    }

    /// Moves the projection to the head's version, and notes its index file. Returns false when head or projection moved in the meantime: look again.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn settle(
        &self,
        tenant: &TenantId,
        head: &Committed,
        at: u64,
        index: Index,
    ) -> Result<bool, StoreError> {
        let mut change = Change::default();
        match index {
            Index::Missing => {}
            Index::Noted => unlist(&mut change),
            Index::Stored { format } => {
                set_indexed(&mut change, head.version, format);
                unlist(&mut change);
            }
        }
        change.set("Projected", AttributeValue::N(head.version.to_string()));
        change.set("ProjectedAt", AttributeValue::N(at.to_string()));
        change.remove("Cursor");
        change.remove("FollowUpAt");
        change.value(":to", AttributeValue::N(head.version.to_string()));
        change.value(
            ":from",
            AttributeValue::N(head.projected.map_or(0, Version::get).to_string()),
        );
        self.apply(
            sdk_key(pattern::head(tenant)),
            change,
            "V = :to AND Projected = :from",
        )
        .await
    }

    /// Notes that every version up to `version` has its index file in `format`. Where that is the head's version, and the table is at it, the
    /// tenant is no longer listed as behind. Returns false where a process noted as much before, or the head moved: look again.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn note_indexed(
        &self,
        tenant: &TenantId,
        head: &Committed,
        version: Version,
        format: u32,
    ) -> Result<bool, StoreError> {
        let mut change = Change::default();
        set_indexed(&mut change, version, format);
        let is_last = version == head.version && head.is_settled();
        let place = if is_last {
            unlist(&mut change);
            "V = :Indexed AND Projected = :Indexed"
        } else {
            "V >= :Indexed"
        };
        let condition = format!(
            "{place} AND (attribute_not_exists(#IndexFormat) OR #IndexFormat < :IndexFormat \
             OR (#IndexFormat = :IndexFormat AND #Indexed < :Indexed))"
        );
        self.apply(sdk_key(pattern::head(tenant)), change, &condition)
            .await
    }

    /// Takes a lease of a minute; false while somebody else holds it.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    #[cfg(feature = "sabotage")]
    pub async fn lease(&self, tenant: &TenantId, now: u64) -> Result<bool, StoreError> {
        let mut change = Change::default();
        change.set("Lease", AttributeValue::N((now + 60_000).to_string()));
        change.value(":now", AttributeValue::N(now.to_string()));
        let condition = "attribute_not_exists(Lease) OR Lease < :now";
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }

    /// False when the condition did not hold.
    pub(crate) async fn apply(
        &self,
        key: SdkItem,
        change: Change,
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
            // A commit of the same head was under way: whoever asked looks again and finds what came of it.
            Err(error) if error.is_condition_failed() || error.is_transaction_conflict() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn set_indexed(change: &mut Change, version: Version, format: u32) {
    change.set("Indexed", AttributeValue::N(version.to_string()));
    change.set("IndexFormat", AttributeValue::N(format.to_string()));
}

/// Takes the tenant off the list of those that are behind.
fn unlist(change: &mut Change) {
    change.remove("GSI1PK");
    change.remove("GSI1SK");
}
