//! Commands of consumers: they ask the HTTP API and nothing else.

pub(crate) mod children;
pub(crate) mod expand;
pub(crate) mod follow;
pub(crate) mod get;
pub(crate) mod stats;
