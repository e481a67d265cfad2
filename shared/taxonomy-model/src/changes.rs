//! The differences between two versions, and their stored form.

mod cause;
pub mod changeset;
pub(crate) mod fact;
pub(crate) mod facts;
pub(crate) mod identifiers;
pub(crate) mod node_change;
pub mod operations;
pub(crate) mod record;
