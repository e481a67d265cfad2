//! `taxonomy rollback`: commits the content of an older version again.

use std::io::{self, Write as _};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::Request;
use taxonomy_versioning::{Service, VersioningError};

use crate::arguments::{Output, version};
use crate::confirm::Confirmation;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request;
use crate::operator::tenant::change::Change;
use crate::output::{FORMAT_VERSION, document, stderr, stdout};
use crate::provenance::ProvenanceArguments;
use crate::stack::{Session, StackArguments};

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
    confirmation: Confirmation,
    #[command(flatten)]
    provenance: ProvenanceArguments,
    /// The maximum number of seconds to wait until the version is served
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    format_version: u32,
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
    let session = Session::open(&rollback.stack).await?;
    let service = session.service().await?;
    // Read first, so that the tenant is not frozen for a version that does not exist.
    let entry = service.state(tenant, to).await?.entry;
    let (head, _) = service.heads().read(tenant).await?;
    let now = head.committed.map_or(0, |head| head.version.get());
    let freezes = if rollback.no_freeze {
        ""
    } else {
        ", and freezes it"
    };
    rollback.confirmation.ask(format!(
        "Takes the tenant {tenant} from version {now} back to the content of version {to} ({} terms){freezes}.",
        entry.totals.terms
    )).await?;
    if service
        .heads()
        .read(tenant)
        .await?
        .0
        .committed
        .map_or(0, |head| head.version.get())
        != now
    {
        return Err(VersioningError::Overtaken.into());
    }
    let provenance = session.provenance(rollback.provenance.given()).await?;
    let is_frozen = freeze(rollback, &service, &provenance).await?;
    let what = (Request::Rollback { to }, provenance.clone());
    let timeout = Duration::from_secs(rollback.timeout);
    let version = match request::ask(&session, tenant, what, timeout).await {
        Ok(version) => version,
        Err(failure) => {
            // A request that still waits may be carried out yet.
            if is_frozen == Frozen::ByThis && matches!(failure, Failure::Protocol(_)) {
                thaw(&service, tenant, &provenance).await;
            }
            return Err(failure);
        }
    };
    match rollback.output {
        Output::Human => writeln!(
            stdout(),
            "Version {version} has the content of version {to}, and is served."
        )?,
        Output::Json => document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                tenant,
                version,
                to,
                frozen: is_frozen != Frozen::No,
            },
        )?,
    }
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
    let tenant = &rollback.tenant;
    let was_frozen = if rollback.no_freeze {
        service.configuration(tenant).await?.frozen
    } else {
        let change = Change::new(service, tenant, provenance);
        let changed = change.apply(|configuration| configuration.frozen = true).await?;
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
    let change = Change::new(service, tenant, provenance);
    match change.apply(|configuration| configuration.frozen = false).await {
        Ok(_) => drop(writeln!(stderr(), "The tenant is thawed again.")),
        Err(failure) => failure.report(),
    }
}
