//! Configuration of the SDK, clock and metrics, for every function. No business rules.
//!
//! | Module | Content |
//! |---|---|
//! | [`mod@env`], [`telemetry`] | environment and log: those of `taxonomy-process` |
//! | `clock` | [`Clock`] and its real implementation, [`SystemClock`] |
//! | `metrics` | [`Metrics`]: CloudWatch metrics as log lines |
//! | `metric` | [`Metric`]: every metric, with unit and meaning |
//! | `aws` | [`AwsEnv`], [`sdk_config`]: the SDK set-up of decision page 4 |

pub mod aws;
pub mod clock;
pub mod metric;
pub mod metrics;

pub use aws::{AwsEnv, RetryPolicy, sdk_config};
pub use clock::{Clock, SystemClock};
pub use metric::Metric;
pub use metrics::Metrics;
pub use taxonomy_process::{ConfigError, Invocation, env, telemetry};
