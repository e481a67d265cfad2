//! Serves the explorer and the API page.

use std::convert::Infallible;

use lambda_runtime::{Error, LambdaEvent, service_fn};
use pages::{Event, Server};
use taxonomy_process::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();

    let server = &Server::new(&pages::config::from_env()?)?;
    let answer =
        |event: LambdaEvent<Event>| async move { Ok::<_, Infallible>(server.answer(&event.payload)) };
    lambda_runtime::run(service_fn(answer)).await
}
