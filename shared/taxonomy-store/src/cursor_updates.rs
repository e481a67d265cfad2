//! Updates of the progress of a load.

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_keys::{TenantId, Version, pattern};
use taxonomy_model::attribute;

use crate::attributes::{sdk_key, to_sdk};
use crate::cursor::Cursor;
use crate::error::StoreError;
use crate::head::Committed;
use crate::heads::Heads;
use crate::update_expression::UpdateExpression;

impl Heads {
    /// Stores the progress of a load. Returns false if head or projection moved meanwhile, or if the stored cursor of the
    /// same load is further; of two equal ones the later one counts.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn save_cursor(
        &self,
        tenant: &TenantId,
        head: &Committed,
        cursor: &Cursor,
    ) -> Result<bool, StoreError> {
        let mut change = with_cursor(head, cursor);
        change.value(":done", number(cursor.done));
        change.value(":at", number(cursor.at));
        change.value(":format", number(cursor.format));
        change.value(":id", AttributeValue::S(cursor.changeset.to_string()));
        for name in ["ChangesetId", "From", "Format", "Done", "At"] {
            change.name(name);
        }
        let condition = "V = :to AND Projected = :from AND (attribute_not_exists(#Cursor) \
                         OR #Cursor.#ChangesetId <> :id OR #Cursor.#From <> :from OR #Cursor.#Format <> :format \
                         OR #Cursor.#Done < :done OR (#Cursor.#Done = :done AND #Cursor.#At <= :at))";
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }

    /// Stores the first heartbeat of a process that takes a load over. Returns false if the load changed since `head`
    /// was read: of processes that take it over at the same time one succeeds.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn claim(
        &self,
        tenant: &TenantId,
        head: &Committed,
        cursor: &Cursor,
    ) -> Result<bool, StoreError> {
        let mut change = with_cursor(head, cursor);
        let condition = match &head.cursor {
            None => "V = :to AND Projected = :from AND attribute_not_exists(#Cursor)",
            Some(read) => {
                change.value(":at", number(read.at));
                change.value(":by", AttributeValue::S(read.by.clone()));
                change.name("At");
                change.name("By");
                "V = :to AND Projected = :from AND #Cursor.#At = :at AND #Cursor.#By = :by"
            }
        };
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }

    /// Records that the retry queue has a message for the tenant that becomes visible at `at`, in epoch milliseconds. Returns false
    /// if the version was projected or followed meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn note_follow_up(
        &self,
        tenant: &TenantId,
        version: Version,
        at: u64,
    ) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("FollowUpAt", number(at));
        change.value(":to", number(version.get()));
        let condition = "V = :to AND Projected < :to";
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }
}

/// Sets the cursor; `:to` and `:from` are the versions of its load.
fn with_cursor(head: &Committed, cursor: &Cursor) -> UpdateExpression {
    let mut change = UpdateExpression::default();
    change.set("Cursor", AttributeValue::M(to_sdk(attribute::write(cursor))));
    change.value(":to", number(head.version.get()));
    change.value(":from", number(cursor.from.map_or(0, Version::get)));
    change
}

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}
