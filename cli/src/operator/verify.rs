//! `taxonomy verify`: compares all stored data of a tenant with its chain of versions.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use taxonomy_keys::TenantId;
use taxonomy_versioning::{Findings, Service, Verdict, VersioningError};
use tokio::time::{Instant, sleep};

use crate::arguments::{CommonArguments, Output, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{counted, printable};
use crate::progress::Progress;
use crate::stack::Session;

/// The number of entries of the list of tenants that one request reads.
const PAGE: i32 = 200;

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
  taxonomy verify --all

Ends with 1 where there are differences, which `taxonomy repair` mends where that can be done, and where items or counts are still on
their way.")]
pub(crate) struct Verify {
    #[command(flatten)]
    tenant: SubjectTenant,
    /// Verify every tenant that has a version, one after the other
    #[arg(long, group = "subject", conflicts_with = "scan")]
    all: bool,
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
struct VerifiedTenant {
    tenant: TenantId,
    #[serde(flatten)]
    verdict: Verdict,
}

/// The verdicts of all tenants in the JSON form.
#[derive(Serialize)]
struct VerifiedTenants {
    tenants: Vec<VerifiedTenant>,
    /// Those that could not be verified.
    failed: Vec<FailedTenant>,
}

#[derive(Serialize)]
struct FailedTenant {
    tenant: TenantId,
    /// Why not.
    cause: String,
}

/// Verifies a tenant.
///
/// # Errors
/// [`Failure`] when the tenant has no version, changes at the same time, or cannot be read completely.
pub(crate) async fn run(verify: &Verify) -> Result<Exit, Failure> {
    let session = Session::open(&verify.common.stack).await?;
    let timeout = Duration::from_secs(verify.timeout);
    let service = session.service().await?;
    if verify.all {
        return verify_all(&service, timeout, verify.common.output).await;
    }
    let tenant = verify.tenant.id()?;
    let scanned = match verify.scan {
        true => scanned(&verify.common, verify.role.as_deref(), tenant).await?,
        false => BTreeSet::new(),
    };
    let verified = VerifiedTenant {
        verdict: judge(&service, tenant, timeout, &scanned).await?,
        tenant: tenant.clone(),
    };
    let verdict = &verified.verdict;
    verify.common.output.write(&verified, |out| tell(out, verdict))?;
    Ok(exit(verdict.is_clean() && is_complete(verdict)))
}

/// Verifies every tenant that has a version. One that cannot be verified keeps none of the others from it.
async fn verify_all(service: &Service, timeout: Duration, output: Output) -> Result<Exit, Failure> {
    let mut all = VerifiedTenants {
        tenants: Vec::new(),
        failed: Vec::new(),
    };
    let mut after = None;
    loop {
        let page = service.heads.tenants(after.as_ref(), PAGE).await?;
        for tenant in &page.tenants {
            let tenant = tenant.clone();
            match judge(service, &tenant, timeout, &BTreeSet::new()).await {
                Ok(verdict) => all.tenants.push(VerifiedTenant { tenant, verdict }),
                Err(Failure::Versioning(VersioningError::NoVersion)) => {}
                Err(failure) => all.failed.push(FailedTenant {
                    tenant,
                    cause: failure.to_string(),
                }),
            }
        }
        after = page.tenants.last().cloned();
        if after.is_none() {
            break;
        }
    }
    output.write(&all, |out| tell_all(out, &all))?;
    let is_sound = |verified: &VerifiedTenant| verified.verdict.is_clean() && is_complete(&verified.verdict);
    Ok(exit(all.failed.is_empty() && all.tenants.iter().all(is_sound)))
}

fn exit(is_sound: bool) -> Exit {
    if is_sound { Exit::Done } else { Exit::Failed }
}

/// Scans the table under the role that may.
pub(super) async fn scanned(
    common: &CommonArguments,
    role: Option<&str>,
    tenant: &TenantId,
) -> Result<BTreeSet<String>, Failure> {
    let session = Session::open(&common.stack).await?;
    let session = session.under_role(role, "ScanRoleArn").await?;
    Ok(session.service().await?.scanned(tenant).await?)
}

/// Verifies a tenant at rest, since items and aggregates cannot be compared while a projection or an aggregation runs. After `timeout` it
/// is verified in the state that it has then. `scanned` are partitions of it that a scan of the table found.
///
/// # Errors
/// [`Failure`] when the tenant has no version, changes at the same time, or cannot be read completely.
async fn judge(
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
fn is_complete(verdict: &Verdict) -> bool {
    verdict.settled && verdict.counted.is_some()
}

/// Writes differences, a line each.
pub(super) fn list(out: &mut dyn Write, findings: &Findings) -> io::Result<()> {
    for difference in &findings.listed {
        writeln!(out, "{}", printable(&difference.to_string()))?;
    }
    match findings.count.saturating_sub(findings.listed.len() as u64) {
        0 => Ok(()),
        not_listed => writeln!(out, "... and {not_listed} more"),
    }
}

fn tell_all(out: &mut dyn Write, all: &VerifiedTenants) -> io::Result<()> {
    for VerifiedTenant { tenant, verdict } in &all.tenants {
        writeln!(out, "{tenant}")?;
        tell(out, verdict)?;
    }
    for FailedTenant { tenant, cause } in &all.failed {
        writeln!(out, "{tenant}\nnot verified: {}", printable(cause))?;
    }
    Ok(())
}

fn tell(out: &mut dyn Write, verdict: &Verdict) -> io::Result<()> {
    let findings = &verdict.findings;
    list(out, findings)?;
    writeln!(
        out,
        "Version {}: {}; {} and {} of {} are as they should be.",
        verdict.version,
        counted(findings.count, "difference"),
        counted(findings.objects, "object"),
        counted(findings.items, "item"),
        counted(findings.versions, "version"),
    )?;
    if !verdict.settled {
        writeln!(
            out,
            "The table is behind the head, so its items were not compared."
        )?;
    } else if verdict.counted.is_none() {
        let why = match findings.count {
            0 => "The aggregator has not counted this version",
            _ => "The content or the log of this version is lost, or the aggregator has not counted it",
        };
        writeln!(out, "{why}, so the aggregates were not compared.")?;
    }
    Ok(())
}
