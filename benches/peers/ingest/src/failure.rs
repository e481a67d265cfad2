//! The failure of a measurement.

/// Any failure.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
