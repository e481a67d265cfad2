//! Entry point: builds the aggregator once, then handles batches of records.

use std::sync::Arc;

use aggregator::{Aggregator, Batch, Config};
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use taxonomy_runtime::{AwsEnv, Invocation, SystemClock, telemetry};
use taxonomy_versioning::Deadline;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let aggregator = Aggregator::connect(config, &aws, Arc::new(SystemClock))?;

    let handle = async |event: LambdaEvent<Batch>| {
        Invocation::begin(&event.context.request_id, event.context.xray_trace_id.as_deref());
        let deadline = Deadline::of_invocation(event.context.deadline);
        Ok::<_, Error>(Box::pin(aggregator.handle(event.payload, deadline)).await)
    };
    Runtime::new(service_fn(handle)).run().await
}
