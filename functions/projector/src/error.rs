//! Errors of events. Each kind has a stable name, which alarms may count.

use lambda_runtime::Diagnostic;
use taxonomy_store::StoreError;
use taxonomy_versioning::VersioningError;

/// The event must be delivered again.
#[derive(Debug, thiserror::Error)]
pub enum ProjectorError {
    /// S3 or DynamoDB failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A tenant could not be reconciled.
    #[error("a tenant could not be reconciled")]
    Versioning(#[from] VersioningError),
    /// A message was received too often, and no try ended.
    #[error("a message was received {0} times, and no attempt ended")]
    KeepsEnding(u64),
    /// The time of the invocation did not suffice for any progress.
    #[error("the time did not suffice for any progress")]
    Stuck,
    /// The audits of all tenants could not be requested in one invocation.
    #[error("audits of {0} tenants were requested, and more tenants are left")]
    TooManyTenants(usize),
    /// The event has an unknown form.
    #[error("the event has no known form: {0}")]
    UnknownEvent(&'static str),
    /// Tenants failed, each logged by itself.
    #[error("{failed} tenants are unfinished")]
    Unfinished {
        /// The number of failed tenants.
        failed: usize,
        /// The failure of the first one.
        #[source]
        first: Box<ProjectorError>,
    },
}

impl From<ProjectorError> for Diagnostic {
    fn from(error: ProjectorError) -> Self {
        let error_type = match error {
            ProjectorError::Store(_) => "Store",
            ProjectorError::Versioning(VersioningError::NewerFormat(_)) => "NewerFormat",
            ProjectorError::Versioning(_) => "Versioning",
            ProjectorError::KeepsEnding(_) => "KeepsEnding",
            ProjectorError::Stuck => "Stuck",
            ProjectorError::TooManyTenants(_) => "TooManyTenants",
            ProjectorError::UnknownEvent(_) => "UnknownEvent",
            ProjectorError::Unfinished { .. } => "Unfinished",
        };
        Self {
            error_type: error_type.to_owned(),
            error_message: error.to_string(),
        }
    }
}
