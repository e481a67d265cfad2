//! Deletes all data of a tenant that leaves. Only the command line has this, behind the feature `purge`.
//!
//! **The tenant cannot reappear.** The purge records itself in the tenant's configuration and marks the head. No commit passes the
//! mark, and every process that reads the tenant from then on finds the record and skips the tenant: projector, verification and
//! aggregator. A process that read the tenant earlier may still write, for as long as a function's invocation lasts; the purge
//! waits that long ([`PURGE_QUIET`]) before it deletes. An object that is uploaded during the purge is deleted at its end.
//!
//! **It may be interrupted at any request, and repeated.** Every deletion is idempotent. The data that a repetition needs are deleted last:
//! the ids are read from the newest index file, so the bodies are kept until the record states that items and aggregates are deleted; the record
//! itself is deleted with the configuration, the very last item.
//!
//! **Nothing is left.** Where the ids cannot be read, nothing is deleted but the tenant's file, and the error says to scan the whole table instead.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;
use taxonomy_keys::{TenantId, pattern};
use taxonomy_store::{Bucket, Head, PurgeNote, PurgePhase, Sources, StoreError};
use tokio::time::sleep;
use tracing::info;

use crate::error::VersioningError;
use crate::load::others_load;
use crate::service::Service;

/// Longer than an invocation of any function (900 s), with a minute for clocks that differ.
pub const PURGE_QUIET: Duration = Duration::from_secs(960);

/// Between two reports of a purge that waits.
const TICK: Duration = Duration::from_secs(1);

/// The prefixes of a tenant's bodies in the changesets bucket.
const BODIES: [&str; 6] = [
    "snapshots",
    "changesets",
    "reports",
    "indexes",
    "downloads",
    "download-failures",
];

/// The options of a purge.
#[derive(Debug, Clone)]
pub struct PurgeOptions {
    /// The failures bucket, whose parked records of the tenant are deleted; without it they expire.
    pub failures_bucket: Option<String>,
    /// The time to wait for processes that read the tenant before the purge began: [`PURGE_QUIET`], or less where no function
    /// is running.
    pub quiet: Duration,
    /// Whether to find the items by a scan of the whole table, those that no version names included.
    pub scan: bool,
}

/// A step of a purge, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PurgeStep {
    /// Waits until every process has ended that looked at the tenant before the purge began. Counts seconds.
    Waiting,
    /// Deletes the tenant's file. Counts versions and delete markers.
    Source,
    /// Deletes categories and terms. Counts items.
    Items,
    /// Deletes aggregates, activity and proofs. Counts items.
    Aggregates,
    /// Deletes snapshots, changesets, reports, audits and parked records. Counts versions and delete markers.
    Bodies,
    /// Deletes the log and the note of the audits. Counts items.
    Log,
    /// Deletes what was uploaded meanwhile, head and configuration. Counts versions, delete markers and items.
    End,
}

/// The progress of a step of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PurgeProgress {
    /// The step.
    pub step: PurgeStep,
    /// The number of completed units of the step.
    pub done: u64,
    /// The number of all units, if it is known.
    pub of: Option<u64>,
}

/// The counts of a purge. A repetition counts its own deletions. `taxonomy tenant purge --output json` writes it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Purged {
    /// Versions and delete markers of the tenant's file.
    pub source_versions: u64,
    /// Categories and terms, tombstones and cultures included.
    pub items: u64,
    /// Aggregates, activity and proofs.
    pub aggregates: u64,
    /// Versions and delete markers of snapshots, changesets, reports, audits and parked records.
    pub bodies: u64,
    /// The log and the note of the audits.
    pub log: u64,
}

/// The counts of everything that is stored of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgePlan {
    /// The version at the head; 0 where none was ever committed.
    pub version: u64,
    /// Categories of that version.
    pub categories: u64,
    /// Terms of that version.
    pub terms: u64,
    /// Versions and delete markers of the tenant's file.
    pub source_versions: u64,
    /// Versions and delete markers of snapshots, changesets, reports, audits and parked records.
    pub bodies: u64,
    /// Items of the head's partition: head, configuration, log and the note of the audits.
    pub log: u64,
    /// Aggregates, activity and proofs.
    pub aggregates: u64,
    /// Partitions of categories and terms, where the table was scanned for them.
    pub scanned: u64,
    /// A purge that began before and has not ended.
    pub begun: Option<PurgeNote>,
}

