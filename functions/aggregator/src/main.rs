//! Entry point: build the world once, then follow the heads in the stream.

use aggregator::{Aggregator, Batch, Config};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use taxonomy_runtime::{AwsEnv, Patience, SystemClock, sdk_config, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let sdk = sdk_config(&aws, Patience::EVENTS);
    let s3 = aws_sdk_s3::config::Builder::from(&sdk)
        .force_path_style(aws.path_style())
        .build();
    let aggregator = Aggregator::new(
        &config,
        aws_sdk_dynamodb::Client::new(&sdk),
        aws_sdk_s3::Client::from_conf(s3),
        aws_sdk_sns::Client::new(&sdk),
        SystemClock,
    );

    run(service_fn(async |event: LambdaEvent<Batch>| {
        Ok::<_, Error>(Box::pin(aggregator.handle(event.payload)).await)
    }))
    .await
}
