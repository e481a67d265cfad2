//! `taxonomy rollback`: the content of an older version once more.

use std::io::{self, Write as _};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};

use crate::arguments::{Output, version};
use crate::confirm::Confirmation;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::projection;
use crate::operator::tenant::change::Change;
use crate::output::{FORMAT_VERSION, document, stdout};
use crate::provenance::ProvenanceArguments;
use crate::stack::{Session, StackArguments};

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
    rollback.confirmation.ask(&format!(
        "Takes the tenant {tenant} from version {now} back to the content of version {to} ({} terms){freezes}.",
        entry.totals.terms
    ))?;
    let provenance = session.provenance(rollback.provenance.given()).await?;
    let was_frozen = if rollback.no_freeze {
        taxonomies.configuration(tenant).await?.frozen
    } else {
        Change::new(&taxonomies, tenant, &provenance)
            .apply(|configuration| configuration.frozen = true)
            .await?
            .before
            .frozen
    };
    let committed = taxonomies.roll_back(tenant, to, provenance.clone()).await;
    let version = match committed {
        Ok(version) => version,
        Err(error) => {
            if !was_frozen && !rollback.no_freeze {
                Change::new(&taxonomies, tenant, &provenance)
                    .apply(|configuration| configuration.frozen = false)
                    .await?;
            }
            return Err(error.into());
        }
    };
    projection::follow(&session, tenant, version, Duration::from_secs(rollback.timeout)).await?;
    let frozen = was_frozen || !rollback.no_freeze;
    match rollback.output {
        Output::Human => {
            let mut out = stdout();
            writeln!(
                out,
                "Version {version} has the content of version {to}, and is served."
            )?;
            if frozen {
                writeln!(
                    out,
                    "The tenant is frozen: uploads wait until it is thawed:\n  taxonomy tenant thaw {tenant}"
                )?;
            }
        }
        Output::Json => document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                tenant,
                version,
                to,
                frozen,
            },
        )?,
    }
    Ok(Exit::Done)
}
