//! The aggregator: does what follows once a version is projected, or an upload refused.
//!
//! Rooms, in reading order: [`Config`]; `record`, what the stream sends; `change`, what a record of the stream means; `notification`, what others are told of it; [`Aggregator`], the handler with the
//! delivery policy.

mod change;
mod config;
mod handler;
mod notification;
mod record;

pub use config::Config;
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
