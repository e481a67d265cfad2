//! A consumer on Lambda: puts the names of terms and of their ancestors on metrics. See the crate's README.

#[path = "consumer/names.rs"]
mod names;

use std::env::VarError;

use aws_credential_types::Credentials;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use taxonomy_client::{Auth, Client, Tenant};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let tenant = &tenant()?;
    let answer = |event: LambdaEvent<names::Event>| async move { names::add(tenant, event.payload).await };
    lambda_runtime::run(service_fn(answer)).await
}

/// The tenant that the environment names. The client lives as long as the process, and its cache with it.
fn tenant() -> Result<Tenant, Error> {
    let key = variable("AWS_ACCESS_KEY_ID")?;
    let secret = variable("AWS_SECRET_ACCESS_KEY")?;
    let token = optional("AWS_SESSION_TOKEN")?;
    let credentials = Credentials::new(key, secret, token, None, "environment");
    let builder = Client::builder(variable("TAXONOMY_API_URL")?)
        .auth(Auth::iam(credentials, variable("AWS_REGION")?))
        .user_agent("taxonomy-consumer/1");
    let builder = match optional("TAXONOMY_CONNECT_TO")? {
        Some(address) => builder.connect_to(address),
        None => builder,
    };
    let tenant = variable("TAXONOMY_TENANT")?.parse()?;
    Ok(builder.build()?.tenant(tenant))
}

fn variable(name: &str) -> Result<String, Error> {
    optional(name)?.ok_or_else(|| format!("{name} is not set").into())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the whole configuration of the example, read once"
)]
fn optional(name: &str) -> Result<Option<String>, Error> {
    match std::env::var(name) {
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(format!("{name} is not UTF-8").into()),
    }
}
