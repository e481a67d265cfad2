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
/// [`Failure::Versioning`] when the request is refused; [`Failure::Unable`] when that takes longer than `timeout`. The request stays.
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
    let line = Progress::default().line(tenant.as_str());
    line.say("waiting for the service to carry it out");
    let late = (
        "the service has not carried out the request",
        "It still will; `taxonomy tenant show` shows whether the request waits.",
    );
    let version = poll(timeout, late, async || Ok(service.answer(tenant, &asked).await?)).await?;
    line.say(&format!("version {version} is committed"));
    sleep(LOOKUP_LAG).await;
    Ok(version)
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
    let line = Progress::default().line(tenant.as_str());
    line.say(&format!(
        "version {version} is served, its items are being written"
    ));
    let late = (
        &*format!("version {version} is served, and its items are not all written"),
        "The service continues; `taxonomy tenant show` shows when it is complete.",
    );
    let written = async || {
        let (head, _) = heads.read(tenant).await?;
        let projected = head.committed.and_then(|head| head.projected);
        Ok((projected >= Some(version)).then_some(()))
    };
    poll(timeout, late, written).await
}

/// Repeats an attempt until it has a result. `late` has the message, without the time, and the next step if that takes too long.
async fn poll<T>(
    timeout: Duration,
    late: (&str, &str),
    attempt: impl AsyncFn() -> Result<Option<T>, Failure>,
) -> Result<T, Failure> {
    let begin = Instant::now();
    loop {
        if let Some(done) = attempt().await? {
            return Ok(done);
        }
        if begin.elapsed() >= timeout {
            let (what, advice) = late;
            let message = format!("{what} after {} s", timeout.as_secs());
            return Err(Failure::unable(message, advice));
        }
        sleep(PAUSE).await;
    }
}
