//! `taxonomy push`: uploads changed files, and follows each upload until it is served, refused or superseded.

mod follow;
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
use taxonomy_model::{Hash, Provenance};
use taxonomy_store::{Archive, Configuration, Head, Heads, Sources, Upload};

use crate::arguments::{CommonArguments, FailOn, Output};
use crate::blocking;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{self, GZIP, MAX_BYTES};
use crate::progress::{Progress, ProgressLine};
use crate::provenance::ProvenanceArguments;
use crate::stack::Session;
use crate::upstream::tenant_state::{TenantState, defaults};
use crate::upstream::validate::{Validated, validate_content};
use outcome::{Outcome, PushedFile};
pub(crate) use plan_file::PlanFile;
use target::TenantFile;

/// Upload files that changed, and follow them until they are served
///
/// Uploads a tenant's file unless it is served already, and follows it until it is. A folder holds a file `TENANT.json` or
/// `TENANT.json.gz` for each tenant.
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

/// The advice if a plan is no longer valid.
const PLAN_AGAIN: &str = "Plan again, and check the difference.";

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
    let targets = target::targets(&push.path, tenant)?;
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
    let jobs = targets.iter().map(|target| Job {
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
    write(push.common.output, &pushed)?;
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

/// A file to push.
struct Job<'a> {
    push: &'a Push,
    parts: &'a PushStack,
    target: &'a TenantFile,
    plan: Option<&'a PlanFile>,
    provenance: &'a Provenance,
    line: ProgressLine,
}

impl Job<'_> {
    async fn run(self) -> PushedFile {
        let mut warned = None;
        let outcome = self.attempt(&mut warned).await;
        PushedFile {
            tenant: self.target.tenant.clone(),
            file: file::name(&self.target.path),
            warned,
            outcome: outcome.unwrap_or_else(Outcome::Failed),
        }
    }

    /// Pushes the file. The report of a file that is uploaded with warnings goes to `warned`.
    async fn attempt(&self, warned: &mut Option<Box<Validated>>) -> Result<Outcome, Failure> {
        let PushStack { heads, sources, .. } = self.parts;
        let tenant = &self.target.tenant;
        self.line.say("reading the file");
        let bytes = self.read().await?;
        let sha256 = Hash::digest(&bytes);
        let before = TenantState::read(heads, sources, tenant).await?;
        if let Some(plan) = self.plan {
            plan.check_file(&sha256)?;
        }
        if let Some(outcome) = self.known(&before, &sha256).await? {
            return Ok(outcome);
        }
        if let Some(plan) = self.plan {
            plan.check(&before)?;
        }
        if before.configuration.frozen && !self.push.no_wait {
            return Err(frozen(tenant));
        }
        self.line.say("validating");
        let (bytes, validated) = self.validate(&before.configuration, bytes).await?;
        if validated.fails(self.push.fail_on) {
            return Ok(Outcome::Invalid(Box::new(validated)));
        }
        *warned = validated.has_warnings().then(|| Box::new(validated));
        self.line.say("uploading");
        let upload = Upload {
            is_gzip: bytes.starts_with(&GZIP),
            bytes,
            provenance: self.provenance.clone(),
            allows_removals: self.push.allow_removals,
        };
        let version_id = sources.upload(tenant, &upload, before.object.as_ref()).await?;
        drop(upload);
        self.follow(before.version(), &version_id, &sha256).await
    }

    async fn read(&self) -> Result<Vec<u8>, Failure> {
        let path = self.target.path.clone();
        let most = self.parts.max_file_bytes.min(MAX_BYTES);
        let stored = blocking::run(move || file::stored(&path, most)).await?;
        stored.ok_or_else(|| {
            Failure::refused(
                format!("{} has more than {most} bytes", file::name(&self.target.path)),
                "The service would refuse it.",
            )
        })
    }

    /// Returns the outcome of a file that is already uploaded: that of the head, or that of an upload that the projector has not
    /// processed yet.
    async fn known(&self, before: &TenantState, sha256: &Hash) -> Result<Option<Outcome>, Failure> {
        let Some(object) = &before.object else {
            return Ok(None);
        };
        let is = |version_id: &str| version_id == object.version_id;
        let Head {
            committed, refused, ..
        } = &before.head;
        let is_refused = refused.as_ref().is_some_and(|refused| is(&refused.version_id));
        if let Some(head) = committed.as_ref().filter(|head| is(&head.source.version_id)) {
            // After a rollback the head is detached from its source, so pushing the same file again is a change.
            if head.source.sha256 != *sha256 || head.detached {
                return Ok(None);
            }
            if head.is_settled() || !self.push.wait_for_table {
                let version = head.version;
                return Ok(Some(Outcome::Unchanged { version }));
            }
            // The version belongs to this file, even if another run uploaded it. With 0, its publication counts as new.
            return self.follow(0, &object.version_id, sha256).await.map(Some);
        } else if object.claimed_sha256.as_ref() != Some(sha256)
            || object.allows_removals != self.push.allow_removals
            || is_refused
        {
            return Ok(None);
        } else if before.configuration.frozen && !self.push.no_wait {
            return Err(frozen(&self.target.tenant));
        }
        let followed = self.follow(before.version(), &object.version_id, sha256);
        followed.await.map(Some)
    }

    /// Validates the file as the service will. Returns it with its report.
    async fn validate(
        &self,
        configuration: &Configuration,
        bytes: Vec<u8>,
    ) -> Result<(Vec<u8>, Validated), Failure> {
        let defaults = defaults(configuration, self.parts.stack_culture.clone());
        let name = file::name(&self.target.path);
        blocking::run(move || {
            let (_, validated) = validate_content(name, Some(&bytes), &defaults);
            Ok((bytes, validated))
        })
        .await
    }
}

/// Returns the failure of a push for a frozen tenant.
fn frozen(tenant: &TenantId) -> Failure {
    Failure::unable(
        format!("the tenant {tenant} is frozen"),
        format!(
            "Uploads wait until `taxonomy tenant thaw {tenant}`; `--no-wait` uploads now and does not wait."
        ),
    )
}

#[derive(Serialize)]
struct Pushes<'a> {
    pushes: Vec<outcome::PushedJson<'a>>,
}

fn write(output: Output, pushed: &[PushedFile]) -> io::Result<()> {
    let pushes = pushed.iter().map(PushedFile::json).collect();
    output.write(&Pushes { pushes }, |mut out| outcome::write(&mut out, pushed))
}

impl PlanFile {
    /// Refuses a file other than the planned one.
    fn check_file(&self, sha256: &Hash) -> Result<(), Failure> {
        if self.sha256 == *sha256 {
            return Ok(());
        }
        Err(Failure::refused(
            "the file is not the one that was planned",
            PLAN_AGAIN,
        ))
    }

    /// Refuses the plan if the head, the configuration or the source object of the tenant has changed since.
    fn check(&self, state: &TenantState) -> Result<(), Failure> {
        let tenant = &self.tenant;
        let now = plan_file::PlannedHead::new(&state.head);
        let changed = if self.base != now {
            let version =
                |base: &Option<plan_file::PlannedHead>| base.as_ref().map_or(0, |base| base.version.get());
            let (was, is) = (version(&self.base), version(&now));
            format!("the tenant {tenant} has moved from version {was} to {is} since the plan")
        } else if self.revision != state.configuration.revision {
            format!("the tenant {tenant} was configured since the plan")
        } else if self.object.as_deref() != state.object_version() {
            format!("another file was uploaded for the tenant {tenant} since the plan")
        } else {
            return Ok(());
        };
        Err(Failure::refused(changed, PLAN_AGAIN))
    }
}
