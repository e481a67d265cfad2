//! Update expressions of one item.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem, Update};
use serde::Serialize;
use taxonomy_keys::Key;
use taxonomy_model::attribute::{self, Value};

use crate::error::StoreError;
use crate::table::Table;
use crate::table::attributes::{sdk_key, to_sdk_value};

/// An update expression under construction. Every name that it sets has a placeholder, since many words are reserved.
#[derive(Default)]
pub(crate) struct UpdateExpression {
    sets: Vec<String>,
    removes: Vec<String>,
    adds: Vec<String>,
    conditions: Vec<&'static str>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl UpdateExpression {
    pub(crate) fn set(&mut self, name: &str, value: impl Into<Value>) {
        let (placeholder, value) = self.placeholders(name, value);
        self.sets.push(format!("{placeholder} = {value}"));
    }

    pub(crate) fn set_if_absent(&mut self, name: &str, value: impl Into<Value>) {
        let (placeholder, value) = self.placeholders(name, value);
        self.sets
            .push(format!("{placeholder} = if_not_exists({placeholder}, {value})"));
    }

    pub(crate) fn set_or_remove(&mut self, name: &str, value: Option<impl Into<Value>>) {
        match value {
            Some(value) => self.set(name, value),
            None => self.remove(name),
        }
    }

    /// Sets the attributes of a shape, and removes those that it leaves out; sets lists of these names even when they are empty.
    pub(crate) fn replace(&mut self, shape: &impl Serialize, lists: &[&str]) {
        let (set, absent) = attribute::replacement(shape);
        for (name, value) in set {
            self.set(&name, value);
        }
        for name in &absent {
            let empty = || Value::Array(Vec::new());
            self.set_or_remove(name, lists.contains(&name.as_str()).then(empty));
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        let placeholder = self.name(name);
        self.removes.push(placeholder);
    }

    /// Adds to a counter.
    pub(crate) fn add(&mut self, name: &str, value: impl Into<Value>) {
        let (placeholder, value) = self.placeholders(name, value);
        self.adds.push(format!("{placeholder} {value}"));
    }

    /// Adds a condition, which must hold with all others. Its placeholders of names are those of the attributes.
    pub(crate) fn require(&mut self, condition: &'static str) {
        for placeholder in names_in(condition) {
            self.name(placeholder);
        }
        self.conditions.push(condition);
    }

    /// Adds a value that only a condition uses.
    pub(crate) fn value(&mut self, name: &str, value: impl Into<Value>) {
        self.values.insert(name.to_owned(), to_sdk_value(value.into()));
    }

    /// Returns the placeholder of a name, which begins with `#`.
    fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    fn placeholders(&mut self, name: &str, value: impl Into<Value>) -> (String, String) {
        let value_name = format!(":{name}");
        self.value(&value_name, value);
        (self.name(name), value_name)
    }

    pub(crate) fn update(self, table: &Table, key: Key) -> Result<Update, StoreError> {
        let clauses = [("SET", self.sets), ("REMOVE", self.removes), ("ADD", self.adds)];
        let clauses = clauses.into_iter().filter(|(_, actions)| !actions.is_empty());
        let clauses: Vec<String> = clauses
            .map(|(clause, actions)| format!("{clause} {}", actions.join(", ")))
            .collect();
        let condition = (!self.conditions.is_empty()).then(|| self.conditions.join(" AND "));
        let update = Update::builder()
            .table_name(&*table.name)
            .set_key(Some(sdk_key(key)))
            .update_expression(clauses.join(" "))
            .set_condition_expression(condition)
            .set_expression_attribute_names(Some(self.names))
            .set_expression_attribute_values(Some(self.values));
        Ok(update.build()?)
    }

    /// Returns the update as a part of a transaction.
    pub(crate) fn transact_item(self, table: &Table, key: Key) -> Result<TransactWriteItem, StoreError> {
        let update = self.update(table, key)?;
        Ok(TransactWriteItem::builder().update(update).build())
    }
}

/// Returns the names of the placeholders in a condition, each of which is `#` and the name.
pub(crate) fn names_in(condition: &str) -> impl Iterator<Item = &str> {
    let parts = condition.split('#').skip(1);
    parts.filter_map(|part| part.split(|c: char| !c.is_alphanumeric()).next())
}
