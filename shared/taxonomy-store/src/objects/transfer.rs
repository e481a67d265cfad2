//! The time-outs of bodies. The client's time-outs are made for responses of a few kilobytes; the time for a larger body grows
//! with its size.

use std::time::Duration;

use aws_sdk_s3::Config;
use aws_sdk_s3::config::timeout::TimeoutConfig;

use crate::error::StoreError;

/// The slowest accepted transfer, in bytes a second. S3 transfers tens of megabytes a second to a function.
const SLOWEST: u64 = 2 << 20;

/// The largest body in bytes to which only the client's time-outs apply.
const SMALL: u64 = 1 << 20;

/// The time for the headers of a response, and for a small body: an operation's time-out under the SDK's usual policy.
const USUAL: Duration = Duration::from_secs(10);

/// Returns the additional time of one attempt to transfer a body of `bytes`.
pub(crate) fn of_attempt(bytes: u64) -> Duration {
    match bytes {
        0..=SMALL => Duration::ZERO,
        _ => Duration::from_millis(bytes.saturating_mul(1000) / SLOWEST),
    }
}

/// Returns the additional time of a request that transfers a body of `bytes`: enough for two attempts.
pub fn extra_time(bytes: u64) -> Duration {
    of_attempt(bytes) * 2
}

/// Returns the configuration of a request that sends a body of `bytes`: the client's own for a small body, and for a client without time-outs.
pub(crate) fn config_for(client: &Config, bytes: u64) -> aws_sdk_s3::config::Builder {
    let config = Config::builder();
    let extra = of_attempt(bytes);
    match client.timeout_config() {
        Some(usual) if !extra.is_zero() => {
            let mut timeouts = TimeoutConfig::builder();
            timeouts.set_connect_timeout(usual.connect_timeout());
            timeouts
                .set_operation_attempt_timeout(usual.operation_attempt_timeout().map(|time| time + extra));
            timeouts.set_operation_timeout(usual.operation_timeout().map(|time| time + extra_time(bytes)));
            config.timeout_config(timeouts.build())
        }
        _ => config,
    }
}

/// Reads a body of `bytes` within its time. The SDK ends a stream that stalls; this ends one that trickles.
pub(crate) async fn in_time<T, E: From<StoreError>>(
    bytes: u64,
    read: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    match tokio::time::timeout(USUAL + of_attempt(bytes), read).await {
        Ok(read) => read,
        Err(late) => Err(E::from(StoreError::Request {
            operation: "GetObject",
            object: None,
            code: None,
            source: late.into(),
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_body_follows_its_size_and_one_that_trickles_is_given_up() {
        let begin = tokio::time::Instant::now();
        let never = std::future::pending::<Result<(), StoreError>>();
        assert!(in_time(60 * MIB, never).await.is_err());
        assert_eq!(begin.elapsed(), Duration::from_secs(40));
        assert_eq!(of_attempt(0), Duration::ZERO);
        assert_eq!(of_attempt(MIB), Duration::ZERO);
        assert_eq!(of_attempt(60 * MIB), Duration::from_secs(30));
        assert_eq!(extra_time(128 * MIB), Duration::from_secs(128));
    }
}
