//! Commands of consumers. They send requests to the HTTP API only.

pub(crate) mod children;
pub(crate) mod expand;
pub(crate) mod extract;
pub(crate) mod follow;
pub(crate) mod gaps;
pub(crate) mod get;
pub(crate) mod stats;
pub(crate) mod suggest;
