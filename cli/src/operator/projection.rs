//! The projection after an operator's commit: a message has the projector look at the tenant, and the head says when it is done.

use std::time::Duration;

use taxonomy_keys::{TenantId, Version};
use tokio::time::{Instant, sleep};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::stack::{LOOKUP_LAG, Session};

/// The pause between two looks at the head.
const PAUSE: Duration = Duration::from_millis(500);

/// Asks the projector to bring the table to the head, and waits until it holds `version` or a later one.
///
/// # Errors
/// [`Failure::Unable`] when that takes longer than `timeout`; the service goes on with it.
pub(super) async fn follow(
    session: &Session,
    tenant: &TenantId,
    version: Version,
    timeout: Duration,
) -> Result<(), Failure> {
    session
        .queue("RetryQueueUrl")
        .await?
        .ask_for_tenant(tenant)
        .await?;
    let heads = session.heads().await?;
    let progress = Progress::new();
    let line = progress.line(tenant.as_str());
    line.say(&format!("version {version} is committed, its items are written"));
    let begin = Instant::now();
    loop {
        let (head, _) = heads.read(tenant).await?;
        if head.committed.and_then(|head| head.projected) >= Some(version) {
            sleep(LOOKUP_LAG).await;
            return Ok(());
        }
        if begin.elapsed() >= timeout {
            return Err(Failure::unable(
                format!(
                    "version {version} is committed, and not projected after {} s",
                    timeout.as_secs()
                ),
                "The service goes on with it; `taxonomy tenant show` says when it is done.",
            ));
        }
        sleep(PAUSE).await;
    }
}
