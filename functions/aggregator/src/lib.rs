//! The aggregator: does what follows once a version is projected, or an upload refused.
//!
//! Rooms, in reading order: [`Config`]; `record`, what the stream sends; `change`, what a record of the stream means; [`Aggregator`], the handler with the delivery policy; `versions`, what follows for everybody,
//! with `notification`, what others are told; `caches`, what follows for caches, by a deployment of its own; `world`, the clients of each.

mod caches;
mod change;
mod config;
mod error;
mod handler;
mod notification;
mod record;
mod versions;
mod world;

pub use config::{CachesConfig, Config, VersionsConfig};
pub use handler::Aggregator;
pub use record::Batch;

/// What the targets of `fuzz/` call; no other build has it.
#[cfg(fuzzing)]
pub mod fuzzing {
    use taxonomy_keys::{TenantId, Version};

    use crate::change::{Change, change};
    use crate::record::Batch;

    /// Every version that a batch says has been projected.
    #[must_use]
    pub fn projected(batch: &Batch) -> Vec<(TenantId, Version)> {
        let changes = batch.records.iter().map(change);
        let projected = changes.filter_map(|change| match change {
            Change::Head {
                tenant, projected, ..
            } => Some((tenant, projected?.to)),
            Change::Ignored(_) => None,
        });
        projected.collect()
    }
}
