//! `taxonomy rollback`: the content of an older version once more.

use std::io::{self, Write as _};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_protocol::{ProtocolError, Taxonomies};
use taxonomy_runtime::SystemClock;

use crate::arguments::{Output, version};
use crate::confirm::Confirmation;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::projection;
use crate::operator::tenant::change::Change;
use crate::output::{FORMAT_VERSION, document, stderr, stdout};
use crate::provenance::ProvenanceArguments;
use crate::stack::{Session, StackArguments};

/// Go back to the content of an older version
///
/// Commits what an older version had as a new version, and freezes the tenant, so that no upload replaces it until the tenant is thawed.
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
    /// The most seconds to wait until the version is served
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
    /// The version that has the content of `to`.
    version: Version,
    to: Version,
    frozen: bool,
}

/// Freezes, commits, and waits until the version is served.
///
/// # Errors
/// [`Failure`] when there is no such version, or its content cannot be had under the settings of today.
pub(crate) async fn run(rollback: &Rollback) -> Result<Exit, Failure> {
    let (tenant, to) = (&rollback.tenant, rollback.version);
    let session = Session::open(&rollback.stack).await?;
    let taxonomies = session.taxonomies().await?;
    // Nothing is frozen for a version that is not there.
    let entry = taxonomies.state(tenant, to).await?.entry;
    let (head, _) = taxonomies.heads().read(tenant).await?;
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
    if taxonomies
        .heads()
        .read(tenant)
        .await?
        .0
        .committed
        .map_or(0, |head| head.version.get())
        != now
    {
        return Err(ProtocolError::Overtaken.into());
    }
    let provenance = session.provenance(rollback.provenance.given()).await?;
    let is_frozen = freeze(rollback, &taxonomies, &provenance).await?;
    let version = match taxonomies.roll_back(tenant, to, provenance.clone()).await {
        Ok(version) => version,
        Err(error) => {
            if is_frozen == Frozen::ByThis {
                thaw(&taxonomies, tenant, &provenance).await;
            }
            return Err(error.into());
        }
    };
    projection::follow(&session, tenant, version, Duration::from_secs(rollback.timeout)).await?;
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

/// Whether the tenant is frozen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frozen {
    No,
    Before,
    ByThis,
}

/// Freezes the tenant unless that is not wanted, and says at once how to thaw it: whatever happens next, it stays frozen until then.
async fn freeze(
    rollback: &Rollback,
    taxonomies: &Taxonomies<SystemClock>,
    provenance: &Provenance,
) -> Result<Frozen, Failure> {
    let tenant = &rollback.tenant;
    let was_frozen = if rollback.no_freeze {
        taxonomies.configuration(tenant).await?.frozen
    } else {
        let change = Change::new(taxonomies, tenant, provenance);
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

/// Takes back a freeze after a rollback that failed, whose error counts more than one of this.
async fn thaw(taxonomies: &Taxonomies<SystemClock>, tenant: &TenantId, provenance: &Provenance) {
    let change = Change::new(taxonomies, tenant, provenance);
    match change.apply(|configuration| configuration.frozen = false).await {
        Ok(_) => drop(writeln!(stderr(), "The tenant is thawed again.")),
        Err(failure) => failure.report(),
    }
}
