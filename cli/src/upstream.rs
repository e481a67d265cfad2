//! Commands of those who own a taxonomy: validate a file, plan it, push it.

mod place;
pub(crate) mod plan;
pub(crate) mod push;
pub(crate) mod validate;
