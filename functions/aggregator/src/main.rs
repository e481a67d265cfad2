//! Entry point: builds the aggregator once, then handles batches of records.

use aggregator::{Aggregator, Batch, Config};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use taxonomy_runtime::{AwsEnv, SystemClock, telemetry};
use taxonomy_versioning::Deadline;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let aggregator = Aggregator::connect(config, &aws, SystemClock)?;

    run(service_fn(async |event: LambdaEvent<Batch>| {
        let deadline = Deadline::of_invocation(event.context.deadline);
        Ok::<_, Error>(Box::pin(aggregator.handle(event.payload, deadline)).await)
    }))
    .await
}
