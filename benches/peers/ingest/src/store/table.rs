//! The few items that are kept: head, log, configuration.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::expression;
use crate::failure::Failure;

/// The items by partition key and sort key.
#[derive(Debug)]
pub(super) struct Table {
    file: PathBuf,
    items: BTreeMap<(String, String), Map<String, Value>>,
}

impl Table {
    /// Reads the table of a folder; an empty one if there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        let file = folder.join("table.json");
        let mut table = Self {
            items: BTreeMap::new(),
            file,
        };
        if table.file.exists() {
            let items: Vec<Map<String, Value>> = serde_json::from_slice(&std::fs::read(&table.file)?)?;
            for item in items {
                table.put(item)?;
            }
        }
        Ok(table)
    }

    /// Writes the table into its folder.
    pub(super) fn save(&self) -> Result<(), Failure> {
        let items: Vec<_> = self.items.values().collect();
        Ok(std::fs::write(&self.file, serde_json::to_vec(&items)?)?)
    }

    /// Answers a request.
    pub(super) fn answer(&mut self, operation: &str, request: &Value) -> Result<Value, Failure> {
        match operation {
            "GetItem" => Ok(match self.items.get(&key(&request["Key"])?) {
                Some(item) => json!({ "Item": item }),
                None => json!({}),
            }),
            "Query" => Ok(json!({ "Items": self.query(request)? })),
            "PutItem" => self.put_value(&request["Item"]),
            "UpdateItem" => self.update(request),
            "TransactWriteItems" => {
                let parts = request["TransactItems"].as_array().ok_or("no parts")?;
                for part in parts {
                    if let Some(put) = part.get("Put") {
                        self.put_value(&put["Item"])?;
                    } else if let Some(update) = part.get("Update") {
                        self.update(update)?;
                    } else if part.get("ConditionCheck").is_none() {
                        return Err("an unexpected part of a transaction".into());
                    }
                }
                Ok(json!({}))
            }
            other => Err(format!("{other} is not answered here").into()),
        }
    }

    fn put_value(&mut self, item: &Value) -> Result<Value, Failure> {
        self.put(item.as_object().ok_or("no item")?.clone())?;
        Ok(json!({}))
    }

    fn put(&mut self, item: Map<String, Value>) -> Result<(), Failure> {
        let key = key(&Value::Object(item.clone()))?;
        self.items.insert(key, item);
        Ok(())
    }

    fn update(&mut self, update: &Value) -> Result<Value, Failure> {
        let keys = update["Key"].as_object().ok_or("no key")?;
        let key = key(&update["Key"])?;
        let item = self.items.entry(key).or_insert_with(|| keys.clone());
        expression::apply(item, update)?;
        Ok(json!({}))
    }

    fn query(&self, request: &Value) -> Result<Vec<&Map<String, Value>>, Failure> {
        let values = &request["ExpressionAttributeValues"];
        let text = |name: &str| values[name]["S"].as_str().unwrap_or_default();
        let condition = request["KeyConditionExpression"].as_str().ok_or("no condition")?;
        if request.get("IndexName").is_some() {
            return Err("the index is not answered here".into());
        }
        let (partition, from, to) = (text(":pk"), text(":from"), text(":to"));
        let is_wanted = |sort: &str| {
            if condition.contains("begins_with") {
                sort.starts_with(from)
            } else if condition.contains("BETWEEN") {
                (from..=to).contains(&sort)
            } else {
                true
            }
        };
        let found = self.items.iter();
        let found = found.filter(|((pk, sk), _)| pk == partition && is_wanted(sk));
        Ok(found.map(|(_, item)| item).collect())
    }
}

fn key(item: &Value) -> Result<(String, String), Failure> {
    let text = |name: &str| item[name]["S"].as_str().map(str::to_owned);
    let key = text("PK").zip(text("SK"));
    Ok(key.ok_or("an item without keys")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_returns_the_sort_keys_of_its_condition() {
        let folder = std::env::temp_dir().join(format!("ingest-table-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut table = Table::open(&folder).unwrap();
        for sort in ["A#1", "A#2", "B"] {
            let item = json!({"PK": {"S": "p"}, "SK": {"S": sort}});
            table.answer("PutItem", &json!({ "Item": item })).unwrap();
        }
        table.save().unwrap();
        let mut table = Table::open(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let mut count = |condition: &str, from: &str, to: &str| {
            let values = json!({":pk": {"S": "p"}, ":from": {"S": from}, ":to": {"S": to}});
            let query = json!({"KeyConditionExpression": condition, "ExpressionAttributeValues": values});
            table.answer("Query", &query).unwrap()["Items"]
                .as_array()
                .unwrap()
                .len()
        };
        assert_eq!(count("PK = :pk", "", ""), 3);
        assert_eq!(count("PK = :pk AND begins_with(SK, :from)", "A", ""), 2);
        assert_eq!(count("PK = :pk AND SK BETWEEN :from AND :to", "A#2", "B"), 2);
    }
}
