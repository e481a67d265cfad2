//! `taxonomy push`: uploads changed files, and follows each upload until it is served, refused or superseded.

mod follow;
mod job;
mod outcome;
mod plan_file;
mod target;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use clap::Args;
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_store::{Archive, Heads, Sources};

use crate::arguments::{CommonArguments, FailOn, Output};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::provenance::ProvenanceArguments;
use crate::stack::Session;
use job::Job;
use outcome::PushedFile;
pub(crate) use plan_file::PlanFile;
use target::Targets;

/// Upload files that changed, and follow them until they are served
///
/// Uploads a tenant's file unless it is served already, and follows it until it is. A folder holds a file `TENANT.json` or
/// `TENANT.json.gz` for each tenant; all else in it is passed over and listed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy push acme.json --tenant acme
  taxonomy plan acme.json --tenant acme --out acme.plan && taxonomy push acme.json --plan acme.plan
  taxonomy push taxonomies/ --release 2026.2 --jobs 8

Ends with 0 when every file is served, unchanged or superseded by another upload, with 5 when one is refused.")]
pub(crate) struct Push {
    /// The file, or a folder
    #[arg(value_name = "FILE|FOLDER")]
    path: PathBuf,
    /// The tenant of the file; files of a folder are named after theirs
    #[arg(long, value_name = "TENANT", conflicts_with = "plan")]
    tenant: Option<TenantId>,
    /// Push what `taxonomy plan --out` planned: refused if the file or the tenant has changed since
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,
    #[command(flatten)]
    provenance: ProvenanceArguments,
    /// The least severity that makes the command refuse a file and end with 5
    #[arg(long, value_name = "SEVERITY", default_value = "error")]
    fail_on: FailOn,
    /// Let the upload remove more terms than the tenant's limit allows
    #[arg(long)]
    allow_removals: bool,
    /// Upload without following
    #[arg(long)]
    no_wait: bool,
    /// Follow until the items of the version are written as well, which makes reading cheaper
    #[arg(long, conflicts_with = "no_wait")]
    wait_for_table: bool,
    /// The maximum number of seconds to follow an upload
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The maximum number of files of a folder at the same time
    #[arg(long, value_name = "FILES", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    jobs: u8,
    #[command(flatten)]
    common: CommonArguments,
}

/// The clients and limits of the stack that a push uses.
struct PushStack {
    heads: Heads,
    sources: Sources,
    archive: Archive,
    stack_culture: taxonomy_keys::Culture,
    max_file_bytes: u64,
}

/// Pushes a file, or every file of a folder.
///
/// # Errors
/// [`Failure`] when the push cannot begin. The failures of single files are part of their outcomes.
pub(crate) async fn run(push: &Push) -> Result<Exit, Failure> {
    let plan = push.plan.as_deref().map(PlanFile::read).transpose()?;
    let tenant = push.tenant.as_ref().or(plan.as_ref().map(|plan| &plan.tenant));
    let Targets { files, passed_over } = target::targets(&push.path, tenant)?;
    let given = push.provenance.checked_for_upload()?;
    let session = Session::open(&push.common.stack).await?;
    let parts = PushStack {
        heads: session.heads().await?,
        sources: session.sources().await?,
        archive: session.archive().await?,
        stack_culture: session.default_culture().await?,
        max_file_bytes: session.max_file_bytes().await?,
    };
    let provenance = session.provenance(given).await?;
    let progress = Progress::default();
    let jobs = files.iter().map(|target| Job {
        push,
        parts: &parts,
        target,
        plan: plan.as_ref(),
        provenance: &provenance,
        line: progress.line(target.tenant.as_str()),
    });
    // Unordered, so that a slow file does not delay the start of others; sorted again afterwards.
    let pushed = stream::iter(jobs.enumerate())
        .map(async |(number, job)| (number, job.run().await))
        .buffer_unordered(usize::from(push.jobs));
    let pushed: BTreeMap<usize, PushedFile> = pushed.collect().await;
    let pushed: Vec<PushedFile> = pushed.into_values().collect();
    progress.clear();
    write(push.common.output, &pushed, &passed_over)?;
    Ok(pushed.iter().map(PushedFile::exit).fold(Exit::Done, worst))
}

/// Returns the more severe exit code: a failure before a refusal, and missing credentials before both, because they affect every file.
fn worst(one: Exit, other: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Done => 0,
        Exit::Refused => 1,
        Exit::NotSignedIn => 3,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pushes<'a> {
    pushes: Vec<outcome::PushedJson<'a>>,
    /// What a folder has beside files of tenants.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    passed_over: &'a [String],
}

fn write(output: Output, pushed: &[PushedFile], passed_over: &[String]) -> io::Result<()> {
    let pushes = pushed.iter().map(PushedFile::json).collect();
    let pushes = Pushes { pushes, passed_over };
    output.write(&pushes, |mut out| {
        outcome::write(&mut out, pushed)?;
        outcome::write_passed_over(&mut out, passed_over)
    })
}
