//! The projector: turns each new source object of a tenant into a version, and the version into the items of the table.
//!
//! An event is a hint that a tenant may have changed; its head and its source object decide. `taxonomy-versioning` contains the decisions,
//! this crate the events and their delivery.
//!
//! | Module | Content |
//! |---|---|
//! | `config`, `wiring` | [`Config`]: the configuration; the clients of the function |
//! | `event` | parsing events into tasks |
//! | `handler`, `redelivery` | [`Projector`]: the handler and its delivery policy; the redelivery of a failed message |
//! | `audits`, `downloads`, `sweep` | the tasks beside reconciling a tenant |

mod audits;
mod config;
mod downloads;
mod error;
mod event;
mod handler;
mod redelivery;
mod sweep;
mod wiring;

pub use config::Config;
pub use downloads::DOWNLOAD_RECEIVES;
pub use error::ProjectorError;
pub use handler::Projector;
pub use redelivery::{TRIES, delay};

/// Entry points for the targets of `fuzz/`; no other build contains them.
#[cfg(fuzzing)]
pub mod fuzzing {
    use serde_json::Value;
    use taxonomy_keys::TenantId;

    use crate::event::{ChangedTenants, Sweep, Task, Work, parse};

    /// Returns every tenant that an event names.
    pub fn named(event: &Value, bucket: &str) -> Vec<TenantId> {
        let tasks = match parse(event, bucket) {
            Ok(Work::One(task)) => vec![task],
            Ok(Work::Messages(messages)) => messages.into_iter().filter_map(|message| message.task).collect(),
            Err(_) => Vec::new(),
        };
        let named = |task| match task {
            Task::Reconcile(ChangedTenants { tenants, .. }) => tenants.into_iter().collect(),
            Task::Audit(tenant, _) => vec![tenant],
            Task::Download(requested) => vec![requested.download.tenant],
            Task::Sweep(Sweep::Tenants { after } | Sweep::Audits { after }) => after.into_iter().collect(),
            Task::Sweep(Sweep::Behind | Sweep::Sources { .. }) => Vec::new(),
        };
        tasks.into_iter().flat_map(named).collect()
    }
}
