//! The difference between two taxonomies, as `plan` and `diff` show it. Its JSON form: docs/decisions/0013-command-line.md.

mod compare;
mod human;

pub(crate) use compare::{Difference, tenant_or_any};
pub(crate) use human::write as write_human;