impl PurgePlan {
    /// Whether nothing of the tenant is left.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The callback that a purge reports to.
type OnProgress<'a> = &'a dyn Fn(PurgeProgress);

impl Service {
    /// Counts everything that is stored of a tenant: a few reads, and a listing of its objects, 1,000 versions a request.
    ///
    /// # Errors
    /// [`VersioningError::Store`] when table or buckets cannot be read.
    pub async fn plan_purge(
        &self,
        tenant: &TenantId,
        options: &PurgeOptions,
    ) -> Result<PurgePlan, VersioningError> {
        let head = self.head_unless_damaged(tenant).await?;
        let log = self.purge.keys(pattern::everything_but_items(tenant)).await?;
        let mut plan = PurgePlan {
            begun: self.purge.configuration(tenant).await?.purge,
            log: log.len() as u64,
            aggregates: self.purge.keys(pattern::all_stats(tenant)).await?.len() as u64,
            ..PurgePlan::default()
        };
        if options.scan {
            plan.scanned = self.reader.scanned(tenant).await?.len() as u64;
        }
        if let Some(head) = head.ok().and_then(|head| head.committed) {
            (plan.version, plan.categories, plan.terms) = (head.version.get(), head.categories, head.terms);
        }
        let source = Sources::key(tenant);
        plan.source_versions = self.sources.bucket.count(&source, |key| key == source).await?;
        for (objects, prefix) in self.bodies(tenant, options) {
            plan.bodies += objects.count(&prefix, |_| true).await?;
        }
        Ok(plan)
    }

    /// Deletes everything of a tenant, in the table, its index and the buckets, all versions of objects included, and reports its progress.
    /// Nothing is done where nothing is there. A purge that was interrupted is repeated as it was called.
    ///
    /// Not deleted are backups of the table, entries of the caches, which expire, logs, and messages in queues, which find no tenant.
    ///
    /// # Errors
    /// [`VersioningError::Loading`] when a process is still loading the tenant after the wait; [`VersioningError::Unnamed`] when the ids of its
    /// items cannot be read, and the table is not scanned; [`VersioningError::Overtaken`] when another process ended the same purge; [`VersioningError::Store`] when table or buckets fail. In each case the tenant stays frozen, and a
    /// repetition completes the purge.
    pub async fn purge(
        &self,
        tenant: &TenantId,
        options: &PurgeOptions,
        report: &dyn Fn(PurgeProgress),
    ) -> Result<Purged, VersioningError> {
        if self.plan_purge(tenant, options).await?.is_empty() {
            return Ok(Purged::default());
        }
        let mut purged = Purged::default();
        let mut note = self.purge.begin(tenant, self.clock.now_ms()).await?;
        self.purge.mark_head(tenant).await?;
        info!(%tenant, phase = ?note.phase, "the tenant is being purged");
        self.wait(&note, options.quiet, report).await;
        self.still_mine(tenant, &note).await?;
        if note.phase == PurgePhase::Items || options.scan {
            self.purge_projection(tenant, options, &mut note, &mut purged, report)
                .await?;
        }
        for (objects, prefix) in self.bodies(tenant, options) {
            let counter = counting(&mut purged.bodies, PurgeStep::Bodies, None, report);
            objects.delete(&prefix, |_| true, counter).await?;
        }
        let mut log = self.purge.keys(pattern::everything_but_items(tenant)).await?;
        let last = [pattern::head(tenant), pattern::configuration(tenant)];
        log.retain(|key| !last.contains(key));
        let counter = counting(&mut purged.log, PurgeStep::Log, Some(log.len()), report);
        self.purge.items(tenant, log, counter).await?;
        self.still_mine(tenant, &note).await?;
        self.delete_source(tenant, PurgeStep::End, &mut purged, report)
            .await?;
        self.purge.end(tenant).await?;
        info!(%tenant, ?purged, "the tenant is purged");
        Ok(purged)
    }

    /// Deletes the file, the items and the aggregates, and notes that they are gone.
    async fn purge_projection(
        &self,
        tenant: &TenantId,
        options: &PurgeOptions,
        note: &mut PurgeNote,
        purged: &mut Purged,
        report: OnProgress<'_>,
    ) -> Result<(), VersioningError> {
        let head = self.head_unless_damaged(tenant).await?;
        let committed = head.as_ref().ok().and_then(|head| head.committed.as_ref());
        if let Some(left_ms) =
            committed.and_then(|head| others_load(head, &self.process, self.clock.now_ms()))
        {
            return Err(VersioningError::Loading(left_ms.div_ceil(1000)));
        }
        self.delete_source(tenant, PurgeStep::Source, purged, report)
            .await?;
        let partitions = match options.scan {
            true => self.reader.scanned(tenant).await?,
            false => self.partitions_ever(tenant, head).await?,
        };
        let mut items = counting(&mut purged.items, PurgeStep::Items, None, report);
        items(0);
        info!(%tenant, partitions = partitions.len(), "deleting items");
        self.purge
            .partitions(tenant, partitions.into_iter(), items)
            .await?;
        let aggregates = self.purge.keys(pattern::all_stats(tenant)).await?;
        let of = Some(aggregates.len());
        let counter = counting(&mut purged.aggregates, PurgeStep::Aggregates, of, report);
        self.purge.items(tenant, aggregates, counter).await?;
        note.phase = PurgePhase::Bodies;
        match self.purge.note(tenant, note).await? {
            true => Ok(()),
            false => self.still_mine(tenant, note).await,
        }
    }

