//! Update expressions of one item.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{AttributeValue, Update};
use serde::Serialize;
use taxonomy_model::attribute;

use crate::error::StoreError;
use crate::table::attributes::{SdkItem, to_sdk};

/// An update expression under construction. Every name has a placeholder, since many words are reserved.
#[derive(Default)]
pub(crate) struct UpdateExpression {
    sets: Vec<String>,
    removes: Vec<String>,
    names: HashMap<String, String>,
    values: HashMap<String, AttributeValue>,
}

impl UpdateExpression {
    /// Returns the placeholder of a name, which begins with `#`.
    pub(crate) fn name(&mut self, name: &str) -> String {
        let placeholder = format!("#{name}");
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    pub(crate) fn set(&mut self, name: &str, value: AttributeValue) {
        let (placeholder, value_name) = (self.name(name), format!(":{name}"));
        self.sets.push(format!("{placeholder} = {value_name}"));
        self.values.insert(value_name, value);
    }

    pub(crate) fn set_if_absent(&mut self, name: &str, value: AttributeValue) {
        let (placeholder, value_name) = (self.name(name), format!(":{name}"));
        self.sets.push(format!(
            "{placeholder} = if_not_exists({placeholder}, {value_name})"
        ));
        self.values.insert(value_name, value);
    }

    pub(crate) fn set_or_remove(&mut self, name: &str, value: Option<AttributeValue>) {
        match value {
            Some(value) => self.set(name, value),
            None => self.remove(name),
        }
    }

    /// Sets the attributes of a shape, and removes those that it leaves out; sets lists of these names even when they are empty.
    pub(crate) fn replace(&mut self, shape: &impl Serialize, lists: &[&str]) {
        let (set, absent) = attribute::replacement(shape);
        for (name, value) in to_sdk(set) {
            self.set(&name, value);
        }
        for name in &absent {
            let empty = || AttributeValue::L(Vec::new());
            self.set_or_remove(name, lists.contains(&name.as_str()).then(empty));
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        let placeholder = self.name(name);
        self.removes.push(placeholder);
    }

    /// Adds a value that only the condition uses.
    pub(crate) fn value(&mut self, name: &str, value: AttributeValue) {
        self.values.insert(name.to_owned(), value);
    }

    pub(crate) fn update(self, table: &str, key: SdkItem, condition: &str) -> Result<Update, StoreError> {
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
