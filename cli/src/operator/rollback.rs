//! `taxonomy rollback`: commits the content of an older version again.

use std::io::Write as _;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::{Configuration, Request};
use taxonomy_versioning::{Service, VersioningError};

use crate::arguments::{CommonArguments, SubjectTenant, version};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request::{self, RequestArguments};
use crate::operator::tenant::change;
use crate::output::{counted, stderr};
use crate::stack::Session;

/// Go back to the content of an older version
///
/// Commits the content of an older version as a new version, and freezes the tenant, so that no upload replaces it until the tenant is
/// thawed.
#[derive(Debug, Args)]
#[command(
    allow_missing_positional = true,
    after_help = "\
Examples:
  taxonomy rollback acme 6 --reason 'broken names'
  taxonomy rollback acme 6 --no-freeze --yes"
)]
pub(crate) struct Rollback {
    #[command(flatten)]
    tenant: SubjectTenant,
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
    /// The served version, which has the content of `to`.
    version: Version,
    to: Version,
    frozen: bool,
    /// Whether this rollback committed it; false where the tenant had the content already.
    committed: bool,
}

/// Freezes the tenant, asks for the version, and waits until it is served.
///
/// # Errors
/// [`Failure`] when the version does not exist, or its content is invalid under the current settings.
pub(crate) async fn run(rollback: &Rollback) -> Result<Exit, Failure> {
    let (tenant, to) = (rollback.tenant.id()?, rollback.version);
    let session = Session::open(&rollback.common.stack).await?;
    let service = session.service().await?;
    // Read first, so that the tenant is not frozen for a version that does not exist.
    let entry = service.state(tenant, to).await?.entry;
    let (head, _) = service.heads.read(tenant).await?;
    let head = head.committed.ok_or(VersioningError::NoVersion)?;
    let now = head.version;
    let takes = match head.state == entry.state {
        true => format!(
            "Version {now} of the tenant {tenant} has the content of version {to} already: commits nothing"
        ),
        false => format!(
            "Takes the tenant {tenant} from version {now} back to the content of version {to} ({})",
            counted(entry.totals.terms, "term")
        ),
    };
    let freezes = if rollback.no_freeze {
        ""
    } else {
        ", and freezes it"
    };
    let confirmed = rollback.request.confirmation.ask(format!("{takes}{freezes}."));
    confirmed.await?;
    let (head, _) = service.heads.read(tenant).await?;
    if head.committed.map(|head| head.version) != Some(now) {
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
        committed: version > now,
    };
    let has = if fields.committed { "has" } else { "already had" };
    rollback.common.output.write(&fields, |out| {
        writeln!(
            out,
            "Version {version} {has} the content of version {to}, and is served."
        )
    })?;
    Ok(Exit::Done)
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
    let tenant = rollback.tenant.id()?;
    let was_frozen = if rollback.no_freeze {
        service.configuration(tenant).await?.frozen
    } else {
        let changed = change::apply(service, tenant, provenance, change::freezes(provenance)).await?;
        changed.before.frozen
    };
    if rollback.no_freeze && was_frozen.is_none() {
        return Ok(Frozen::No);
    }
    let since = was_frozen
        .as_ref()
        .map(|freeze| format!(" {}", change::described(freeze)));
    writeln!(
        stderr(),
        "The tenant is frozen{}: uploads wait until it is thawed:\n  taxonomy tenant thaw {tenant}",
        since.unwrap_or_default()
    )?;
    Ok(match was_frozen {
        Some(_) => Frozen::Before,
        None => Frozen::ByThis,
    })
}

/// Thaws the tenant after a failed rollback. An error of the thaw is only printed, because the caller returns the error of the rollback.
async fn thaw(service: &Service, tenant: &TenantId, provenance: &Provenance) {
    let thaw = |configuration: &mut Configuration| configuration.frozen = None;
    match change::apply(service, tenant, provenance, thaw).await {
        Ok(_) => drop(writeln!(stderr(), "The tenant is thawed again.")),
        Err(failure) => failure.report(),
    }
}
