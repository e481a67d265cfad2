//! Serves the explorer and the API page.

use std::convert::Infallible;

use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use pages::{Event, Server};
use taxonomy_runtime::{Invocation, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let server = &Server::new(&pages::config::from_env()?)?;
    let answer = async |event: LambdaEvent<Event>| {
        Invocation::begin(&event.context.request_id, event.context.xray_trace_id.as_deref());
        Ok::<_, Infallible>(server.answer(&event.payload))
    };
    Runtime::new(service_fn(answer)).run().await
}
