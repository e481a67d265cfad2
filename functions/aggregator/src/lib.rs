//! The aggregator: updates the aggregates once a version is committed, publishes the version, and updates caches. Publishes refused uploads too.
//!
//! | Module | Content |
//! |---|---|
//! | `config`, `wiring` | [`Config`]: the configuration; the clients of each deployment |
//! | `record`, `change` | parsing records of the stream and of the deferred queue; their meaning |
//! | `handler` | [`Aggregator`]: the handler |
//! | `isolation`, `message` | the delivery policy that isolates tenants; deferred and parked records |
//! | `versions`, `notification`, `source` | counting and publishing; the published messages; the stack that they name |
//! | `caches` | updating caches, by a deployment of its own |

mod caches;
mod change;
mod config;
mod error;
mod handler;
mod isolation;
mod message;
mod notification;
mod record;
mod source;
mod versions;
mod wiring;

pub use config::{CachesConfig, Config, VersionsConfig};
pub use handler::Aggregator;
pub use isolation::{GIVE_UP_MS, delay};
pub use record::Batch;
pub use source::EventSource;

/// Entry points for the targets of `fuzz/`; no other build contains them.
#[cfg(fuzzing)]
pub mod fuzzing {
    use taxonomy_keys::{TenantId, Version};

    use crate::change::HeadChange;
    use crate::message::Deferred;
    use crate::record::{Batch, RecordKind};

    /// Returns every committed version of a batch, from the stream or from the queue.
    pub fn committed(batch: Batch) -> Vec<(TenantId, Version)> {
        let changes = batch
            .records
            .into_iter()
            .filter_map(|record| match record.kind() {
                RecordKind::Stream(head) => Some(head?.change),
                RecordKind::Message(message) => Some(Deferred::read(&message.body, 0).ok()??.change),
                RecordKind::Unknown => None,
            });
        let committed = changes.filter_map(
            |HeadChange {
                 tenant, committed, ..
             }| Some((tenant, committed?.version)),
        );
        committed.collect()
    }
}
