//! `taxonomy rebuild`: commits a full version, which writes every item again.

use clap::Args;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_store::Request;

use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request::{self, RequestArguments};
use crate::output::grouped;
use crate::stack::Session;

/// Write every item of a tenant again
///
/// Commits the content of the newest version once more, as a version that writes every item again.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy rebuild acme --reason 'table restored'")]
pub(crate) struct Rebuild {
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    request: RequestArguments,
    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rebuilt<'a> {
    tenant: &'a TenantId,
    version: Version,
}

/// Asks for the version, and waits until its items are written.
///
/// # Errors
/// [`Failure`] when the tenant has no version, or changes at the same time.
pub(crate) async fn run(rebuild: &Rebuild) -> Result<Exit, Failure> {
    let tenant = rebuild.tenant.id()?;
    let session = Session::open(&rebuild.common.stack).await?;
    let (head, _) = session.heads().await?.read(tenant).await?;
    let terms = head.committed.map_or(0, |head| head.terms);
    rebuild.request.confirmation.ask(format!(
        "Writes every item of the tenant {tenant} again: {} terms in each culture, and everything that was ever removed.",
        grouped(terms)
    )).await?;
    let provenance = session.provenance(rebuild.request.provenance.given()).await?;
    let timeout = rebuild.request.timeout();
    let version = request::ask(&session, tenant, (Request::Rebuild, provenance), timeout).await?;
    request::wait_for_table(&session.heads().await?, tenant, version, timeout).await?;
    rebuild.common.output.write(&Rebuilt { tenant, version }, |out| {
        writeln!(out, "Version {version} has every item written again.")
    })?;
    Ok(Exit::Done)
}
