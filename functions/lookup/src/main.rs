//! Answers the HTTP API.

use std::convert::Infallible;
use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, service_fn};
use lookup::{Config, Event, Lookup};
use mimalloc::MiMalloc;
use taxonomy_runtime::{AwsEnv, SystemClock, telemetry};

/// Reading a term from the table takes five hundred allocations; with the allocator of the C library they take a sixth of the instructions of
/// the whole answer (docs/decisions/0010-caches.md).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let lookup = &Lookup::connect(config, &aws, Arc::new(SystemClock))?;
    lookup.warm_up().await;

    let answer =
        |event: LambdaEvent<Event>| async move { Ok::<_, Infallible>(lookup.answer(&event.payload).await) };
    lambda_runtime::run(service_fn(answer)).await
}
