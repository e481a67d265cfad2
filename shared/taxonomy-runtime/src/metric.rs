//! Every metric there is. Names are part of dashboards and alarms: once published they stay.

/// A metric of the namespace `Taxonomy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// An object whose key is not a tenant's file was notified of and left alone.
    IgnoredObject,
    /// An uploaded file was refused.
    Rejected,
    /// An upload waits, because its tenant is frozen.
    Frozen,
    /// A tenant was looked at and its file was the one already committed.
    Unchanged,
    /// A version was committed.
    VersionCommitted,
    /// All items of a version were written and the projection moved to it.
    VersionProjected,
    /// Items written by the projection.
    ItemsWritten,
    /// Items the projection found already written by this or a newer version.
    ItemsAlready,
    /// A conditional write met another writer and was decided anew.
    ConditionalRetry,
    /// A write was throttled beyond the SDK's own retries, and made again.
    Throttled,
    /// A tenant could not be brought to rest or audited, or a sweep failed; its event or message comes again.
    Unfinished,
    /// An aggregate was written.
    AggregateWritten,
    /// An aggregate was there already, from this or a newer version.
    AggregateAlready,
    /// A stream record was deferred to a queue of its own, since it would have held up others.
    Deferred,
    /// A stream record failed for a permanent reason, and was put where failures go.
    Parked,
    /// An audit found something that is not as it should be.
    AuditDifferences,
    /// An aggregate was put right by an audit.
    AggregateRepaired,
    /// An audit did not fit into an invocation, and is not made again before the next time.
    AuditUnfinished,
    /// A request to the second cache tier failed or took too long; the table answered instead.
    CacheFailed,
    /// The second cache tier was left alone, since it had failed before.
    CacheSkipped,
    /// For how long a deferred record has been deferred, seen at each try.
    DeferredAge,
    /// An entry in a list of tenants is damaged; the sweep passed it over.
    DamagedEntry,
    /// The index file of a version was built and stored.
    VersionIndexed,
    /// The index file of a version could not be built or stored.
    IndexFailed,
    /// There was no time for the index file of a version.
    IndexBehind,
    /// A download of a version was made and stored.
    DownloadMade,
    /// From the commit of a version to the end of its projection.
    ProjectionLag,
    /// How long the tenant that has been behind longest has been behind, as a sweep saw it; 0 where none is.
    BehindAge,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 28] = [
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
        Metric::VersionIndexed,
        Metric::IndexFailed,
        Metric::IndexBehind,
        Metric::DownloadMade,
        Metric::ProjectionLag,
        Metric::BehindAge,
    ];

    /// The name in CloudWatch.
    pub fn name(self) -> &'static str {
        match self {
            Metric::IgnoredObject => "IgnoredObject",
            Metric::Rejected => "Rejected",
            Metric::Frozen => "Frozen",
            Metric::Unchanged => "Unchanged",
            Metric::VersionCommitted => "VersionCommitted",
            Metric::VersionProjected => "VersionProjected",
            Metric::ItemsWritten => "ItemsWritten",
            Metric::ItemsAlready => "ItemsAlready",
            Metric::ConditionalRetry => "ConditionalRetry",
            Metric::Throttled => "Throttled",
            Metric::Unfinished => "Unfinished",
            Metric::AggregateWritten => "AggregateWritten",
            Metric::AggregateAlready => "AggregateAlready",
            Metric::Deferred => "Deferred",
            Metric::Parked => "Parked",
            Metric::AuditDifferences => "AuditDifferences",
            Metric::AggregateRepaired => "AggregateRepaired",
            Metric::AuditUnfinished => "AuditUnfinished",
            Metric::CacheFailed => "CacheFailed",
            Metric::CacheSkipped => "CacheSkipped",
            Metric::DeferredAge => "DeferredAge",
            Metric::DamagedEntry => "DamagedEntry",
            Metric::VersionIndexed => "VersionIndexed",
            Metric::IndexFailed => "IndexFailed",
            Metric::IndexBehind => "IndexBehind",
            Metric::DownloadMade => "DownloadMade",
            Metric::ProjectionLag => "ProjectionLag",
            Metric::BehindAge => "BehindAge",
        }
    }

    /// The unit in CloudWatch.
    pub fn unit(self) -> &'static str {
        match self {
            Metric::DeferredAge | Metric::ProjectionLag | Metric::BehindAge => "Milliseconds",
            _ => "Count",
        }
    }
}
