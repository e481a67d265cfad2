//! Updates of the head by a load: its cursor, its end, and giving it up (docs/decisions/0031-loads.md).

use aws_sdk_dynamodb::types::{AttributeValue, ConditionCheck, TransactWriteItem};
use taxonomy_keys::{Attention, IndexKey, TenantId, Version, pattern};
use taxonomy_model::attribute;

use crate::error::StoreError;
use crate::table::attributes::{sdk_key, to_sdk};
use crate::table::configuration::PURGE;
use crate::table::configure::{has_revision, list_as};
use crate::table::cursor::Cursor;
use crate::table::head::{Committed, Head};
use crate::table::heads::{Heads, refusal_as_read};
use crate::table::update_expression::UpdateExpression;

impl Heads {
    /// Stores the cursor of a load that begins or is taken over, before its first write. Returns false if the projection or the cursor changed since
    /// `head` was read, or, where the load begins, the head: of processes that try at the same time one succeeds.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn claim(
        &self,
        tenant: &TenantId,
        head: &Committed,
        cursor: &Cursor,
    ) -> Result<bool, StoreError> {
        let mut change = with_cursor(cursor);
        change.name(PURGE);
        change.value(":from", optional(cursor.from));
        let mut conditions = vec!["Projected = :from AND attribute_not_exists(#Purge)"];
        conditions.push(as_read(head.cursor.as_ref(), &mut change));
        if cursor.to == head.version {
            change.value(":to", number(head.version.get()));
            change.value(":id", AttributeValue::S(head.changeset.to_string()));
            conditions.push("V = :to AND ChangesetId = :id");
        }
        self.apply(sdk_key(pattern::head(tenant)), change, &conditions.join(" AND "))
            .await
    }

    /// Renews the cursor of a load, or stores its last state. Returns false if the stored cursor is no longer that of this process: the load was taken
    /// over or given up, it ended, or the tenant is being purged.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn renew(&self, tenant: &TenantId, cursor: &Cursor) -> Result<bool, StoreError> {
        let mut change = with_cursor(cursor);
        change.name(PURGE);
        let condition = format!("attribute_not_exists(#Purge) AND {}", own(cursor, &mut change));
        self.apply(sdk_key(pattern::head(tenant)), change, &condition)
            .await
    }

    /// Ends the load of the head's version by the process that owns its cursor: moves the projection, removes the cursor, and lists the tenant as `left`.
    /// Returns false if the head moved on, if the cursor is another process's, if an operator's request waits, or if the configuration has another
    /// `revision`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn end_load(
        &self,
        tenant: &TenantId,
        cursor: &Cursor,
        at: u64,
        revision: u64,
        left: Option<Attention>,
    ) -> Result<bool, StoreError> {
        let mut change = projected(cursor.to, at);
        change.remove("Cursor");
        list_as(&mut change, tenant, left);
        change.name("Asked");
        let condition = format!(
            "Projected < :Projected AND V = :Projected AND attribute_not_exists(#Asked) AND {}",
            own(cursor, &mut change)
        );
        self.at_rest(tenant, change, &condition, revision).await
    }

    /// Moves the projection to a version that is written completely, and nothing else. Returns false if it is there already.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn mark_projected(&self, tenant: &TenantId, to: Version, at: u64) -> Result<bool, StoreError> {
        let change = projected(to, at);
        let condition = "Projected < :Projected AND V >= :Projected";
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }

    /// Gives up the load of the cursor that `head` has: the next load is a full one, whose target is the head's version or a later one. Returns false
    /// if the cursor changed meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn give_up(&self, tenant: &TenantId, head: &Committed) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.remove("Cursor");
        change.set("Full", number(head.version.get()));
        let condition = as_read(head.cursor.as_ref(), &mut change);
        self.apply(sdk_key(pattern::head(tenant)), change, condition)
            .await
    }

    /// Lists a tenant for which nothing is left to do as `left`. Returns false if something changed since `head` was read, and the configuration at
    /// this `revision`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn list_at_rest(
        &self,
        tenant: &TenantId,
        head: &Head,
        revision: u64,
        left: Option<Attention>,
    ) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.set("EntityType", AttributeValue::S("Head".to_owned()));
        list_as(&mut change, tenant, left);
        change.name(PURGE);
        let refusal = refusal_as_read(head.refused.as_ref(), &mut change);
        let place = place_as_read(tenant, head.attention, &mut change);
        let condition = match &head.committed {
            Some(head) => {
                change.name("Asked");
                change.value(":to", number(head.version.get()));
                change.value(":projected", optional(head.projected));
                "V = :to AND Projected = :projected AND attribute_not_exists(#Asked) AND attribute_not_exists(#Purge)"
            }
            None => {
                change.set("V", number(0));
                "(attribute_not_exists(PK) OR V = :V) AND attribute_not_exists(#Purge)"
            }
        };
        let condition = format!("{condition} AND {refusal} AND {place}");
        self.at_rest(tenant, change, &condition, revision).await
    }

    /// Updates the head where the configuration still has this revision.
    async fn at_rest(
        &self,
        tenant: &TenantId,
        change: UpdateExpression,
        condition: &str,
        revision: u64,
    ) -> Result<bool, StoreError> {
        let update = change.update(&self.table.name, sdk_key(pattern::head(tenant)), condition)?;
        let check = ConditionCheck::builder()
            .table_name(&*self.table.name)
            .set_key(Some(sdk_key(pattern::configuration(tenant))))
            .condition_expression(has_revision(revision))
            .expression_attribute_values(":onto", number(revision))
            .build()
            .map_err(|error| StoreError::damaged("a request", error))?;
        let items = vec![
            TransactWriteItem::builder().update(update).build(),
            TransactWriteItem::builder().condition_check(check).build(),
        ];
        self.transact(items).await
    }
}

