//! The plumbing every function needs before its own work begins: no business in here.
//!
//! | File | What is in it |
//! |---|---|
//! | `env` | [`env::required`], [`env::parsed`]: the only place that reads environment variables |
//! | `clock` | [`Clock`] and the one real one, [`SystemClock`] |
//! | `telemetry` | [`telemetry::init`]: JSON lines on stdout, with a cap on crates that would log credentials |
//! | `metrics` | [`Metrics`]: CloudWatch metrics as log lines |
//! | `metric` | [`Metric`]: every metric there is, with unit and meaning |
//! | `aws` | [`AwsEnv`], [`sdk_config`]: the lean SDK set-up of decision page 4 |

pub mod aws;
pub mod clock;
pub mod env;
pub mod metric;
pub mod metrics;
pub mod telemetry;

pub use aws::{AwsEnv, Patience, sdk_config};
pub use clock::{Clock, SystemClock};
pub use env::ConfigError;
pub use metric::Metric;
pub use metrics::Metrics;
