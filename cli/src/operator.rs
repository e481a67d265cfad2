//! Commands of operators: show and export versions, roll back, configure, verify and repair tenants.

pub(crate) mod audit;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod rebuild;
pub(crate) mod redrive;
pub(crate) mod repair;
pub(crate) mod report;
mod request;
pub(crate) mod rollback;
pub(crate) mod show;
mod side;
pub(crate) mod tenant;
pub(crate) mod verify;
