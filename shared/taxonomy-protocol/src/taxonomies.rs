//! Everything the protocol works with.

use std::sync::Mutex;

use taxonomy_keys::Culture;
use taxonomy_model::PROJECTION_FORMAT;
use taxonomy_runtime::{Clock, Metric, Metrics};
use taxonomy_store::{Archive, AuditNotes, Chain, Heads, Projection, Reader, Sources, Table};

use crate::tally::Tally;

/// Items in flight at once: each needs a connection, and a table takes no more from one process anyway.
const CONCURRENCY: usize = 32;

/// What is the same for all tenants of a stack.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// The table.
    pub table: String,
    /// Where upstreams put their files.
    pub source_bucket: String,
    /// Where snapshots, changesets and reports go.
    pub changesets_bucket: String,
    /// Used where neither tenant nor file names a default culture.
    pub default_culture: Culture,
    /// The largest file, as stored and decoded, in bytes.
    pub max_file_bytes: u64,
    /// What items this build makes: [`PROJECTION_FORMAT`] but in tests, which stand in for later builds.
    pub projection_format: u32,
}

impl Bounds {
    /// What items this build makes.
    pub const PROJECTION_FORMAT: u32 = PROJECTION_FORMAT;
}

/// The taxonomies of all tenants of a stack.
#[derive(Debug)]
pub struct Taxonomies<C> {
    pub(crate) bounds: Bounds,
    pub(crate) heads: Heads,
    pub(crate) sources: Sources,
    pub(crate) archive: Archive,
    pub(crate) chain: Chain,
    pub(crate) projection: Projection,
    pub(crate) reader: Reader,
    pub(crate) tally: Tally,
    pub(crate) notes: AuditNotes,
    #[cfg(feature = "purge")]
    pub(crate) purge: taxonomy_store::Purge,
    pub(crate) clock: C,
    /// A random id, which distinguishes the heartbeats of this process from those of others.
    pub(crate) process: String,
    metrics: Mutex<Metrics>,
}

impl<C: Clock> Taxonomies<C> {
    /// Builds the world from its clients; `function` names what counts, in the metrics.
    #[must_use]
    pub fn new(
        function: &str,
        bounds: Bounds,
        dynamodb: aws_sdk_dynamodb::Client,
        s3: aws_sdk_s3::Client,
        clock: C,
    ) -> Self {
        let table = Table::new(dynamodb, &bounds.table);
        let heads = Heads::new(table.clone());
        let archive = Archive::new(s3.clone(), &bounds.changesets_bucket);
        Self {
            sources: Sources::new(s3, &bounds.source_bucket, bounds.max_file_bytes),
            chain: Chain::new(heads.clone(), archive.clone()),
            projection: Projection::new(table.clone(), CONCURRENCY),
            tally: Tally::new(table.clone(), archive.clone()),
            notes: AuditNotes::new(table.clone()),
            #[cfg(feature = "purge")]
            purge: taxonomy_store::Purge::new(table.clone(), CONCURRENCY),
            reader: Reader::new(table),
            metrics: Mutex::new(Metrics::new(function)),
            process: format!("{:016x}", fastrand::u64(..)),
            heads,
            archive,
            bounds,
            clock,
        }
    }

    /// The heads.
    #[must_use]
    pub fn heads(&self) -> &Heads {
        &self.heads
    }

    /// The source objects.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The time.
    #[must_use]
    pub fn clock(&self) -> &C {
        &self.clock
    }

    /// Adds to a sum.
    pub fn count(&self, metric: Metric, by: u64) {
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.count(metric, by);
        }
    }

    /// What a sum has come to since the last time.
    pub fn counted(&self, metric: Metric) -> u64 {
        self.metrics.lock().map_or(0, |metrics| metrics.counted(metric))
    }

    /// Records one more value.
    pub fn observe(&self, metric: Metric, value: u64) {
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.observe(metric, value);
        }
    }

    /// Prints what was counted since the last time.
    pub fn emit_metrics(&self) {
        if let Ok(mut metrics) = self.metrics.lock() {
            metrics.emit(&self.clock);
        }
    }
}
