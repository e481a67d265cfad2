//! Waits for the projection after an operator's commit: sends the projector a message, then polls the head.

use std::time::Duration;

use taxonomy_keys::{TenantId, Version};
use tokio::time::{Instant, sleep};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::stack::{LOOKUP_LAG, Session};

/// The pause between two reads of the head.
const PAUSE: Duration = Duration::from_millis(500);

/// Sends the projector a message for the tenant, and waits until the projected version is `version` or later and every lookup serves it.
///
/// # Errors
/// [`Failure::Unable`] when that takes longer than `timeout`; the service continues the projection.
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
                "The service continues the projection; `taxonomy tenant show` shows when it is complete.",
            ));
        }
        sleep(PAUSE).await;
    }
}
