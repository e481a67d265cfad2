//! Moving a tenant's head. The compare-and-set on HEAD is the only commit there is; everything before it is a proposal.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, Put, ReturnConsumedCapacity, TransactWriteItem, Update};
use taxonomy_keys::{Culture, IndexKey, ItemKey, TenantId, Version, pattern};
use taxonomy_model::attribute::{Attributes, Builder, Fields, Value};

use crate::attributes::{SdkItem, sdk_item, sdk_key, to_sdk};
use crate::backoff;
use crate::error::StoreError;
use crate::head::{Committed, Head, LogEntry, Refusal, SourceStamp, culture_list, cultures};
use crate::table::{Consistency, Table};

/// The heads of all tenants.
#[derive(Debug, Clone)]
pub struct Heads {
    table: Table,
}

/// What operators configured for a tenant; empty where they did not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Configuration {
    /// Counts more than the file's.
    pub default_culture: Option<Culture>,
    /// Tried before the default culture.
    pub fallback_chain: Vec<Culture>,
}

/// A version to commit on top of what was read.
#[derive(Debug, Clone)]
pub struct Commit<'a> {
    /// Whose.
    pub tenant: &'a TenantId,
    /// The head it was built on; none for the first version.
    pub onto: Option<&'a Committed>,
    /// The new head; `projected` is ignored, since the commit leaves it where it is.
    pub head: &'a Committed,
    /// The new version in the log.
    pub entry: &'a LogEntry,
}

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The version is at the head, or was and has been followed by others.
    Committed,
    /// Another version took the place; look again.
    Overtaken,
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
        for item in &page.items {
            let fields = Fields(item);
            match fields.text("EntityType")? {
                "Head" => head = Head::read(item)?,
                "Tenant" => {
                    configuration.default_culture = match fields.optional("DefaultCulture")? {
                        Some(tag) => Some(
                            tag.parse()
                                .map_err(|error| StoreError::damaged("a configuration", error))?,
                        ),
                        None => None,
                    };
                    configuration.fallback_chain = cultures(fields, "FallbackChain")?;
                }
                _ => {}
            }
        }
        Ok((head, configuration))
    }

    /// Commits a version: head and log entry together, or neither.
    ///
    /// A refusal is ambiguous: it may be one's own commit whose answer was lost. So the log decides, not the error.
    ///
    /// # Errors
    /// [`StoreError`] when it is not known whether the version was committed, and trying again did not tell.
    pub async fn commit(&self, commit: &Commit<'_>) -> Result<CommitOutcome, StoreError> {
        let mut attempt = 0;
        loop {
            let Err(error) = self.try_commit(commit).await else {
                return Ok(CommitOutcome::Committed);
            };
            match self.entry(commit.tenant, commit.entry.version).await? {
                Some(entry) if entry.changeset == commit.entry.changeset => {
                    return Ok(CommitOutcome::Committed);
                }
                Some(_) => return Ok(CommitOutcome::Overtaken),
                // Nobody has this version: another transaction touched the same items and may have failed.
                None if error.is_transaction_cancelled() && attempt + 1 < backoff::TRIES => {
                    backoff::pause(attempt).await;
                }
                None => return Err(error),
            }
            attempt += 1;
        }
    }

    async fn try_commit(&self, commit: &Commit<'_>) -> Result<(), StoreError> {
        let Commit {
            tenant,
            onto,
            head,
            entry,
        } = commit;
        let key = ItemKey::Changeset {
            tenant: (*tenant).clone(),
            version: entry.version,
        };
        let log = Put::builder()
            .table_name(&*self.table.name)
            .set_item(Some(sdk_item(
                &key,
                entry.version.get(),
                None,
                entry.attributes(),
            )))
            .condition_expression("attribute_not_exists(PK)")
            .build();
        let log = log.map_err(|error| StoreError::damaged("a request", error))?;
        let mut request = self
            .table
            .client
            .transact_write_items()
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .transact_items(TransactWriteItem::builder().put(log).build())
            .transact_items(
                TransactWriteItem::builder()
                    .update(self.head_update(tenant, *onto, head)?)
                    .build(),
            );
        if onto.is_none() {
            request = request.transact_items(
                TransactWriteItem::builder()
                    .update(self.tenant_update(tenant)?)
                    .build(),
            );
        }
        request
            .send()
            .await
            .map_err(|error| StoreError::request("TransactWriteItems", error))?;
        Ok(())
    }

    /// Sets everything but how far the projection is, which others may be moving, and lists the tenant as behind.
    fn head_update(
        &self,
        tenant: &TenantId,
        onto: Option<&Committed>,
        head: &Committed,
    ) -> Result<Update, StoreError> {
        let behind = IndexKey::Behind {
            tenant: tenant.clone(),
        }
        .key();
        let mut change = Change::default();
        for (name, value) in to_sdk(head_attributes(head)) {
            change.set(&name, value);
        }
        change.set("EntityType", AttributeValue::S("Head".to_owned()));
        change.set("V", AttributeValue::N(head.version.to_string()));
        change.set("GSI1PK", AttributeValue::S(behind.pk));
        change.set("GSI1SK", AttributeValue::S(behind.sk));
        change.remove("Refused");
        let condition = match onto {
            Some(onto) => {
                change.value(":from", AttributeValue::N(onto.version.to_string()));
                change.value(":on", AttributeValue::S(onto.changeset.to_string()));
                "V = :from AND ChangesetId = :on"
            }
            None => {
                change.set("Projected", AttributeValue::N("0".to_owned()));
                change.set("ProjectedAt", AttributeValue::N("0".to_owned()));
                change.value(":none", AttributeValue::N("0".to_owned()));
                "attribute_not_exists(PK) OR V = :none"
            }
        };
        change.update(&self.table.name, sdk_key(pattern::head(tenant)), condition)
    }

    /// Makes the tenant appear in the list of all tenants, whether or not it was configured before.
    fn tenant_update(&self, tenant: &TenantId) -> Result<Update, StoreError> {
        let item = ItemKey::Tenant {
            tenant: tenant.clone(),
        };
        let listed = IndexKey::Tenants {
            tenant: tenant.clone(),
        }
        .key();
        let mut change = Change::default();
        change.set("EntityType", AttributeValue::S(item.entity_type().to_owned()));
        change.set("GSI1PK", AttributeValue::S(listed.pk));
        change.set("GSI1SK", AttributeValue::S(listed.sk));
        change.set_if_absent("V", AttributeValue::N("0".to_owned()));
        change.update(&self.table.name, sdk_key(item.key()), "")
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
        change.set("Refused", AttributeValue::M(to_sdk(refusal.attributes())));
        let version = onto.map_or(0, |onto| onto.version.get());
        change.value(":from", AttributeValue::N(version.to_string()));
        change.set_if_absent("V", AttributeValue::N("0".to_owned()));
        let condition = if onto.is_some() {
            "V = :from"
        } else {
            "attribute_not_exists(PK) OR V = :from"
        };
        self.apply(tenant, change, condition).await
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
        change.set("Source", AttributeValue::M(to_sdk(source.attributes())));
        change.remove("Refused");
        change.value(":from", AttributeValue::N(onto.version.to_string()));
        change.value(":on", AttributeValue::S(onto.changeset.to_string()));
        self.apply(tenant, change, "V = :from AND ChangesetId = :on")
            .await
    }

    /// Moves the projection to the head's version. False when head or projection moved in the meantime: look again.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be written.
    pub async fn settle(&self, tenant: &TenantId, head: &Committed, at: u64) -> Result<bool, StoreError> {
        let mut change = Change::default();
        change.set("Projected", AttributeValue::N(head.version.to_string()));
        change.set("ProjectedAt", AttributeValue::N(at.to_string()));
        change.remove("GSI1PK");
        change.remove("GSI1SK");
        change.value(":to", AttributeValue::N(head.version.to_string()));
        change.value(
            ":from",
            AttributeValue::N(head.projected.map_or(0, Version::get).to_string()),
        );
        self.apply(tenant, change, "V = :to AND Projected = :from").await
    }

    async fn apply(&self, tenant: &TenantId, change: Change, condition: &str) -> Result<bool, StoreError> {
        let update = change.update(&self.table.name, sdk_key(pattern::head(tenant)), condition)?;
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
            Err(error) if error.is_condition_failed() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// One version of the log, as it is now.
    ///
    /// # Errors
    /// [`StoreError`] when the table cannot be read.
    pub async fn entry(&self, tenant: &TenantId, version: Version) -> Result<Option<LogEntry>, StoreError> {
        let item = self
            .table
            .get(pattern::changeset(tenant, version), Consistency::Strong)
            .await?;
        Ok(item.as_ref().map(LogEntry::read).transpose()?)
    }

    /// The tenants whose projection is behind, at most `limit`: a hint, since the index may lag.
    ///
    /// # Errors
    /// [`StoreError`] when the index cannot be read.
    pub async fn behind(&self, limit: i32) -> Result<Vec<TenantId>, StoreError> {
        let page = self
            .table
            .query(pattern::behind(), Consistency::Eventual, Some(limit), None)
            .await?;
        let tenant = |item: &Attributes| {
            let fields = Fields(item);
            match ItemKey::parse(fields.text("PK")?, fields.text("SK")?) {
                Ok(ItemKey::Head { tenant }) => Ok(tenant),
                Ok(_) | Err(_) => Err(StoreError::damaged(
                    "the list of tenants that are behind",
                    "an item is no head",
                )),
            }
        };
        page.items.iter().map(tenant).collect()
    }
}

