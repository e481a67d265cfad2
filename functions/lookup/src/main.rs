//! Answers the HTTP API.

use std::convert::Infallible;
use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, service_fn};
use lookup::{Config, Event, Lookup};
use taxonomy_cache::CachedReader;
use taxonomy_runtime::{AwsEnv, Patience, SystemClock, sdk_config, telemetry};
use taxonomy_store::{Reader, Table};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let config = Config::from_env()?;
    let client = aws_sdk_dynamodb::Client::new(&sdk_config(&AwsEnv::from_env()?, Patience::REQUESTS));
    let reader = Reader::new(Table::new(client, &config.table));
    let reader = CachedReader::new(reader, Arc::new(SystemClock), config.cache_bytes);
    let lookup = &Lookup::new(config.auth, config.cache_control, reader, Arc::new(SystemClock));
    lookup.warm_up().await;

    let answer =
        |event: LambdaEvent<Event>| async move { Ok::<_, Infallible>(lookup.answer(&event.payload).await) };
    lambda_runtime::run(service_fn(answer)).await
}
