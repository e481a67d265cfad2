//! `taxonomy tenant freeze` and `taxonomy tenant thaw`.

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_store::Configuration;

use super::change;
use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::provenance::ProvenanceArguments;
use crate::stack::Session;

#[derive(Debug, Args)]
pub(super) struct Freeze {
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    provenance: ProvenanceArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FrozenTenant<'a> {
    tenant: &'a TenantId,
    frozen: bool,
    /// Whether this command changed the configuration.
    changed: bool,
    revision: u64,
}

/// Freezes a tenant; or thaws it, and sends the projector a message for an upload that waited.
///
/// # Errors
/// [`Failure`] when the configuration cannot be written, or the message cannot be sent.
pub(super) async fn run(freeze: &Freeze, frozen: bool) -> Result<Exit, Failure> {
    let tenant = freeze.tenant.id()?;
    let session = Session::open(&freeze.common.stack).await?;
    let provenance = session.provenance(freeze.provenance.given()).await?;
    let service = session.service().await?;
    let changed = match frozen {
        true => change::apply(&service, tenant, &provenance, change::freezes(&provenance)).await?,
        false => {
            let thaws = |configuration: &mut Configuration| configuration.frozen = None;
            change::apply(&service, tenant, &provenance, thaws).await?
        }
    };
    if !frozen {
        // Sent even if the tenant was not frozen: the message of an earlier thaw may have been lost.
        session.ask_for_tenant(tenant).await?;
    }
    let fields = FrozenTenant {
        tenant,
        frozen: changed.after.frozen.is_some(),
        changed: changed.is_change(),
        revision: changed.after.revision,
    };
    let message = match frozen {
        true => told_frozen(tenant, changed.before.frozen.as_ref()),
        false => told_thawed(tenant, fields.changed),
    };
    let output = freeze.common.output;
    output.write(&fields, |out| writeln!(out, "{message}"))?;
    Ok(Exit::Done)
}

fn told_frozen(tenant: &TenantId, before: Option<&taxonomy_store::Freeze>) -> String {
    let state = match before {
        Some(freeze) => format!("was frozen already, {}", change::described(freeze)),
        None => "is frozen".to_owned(),
    };
    format!("The tenant {tenant} {state}: uploads wait until it is thawed:\n  taxonomy tenant thaw {tenant}")
}

fn told_thawed(tenant: &TenantId, is_change: bool) -> String {
    let state = if is_change { "is thawed" } else { "was not frozen" };
    format!("The tenant {tenant} {state}. If an upload waited, the newest one is taken now.")
}
