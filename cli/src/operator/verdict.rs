//! A verdict about a tenant at rest: while its items or its counts are on their way, there is nothing to compare.

use std::time::Duration;

use taxonomy_keys::TenantId;
use taxonomy_protocol::{Taxonomies, Verdict};
use taxonomy_runtime::SystemClock;
use tokio::time::{Instant, sleep};

use crate::failure::Failure;
use crate::progress::Progress;

/// The pause between two looks at the head.
const PAUSE: Duration = Duration::from_secs(1);

/// Verifies a tenant once its table holds its newest version and that is counted; after `timeout`, as it is then.
///
/// # Errors
/// [`Failure`] when the tenant has no version, changes meanwhile, or something cannot be read.
pub(super) async fn of(
    taxonomies: &Taxonomies<SystemClock>,
    tenant: &TenantId,
    timeout: Duration,
) -> Result<Verdict, Failure> {
    let progress = Progress::new();
    let line = progress.line(tenant.as_str());
    let begin = Instant::now();
    loop {
        let (head, _) = taxonomies.heads().read(tenant).await?;
        let is_over = begin.elapsed() >= timeout;
        if is_over || head.committed.is_none_or(|head| head.is_settled()) {
            line.say("comparing every item and every changeset");
            let verdict = taxonomies.verify(tenant).await?;
            if is_complete(&verdict) || !verdict.is_clean() || is_over {
                return Ok(verdict);
            }
        }
        line.say("waiting for the newest version to be written and counted");
        sleep(PAUSE).await;
    }
}

/// Returns whether everything was compared.
pub(super) fn is_complete(verdict: &Verdict) -> bool {
    verdict.settled && verdict.counted.is_some()
}
