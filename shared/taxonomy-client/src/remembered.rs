//! Cached credentials and tokens: a provider may send requests of its own, so it is not called for each request.

use std::future::Future;
use std::time::{Duration, SystemTime};

use tokio::sync::Mutex;

use crate::error::{BoxError, ClientError};

/// New ones are loaded so long before the old ones expire.
const MARGIN: Duration = Duration::from_secs(60);
/// Those that state no end are loaded again after so long: a file or an environment may have changed.
const WITHOUT_END: Duration = Duration::from_secs(15 * 60);

/// The last credentials or token. One caller loads, the others wait for it.
pub(crate) struct Remembered<T>(Mutex<Option<RememberedValue<T>>>);

struct RememberedValue<T> {
    value: T,
    expires: Option<SystemTime>,
    reload_at: SystemTime,
}

impl<T: Clone> Remembered<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// The remembered value, or the one that `load` brings with its time of expiry.
    pub(crate) async fn get(
        &self,
        now: SystemTime,
        load: impl Future<Output = Result<(T, Option<SystemTime>), BoxError>>,
    ) -> Result<T, ClientError> {
        let mut kept = self.0.lock().await;
        if let Some(kept) = kept.as_ref().filter(|kept| now < kept.reload_at) {
            return Ok(kept.value.clone());
        }
        let loaded = load.await;
        let (value, expires) = match (loaded, kept.as_ref()) {
            (Ok(loaded), _) => loaded,
            // The old ones are still good for the last minute.
            (Err(_), Some(old)) if old.expires.is_some_and(|expires| now < expires) => {
                return Ok(old.value.clone());
            }
            (Err(source), _) => return Err(ClientError::NoCredentials { source }),
        };
        if expires.is_some_and(|expires| expires <= now) {
            *kept = None;
            return Err(ClientError::ExpiredCredentials);
        }
        let reload_at = match expires {
            Some(expires) => expires.checked_sub(MARGIN).unwrap_or(now),
            None => now.checked_add(WITHOUT_END).unwrap_or(now),
        };
        *kept = Some(RememberedValue {
            value: value.clone(),
            expires,
            reload_at,
        });
        Ok(value)
    }

    /// Loads anew for the next request: these were refused.
    pub(crate) async fn forget(&self) {
        *self.0.lock().await = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    fn at(seconds: u64) -> SystemTime {
        START + Duration::from_secs(seconds)
    }

    /// The time, the end of what a provider would load, and the value that is used.
    type Step = (u64, Result<Option<u64>, ()>, Option<u64>);

    async fn check(steps: &[Step]) {
        let (remembered, mut loads) = (Remembered::new(), 0);
        for (now, expires, expect) in steps {
            let mut is_loaded = false;
            let load = async {
                is_loaded = true;
                let expires = expires.map_err(|()| BoxError::from("no provider"))?;
                Ok((loads + 1, expires.map(at)))
            };
            let value = remembered.get(at(*now), load).await;
            loads += u64::from(is_loaded && expires.is_ok());
            assert_eq!(value.ok(), *expect, "at {now}");
        }
    }

    #[tokio::test]
    async fn a_value_without_an_end_is_loaded_again_after_a_quarter_of_an_hour() {
        let endless = Ok(None);
        let (kept, again) = ((899, endless, Some(1)), (900, endless, Some(2)));
        check(&[(0, endless, Some(1)), kept, again]).await;
    }

    #[tokio::test]
    async fn a_value_is_used_to_its_end_where_no_new_one_comes_and_not_after_it() {
        let first = Ok(Some(600));
        check(&[(0, first, Some(1)), (599, Err(()), Some(1)), (600, Err(()), None)]).await;
    }
}
