//! `taxonomy diff`: the difference between two versions, two files, or one of each.

use clap::Args;
use taxonomy_keys::TenantId;

use crate::arguments::{CommonArguments, Configured};
use crate::difference::{TaxonomyDifference, tenant_or_any, write_human};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file;
use crate::operator::side::{Side, Sides};

/// Show the changes from one version or file to another
///
/// Shows the changes from one version or file to another.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy diff 3 7 --tenant acme
  taxonomy diff 7 acme.json --tenant acme
  taxonomy diff old.json new.json

A number is a version; a file whose name is a number is written ./7.")]
pub(crate) struct Diff {
    /// The version or file that is compared with
    #[arg(value_name = "VERSION|FILE")]
    from: Side,
    /// The version or file that is compared
    #[arg(value_name = "VERSION|FILE")]
    to: Side,
    /// The tenant of versions, under whose configuration files are read
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// The configuration of the stack and the tenant, where two files are compared.
    #[command(flatten)]
    configured: Configured,
    /// Show every operation, not only the first of each kind
    #[arg(long)]
    full: bool,
    /// End with 3 where there are differences
    #[arg(long)]
    detailed_exitcode: bool,
    #[command(flatten)]
    common: CommonArguments,
}

/// Compares two sides.
///
/// # Errors
/// [`Failure`] when a side cannot be read, or the output cannot be written.
pub(crate) async fn run(diff: &Diff) -> Result<Exit, Failure> {
    let is_stdin = |side: &Side| matches!(side, Side::File(path) if file::is_stdin(path));
    if is_stdin(&diff.from) && is_stdin(&diff.to) {
        return Err(Failure::usage(
            "standard input has one file, and two are to be compared",
        ));
    }
    let has_version = [&diff.from, &diff.to]
        .iter()
        .any(|side| matches!(side, Side::Version(_)));
    let tenant = diff.tenant.as_ref();
    if tenant.is_none() && has_version {
        return Err(Failure::usage("a version needs `--tenant`"));
    }
    let output = diff.common.output;
    let sides = Sides::open(tenant, &diff.common.stack, &diff.configured, output).await?;
    let (old, new) = (sides.read(&diff.from).await?, sides.read(&diff.to).await?);
    let difference = TaxonomyDifference::between(
        Some(&old),
        &new,
        &tenant_or_any(tenant)?,
        // No removal limit: a committed version cannot be refused.
        None,
    );
    output.write(&difference, |out| write_human(out, &difference, diff.full))?;
    Ok(if diff.detailed_exitcode && !difference.is_empty() {
        Exit::Different
    } else {
        Exit::Done
    })
}