    /// Waits until `quiet` has passed since the purge began, by the clock on which it passes first.
    async fn wait(&self, note: &PurgeNote, quiet: Duration, report: OnProgress<'_>) {
        let quiet_ms = u64::try_from(quiet.as_millis()).unwrap_or(u64::MAX);
        let of = Some(quiet.as_secs());
        // A note from the future, by another clock, is waited for as long as one from now.
        let mut left = (note.at.saturating_add(quiet_ms))
            .saturating_sub(self.clock.now_ms())
            .min(quiet_ms);
        while left > 0 {
            let done = (quiet_ms - left) / 1000;
            let step = PurgeStep::Waiting;
            report(PurgeProgress { step, done, of });
            let pause = TICK.min(Duration::from_millis(left));
            sleep(pause).await;
            left = left.saturating_sub(u64::try_from(pause.as_millis()).unwrap_or(left));
        }
    }

    /// The partitions of the categories and terms that the tenant ever had.
    async fn partitions_ever(
        &self,
        tenant: &TenantId,
        head: Result<Head, StoreError>,
    ) -> Result<BTreeSet<String>, VersioningError> {
        let found = match head {
            Ok(Head { committed: None, .. }) => Ok(BTreeSet::new()),
            Ok(Head {
                committed: Some(head),
                ..
            }) => self.partitions_up_to(tenant, &head).await,
            Err(damaged) => Err(damaged),
        };
        found.map_err(|error| match error.is_permanent() || error.is_unknown_format() {
            true => VersioningError::Unnamed(error),
            false => error.into(),
        })
    }

    /// The head, or its damage.
    async fn head_unless_damaged(
        &self,
        tenant: &TenantId,
    ) -> Result<Result<Head, StoreError>, VersioningError> {
        match self.heads.read(tenant).await {
            Ok((head, _)) => Ok(Ok(head)),
            Err(error @ StoreError::Damaged { .. }) => Ok(Err(error)),
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses to go on where the note of this purge is gone: another process ended it, and the tenant may have begun anew.
    async fn still_mine(&self, tenant: &TenantId, note: &PurgeNote) -> Result<(), VersioningError> {
        let stored = self.purge.configuration(tenant).await?.purge;
        match stored.is_some_and(|stored| stored.at == note.at) {
            true => Ok(()),
            false => Err(VersioningError::Overtaken),
        }
    }

    async fn delete_source(
        &self,
        tenant: &TenantId,
        step: PurgeStep,
        purged: &mut Purged,
        report: OnProgress<'_>,
    ) -> Result<(), VersioningError> {
        // The key of tenant `acme` is a prefix of that of tenant `acme.json`.
        let (objects, key) = (&self.sources.bucket, Sources::key(tenant));
        let counter = counting(&mut purged.source_versions, step, None, report);
        Ok(objects.delete(&key, |found| found == key, counter).await?)
    }

    /// The prefixes under which the buckets hold bodies of a tenant. They end with `/`, since `acme` is a prefix of `acme2`.
    fn bodies(&self, tenant: &TenantId, options: &PurgeOptions) -> Vec<(Bucket, String)> {
        let objects = &self.archive.bucket;
        let mut bodies: Vec<(Bucket, String)> = BODIES
            .iter()
            .map(|kind| (objects.clone(), format!("{kind}/{tenant}/")))
            .collect();
        if let Some(bucket) = &options.failures_bucket {
            bodies.push((objects.other(bucket), format!("parked/{tenant}/")));
        }
        bodies
    }
}

/// Returns a function that adds to the count of a step, and reports each time.
fn counting<'a>(
    count: &'a mut u64,
    step: PurgeStep,
    of: Option<usize>,
    report: OnProgress<'a>,
) -> impl FnMut(u64) + 'a {
    let of = of.map(|of| of as u64);
    move |more| {
        *count += more;
        let done = *count;
        report(PurgeProgress { step, done, of });
    }
}
