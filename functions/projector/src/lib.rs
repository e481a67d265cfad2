//! The projector: an event says that a tenant may have changed; the tenant's file and head say whether it has.
//!
//! Rooms, in reading order: [`Config`]; `event`, what arrives and which tenants it means; [`Projector`], the handler with the delivery
//! policy; `sweep`, tenants that nobody told of. What happens to a tenant is in `taxonomy-protocol`.

mod config;
mod error;
mod event;
mod handler;
mod sweep;

pub use config::Config;
pub use error::ProjectorError;
pub use handler::Projector;
