//! `taxonomy repair`: verifies a tenant, repairs the differences, and verifies again.

use std::collections::BTreeSet;
use std::io::Write as _;

use clap::Args;
use taxonomy_versioning::{Difference, Verdict};

use crate::arguments::{CommonArguments, SubjectTenant};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::operator::request::RequestArguments;
use crate::operator::{rebuild, verify};
use crate::output::{counted, stderr};
use crate::stack::Session;

/// Verify a tenant, and repair the differences
///
/// Verifies a tenant and repairs the differences: a rebuild writes items that are missing, damaged or stray, and an audit by the service
/// repairs aggregates. No command can repair a broken chain.
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  taxonomy repair acme --reason 'item deleted by hand'

Ends with 0 when the tenant is as it should be, or an audit is mending its aggregates; with 1 when something cannot be mended, or is
still on its way.")]
pub(crate) struct Repair {
    #[command(flatten)]
    tenant: SubjectTenant,
    #[command(flatten)]
    request: RequestArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// The repair that a verdict requires, in ascending order of effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Means {
    /// No difference was found.
    Nothing,
    /// Only aggregates are wrong.
    Audit,
    /// Items are wrong.
    Rebuild,
    /// The chain, an index file or a checkpoint is damaged, which no command repairs.
    ByHand,
}

impl Means {
    fn new(verdict: &Verdict) -> Self {
        let kinds = verdict.listed.iter().map(|difference| match difference {
            Difference::Chain(_) | Difference::Index(_) | Difference::Checkpoint(_) => Self::ByHand,
            // A rebuild writes only nodes that ever existed, so it leaves a stray item that no version had.
            Difference::Missing(_) | Difference::Differs(_) | Difference::Stray(_) => Self::Rebuild,
            Difference::Miscounted(_) => Self::Audit,
        });
        kinds.max().unwrap_or(Self::Nothing)
    }
}

/// Verifies, repairs, and verifies again.
///
/// # Errors
/// [`Failure`] when the tenant cannot be verified or repaired.
pub(crate) async fn run(repair: &Repair) -> Result<Exit, Failure> {
    let tenant = repair.tenant.id()?;
    let session = Session::open(&repair.common.stack).await?;
    let service = session.service().await?;
    let timeout = repair.request.timeout();
    let mut verdict = verify::judge(&service, tenant, timeout, &BTreeSet::new()).await?;
    if Means::new(&verdict) == Means::Rebuild {
        repair
            .request
            .confirmation
            .ask(format!(
                "The tenant {tenant} has {}. A rebuild writes all of its items again.",
                counted(verdict.differences, "difference")
            ))
            .await?;
        let provenance = session.provenance(repair.request.provenance.given()).await?;
        let version = rebuild::rebuilt(&session, tenant, provenance, timeout).await?;
        writeln!(stderr(), "Version {version} has every item written again.")?;
        verdict = verify::judge(&service, tenant, timeout, &BTreeSet::new()).await?;
    }
    let means = Means::new(&verdict);
    if means == Means::Audit {
        let queue = session.queue("AuditQueueUrl").await?;
        queue.ask_for_audit(tenant, None, true).await?;
        writeln!(
            stderr(),
            "The service audits the tenant, and repairs its aggregates."
        )?;
    }
    verify::write(repair.common.output, tenant, &verdict)?;
    Ok(match means {
        Means::Nothing if !verify::is_complete(&verdict) => Exit::Failed,
        Means::Nothing | Means::Audit => Exit::Done,
        Means::Rebuild | Means::ByHand => Exit::Failed,
    })
}
