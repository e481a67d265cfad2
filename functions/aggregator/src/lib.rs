//! The aggregator: does what follows once a version is projected.
//!
//! Rooms, in reading order: [`Config`]; `record`, what the stream sends; `change`, what a record of the stream means; [`Aggregator`], the handler with the
//! delivery policy.

mod change;
mod config;
mod handler;
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
            Change::Projected { tenant, version } => Some((tenant, version)),
            Change::Ignored(_) => None,
        });
        projected.collect()
    }
}
