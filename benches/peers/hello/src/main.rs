//! A function that answers any event at once: the least that a function in Rust takes.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let answer = async |_: LambdaEvent<Value>| Ok::<_, Error>(json!({"hello": "world"}));
    lambda_runtime::run(service_fn(answer)).await
}
