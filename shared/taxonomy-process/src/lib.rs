//! The environment and the log of a process, without the AWS SDK: a function that sends no request to AWS needs no other set-up.
//!
//! | Module | Content |
//! |---|---|
//! | `env` | [`env::required`], [`env::parsed`]: the only place that reads environment variables |
//! | `telemetry` | [`telemetry::init`]: JSON lines on stdout, with a cap on crates that would log credentials |
//! | `line` | the form of a line; [`Invocation`]: the ids that every line has |

pub mod env;
mod line;
pub mod telemetry;

pub use env::ConfigError;
pub use line::Invocation;
