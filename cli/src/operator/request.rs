//! Asks the projector for something, and follows its answer.

use std::time::Duration;

use clap::Args;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Answer, Heads, RepairNote, RepairStep, Request};
use tokio::time::{Instant, sleep};

use crate::confirm::Confirmation;
use crate::failure::Failure;
use crate::output::grouped;
use crate::progress::Progress;
use crate::provenance::ProvenanceArguments;
use crate::stack::{LOOKUP_LAG, Session};

/// The pause between two reads of the head.
const PAUSE: Duration = Duration::from_millis(500);

/// The arguments of commands that ask the projector for something.
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
/// As [`answer`].
pub(super) async fn ask(
    session: &Session,
    tenant: &TenantId,
    asked: (Request, Provenance),
    timeout: Duration,
) -> Result<Version, Failure> {
    let line = Progress::default().line(tenant.as_str());
    let Answer::Committed { version } = answer(session, tenant, asked, timeout).await? else {
        return Err(Failure::unable(
            "the service answered another request",
            "Check the tenant, then try again.",
        ));
    };
    line.say(&format!("version {version} is committed"));
    sleep(LOOKUP_LAG).await;
    Ok(version)
}

/// Asks for something, and waits for the answer.
///
/// # Errors
/// [`Failure::Versioning`] when the request is refused; [`Failure::Unable`] when that takes longer than `timeout`. The request stays.
pub(super) async fn answer(
    session: &Session,
    tenant: &TenantId,
    (request, provenance): (Request, Provenance),
    timeout: Duration,
) -> Result<Answer, Failure> {
    let service = session.service().await?;
    let line = Progress::default().line(tenant.as_str());
    let ask = async || match service.ask(tenant, request.clone(), provenance.clone()).await {
        Err(error) if error.is_damage() => Ok(None),
        asked => Ok(Some(asked?)),
    };
    let asked = match ask().await? {
        Some(asked) => asked,
        None => {
            // The projector restores a head that is lost as soon as it looks at the tenant.
            session.ask_for_tenant(tenant).await?;
            line.say("waiting for the service to restore the head of the tenant");
            let late = (
                "the head of the tenant is damaged, and not restored",
                "The projector's log says why; a backup of the table has the head.",
            );
            poll(timeout, late, ask).await?
        }
    };
    // A hint: without it, the next sweep finds the request.
    session.ask_for_tenant(tenant).await?;
    let late = (
        "the service has not carried out the request",
        "It still will; `taxonomy tenant show` shows whether the request waits.",
    );
    let answered = async || {
        let answer = service.answer(tenant, &asked).await?;
        if answer.is_none() {
            let (head, _) = service.heads.read(tenant).await?;
            line.say(&match head.repair.filter(|note| note.id == asked.id) {
                Some(note) => progress(&note),
                None => "waiting for the service to carry it out".to_owned(),
            });
        }
        Ok(answer)
    };
    poll(timeout, late, answered).await
}

/// Describes how far a repair is.
pub(super) fn progress(note: &RepairNote) -> String {
    let what = match note.step {
        RepairStep::Files => "versions and their files",
        RepairStep::Items => "items and counts",
    };
    match note.of {
        0 => format!("examining {what}"),
        of => format!("examining {what}: {} of {}", grouped(note.done), grouped(of)),
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
pub(super) async fn poll<T>(
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
