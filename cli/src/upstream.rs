//! Commands of upstreams: import a taxonomy, validate a file, plan it, push it.

pub(crate) mod import;
mod place;
pub(crate) mod plan;
pub(crate) mod push;
pub(crate) mod refusal;
pub(crate) mod tenant_state;
pub(crate) mod validate;
