//! Why something could not be done.

use taxonomy_keys::Version;
use taxonomy_model::Report;
use taxonomy_store::StoreError;

/// Why a tenant could not be brought to rest, or a command not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// S3 or DynamoDB failed, or holds something that this service did not write.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A tenant kept changing while it was looked at.
    #[error("a tenant did not come to rest in {0} rounds")]
    Restless(u32),
    /// Written by a newer build; this one would put older items over its.
    #[error("the tenant is projected in format {0}, which this build does not know")]
    NewerFormat(u64),
    /// The tenant has no version.
    #[error("the tenant has no version")]
    NoVersion,
    /// The tenant never had this version.
    #[error("the tenant has no version {0}")]
    UnknownVersion(Version),
    /// Somebody else changed the tenant at the same moment.
    #[error("the tenant was changed by somebody else; look again")]
    Overtaken,
    /// A purge of the tenant has begun.
    #[error("the tenant is being purged")]
    Purging,
    /// Another process is loading the tenant.
    #[error("another process is loading the tenant; try again in {0} seconds")]
    Loading(u64),
    /// The writer of a download failed or panicked.
    #[error("a download could not be written")]
    Writing(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The system started no thread for the writer of a download.
    #[error("no thread could be started")]
    NoThread(#[source] std::io::Error),
    /// There was not time enough.
    #[error("there was not time enough")]
    OutOfTime,
    /// The content cannot be had under these settings.
    #[error("the content cannot be had under these settings")]
    Refused(Box<Report>),
}

/// An error and what caused it, in one line.
pub fn causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
