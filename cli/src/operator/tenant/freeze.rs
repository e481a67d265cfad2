//! `taxonomy tenant freeze` and `thaw`.

use std::io::Write as _;

use clap::Args;
use taxonomy_keys::TenantId;
use taxonomy_model::Provenance;

use super::change::{Change, Changed};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::stdout;
use crate::provenance::ProvenanceArguments;
use crate::stack::{Session, StackArguments};

/// Has uploads and settings of a tenant wait, until it is thawed. Lookups go on.
#[derive(Debug, Args)]
pub(crate) struct Freeze {
    #[command(flatten)]
    which: Which,
}

/// Has uploads and settings of a tenant count again. The newest upload that waited is taken.
#[derive(Debug, Args)]
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
    stack: StackArguments,
}

/// Freezes a tenant.
///
/// # Errors
/// [`Failure`] when the configuration cannot be written.
pub(super) async fn freeze(Freeze { which }: &Freeze) -> Result<Exit, Failure> {
    let session = Session::open(&which.stack).await?;
    let changed = set(&session, which, true).await?;
    let tenant = &which.tenant;
    writeln!(
        stdout(),
        "The tenant {tenant} {}: uploads wait until it is thawed:\n  taxonomy tenant thaw {tenant}",
        if changed.is_change() {
            "is frozen"
        } else {
            "was frozen already"
        },
    )?;
    Ok(Exit::Done)
}

/// Thaws a tenant, and has the service look at the upload that waited.
///
/// # Errors
/// [`Failure`] when the configuration cannot be written, or the queue does not take the message.
pub(super) async fn thaw(Thaw { which }: &Thaw) -> Result<Exit, Failure> {
    let session = Session::open(&which.stack).await?;
    let changed = set(&session, which, false).await?;
    let tenant = &which.tenant;
    // Also where it was thawed before: the message of the first time may have been lost.
    session
        .queue("RetryQueueUrl")
        .await?
        .ask_for_tenant(tenant)
        .await?;
    writeln!(
        stdout(),
        "The tenant {tenant} {}. The newest upload that waited is taken now.",
        if changed.is_change() {
            "is thawed"
        } else {
            "was not frozen"
        },
    )?;
    Ok(Exit::Done)
}

async fn set(session: &Session, which: &Which, frozen: bool) -> Result<Changed, Failure> {
    let provenance: Provenance = session.provenance(which.provenance.given()).await?;
    Change::new(&session.taxonomies().await?, &which.tenant, &provenance)
        .apply(|configuration| configuration.frozen = frozen)
        .await
}
