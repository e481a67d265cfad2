//! The lookup of a term as a first version in Rust is written: an item by the AWS SDK with all its defaults, as its guide shows.

use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = &Client::new(&aws_config::load_defaults(BehaviorVersion::latest()).await);
    let answer = async move |event: LambdaEvent<Value>| {
        let parameter = |name: &str| event.payload["pathParameters"][name].as_str().unwrap_or_default();
        let key = AttributeValue::S(format!("TERM#{}#{}", parameter("tenant"), parameter("id")));
        let request = client.get_item().table_name("taxonomy");
        let found = request.key("PK", key.clone()).key("SK", key).send().await?;
        let item = found.item.ok_or("the term is unknown")?;
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok());
        let category = text("FinalName")
            .zip(text("Name"))
            .and_then(|(whole, name)| whole.strip_suffix(name.as_str()));
        let lines = text("Lineage").map(String::as_str).unwrap_or_default().lines();
        let ancestors = lines.filter_map(|line| {
            let name = line.split('\t').nth(1)?;
            Some(json!({"name": name, "finalName": format!("{}{name}", category?)}))
        });
        let body = json!({"finalName": text("FinalName"), "ancestors": ancestors.collect::<Vec<_>>()});
        Ok::<_, Error>(json!({"statusCode": 200, "body": body.to_string()}))
    };
    lambda_runtime::run(service_fn(answer)).await
}
