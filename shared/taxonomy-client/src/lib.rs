//! A typed client of the service's HTTP API, and the expander of term ids on metrics.

pub mod expander;
