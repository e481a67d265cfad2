//! The table of decision page 1.

use serde_json::{Value, json};

/// Returns the requests that create the table.
pub(super) fn requests(table: &str) -> [(&'static str, Value); 2] {
    let attribute = |name| json!({"AttributeName": name, "AttributeType": "S"});
    let keys = |hash, range| json!([{"AttributeName": hash, "KeyType": "HASH"}, {"AttributeName": range, "KeyType": "RANGE"}]);
    let attributes = ["PK", "SK", "GSI1PK", "GSI1SK"].map(attribute);
    let create = json!({
        "TableName": table,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes,
        "KeySchema": keys("PK", "SK"),
        "GlobalSecondaryIndexes": [{
            "IndexName": "GSI1",
            "KeySchema": keys("GSI1PK", "GSI1SK"),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["DisplayName", "Description", "Newest"]},
        }],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    });
    let expire = json!({
        "TableName": table,
        "TimeToLiveSpecification": {"AttributeName": "ExpiresAt", "Enabled": true},
    });
    [("CreateTable", create), ("UpdateTimeToLive", expire)]
}
