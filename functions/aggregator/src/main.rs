//! Entry point: build the world once, then follow the heads in the stream.

use aggregator::{Aggregator, Batch, Config};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use taxonomy_runtime::{AwsEnv, SystemClock, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let aggregator = Aggregator::connected(config, &aws, SystemClock)?;

    run(service_fn(async |event: LambdaEvent<Batch>| {
        Ok::<_, Error>(Box::pin(aggregator.handle(event.payload)).await)
    }))
    .await
}
