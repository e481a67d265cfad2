//! Helpers of the tests of the embedded DynamoDB.

use aws_sdk_dynamodb::types::ReturnConsumedCapacity;
use taxonomy_testkit::EmbeddedDynamoDb;
use taxonomy_testkit::dynamodb::Item;
use taxonomy_testkit::fixtures::TABLE;

/// Returns a database with an empty table.
pub(crate) fn db() -> EmbeddedDynamoDb {
    let db = EmbeddedDynamoDb::new();
    db.create_table(TABLE);
    db
}

/// Puts an item and returns its capacity units.
pub(crate) async fn put(db: &EmbeddedDynamoDb, item: Item) -> f64 {
    let put = db.client().put_item().table_name(TABLE).set_item(Some(item));
    let answer = put
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await
        .unwrap();
    answer.consumed_capacity.unwrap().capacity_units.unwrap()
}
