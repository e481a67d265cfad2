//! Pauses between attempts, for errors that the SDK does not retry.

use std::time::Duration;

/// The maximum number of attempts, the first included.
pub(crate) const TRIES: u32 = 6;

/// Full jitter: a random pause of up to 50 ms, 100 ms, 200 ms ... after the first, second, third ... attempt.
pub(crate) async fn pause(after_try: u32) {
    let ceiling = 50_u64 << after_try.min(6);
    tokio::time::sleep(Duration::from_millis(fastrand::u64(0..=ceiling))).await;
}
