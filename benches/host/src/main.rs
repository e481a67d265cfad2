//! Hosts deployed functions on one port of this machine: table and buckets of the testkit, Lambda's runtime API, and the HTTP API.
//!
//! ```text
//! taxonomy-host FUNCTIONS   a JSON document: for each function its `command`, `most` processes, `seconds` to answer, `environment`
//! ```
//!
//! It prints its address, and ends when its standard input does. A request below `/v1/` goes to the function `lookup`, or to the one that the
//! header `host-function` names; an object that is put into the source bucket goes to `projector`. A process starts when no other is idle.
//! Responses of functions say in microseconds how long they waited, began and took: `host-waited`, `host-began` (of a new process), `host-took`.
//!
//! | Path | Answer |
//! |---|---|
//! | `/host/processes` | of each process: function, pid, memory in KiB now and at most, microseconds of a processor |
//! | `/host/requests` | of each kind of request to table and bucket: count, bytes, units, time of the first and the last; then forgets them |
//! | `/host/stop/FUNCTION` | ends its idle processes |
//! | `/host/throttle/N` | refuses each Nth request to table and bucket, none for 0; tells how many it has refused |
//!
//! Not there: the network, API Gateway, and the latency of DynamoDB and S3. A read is always consistent.
#![allow(clippy::disallowed_methods, reason = "a host is no function that is frozen")]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command")]

mod functions;
mod gateway;
mod processes;
mod requests;
mod runtime_api;
mod server;
mod stores;

use std::error::Error;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, stdin};

use gateway::Gateway;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let described = std::env::args().nth(1).ok_or("a description of the functions")?;
    let (gateway, listener) = Gateway::bind(serde_json::from_str(&described)?).await?;
    println!("{}", listener.local_addr()?);
    server::serve(listener, Arc::new(gateway));
    // Whoever started this program has ended, or wants it to.
    let mut rest = Vec::new();
    stdin().read_to_end(&mut rest).await?;
    Ok(())
}
