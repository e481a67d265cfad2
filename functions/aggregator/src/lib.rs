//! The aggregator: does what follows once a version is projected.
//!
//! Rooms, in reading order: [`Config`]; `record`, what the stream sends; `change`, what a record of the stream means; [`Aggregator`], the handler with the
//! delivery policy.

mod change;
mod config;
mod handler;
mod record;

pub use config::Config;
pub use handler::Aggregator;
pub use record::Batch;
