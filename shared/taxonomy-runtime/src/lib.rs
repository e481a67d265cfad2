//! The plumbing every function needs before its own work begins: no business in here.
//!
//! | File | What is in it |
//! |---|---|
//! | [`mod@env`], [`telemetry`] | environment and log: those of `taxonomy-process` |
//! | `clock` | [`Clock`] and the one real one, [`SystemClock`] |
//! | `metrics` | [`Metrics`]: CloudWatch metrics as log lines |
//! | `metric` | [`Metric`]: every metric there is, with unit and meaning |
//! | `aws` | [`AwsEnv`], [`sdk_config`]: the lean SDK set-up of decision page 4 |

pub mod aws;
pub mod clock;
pub mod metric;
pub mod metrics;

pub use aws::{AwsEnv, Patience, sdk_config};
pub use clock::{Clock, SystemClock};
pub use metric::Metric;
pub use metrics::Metrics;
pub use taxonomy_process::{ConfigError, env, telemetry};
