//! The projector: an event says that a tenant may have changed; the tenant's file and head say whether it has.
//!
//! Rooms, in reading order: [`Config`]; `event`, what arrives and which tenants it means; [`Projector`], the handler with the delivery
//! policy; `redelivery`, the fate of a message that failed; `audits`, audits of tenants; `downloads`, downloads of versions; `sweep`, tenants that nobody told of. What happens to a tenant is in `taxonomy-protocol`.

mod audits;
mod config;
mod downloads;
mod error;
mod event;
mod handler;
mod redelivery;
mod sweep;

pub use config::Config;
pub use downloads::DOWNLOAD_RECEIVES;
pub use error::ProjectorError;
pub use handler::Projector;
pub use redelivery::{TRIES, delay};

/// What the targets of `fuzz/` call; no other build has it.
#[cfg(fuzzing)]
pub mod fuzzing {
    use serde_json::Value;
    use taxonomy_keys::TenantId;

    use crate::event::{Sweep, Task, Tenants, Work, parse};

    /// Every tenant that an event names.
    #[must_use]
    pub fn named(event: &Value, bucket: &str) -> Vec<TenantId> {
        let tasks = match parse(event, bucket) {
            Ok(Work::One(task)) => vec![task],
            Ok(Work::Messages(messages)) => messages.into_iter().filter_map(|message| message.task).collect(),
            Err(_) => Vec::new(),
        };
        let named = |task| match task {
            Task::Look(Tenants { tenants, .. }) => tenants.into_iter().collect(),
            Task::Audit(tenant, _) => vec![tenant],
            Task::Download(download) => vec![download.tenant],
            Task::Sweep(Sweep::Tenants { after } | Sweep::Audits { after }) => after.into_iter().collect(),
            Task::Sweep(Sweep::Behind | Sweep::Sources { .. }) => Vec::new(),
        };
        tasks.into_iter().flat_map(named).collect()
    }
}
