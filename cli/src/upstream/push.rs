//! `taxonomy push`: uploads files that changed, and follows each until it is published, refused or superseded.

mod follow;
mod outcome;
mod plan_file;
mod target;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use futures_util::{StreamExt as _, stream};
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_model::{Defaults, Hash, Provenance};
use taxonomy_store::{Archive, Configuration, Head, Heads, Sources, Upload};

use crate::arguments::Output;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::file::{self, GZIP, MAX_BYTES, Stored};
use crate::output::{FORMAT_VERSION, document, stdout};
use crate::progress::Progress;
use crate::provenance::ProvenanceArguments;
use crate::stack::{Session, StackArguments};
use crate::upstream::validate::{Validated, validate_content};
use outcome::{Outcome, Push as Pushed};
pub(crate) use plan_file::PlanFile;
use target::Target;

/// Uploads a tenant's file unless it is published already, and follows it until it is. A folder holds a file `TENANT.json` or
/// `TENANT.json.gz` for each tenant.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy push acme.json --tenant acme
  taxonomy plan acme.json --tenant acme --out acme.plan && taxonomy push acme.json --plan acme.plan
  taxonomy push taxonomies/ --release 2026.2 --jobs 8

Ends with 0 when every file is published, unchanged or superseded by another upload, with 5 when one is refused.")]
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
    /// Let the upload remove more terms than the tenant's limit allows
    #[arg(long)]
    allow_removals: bool,
    /// Upload without following
    #[arg(long)]
    no_wait: bool,
    /// The most seconds to follow an upload
    #[arg(long, value_name = "SECONDS", default_value_t = 900, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// The most files of a folder at the same time
    #[arg(long, value_name = "FILES", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    jobs: u8,
    /// The form of the output
    #[arg(long, value_name = "FORM", default_value = "human")]
    output: Output,
    #[command(flatten)]
    stack: StackArguments,
}

/// The parts of the stack that a push speaks to.
struct Parts {
    heads: Heads,
    sources: Sources,
    archive: Archive,
    stack_culture: taxonomy_keys::Culture,
    max_file_bytes: u64,
}

/// Pushes a file, or every file of a folder.
///
/// # Errors
/// [`Failure`] when nothing could be pushed; what becomes of each file is its outcome.
pub(crate) async fn run(push: &Push) -> Result<Exit, Failure> {
    let plan = push.plan.as_deref().map(PlanFile::read).transpose()?;
    let tenant = push.tenant.as_ref().or(plan.as_ref().map(|plan| &plan.tenant));
    let targets = target::targets(&push.path, tenant)?;
    let given = push.provenance.checked_for_upload()?;
    let session = Session::open(&push.stack).await?;
    let parts = Parts {
        heads: session.heads().await?,
        sources: session.sources().await?,
        archive: session.archive().await?,
        stack_culture: session.default_culture().await?,
        max_file_bytes: session.max_file_bytes().await?,
    };
    let provenance = session.provenance(given).await?;
    let progress = Progress::new();
    let pushed = stream::iter(&targets)
        .map(|target| one(push, &parts, target, plan.as_ref(), &provenance, &progress))
        .buffered(usize::from(push.jobs));
    let pushed: Vec<Pushed> = pushed.collect().await;
    progress.clear();
    write(push.output, &pushed)?;
    Ok(pushed.iter().map(Pushed::exit).fold(Exit::Done, worst))
}

