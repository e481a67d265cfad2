//! The entry point of the crate, with its stores and configuration.

use std::pin::Pin;
use std::sync::Arc;

use taxonomy_keys::Culture;
use taxonomy_model::PROJECTION_FORMAT;
use taxonomy_runtime::{Clock, Metrics};
use taxonomy_store::{Archive, Committed, Heads, Projection, Reader, Sources, Table};

use crate::aggregate::AggregateUpdater;
use crate::error::VersioningError;

/// The most item writes in flight. Each needs a connection, and one process cannot use more of a table's capacity.
const CONCURRENCY: usize = 32;

/// The configuration that all tenants of a stack share.
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The default culture where neither the tenant nor the file names one.
    pub default_culture: Culture,
    /// The largest file, as stored and decoded, in bytes.
    pub max_file_bytes: u64,
    /// The projection format: [`PROJECTION_FORMAT`] except in tests, which simulate later builds.
    pub projection_format: u32,
}

impl ServiceConfig {
    /// The projection format of this build.
    pub const PROJECTION_FORMAT: u32 = PROJECTION_FORMAT;
}

/// The stores of a stack.
#[derive(Debug, Clone)]
pub struct Stores {
    /// The table.
    pub table: Table,
    /// The source objects.
    pub sources: Sources,
    /// Snapshots, changesets and reports.
    pub archive: Archive,
}

/// The versions of all tenants of a stack.
#[derive(Debug)]
pub struct Service {
    pub(crate) config: ServiceConfig,
    /// The heads.
    pub heads: Heads,
    /// The source objects.
    pub sources: Sources,
    /// Snapshots, changesets, reports and downloads.
    pub archive: Archive,
    pub(crate) projection: Projection,
    pub(crate) reader: Reader,
    pub(crate) updater: AggregateUpdater,
    #[cfg(feature = "purge")]
    pub(crate) purge: taxonomy_store::Purge,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// A random id that distinguishes the heartbeats of this process from those of others.
    pub(crate) process: String,
    /// The metrics, which the function emits.
    pub metrics: Metrics,
}

impl Service {
    /// Builds the service over the stores of a stack; `function` is the dimension of its metrics.
    pub fn new(function: &str, config: ServiceConfig, stores: Stores, clock: Arc<dyn Clock>) -> Self {
        let Stores {
            table,
            sources,
            archive,
        } = stores;
        let heads = Heads::new(table.clone());
        Self {
            sources,
            projection: Projection::new(table.clone(), CONCURRENCY),
            updater: AggregateUpdater::new(table.clone(), archive.clone()),
            #[cfg(feature = "purge")]
            purge: taxonomy_store::Purge::new(table.clone(), CONCURRENCY),
            reader: Reader::new(table),
            metrics: Metrics::new(function),
            process: format!("{:016x}", fastrand::u64(..)),
            heads,
            archive,
            config,
            clock,
        }
    }

    /// Returns the projection format of this build.
    pub(crate) fn format(&self) -> u64 {
        u64::from(self.config.projection_format)
    }

    /// Refuses a tenant of a newer projection format, also for an operator: an older build would overwrite newer items with older ones.
    pub(crate) fn check_format(&self, head: Option<&Committed>) -> Result<(), VersioningError> {
        match head.filter(|head| head.format > self.format()) {
            Some(newer) => Err(VersioningError::NewerFormat(newer.format)),
            None => Ok(()),
        }
    }
}

/// Puts a future on the heap whose state is large, or that is rarely needed. It is made in a frame of its own, so that its state takes no room on the stack of
/// its caller either.
#[inline(never)]
pub(crate) fn boxed<F: Future>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::pin(make())
}
