//! One batch: a request, repeated while its answer is older than one before.

use std::time::Duration;

use taxonomy_keys::TermId;
use tokio::time::{Instant, sleep};

use super::{Answer, Error, Source};

/// The largest number of answers with an older version than seen before, for the same ids.
const MAX_ATTEMPTS: u32 = 6;

/// The pause before the second repetition; each further one is twice as long. The sum, 3.75 s, is longer than a process of the lookup
/// serves a replaced version, which is 2 s (docs/decisions/0010-caches.md).
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// The names of a batch, all of one version.
pub(super) struct BatchNames<'i> {
    pub(super) ids: &'i [TermId],
    pub(super) terms: Vec<Option<Vec<String>>>,
    pub(super) current: CurrentVersion,
    /// The requests for names, and for the version.
    pub(super) requests: (u64, u64),
}

/// A version, and when the request was sent that it was answered to.
#[derive(Debug, Clone, Copy)]
pub(super) struct CurrentVersion {
    pub(super) version: u64,
    pub(super) sent_at: Instant,
}

/// Requests the names of a batch. `seen` is the newest version of any answer before.
pub(super) async fn names<'i, S: Source>(
    source: &S,
    ids: &'i [TermId],
    mut seen: Option<u64>,
) -> Result<BatchNames<'i>, Error<S::Error>> {
    let (mut requests, mut answered) = ((0, 0), 0);
    for attempt in 0..MAX_ATTEMPTS {
        pause_before(attempt).await;
        let sent_at = Instant::now();
        requests.0 += 1;
        let Answer { version, terms } = source.names(ids).await.map_err(Error::Source)?;
        if terms.len() != ids.len() {
            let (asked, answered) = (ids.len(), terms.len());
            return Err(Error::Incomplete { asked, answered });
        }
        answered = match version {
            Some(version) => version,
            None if terms.iter().any(Option::is_some) => return Err(Error::Unversioned),
            // Every id is unknown. The answer is of the current version, if that is the one from before the request.
            None => {
                requests.1 += 1;
                let version = source.version().await.map_err(Error::Source)?;
                if seen.is_none_or(|seen| seen < version) {
                    seen = Some(version);
                    continue;
                }
                version
            }
        };
        if seen.is_none_or(|seen| seen <= answered) {
            return Ok(BatchNames {
                ids,
                terms,
                current: CurrentVersion {
                    version: answered,
                    sent_at,
                },
                requests,
            });
        }
    }
    let seen = seen.unwrap_or(answered);
    Err(Error::Lagging { seen, answered })
}

/// Requests the current version, and returns it with the number of requests.
pub(super) async fn version<S: Source>(
    source: &S,
    seen: Option<u64>,
) -> Result<(CurrentVersion, u64), Error<S::Error>> {
    let mut answered = 0;
    for attempt in 0..MAX_ATTEMPTS {
        pause_before(attempt).await;
        let sent_at = Instant::now();
        answered = source.version().await.map_err(Error::Source)?;
        if seen.is_none_or(|seen| seen <= answered) {
            let version = answered;
            return Ok((CurrentVersion { version, sent_at }, u64::from(attempt) + 1));
        }
    }
    let seen = seen.unwrap_or(answered);
    Err(Error::Lagging { seen, answered })
}

async fn pause_before(attempt: u32) {
    if attempt > 1 {
        sleep(FIRST_PAUSE * 2_u32.pow(attempt - 2)).await;
    }
}
