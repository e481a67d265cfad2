//! Serves the explorer and the API page.

use std::convert::Infallible;

use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use pages::{Event, Pages};
use taxonomy_runtime::{Invocation, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let pages = &Pages::new(&pages::config::from_env()?)?;
    let answer = async |event: LambdaEvent<Event>| {
        Invocation::begin(&event.context.request_id, event.context.xray_trace_id.as_deref());
        Ok::<_, Infallible>(pages.respond(&event.payload))
    };
    Runtime::new(service_fn(answer)).run().await
}
