//! `taxonomy verify`: compares all stored data of a tenant with its chain of versions.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_versioning::{Difference, Service, Verdict};
use tokio::time::{Instant, sleep};

use crate::arguments::{CommonArguments, Output, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, printable};
use crate::progress::Progress;
use crate::stack::Session;

/// The pause between two reads of the head.
const PAUSE: Duration = Duration::from_secs(1);

/// Compare all stored data of a tenant with its versions
///
/// Compares all stored data of a tenant with its chain of versions. Reads every changeset, and every item of every id that a version had.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  taxonomy verify acme && echo as it should be
  taxonomy verify acme --scan

Ends with 1 where there are differences, which `taxonomy repair` mends where that can be done, and where items or counts are still on
their way.")]
pub(crate) struct Verify {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// The maximum number of seconds to wait until the newest version is written and counted
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    timeout: u64,
    /// Look for items that no version names as well, by a scan of the whole table, under a role of its own
    #[arg(long)]
    scan: bool,
    /// The role that scans [default: the output ScanRoleArn]
    #[arg(long, value_name = "ARN", requires = "scan")]
    role: Option<String>,
    #[command(flatten)]
    common: CommonArguments,
}

/// A verdict in the JSON form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VerifiedTenant<'a> {
    tenant: &'a TenantId,
    #[serde(flatten)]
    verdict: &'a Verdict,
    /// The first differences.
    listed: Vec<ListedDifference<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedDifference<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pk: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sk: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a str>,
}

impl<'a> ListedDifference<'a> {
    fn new(difference: &'a Difference) -> Self {
        let (kind, key, cause) = match difference {
            Difference::Chain(cause) => ("chain", None, Some(cause)),
            Difference::Index(cause) => ("index", None, Some(cause)),
            Difference::Missing(key) => ("missing", Some(key), None),
            Difference::Differs(key) => ("differs", Some(key), None),
            Difference::Stray(key) => ("stray", Some(key), None),
            Difference::Miscounted(key) => ("miscounted", Some(key), None),
            Difference::Checkpoint(cause) => ("checkpoint", None, Some(cause)),
        };
        Self {
            kind,
            pk: key.map(|key| &*key.pk),
            sk: key.map(|key| &*key.sk),
            cause: cause.map(String::as_str),
        }
    }
}

/// Verifies a tenant.
///
/// # Errors
/// [`Failure`] when the tenant has no version, changes at the same time, or cannot be read completely.
pub(crate) async fn run(verify: &Verify) -> Result<Exit, Failure> {
    let tenant = verify.tenant.id()?;
    let session = Session::open(&verify.common.stack).await?;
    let timeout = Duration::from_secs(verify.timeout);
    let scanned = match verify.scan {
        true => scanned(verify).await?,
        false => BTreeSet::new(),
    };
    let verdict = judge(&session.service().await?, tenant, timeout, &scanned).await?;
    write(verify.common.output, tenant, &verdict)?;
    Ok(if verdict.is_clean() && is_complete(&verdict) {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// Scans the table under the role that may.
async fn scanned(verify: &Verify) -> Result<BTreeSet<String>, Failure> {
    let session = Session::open(&verify.common.stack).await?;
    let session = session.under_role(verify.role.as_deref(), "ScanRoleArn").await?;
    Ok(session.service().await?.scanned(verify.tenant.id()?).await?)
}

/// Verifies a tenant at rest, since items and aggregates cannot be compared while a projection or an aggregation runs. After `timeout` it
/// is verified in the state that it has then. `scanned` are partitions of it that a scan of the table found.
///
/// # Errors
/// [`Failure`] when the tenant has no version, changes at the same time, or cannot be read completely.
pub(super) async fn judge(
    service: &Service,
    tenant: &TenantId,
    timeout: Duration,
    scanned: &BTreeSet<String>,
) -> Result<Verdict, Failure> {
    let line = Progress::default().line(tenant.as_str());
    let begin = Instant::now();
    loop {
        let (head, _) = service.heads.read(tenant).await?;
        let is_over = begin.elapsed() >= timeout;
        if is_over || head.committed.is_none_or(|head| head.is_settled()) {
            line.say("comparing every item and every changeset");
            let verdict = service.verify(tenant, scanned.clone()).await?;
            if is_complete(&verdict) || !verdict.is_clean() || is_over {
                return Ok(verdict);
            }
        }
        line.say("waiting for the newest version to be written and counted");
        sleep(PAUSE).await;
    }
}

/// Returns whether both the items and the aggregates were compared.
pub(super) fn is_complete(verdict: &Verdict) -> bool {
    verdict.settled && verdict.counted.is_some()
}

/// Writes a verdict to standard output.
///
/// # Errors
/// When the output cannot be written.
pub(super) fn write(output: Output, tenant: &TenantId, verdict: &Verdict) -> io::Result<()> {
    let fields = VerifiedTenant {
        tenant,
        verdict,
        listed: verdict.listed.iter().map(ListedDifference::new).collect(),
    };
    output.write(&fields, |out| tell(out, verdict))
}

fn tell(out: &mut dyn Write, verdict: &Verdict) -> io::Result<()> {
    for difference in &verdict.listed {
        let ListedDifference { kind, pk, sk, cause } = ListedDifference::new(difference);
        let texts = [pk, sk, cause].into_iter().flatten();
        let texts: Vec<_> = texts.map(printable).collect();
        writeln!(out, "{kind:<10} {}", texts.join(" "))?;
    }
    let not_listed = verdict.differences - verdict.listed.len() as u64;
    if not_listed > 0 {
        writeln!(out, "... and {not_listed} more")?;
    }
    writeln!(
        out,
        "Version {}: {}; {}, {}, {}, {} and {} compared.",
        verdict.version,
        counted(verdict.differences, "difference"),
        counted(verdict.changesets, "changeset"),
        counted(verdict.indexes, "index file"),
        counted(verdict.search_objects, "search object"),
        counted(verdict.items, "item"),
        counted(verdict.tombstones, "tombstone"),
    )?;
    if !verdict.settled {
        writeln!(
            out,
            "The table is behind the head, so its items were not compared."
        )?;
    } else if verdict.counted.is_none() {
        writeln!(
            out,
            "The aggregator has not counted this version, so the aggregates were not compared."
        )?;
    }
    Ok(())
}
