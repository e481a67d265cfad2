//! `taxonomy tenant`: lists tenants, and shows and changes the configuration of a tenant.

pub(crate) mod change;
mod freeze;
mod list;
mod purge;
mod set;
pub(crate) mod show;

use clap::{Args, Subcommand};

use crate::exit::Exit;
use crate::failure::Failure;

/// List and configure tenants
///
/// Lists tenants, shows and changes the configuration of one.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Tenant {
    #[command(subcommand)]
    command: TenantCommand,
}

#[derive(Debug, Subcommand)]
enum TenantCommand {
    List(list::List),
    Show(show::Show),
    Set(set::Set),
    /// Hold uploads and settings of a tenant
    ///
    /// Holds uploads and settings of a tenant until it is thawed. Lookups continue.
    #[command(after_help = "\
Example:
  taxonomy tenant freeze acme --reason 'upstream is being mended'")]
    Freeze(freeze::Freeze),
    /// Process uploads and settings of a tenant again
    ///
    /// Processes uploads and settings of a tenant again, beginning with the newest upload that waited.
    #[command(after_help = "\
Example:
  taxonomy tenant thaw acme")]
    Thaw(freeze::Freeze),
    Purge(purge::Purge),
}

/// Runs a command of this group.
///
/// # Errors
/// [`Failure`] of the command.
pub(crate) async fn run(tenant: &Tenant) -> Result<Exit, Failure> {
    match &tenant.command {
        TenantCommand::List(list) => list::run(list).await,
        TenantCommand::Show(show) => show::run(show).await,
        TenantCommand::Set(set) => set::run(set).await,
        TenantCommand::Freeze(freeze) => freeze::run(freeze, true).await,
        TenantCommand::Thaw(thaw) => freeze::run(thaw, false).await,
        TenantCommand::Purge(purge) => purge::run(purge).await,
    }
}
