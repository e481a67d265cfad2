//! `taxonomy plan`: compares a file with the newest version of a tenant, or with another file.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::{Defaults, Taxonomy};
use taxonomy_store::RemovalLimit;

use crate::arguments::{CommonArguments, Configured, FailOn, Output};
use crate::difference::{TaxonomyDifference, tenant_or_any, warn_of_other_concepts, write_human};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{self, MAX_BYTES, Target};
use crate::output::{beside, print_document, stderr, write_document};
use crate::stack::Session;
use crate::upstream::push::PlanFile;
use crate::upstream::tenant_state::{TenantState, defaults};
use crate::upstream::validate::{AcceptedFile, Validated, explain, read_accepted, warn};

/// The value of `--against` for a tenant without a taxonomy.
const EMPTY: &str = "empty";

/// Show what a file would change
///
/// Compares a file with the newest version of a tenant, or with another file, as the service would. Shows the operations, the writes of
/// the projection, and whether the removals would be refused.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy plan acme.json --tenant acme
  taxonomy plan acme.json --tenant acme --out acme.plan && taxonomy push acme.json --plan acme.plan
  taxonomy plan acme.json --against published.json
  taxonomy plan acme.json --against empty --output json
  taxonomy plan acme.json --against published.json --detailed-exitcode || test $? -eq 3")]
pub(crate) struct Plan {
    /// The file; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file to compare with instead of the tenant's newest version; `empty` stands for a tenant without a taxonomy
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// The tenant, under whose configuration the file is read; with `--against` only its id counts, a part of each item of the estimate
    #[arg(long, value_name = "TENANT")]
    tenant: Option<TenantId>,
    /// Keep the plan for `taxonomy push --plan`; with `-` standard output has the plan, and standard error the difference
    #[arg(long, value_name = "PLAN", conflicts_with = "against")]
    out: Option<PathBuf>,
    /// The configuration of the stack and the tenant, where `--against` names a file.
    #[command(flatten)]
    configured: Configured,
    /// The least severity that makes the command refuse the file and end with 5
    #[arg(long, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// Show every operation, not only the first of each kind
    #[arg(long)]
    full: bool,
    /// End with 3 where there are differences
    #[arg(long)]
    detailed_exitcode: bool,
    /// Removing more than so many percent of the terms, and more than `--removal-terms`, would be refused [default: 50, or the tenant's]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    removal_percent: Option<u8>,
    /// See `--removal-percent` [default: 20, or the tenant's]
    #[arg(long, value_name = "TERMS")]
    removal_terms: Option<u64>,
    #[command(flatten)]
    common: CommonArguments,
}

/// The taxonomy that a file is compared with, and the configuration for reading both.
pub(crate) struct PlanBase {
    pub(crate) old: Option<Taxonomy>,
    pub(crate) tenant: TenantId,
    pub(crate) defaults: Defaults,
    pub(crate) removal_limit: RemovalLimit,
    pub(crate) max_file_bytes: u64,
    /// The state of the tenant, if the base is its newest version.
    pub(crate) of_tenant: Option<TenantState>,
}

/// Compares the file with the base, and writes the difference.
///
/// # Errors
/// [`Failure`] when a file or the tenant cannot be read, or the output cannot be written.
pub(crate) async fn run(plan: &Plan) -> Result<Exit, Failure> {
    let inputs = || [plan.file.as_path()].into_iter().chain(plan.common.stack.files());
    let out = plan.out.as_deref().map(|out| Target::new(out, inputs()));
    let out = out.transpose()?;
    let base = match (&plan.against, &plan.tenant) {
        (Some(against), tenant) => file_base(plan, against, tenant.as_ref()).await?,
        (None, Some(tenant)) => tenant_base(&Session::open(&plan.common.stack).await?, tenant).await?,
        (None, None) => {
            return Err(Failure::usage(
                "name the tenant by `--tenant`, or by `--against` a file to compare with",
            ));
        }
    };
    let output = plan.common.output;
    let AcceptedFile {
        taxonomy: new,
        sha256,
        validated,
    } = read_accepted(&plan.file, base.max_file_bytes, base.defaults, output).await?;
    if validated.fails(plan.fail_on) {
        return Err(Failure::invalid(validated, output));
    }
    let removal_limit = RemovalLimit {
        percent: plan.removal_percent.map_or(base.removal_limit.percent, u64::from),
        terms: plan.removal_terms.unwrap_or(base.removal_limit.terms),
    };
    let difference = TaxonomyDifference::between(base.old.as_ref(), &new, &base.tenant, Some(removal_limit));
    let is_stdout_taken = out.as_ref().is_some_and(Target::is_stdout);
    show(plan, beside(is_stdout_taken), &difference, &validated)?;
    if let (Some(out), Some(state)) = (&out, base.of_tenant) {
        PlanFile::new(base.tenant, &state, sha256).write(out)?;
    }
    let has_other_concepts = plan.fail_on == FailOn::Warning && !difference.changed_identifiers.is_empty();
    Ok(if difference.exceeds_removal_limit || has_other_concepts {
        Exit::Refused
    } else if plan.detailed_exitcode && !difference.is_empty() {
        Exit::Different
    } else {
        Exit::Done
    })
}

