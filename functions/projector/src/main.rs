//! Entry point: builds the projector once, then handles events.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use projector::{Config, Projector};
use taxonomy_runtime::{AwsEnv, RetryPolicy, SystemClock, sdk_config, telemetry};
use taxonomy_versioning::Deadline;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let sdk = sdk_config(&aws, RetryPolicy::EVENTS);
    let s3 = aws_sdk_s3::config::Builder::from(&sdk)
        .force_path_style(aws.path_style())
        .build();
    let projector = Projector::new(
        config,
        aws_sdk_dynamodb::Client::new(&sdk),
        aws_sdk_s3::Client::from_conf(s3),
        aws_sdk_sqs::Client::new(&sdk),
        SystemClock,
    );

    run(service_fn(|event: LambdaEvent<serde_json::Value>| {
        let deadline = Deadline::of_invocation(event.context.deadline);
        Box::pin(projector.handle(event.payload, deadline))
    }))
    .await
}
