//! The aggregates of a version.

pub(crate) mod census;
pub(crate) mod coverage;
pub mod stats;
pub(crate) mod totals;