/// The JSON form of a plan: a difference, and the report of a file with warnings.
#[derive(Serialize)]
struct Planned<'a> {
    #[serde(flatten)]
    difference: &'a TaxonomyDifference,
    #[serde(skip_serializing_if = "Option::is_none")]
    warned: Option<&'a Validated>,
}

/// Shows the warnings of the file and the difference.
fn show(
    plan: &Plan,
    mut out: impl io::Write,
    difference: &TaxonomyDifference,
    validated: &Validated,
) -> io::Result<()> {
    match plan.common.output {
        Output::Human => {
            warn(&mut stderr(), validated)?;
            warn_of_other_concepts(&mut stderr(), &difference.changed_identifiers)?;
            write_human(&mut out, difference, plan.full)
        }
        Output::Json => {
            let warned = validated.has_warnings().then_some(validated);
            write_document(&mut out, &Planned { difference, warned })
        }
    }
}

/// Reads a base from a file.
async fn file_base(plan: &Plan, against: &Path, tenant: Option<&TenantId>) -> Result<PlanBase, Failure> {
    if file::is_stdin(&plan.file) && file::is_stdin(against) {
        return Err(Failure::usage(
            "standard input has one file, and two are to be compared",
        ));
    }
    let defaults = plan.configured.defaults();
    let old = if against.as_os_str() == EMPTY {
        None
    } else {
        let file = read_accepted(against, MAX_BYTES, defaults.clone(), plan.common.output);
        Some(file.await?.taxonomy)
    };
    Ok(PlanBase {
        old,
        tenant: tenant_or_any(tenant)?,
        defaults,
        removal_limit: RemovalLimit::default(),
        max_file_bytes: MAX_BYTES,
        of_tenant: None,
    })
}

/// Reads the newest version of a tenant as the base.
///
/// # Errors
/// [`Failure`] when the stack cannot be read.
pub(crate) async fn tenant_base(session: &Session, tenant: &TenantId) -> Result<PlanBase, Failure> {
    let state = TenantState::read(&session.heads().await?, &session.sources().await?, tenant).await?;
    let old = match &state.head.committed {
        Some(head) => {
            let archive = session.archive().await?;
            Some(archive.snapshot(&head.snapshot_key, &head.state).await?)
        }
        None => None,
    };
    Ok(PlanBase {
        old,
        tenant: tenant.clone(),
        defaults: defaults(&state.configuration, session.default_culture().await?),
        removal_limit: state.configuration.removal_limit,
        max_file_bytes: session.max_file_bytes().await?,
        of_tenant: Some(state),
    })
}

/// The JSON form of a file that cannot be compared: its report instead of a difference.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Refusal<'a> {
    refused: &'a Validated,
}

/// Writes the report of a file that a command cannot use.
///
/// # Errors
/// [`Failure`] when the output cannot be written.
pub(crate) fn refuse(output: Output, refused: &Validated) -> Result<Exit, Failure> {
    match output {
        Output::Human => explain(&mut stderr(), refused),
        Output::Json => print_document(&Refusal { refused }),
    }?;
    Ok(Exit::Refused)
}
