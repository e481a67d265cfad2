//! What a test reads and changes by hand, as no function does: items of the table, and objects of versions.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::{CHANGESETS_BUCKET, TABLE};

use crate::world::World;

impl World {
    /// Writes an item as an operator would by hand.
    pub async fn put_by_hand(&self, item: Item) {
        let put = self.db.client().put_item().table_name(TABLE);
        put.set_item(Some(item)).send().await.unwrap();
    }

    /// Deletes an item as an operator would by hand.
    #[expect(
        clippy::disallowed_methods,
        reason = "a test does by hand what no function may do"
    )]
    pub async fn delete_by_hand(&self, item: &Item) {
        let delete = self.db.client().delete_item().table_name(TABLE);
        let delete = delete.key("PK", item["PK"].clone()).key("SK", item["SK"].clone());
        delete.send().await.unwrap();
    }

    /// Returns an item, which must exist.
    pub fn item(&self, pk: &str, sk: &str) -> Item {
        let item = self.db.item(TABLE, pk, sk);
        item.unwrap_or_else(|| panic!("there is no item {pk} {sk}"))
    }

    /// Changes an attribute of an item, or removes it.
    pub async fn alter(&self, (pk, sk): (&str, &str), name: &str, value: Option<AttributeValue>) {
        let mut item = self.item(pk, sk);
        match value {
            Some(value) => drop(item.insert(name.to_owned(), value)),
            None => drop(item.remove(name)),
        }
        self.put_by_hand(item).await;
    }

    /// Returns the bytes of an object of the versions, which must exist.
    pub fn body(&self, key: &str) -> Vec<u8> {
        let object = self.s3.object(CHANGESETS_BUCKET, key);
        object.unwrap_or_else(|| panic!("there is no object {key}")).bytes
    }

    /// Returns every object of the versions with its bytes.
    pub fn bodies(&self) -> BTreeMap<String, Vec<u8>> {
        let keys = self.s3.keys(CHANGESETS_BUCKET).into_iter();
        keys.map(|key| (key.clone(), self.body(&key))).collect()
    }

    /// Returns the keys of these objects of the versions.
    pub fn keys(&self, is_meant: impl Fn(&str) -> bool) -> Vec<String> {
        let mut keys = self.s3.keys(CHANGESETS_BUCKET);
        keys.retain(|key| is_meant(key));
        keys
    }

    /// Gives an object of the versions these bytes.
    pub fn put_body(&self, key: &str, bytes: impl Into<Vec<u8>>) {
        self.s3.put(CHANGESETS_BUCKET, key, bytes);
    }

    /// Loses these objects of the versions.
    pub fn lose_all(&self, is_lost: impl Fn(&str) -> bool) {
        self.keys(is_lost).iter().for_each(|key| self.lose(key));
    }

    /// Loses an object of the versions.
    pub fn lose(&self, key: &str) {
        self.s3.delete(CHANGESETS_BUCKET, key);
    }
}
