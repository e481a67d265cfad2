//! Every metric. Names are part of dashboards and alarms: a published metric is never renamed.

/// A metric of the namespace `Taxonomy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// A notification named an object that is no tenant's file; it was ignored.
    IgnoredObject,
    /// An uploaded file was refused.
    Rejected,
    /// An upload was not ingested, because its tenant is frozen.
    Frozen,
    /// The source object of a reconciled tenant was the committed one.
    Unchanged,
    /// A version was committed.
    VersionCommitted,
    /// A projection was completed.
    VersionProjected,
    /// Items written by the projection.
    ItemsWritten,
    /// Items that this or a newer version had written already.
    ItemsAlready,
    /// A conditional write met another writer; the action was planned again.
    ConditionalRetry,
    /// A write was throttled beyond the SDK's own retries, and sent again.
    Throttled,
    /// A reconcile, an audit or a sweep did not complete; its event or message is delivered again.
    Unfinished,
    /// An aggregate was written.
    AggregateWritten,
    /// An aggregate was already that of this or a newer version.
    AggregateAlready,
    /// A stream record was sent to the deferred queue, because it would have delayed others.
    Deferred,
    /// A stream record failed permanently and was stored in the failures bucket.
    Parked,
    /// An audit found a difference, or a load an item of a version that the tenant does not have.
    AuditDifferences,
    /// An audit repaired an aggregate.
    AggregateRepaired,
    /// An audit did not fit into an invocation; it runs again with the next schedule.
    AuditUnfinished,
    /// A request to the second cache tier failed or took too long; the table answered instead.
    CacheFailed,
    /// A request to the second cache tier was not sent, because the circuit breaker was open.
    CacheSkipped,
    /// The age of a deferred record, at each attempt.
    DeferredAge,
    /// An entry in a list of tenants is damaged; the sweep skipped it.
    DamagedEntry,
    /// A download of a version was made and stored.
    DownloadMade,
    /// From the commit of a version to the end of its projection.
    ProjectionLag,
    /// The longest time for which a projection has been incomplete, as a sweep saw it; 0 where none is.
    BehindAge,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Metric; 25] = [
        Metric::IgnoredObject,
        Metric::Rejected,
        Metric::Frozen,
        Metric::Unchanged,
        Metric::VersionCommitted,
        Metric::VersionProjected,
        Metric::ItemsWritten,
        Metric::ItemsAlready,
        Metric::ConditionalRetry,
        Metric::Throttled,
        Metric::Unfinished,
        Metric::AggregateWritten,
        Metric::AggregateAlready,
        Metric::Deferred,
        Metric::Parked,
        Metric::AuditDifferences,
        Metric::AggregateRepaired,
        Metric::AuditUnfinished,
        Metric::CacheFailed,
        Metric::CacheSkipped,
        Metric::DeferredAge,
        Metric::DamagedEntry,
        Metric::DownloadMade,
        Metric::ProjectionLag,
        Metric::BehindAge,
    ];

    /// Returns the name in CloudWatch: that of the variant.
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// Returns the unit in CloudWatch.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::DeferredAge | Metric::ProjectionLag | Metric::BehindAge => "Milliseconds",
            _ => "Count",
        }
    }
}
