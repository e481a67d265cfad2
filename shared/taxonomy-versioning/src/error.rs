//! Errors of reconciles and of operators' commands.

use taxonomy_keys::Version;
use taxonomy_model::Report;
use taxonomy_runtime::causes;
use taxonomy_store::{Asked, StoreError};

/// A reconcile or a command failed.
#[derive(Debug, thiserror::Error)]
pub enum VersioningError {
    /// S3 or DynamoDB failed, or contains data that this service did not write.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A newer build wrote the head; this one would overwrite its items with older ones.
    #[error("the tenant is projected in format {0}, which this build does not know")]
    NewerFormat(u64),
    /// The tenant has a log, and no head.
    #[error("the head of the tenant is lost, and its log has versions")]
    HeadLost,
    /// The head of the tenant and its log disagree: the next version exists, and is not the one that follows the head.
    #[error("the head of the tenant and its log disagree")]
    HeadDisagrees,
    /// The tenant has no version.
    #[error("the tenant has no version")]
    NoVersion,
    /// The tenant never had this version.
    #[error("the tenant has no version {0}")]
    UnknownVersion(Version),
    /// Another request of an operator waits for its answer.
    #[error("another request waits for its answer: {}", described(.0))]
    Asked(Box<Asked>),
    /// The projector could not carry out a request.
    #[error("the request cannot be carried out: {0}")]
    Failed(String),
    /// The head was committed at a time so far ahead of the clock that nothing is committed after it. Times in epoch milliseconds.
    #[error("the next version would be committed at {at} ms, after the head, and the clock shows {now} ms")]
    AheadOfClock {
        /// The first possible commit time.
        at: u64,
        /// The clock's time.
        now: u64,
    },
    /// Another process changed the tenant at the same time.
    #[error("another process changed the tenant at the same time; repeat the command")]
    Overtaken,
    /// A purge of the tenant has begun.
    #[error("the tenant is being purged")]
    Purging,
    /// Neither the head nor its index file says which items a tenant has. Only a purge without a scan needs them.
    #[error("the ids of its items cannot be read, so that some would be left; repeat it with --scan")]
    Unnamed(#[source] StoreError),
    /// Another process is loading the tenant.
    #[error("another process is loading the tenant; try again in {0} seconds")]
    Loading(u64),
    /// The writer of a download failed or panicked.
    #[error("a download could not be written")]
    Writing(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The system could not start a thread for the writer of a download.
    #[error("no thread could be started")]
    NoThread(#[source] std::io::Error),
    /// The time of the invocation did not suffice.
    #[error("the time of the invocation did not suffice")]
    OutOfTime,
    /// The content is invalid under these settings.
    #[error("the content is invalid under these settings")]
    Refused(Box<Report>),
    /// The content that was asked for is invalid under the present settings. Holds the key of the report.
    #[error("the content is invalid under the present settings; the report is {0}")]
    RefusedRequest(String),
    /// The content exceeds what a file of a version can hold.
    #[error("the files of the version cannot be built: {0}")]
    Unbuildable(String),
}

impl VersioningError {
    /// Whether the same work would fail again, as long as nobody mends the tenant.
    pub(crate) fn is_permanent(&self) -> bool {
        match self {
            Self::Store(error) => error.is_permanent(),
            Self::Unbuildable(_) | Self::UnknownVersion(_) | Self::AheadOfClock { .. } => true,
            _ => false,
        }
    }

    /// Whether something stored of the tenant is lost or damaged, which the next look at the tenant may restore.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::HeadLost | Self::HeadDisagrees => true,
            Self::Store(error) => error.is_lost(),
            _ => false,
        }
    }

    pub(crate) fn writing(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Writing(error.into())
    }

    pub(crate) fn unbuildable(error: &dyn std::error::Error) -> Self {
        Self::Unbuildable(causes(error))
    }
}

/// Describes a request.
fn described(
    Asked {
        request, provenance, ..
    }: &Asked,
) -> String {
    match &provenance.author {
        Some(author) => format!("{request} by {author}"),
        None => request.to_string(),
    }
}