/// A file that failed says more than one that was refused, and missing credentials concern all.
fn worst(one: Exit, other: Exit) -> Exit {
    let rank = |exit| match exit {
        Exit::Done => 0,
        Exit::Refused => 1,
        Exit::NotSignedIn => 3,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

async fn one(
    push: &Push,
    parts: &Parts,
    target: &Target,
    plan: Option<&PlanFile>,
    provenance: &Provenance,
    progress: &Progress,
) -> Pushed {
    let outcome = attempt(push, parts, target, plan, provenance, progress).await;
    Pushed {
        tenant: target.tenant.clone(),
        file: file::name(&target.path),
        outcome: outcome.unwrap_or_else(Outcome::Failed),
    }
}

async fn attempt(
    push: &Push,
    parts: &Parts,
    target: &Target,
    plan: Option<&PlanFile>,
    provenance: &Provenance,
    progress: &Progress,
) -> Result<Outcome, Failure> {
    let tenant = &target.tenant;
    let line = progress.line(tenant.as_str());
    line.say("reading the file");
    let bytes = match file::stored(&target.path)? {
        Stored::Bytes(bytes) if bytes.len() as u64 <= parts.max_file_bytes => bytes,
        _ => {
            let most = parts.max_file_bytes.min(MAX_BYTES);
            return Err(Failure::refused(
                format!("{} has more than {most} bytes", file::name(&target.path)),
                "The service would refuse it.",
            ));
        }
    };
    let sha256 = Hash::of(&bytes);
    let (head, configuration) = parts.heads.read(tenant).await?;
    if let Some(plan) = plan {
        plan.check(&sha256, &head, &configuration)?;
    }
    // The head was read before the object, as the projector does: an upload in between is seen as one.
    let object = parts.sources.find(tenant).await?;
    let follow = follow::Follow {
        heads: &parts.heads,
        sources: &parts.sources,
        archive: &parts.archive,
        tenant,
        before: head.committed.as_ref().map_or(0, |head| head.version.get()),
        timeout: Duration::from_secs(push.timeout),
        line: &line,
    };
    if let Some(committed) = &head.committed {
        let is_current = object
            .as_ref()
            .is_some_and(|object| object.version_id == committed.source.version_id);
        // After a rollback the head's content is not its source's, so the same file is a change.
        if committed.source.sha256 == sha256 && is_current && !committed.detached {
            if committed.is_settled() || push.no_wait {
                return Ok(Outcome::Unchanged {
                    version: committed.version,
                });
            }
            return follow.until_settled(&committed.source.version_id).await;
        }
    }
    if configuration.frozen && !push.no_wait {
        return Err(frozen(tenant));
    }
    line.say("validating");
    if let Some(refused) = invalid(parts, target, &configuration, &bytes) {
        return Ok(Outcome::Invalid(Box::new(refused)));
    }
    line.say("uploading");
    let upload = Upload {
        is_gzip: bytes.starts_with(&GZIP),
        bytes,
        provenance: provenance.clone(),
        allows_removals: push.allow_removals,
    };
    let version_id = parts.sources.upload(tenant, &upload, object.as_ref()).await?;
    drop(upload);
    if push.no_wait {
        return Ok(Outcome::Uploaded);
    }
    follow.until_settled(&version_id).await
}

/// Returns the report of a file that the service would refuse, which is then not uploaded.
fn invalid(parts: &Parts, target: &Target, configuration: &Configuration, bytes: &[u8]) -> Option<Validated> {
    let defaults = Defaults {
        tenant_culture: configuration.default_culture.clone(),
        stack_culture: parts.stack_culture.clone(),
        fallback_chain: configuration.fallback_chain.clone(),
    };
    let name = file::name(&target.path);
    let (taxonomy, validated) = validate_content(name, file::decode(bytes), &defaults);
    taxonomy.is_none().then_some(validated)
}

/// The failure of a push for a tenant that takes none.
fn frozen(tenant: &TenantId) -> Failure {
    Failure::unable(
        format!("the tenant {tenant} is frozen"),
        format!(
            "Uploads wait until `taxonomy tenant thaw {tenant}`; `--no-wait` uploads now and does not wait."
        ),
    )
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    format_version: u32,
    pushes: Vec<outcome::Json<'a>>,
}

fn write(output: Output, pushed: &[Pushed]) -> io::Result<()> {
    match output {
        Output::Human => outcome::write(&mut stdout(), pushed),
        Output::Json => {
            let pushes = pushed.iter().map(Pushed::json).collect();
            document(
                &mut io::stdout().lock(),
                &Document {
                    format_version: FORMAT_VERSION,
                    pushes,
                },
            )
        }
    }
}

impl PlanFile {
    /// Refuses to push anything but what was planned.
    fn check(&self, sha256: &Hash, head: &Head, configuration: &Configuration) -> Result<(), Failure> {
        let again = "Plan again, and look at the difference.";
        if self.sha256 != *sha256 {
            return Err(Failure::refused(
                "the file is not the one that was planned",
                again,
            ));
        }
        let now = plan_file::Base::of(head);
        if self.base != now {
            let version = |base: &Option<plan_file::Base>| base.as_ref().map_or(0, |base| base.version.get());
            return Err(Failure::refused(
                format!(
                    "the tenant {} has moved from version {} to {} since the plan",
                    self.tenant,
                    version(&self.base),
                    version(&now)
                ),
                again,
            ));
        }
        if self.revision != configuration.revision {
            return Err(Failure::refused(
                format!("the tenant {} was configured since the plan", self.tenant),
                again,
            ));
        }
        Ok(())
    }
}