fn head_attributes(head: &Committed) -> Attributes {
    let mut attributes = Builder::default()
        .text("ChangesetId", head.changeset.as_str())
        .text("StateHash", head.state.as_str())
        .text("SnapshotKey", &head.snapshot_key)
        .number("CommittedAt", head.committed_at)
        .number("Format", head.format)
        .text("DefaultCulture", head.settings.default_culture.as_str())
        .number("Categories", head.categories)
        .number("Terms", head.terms)
        .map("Source", head.source.attributes())
        .build();
    // An update has to overwrite what was there, so these lists are written even when they are empty.
    attributes.insert(
        "FallbackChain".into(),
        Value::List(culture_list(&head.settings.fallback_chain).collect()),
    );
    attributes.insert(
        "Cultures".into(),
        Value::List(culture_list(&head.cultures).collect()),
    );
    attributes
}

/// An update expression under construction. Every name has a placeholder, since many words are reserved.
#[derive(Default)]
struct Change {
    sets: Vec<String>,
    removes: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl Change {
    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn set(&mut self, name: &str, value: AttributeValue) {
        let (placeholder, value_name) = (self.name(name), format!(":{name}"));
        self.sets.push(format!("{placeholder} = {value_name}"));
        self.values.insert(value_name, value);
    }

    fn set_if_absent(&mut self, name: &str, value: AttributeValue) {
        let (placeholder, value_name) = (self.name(name), format!(":{name}"));
        self.sets.push(format!(
            "{placeholder} = if_not_exists({placeholder}, {value_name})"
        ));
        self.values.insert(value_name, value);
    }

    fn remove(&mut self, name: &str) {
        let placeholder = self.name(name);
        self.removes.push(placeholder);
    }

    /// A value that only the condition speaks of.
    fn value(&mut self, name: &str, value: AttributeValue) {
        self.values.insert(name.to_owned(), value);
    }

    fn update(self, table: &str, key: SdkItem, condition: &str) -> Result<Update, StoreError> {
        let mut expression = format!("SET {}", self.sets.join(", "));
        if !self.removes.is_empty() {
            expression = format!("{expression} REMOVE {}", self.removes.join(", "));
        }
        Update::builder()
            .table_name(table)
            .set_key(Some(key))
            .update_expression(expression)
            .set_condition_expression((!condition.is_empty()).then(|| condition.to_owned()))
            .set_expression_attribute_names(Some(self.names))
            .set_expression_attribute_values(Some(self.values))
            .build()
            .map_err(|error| StoreError::damaged("a request", error))
    }
}
