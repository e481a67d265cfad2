//! Entry point: builds the projector once, then handles events.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use projector::{Config, Projector};
use taxonomy_runtime::{AwsEnv, Invocation, SystemClock, telemetry};
use taxonomy_versioning::Deadline;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let projector = Projector::connect(config, &aws, Arc::new(SystemClock));

    let handle = |event: LambdaEvent<serde_json::Value>| {
        Invocation::begin(&event.context.request_id, event.context.xray_trace_id.as_deref());
        let deadline = Deadline::of_invocation(event.context.deadline);
        Box::pin(projector.handle(event.payload, deadline))
    };
    Runtime::new(service_fn(handle)).run().await
}
