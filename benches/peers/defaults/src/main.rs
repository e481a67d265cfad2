//! A function that reads an item by the AWS SDK with all its defaults, as its guide shows.

use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = &Client::new(&aws_config::load_defaults(BehaviorVersion::latest()).await);
    let answer = async move |event: LambdaEvent<Value>| {
        let id = event.payload["pathParameters"]["id"].as_str().unwrap_or_default();
        let key = AttributeValue::S(format!("TERM#acme#{id}"));
        let request = client.get_item().table_name("taxonomy");
        let found = request.key("PK", key.clone()).key("SK", key).send().await?;
        let item = found.item.unwrap_or_default();
        let name = item.get("FinalName").and_then(|name| name.as_s().ok());
        Ok::<_, Error>(json!({"statusCode": 200, "body": name}))
    };
    lambda_runtime::run(service_fn(answer)).await
}
