//! Environment, log, clock, metrics, parts of HTTP and, with the feature `sdk`, the set-up of the AWS SDK. No business rules.
//!
//! | Module | Content |
//! |---|---|
//! | [`mod@env`] | [`env::required`], [`env::parsed`]: the only place that reads environment variables |
//! | [`telemetry`] | [`telemetry::init`]: JSON lines on stdout, with a cap on crates that would log credentials; [`causes`] |
//! | `line` | the form of a line; [`Invocation`]: the ids that every line has |
//! | [`http`] | headers of requests, the response to API Gateway |
//! | `clock` | [`Clock`] and its real implementation, [`SystemClock`] |
//! | `metrics` | [`Metrics`]: CloudWatch metrics as log lines |
//! | `metric` | [`Metric`]: every metric, with unit and meaning |
//! | `aws` | [`AwsEnv`], [`sdk_config`]: the SDK set-up of decision page 4 |

#[cfg(feature = "sdk")]
pub mod aws;
pub mod clock;
pub mod env;
pub mod http;
mod line;
pub mod metric;
pub mod metrics;
pub mod telemetry;

#[cfg(feature = "sdk")]
pub use aws::{AwsEnv, RetryPolicy, sdk_config};
pub use clock::{Clock, SystemClock};
pub use env::ConfigError;
pub use line::Invocation;
pub use metric::Metric;
pub use metrics::Metrics;
pub use telemetry::causes;
