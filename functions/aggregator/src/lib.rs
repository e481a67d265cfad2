//! The aggregator: does what follows once a version is projected, or an upload refused.
//!
//! Rooms, in reading order: [`Config`]; `record`, what the stream and the deferred queue send; `change`, what a record of the stream means;
//! [`Aggregator`], the handler; `isolation`, the delivery policy that keeps one tenant's failure from the others, with `message`, records
//! that are not done; `versions`, counting and publishing, with `notification`, the published messages, and `source`, the stack that they name; `caches`, what follows for caches, by
//! a deployment of its own; `counters`, the metrics; `world`, the clients of each.

mod caches;
mod change;
mod config;
mod counters;
mod error;
mod handler;
mod isolation;
mod message;
mod notification;
mod record;
mod source;
mod versions;
mod world;

pub use config::{CachesConfig, Config, VersionsConfig};
pub use handler::Aggregator;
pub use isolation::{GIVE_UP_MS, delay};
pub use record::Batch;
pub use source::EventSource;

/// What the targets of `fuzz/` call; no other build has it.
#[cfg(fuzzing)]
pub mod fuzzing {
    use taxonomy_keys::{TenantId, Version};

    use crate::change::{Change, HeadChange, change};
    use crate::message::Deferred;
    use crate::record::{Batch, Kind};

    /// Every version that a batch says has been projected, by the stream or by a deferred record.
    #[must_use]
    pub fn projected(batch: Batch) -> Vec<(TenantId, Version)> {
        let changes = batch
            .records
            .into_iter()
            .filter_map(|record| match record.kind() {
                Kind::Stream(record) => match change(&record) {
                    Change::Head(change) => Some(change),
                    Change::Ignored(_) => None,
                },
                Kind::Message(message) => Deferred::read(&message.body, 0)
                    .ok()
                    .map(|deferred| deferred.change),
                Kind::Unknown => None,
            });
        let projected = changes.filter_map(
            |HeadChange {
                 tenant, projected, ..
             }| Some((tenant, projected?.to)),
        );
        projected.collect()
    }
}
