//! Entry point: builds the projector once, then handles events.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use projector::{Config, Projector};
use taxonomy_runtime::{AwsEnv, SystemClock, telemetry};
use taxonomy_versioning::Deadline;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let projector = Projector::connect(config, &aws, SystemClock);

    run(service_fn(|event: LambdaEvent<serde_json::Value>| {
        let deadline = Deadline::of_invocation(event.context.deadline);
        Box::pin(projector.handle(event.payload, deadline))
    }))
    .await
}
