//! `taxonomy rebuild`: commits a full version, which writes every item again.

use std::io::{self, Write as _};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::Provenance;
use taxonomy_store::Request;

use crate::arguments::Output;
use crate::confirm::Confirmation;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request;
use crate::output::{FORMAT_VERSION, document, grouped, stdout};
use crate::provenance::ProvenanceArguments;
use crate::stack::{Session, StackArguments};

/// Write every item of a tenant again
///
/// Commits the content of the newest version once more, as a version that writes every item again.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy rebuild acme --reason 'table restored'")]
pub(crate) struct Rebuild {
    /// The tenant
    #[arg(value_name = "TENANT")]
    tenant: TenantId,
    #[command(flatten)]
    confirmation: Confirmation,
    #[command(flatten)]
    provenance: ProvenanceArguments,
    /// The maximum number of seconds to wait for the version, and for its items
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
    version: Version,
}

/// Asks for the version, and waits until its items are written.
///
/// # Errors
/// [`Failure`] when the tenant has no version, or changes at the same time.
pub(crate) async fn run(rebuild: &Rebuild) -> Result<Exit, Failure> {
    let tenant = &rebuild.tenant;
    let session = Session::open(&rebuild.stack).await?;
    let (head, _) = session.heads().await?.read(tenant).await?;
    let terms = head.committed.map_or(0, |head| head.terms);
    rebuild.confirmation.ask(format!(
        "Writes every item of the tenant {tenant} again: {} terms in each culture, and everything that was ever removed.",
        grouped(terms)
    )).await?;
    let provenance = session.provenance(rebuild.provenance.given()).await?;
    let timeout = Duration::from_secs(rebuild.timeout);
    let version = rebuilt(&session, tenant, provenance, timeout).await?;
    match rebuild.output {
        Output::Human => writeln!(stdout(), "Version {version} has every item written again.")?,
        Output::Json => document(
            &mut io::stdout().lock(),
            &Document {
                format_version: FORMAT_VERSION,
                tenant,
                version,
            },
        )?,
    }
    Ok(Exit::Done)
}

/// Asks for a rebuild, and waits until its items are written.
///
/// # Errors
/// As [`run`].
pub(super) async fn rebuilt(
    session: &Session,
    tenant: &TenantId,
    provenance: Provenance,
    timeout: Duration,
) -> Result<Version, Failure> {
    let version = request::ask(session, tenant, (Request::Rebuild, provenance), timeout).await?;
    request::wait_for_table(&session.heads().await?, tenant, version, timeout).await?;
    Ok(version)
}
