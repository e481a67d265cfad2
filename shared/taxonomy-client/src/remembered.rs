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
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    fn at(seconds: u64) -> SystemTime {
        START + Duration::from_secs(seconds)
    }

    #[derive(Default)]
    struct Provider {
        loads: AtomicU64,
    }

    impl Provider {
        /// Values that live so long.
        async fn load(&self, expires: Option<SystemTime>) -> Result<(u64, Option<SystemTime>), BoxError> {
            Ok((self.loads.fetch_add(1, Ordering::SeqCst) + 1, expires))
        }
    }

    #[tokio::test]
    async fn a_value_is_loaded_again_a_minute_before_it_expires() {
        let (provider, remembered) = (Provider::default(), Remembered::new());
        let expires = Some(at(600));
        assert_eq!(remembered.get(at(0), provider.load(expires)).await.unwrap(), 1);
        assert_eq!(remembered.get(at(539), provider.load(expires)).await.unwrap(), 1);
        assert_eq!(
            remembered
                .get(at(540), provider.load(Some(at(900))))
                .await
                .unwrap(),
            2
        );
    }

    #[tokio::test]
    async fn a_value_without_an_end_is_loaded_again_after_a_quarter_of_an_hour_or_when_it_was_refused() {
        let (provider, remembered) = (Provider::default(), Remembered::new());
        assert_eq!(remembered.get(at(0), provider.load(None)).await.unwrap(), 1);
        assert_eq!(remembered.get(at(899), provider.load(None)).await.unwrap(), 1);
        assert_eq!(remembered.get(at(900), provider.load(None)).await.unwrap(), 2);
        remembered.forget().await;
        assert_eq!(remembered.get(at(901), provider.load(None)).await.unwrap(), 3);
    }

    #[tokio::test]
    async fn a_value_is_used_to_its_end_where_no_new_one_comes() {
        let (provider, remembered) = (Provider::default(), Remembered::new());
        let fail = || async { Err::<(u64, Option<SystemTime>), BoxError>("no provider".into()) };
        assert_eq!(
            remembered.get(at(0), provider.load(Some(at(600)))).await.unwrap(),
            1
        );
        assert_eq!(remembered.get(at(599), fail()).await.unwrap(), 1);
        let error = remembered.get(at(600), fail()).await.unwrap_err();
        assert!(matches!(error, ClientError::NoCredentials { .. }), "{error:?}");
    }

    #[tokio::test]
    async fn a_value_that_has_expired_is_not_used() {
        let (provider, remembered) = (Provider::default(), Remembered::new());
        let error = remembered
            .get(at(600), provider.load(Some(at(600))))
            .await
            .unwrap_err();
        assert!(matches!(error, ClientError::ExpiredCredentials), "{error:?}");
    }
}
