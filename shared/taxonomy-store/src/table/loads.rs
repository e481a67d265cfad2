//! Updates of the head by a load: its cursor, its end, and giving it up (docs/decisions/0031-loads.md).

use aws_sdk_dynamodb::types::{ConditionCheck, TransactWriteItem};
use taxonomy_keys::{Attention, IndexKey, TenantId, Version, pattern};
use taxonomy_model::attribute;

use crate::error::StoreError;
use crate::table::attributes::{number, sdk_key};
use crate::table::configure::{has_revision, list_as};
use crate::table::cursor::LoadCursor;
use crate::table::head::{Committed, Head};
use crate::table::heads::{Heads, require_head, require_refusal};
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
        cursor: &LoadCursor,
    ) -> Result<bool, StoreError> {
        let mut change = with_cursor(cursor);
        change.value(":from", number_of(cursor.from));
        change.require("Projected = :from AND attribute_not_exists(#Purge)");
        require_cursor(&mut change, head.cursor.as_ref());
        if cursor.to == head.version {
            require_head(&mut change, head.version, &head.changeset);
        }
        self.update(tenant, change).await
    }

    /// Renews the cursor of a load, or stores its last state. Returns false if the stored cursor is no longer that of this process: the load was taken
    /// over or given up, it ended, or the tenant is being purged.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn renew(&self, tenant: &TenantId, cursor: &LoadCursor) -> Result<bool, StoreError> {
        let mut change = with_cursor(cursor);
        change.require("attribute_not_exists(#Purge)");
        require_own(&mut change, cursor);
        self.update(tenant, change).await
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
        cursor: &LoadCursor,
        at: u64,
        revision: u64,
        left: Option<Attention>,
    ) -> Result<bool, StoreError> {
        let mut change = projected(cursor.to, at);
        change.remove("Cursor");
        list_as(&mut change, tenant, left);
        change.require("Projected < :Projected AND V = :Projected AND attribute_not_exists(#Asked)");
        require_own(&mut change, cursor);
        self.at_rest(tenant, change, revision).await
    }

    /// Moves the projection to a version that is written completely, and nothing else. Returns false if it is there already.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn mark_projected(&self, tenant: &TenantId, to: Version, at: u64) -> Result<bool, StoreError> {
        let mut change = projected(to, at);
        change.require("Projected < :Projected AND V >= :Projected");
        self.update(tenant, change).await
    }

    /// Gives up the load of the cursor that `head` has: the next load is a full one, whose target is the head's version or a later one. Returns false
    /// if the cursor changed meanwhile.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn give_up(&self, tenant: &TenantId, head: &Committed) -> Result<bool, StoreError> {
        let mut change = UpdateExpression::default();
        change.remove("Cursor");
        change.set("Full", head.version.get());
        require_cursor(&mut change, head.cursor.as_ref());
        self.update(tenant, change).await
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
        change.set("EntityType", "Head");
        list_as(&mut change, tenant, left);
        match &head.committed {
            Some(head) => {
                change.value(":to", head.version.get());
                change.value(":projected", number_of(head.projected));
                change.require("V = :to AND Projected = :projected AND attribute_not_exists(#Asked)");
            }
            None => {
                change.set("V", 0);
                change.require("(attribute_not_exists(PK) OR V = :V)");
            }
        }
        change.require("attribute_not_exists(#Purge)");
        require_refusal(&mut change, head.refused.as_ref());
        require_place(&mut change, tenant, head.attention);
        self.at_rest(tenant, change, revision).await
    }

    /// Updates the head where the configuration still has this revision.
    async fn at_rest(
        &self,
        tenant: &TenantId,
        change: UpdateExpression,
        revision: u64,
    ) -> Result<bool, StoreError> {
        let check = ConditionCheck::builder()
            .table_name(&*self.table.name)
            .set_key(Some(sdk_key(pattern::configuration(tenant))))
            .condition_expression(has_revision(revision))
            .expression_attribute_values(":onto", number(revision))
            .build()?;
        let items = vec![
            change.transact_item(&self.table, pattern::head(tenant))?,
            TransactWriteItem::builder().condition_check(check).build(),
        ];
        self.table.transact_if(items).await
    }
}

/// Requires that the place in the list is the one that was read: an update that arrives late must not undo what a later upload left.
fn require_place(change: &mut UpdateExpression, tenant: &TenantId, read: Option<Attention>) {
    let Some(why) = read else {
        return change.require("attribute_not_exists(#GSI1SK)");
    };
    let tenant = tenant.clone();
    change.value(":place", IndexKey::Attention { why, tenant }.key().sk);
    change.require("#GSI1SK = :place");
}

/// Sets the cursor.
fn with_cursor(cursor: &LoadCursor) -> UpdateExpression {
    let mut change = UpdateExpression::default();
    change.set("Cursor", attribute::write(cursor));
    change
}

/// Moves the projection.
fn projected(to: Version, at: u64) -> UpdateExpression {
    let mut change = UpdateExpression::default();
    change.set("Projected", to.get());
    change.set("ProjectedAt", at);
    change
}

/// Requires that the stored cursor is the one that was read. A cursor is identified by its process and its time.
fn require_cursor(change: &mut UpdateExpression, read: Option<&LoadCursor>) {
    let Some(read) = read else {
        return change.require("attribute_not_exists(#Cursor)");
    };
    change.value(":at", read.at);
    change.value(":by", read.by.as_str());
    change.require("#Cursor.#At = :at AND #Cursor.#By = :by");
}

/// Requires that the stored cursor is the one that this process stored for this load.
fn require_own(change: &mut UpdateExpression, cursor: &LoadCursor) {
    change.value(":own", cursor.to.get());
    change.value(":from", number_of(cursor.from));
    change.value(":by", cursor.by.as_str());
    change.require("#Cursor.#To = :own AND #Cursor.#From = :from AND #Cursor.#By = :by");
}

fn number_of(version: Option<Version>) -> u64 {
    version.map_or(0, Version::get)
}
