//! What the tests of the embedded DynamoDB share.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::TABLE;

/// An empty table.
pub(crate) fn db() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    db
}

/// Puts an item and says what it cost.
pub(crate) async fn put(db: &EmbeddedDynamoDb, item: Item) -> f64 {
    let put = db.client().put_item().table_name(TABLE).set_item(Some(item));
    let answer = put
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    answer.consumed_capacity.unwrap().capacity_units.unwrap()
}
