//! Verifies a tenant at rest. While a projection or an aggregation runs, items or aggregates cannot be compared, so this module waits for
//! its end.

use std::collections::BTreeSet;
use std::time::Duration;

use taxonomy_keys::TenantId;
use taxonomy_versioning::{Service, Verdict};
use tokio::time::{Instant, sleep};

use crate::failure::Failure;
use crate::progress::Progress;

/// The pause between two reads of the head.
const PAUSE: Duration = Duration::from_secs(1);

/// Verifies a tenant when its newest version is projected and aggregated; after `timeout`, in the state that it has then. `scanned` are partitions of it
/// that a scan of the table found.
///
/// # Errors
/// [`Failure`] when the tenant has no version, changes at the same time, or cannot be read completely.
pub(super) async fn judge(
    service: &Service,
    tenant: &TenantId,
    timeout: Duration,
    scanned: &BTreeSet<String>,
) -> Result<Verdict, Failure> {
    let progress = Progress::new();
    let line = progress.line(tenant.as_str());
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
