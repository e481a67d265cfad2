//! `taxonomy rollback`: commits the content of an older version again.

use std::io::Write as _;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Configuration, Request};
use taxonomy_versioning::{Service, VersioningError};

use crate::arguments::{CommonArguments, version};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request::{self, RequestArguments};
use crate::operator::tenant::change;
use crate::output::stderr;
use crate::stack::Session;

/// Go back to the content of an older version
///
/// Commits the content of an older version as a new version, and freezes the tenant, so that no upload replaces it until the tenant is
/// thawed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy rollback acme 6 --reason 'broken names'
  taxonomy rollback acme 6 --no-freeze --yes")]
pub(crate) struct Rollback {
    /// The tenant
    #[arg(value_name = "TENANT")]
    tenant: TenantId,
    /// The version to go back to
    #[arg(value_name = "VERSION", value_parser = version)]
    version: Version,
    /// Do not freeze the tenant: the next upload counts
    #[arg(long)]
    no_freeze: bool,
    #[command(flatten)]
    request: RequestArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RolledBack<'a> {
    tenant: &'a TenantId,
    /// The new version, which has the content of `to`.
    version: Version,
    to: Version,
    frozen: bool,
}

/// Freezes the tenant, asks for the version, and waits until it is served.
///
/// # Errors
/// [`Failure`] when the version does not exist, or its content is invalid under the current settings.
pub(crate) async fn run(rollback: &Rollback) -> Result<Exit, Failure> {
    let (tenant, to) = (&rollback.tenant, rollback.version);
    let session = Session::open(&rollback.common.stack).await?;
    let service = session.service().await?;
    // Read first, so that the tenant is not frozen for a version that does not exist.
    let entry = service.state(tenant, to).await?.entry;
    let now = version_now(&service, tenant).await?;
    let freezes = if rollback.no_freeze {
        ""
    } else {
        ", and freezes it"
    };
    rollback.request.confirmation.ask(format!(
        "Takes the tenant {tenant} from version {now} back to the content of version {to} ({} terms){freezes}.",
        entry.totals.terms
    )).await?;
    if version_now(&service, tenant).await? != now {
        return Err(VersioningError::Overtaken.into());
    }
    let provenance = session.provenance(rollback.request.provenance.given()).await?;
    let is_frozen = freeze(rollback, &service, &provenance).await?;
    let what = (Request::Rollback { to }, provenance.clone());
    let timeout = rollback.request.timeout();
    let version = match request::ask(&session, tenant, what, timeout).await {
        Ok(version) => version,
        Err(failure) => {
            // A request that still waits may be carried out yet.
            if is_frozen == Frozen::ByThis && matches!(failure, Failure::Versioning(_)) {
                thaw(&service, tenant, &provenance).await;
            }
            return Err(failure);
        }
    };
    let fields = RolledBack {
        tenant,
        version,
        to,
        frozen: is_frozen != Frozen::No,
    };
    rollback.common.output.write(&fields, |out| {
        writeln!(
            out,
            "Version {version} has the content of version {to}, and is served."
        )
    })?;
    Ok(Exit::Done)
}

/// The version of the head; 0 if there is none.
async fn version_now(service: &Service, tenant: &TenantId) -> Result<u64, Failure> {
    let (head, _) = service.heads.read(tenant).await?;
    Ok(head.committed.map_or(0, |head| head.version.get()))
}

/// Whether the rollback froze the tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frozen {
    No,
    Before,
    ByThis,
}

/// Freezes the tenant unless `--no-freeze` was passed. Prints the command that thaws it at once, because an interrupted rollback leaves the
/// tenant frozen.
async fn freeze(rollback: &Rollback, service: &Service, provenance: &Provenance) -> Result<Frozen, Failure> {
    let tenant = &rollback.tenant;
    let was_frozen = if rollback.no_freeze {
        service.configuration(tenant).await?.frozen
    } else {
        let freeze = |configuration: &mut Configuration| configuration.frozen = true;
        let changed = change::apply(service, tenant, provenance, freeze).await?;
        changed.before.frozen
    };
    if rollback.no_freeze && !was_frozen {
        return Ok(Frozen::No);
    }
    writeln!(
        stderr(),
        "The tenant is frozen: uploads wait until it is thawed:\n  taxonomy tenant thaw {tenant}"
    )?;
    Ok(if was_frozen {
        Frozen::Before
    } else {
        Frozen::ByThis
    })
}

/// Thaws the tenant after a failed rollback. An error of the thaw is only printed, because the caller returns the error of the rollback.
async fn thaw(service: &Service, tenant: &TenantId, provenance: &Provenance) {
    let thaw = |configuration: &mut Configuration| configuration.frozen = false;
    match change::apply(service, tenant, provenance, thaw).await {
        Ok(_) => drop(writeln!(stderr(), "The tenant is thawed again.")),
        Err(failure) => failure.report(),
    }
}
