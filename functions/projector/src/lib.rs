//! The projector: an event says that a tenant may have changed; the tenant's file and head say whether it has.
//!
//! Rooms, in reading order: [`Config`]; `event`, what arrives and which tenants it means; `reconcile`, the protocol for one
//! tenant; `catch_up`, bringing the table to the head; [`Projector`], the handler with the delivery policy.

mod catch_up;
mod config;
mod error;
mod event;
mod handler;
mod reconcile;

pub use config::Config;
pub use error::ProjectorError;
pub use handler::Projector;
