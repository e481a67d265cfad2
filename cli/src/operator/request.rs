//! Asks the projector for a version, and follows its answer.

use std::time::Duration;

use clap::Args;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Heads, Request};
use tokio::time::{Instant, sleep};

use crate::confirm::Confirmation;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::provenance::ProvenanceArguments;
use crate::stack::{LOOKUP_LAG, Session};

/// The pause between two reads of the head.
const PAUSE: Duration = Duration::from_millis(500);

/// The arguments of commands that ask the projector for a version.
#[derive(Debug, Args)]
pub(super) struct RequestArguments {
    #[command(flatten)]
    pub(super) confirmation: Confirmation,
    #[command(flatten)]
    pub(super) provenance: ProvenanceArguments,
    /// The maximum number of seconds to wait for the service
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

impl RequestArguments {
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}

/// Asks for a version, and waits until it is committed and every lookup serves it.
///
/// # Errors
/// [`Failure::Protocol`] when the request is refused; [`Failure::Unable`] when that takes longer than `timeout`. The request stays.
pub(super) async fn ask(
    session: &Session,
    tenant: &TenantId,
    (request, provenance): (Request, Provenance),
    timeout: Duration,
) -> Result<Version, Failure> {
    let service = session.service().await?;
    let asked = service.ask(tenant, request, provenance).await?;
    // A hint: without it, the next sweep finds the request.
    session.ask_for_tenant(tenant).await?;
    let progress = Progress::new();
    let line = progress.line(tenant.as_str());
    line.say("waiting for the service to carry it out");
    let begin = Instant::now();
    loop {
        if let Some(version) = service.answer(tenant, &asked).await? {
            line.say(&format!("version {version} is committed"));
            sleep(LOOKUP_LAG).await;
            return Ok(version);
        }
        if begin.elapsed() >= timeout {
            return Err(late(
                "the service has not carried out the request",
                timeout,
                "It still will; `taxonomy tenant show` shows whether the request waits.",
            ));
        }
        sleep(PAUSE).await;
    }
}

/// Waits until the items of a version are written.
///
/// # Errors
/// [`Failure::Unable`] when that takes longer than `timeout`.
pub(super) async fn wait_for_table(
    heads: &Heads,
    tenant: &TenantId,
    version: Version,
    timeout: Duration,
) -> Result<(), Failure> {
    let progress = Progress::new();
    let line = progress.line(tenant.as_str());
    line.say(&format!(
        "version {version} is served, its items are being written"
    ));
    let begin = Instant::now();
    while heads
        .read(tenant)
        .await?
        .0
        .committed
        .and_then(|head| head.projected)
        < Some(version)
    {
        if begin.elapsed() >= timeout {
            return Err(late(
                &format!("version {version} is served, and its items are not all written"),
                timeout,
                "The service continues; `taxonomy tenant show` shows when it is complete.",
            ));
        }
        sleep(PAUSE).await;
    }
    Ok(())
}

fn late(what: &str, timeout: Duration, advice: &str) -> Failure {
    Failure::unable(format!("{what} after {} s", timeout.as_secs()), advice)
}
