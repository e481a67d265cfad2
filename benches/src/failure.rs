//! The failure of a benchmark.

/// Any failure.
pub type Failure = Box<dyn std::error::Error>;