/// The condition that the place in the list is the one that was read: an update that arrives late must not undo what a later upload left.
fn place_as_read(tenant: &TenantId, read: Option<Attention>, change: &mut UpdateExpression) -> &'static str {
    change.name("GSI1SK");
    let Some(why) = read else {
        return "attribute_not_exists(#GSI1SK)";
    };
    let tenant = tenant.clone();
    let place = IndexKey::Attention { why, tenant }.key();
    change.value(":place", AttributeValue::S(place.sk));
    "#GSI1SK = :place"
}

/// Sets the cursor.
fn with_cursor(cursor: &Cursor) -> UpdateExpression {
    let mut change = UpdateExpression::default();
    change.set("Cursor", AttributeValue::M(to_sdk(attribute::write(cursor))));
    change
}

/// Moves the projection.
fn projected(to: Version, at: u64) -> UpdateExpression {
    let mut change = UpdateExpression::default();
    change.set("Projected", number(to.get()));
    change.set("ProjectedAt", number(at));
    change
}

/// The condition that the stored cursor is the one that was read. A cursor is identified by its process and its time.
fn as_read(read: Option<&Cursor>, change: &mut UpdateExpression) -> &'static str {
    change.name("Cursor");
    let Some(read) = read else {
        return "attribute_not_exists(#Cursor)";
    };
    change.value(":at", number(read.at));
    change.value(":by", AttributeValue::S(read.by.clone()));
    change.name("At");
    change.name("By");
    "#Cursor.#At = :at AND #Cursor.#By = :by"
}

/// The condition that the stored cursor is the one that this process stored for this load.
fn own(cursor: &Cursor, change: &mut UpdateExpression) -> &'static str {
    change.value(":own", number(cursor.to.get()));
    change.value(":from", optional(cursor.from));
    change.value(":by", AttributeValue::S(cursor.by.clone()));
    for name in ["Cursor", "To", "From", "By"] {
        change.name(name);
    }
    "#Cursor.#To = :own AND #Cursor.#From = :from AND #Cursor.#By = :by"
}

fn optional(version: Option<Version>) -> AttributeValue {
    number(version.map_or(0, Version::get))
}

fn number(number: u64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}
