//! Answers the HTTP API.

use std::sync::Arc;

use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use lookup::{Config, Lookup};
use mimalloc::MiMalloc;
use serde_json::value::RawValue;
use taxonomy_runtime::{AwsEnv, Invocation, SystemClock, telemetry};

/// Reading a term from the table takes hundreds of allocations; with the allocator of the C library they take a sixth of the instructions of
/// the whole answer (docs/decisions/0010-caches.md).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let (config, aws) = (Config::from_env()?, AwsEnv::from_env()?);
    let lookup = &Lookup::connect(config, &aws, Arc::new(SystemClock))?;
    lookup.warm_up().await;

    let answer = async |event: LambdaEvent<Box<RawValue>>| {
        Invocation::begin(&event.context.request_id, event.context.xray_trace_id.as_deref());
        // The runtime would keep the path of each value while it parses, for its errors: an allocation for each name.
        let event = serde_json::from_str(event.payload.get())?;
        Ok::<_, Error>(lookup.answer(&event).await)
    };
    Runtime::new(service_fn(answer)).run().await
}
