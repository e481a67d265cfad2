//! `taxonomy tenant freeze` and `taxonomy tenant thaw`.

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;

use super::change::{Change, Changed};
use crate::arguments::CommonArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::provenance::ProvenanceArguments;
use crate::stack::Session;

/// Hold uploads and settings of a tenant
///
/// Holds uploads and settings of a tenant until it is thawed. Lookups continue.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy tenant freeze acme --reason 'upstream is being mended'")]
pub(crate) struct Freeze {
    #[command(flatten)]
    which: Which,
}

/// Process uploads and settings of a tenant again
///
/// Processes uploads and settings of a tenant again, beginning with the newest upload that waited.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy tenant thaw acme")]
pub(crate) struct Thaw {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
struct Which {
    /// The tenant
    #[arg(value_name = "TENANT")]
    tenant: TenantId,
    #[command(flatten)]
    provenance: ProvenanceArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Frozen<'a> {
    tenant: &'a TenantId,
    frozen: bool,
    /// Whether this command changed the configuration.
    changed: bool,
    revision: u64,
}

/// Freezes a tenant.
///
/// # Errors
/// [`Failure`] when the configuration cannot be written.
pub(super) async fn freeze(Freeze { which }: &Freeze) -> Result<Exit, Failure> {
    let session = Session::open(&which.common.stack).await?;
    let changed = set(&session, which, true).await?;
    let state = if changed.is_change() {
        "is frozen"
    } else {
        "was frozen already"
    };
    let tenant = &which.tenant;
    write(
        which,
        &changed,
        &format!(
            "The tenant {tenant} {state}: uploads wait until it is thawed:\n  taxonomy tenant thaw {tenant}"
        ),
    )
}

/// Thaws a tenant, and sends the projector a message for an upload that waited.
///
/// # Errors
/// [`Failure`] when the configuration cannot be written, or the message cannot be sent.
pub(super) async fn thaw(Thaw { which }: &Thaw) -> Result<Exit, Failure> {
    let session = Session::open(&which.common.stack).await?;
    let changed = set(&session, which, false).await?;
    let tenant = &which.tenant;
    // Sent even if the tenant was not frozen: the message of an earlier thaw may have been lost.
    session
        .queue("RetryQueueUrl")
        .await?
        .ask_for_tenant(tenant)
        .await?;
    let state = if changed.is_change() {
        "is thawed"
    } else {
        "was not frozen"
    };
    let message = format!("The tenant {tenant} {state}. If an upload waited, the newest one is taken now.");
    write(which, &changed, &message)
}

fn write(which: &Which, changed: &Changed, message: &str) -> Result<Exit, Failure> {
    let fields = Frozen {
        tenant: &which.tenant,
        frozen: changed.after.frozen,
        changed: changed.is_change(),
        revision: changed.after.revision,
    };
    which
        .common
        .output
        .write(&fields, |out| writeln!(out, "{message}"))?;
    Ok(Exit::Done)
}

async fn set(session: &Session, which: &Which, frozen: bool) -> Result<Changed, Failure> {
    let provenance: Provenance = session.provenance(which.provenance.given()).await?;
    Change::new(&session.service().await?, &which.tenant, &provenance)
        .apply(|configuration| configuration.frozen = frozen)
        .await
}
