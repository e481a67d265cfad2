//! Commands of those who own a taxonomy: import one, validate a file, plan it, push it.

pub(crate) mod import;
mod place;
pub(crate) mod plan;
pub(crate) mod push;
pub(crate) mod validate;
