//! Why an event could not be worked off. Each kind has a stable name, which alarms may count.

use lambda_runtime::Diagnostic;
use taxonomy_store::StoreError;

/// Why the event has to come again.
#[derive(Debug, thiserror::Error)]
pub enum ProjectorError {
    /// S3 or DynamoDB failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A tenant kept changing while it was looked at.
    #[error("a tenant did not come to rest in {0} rounds")]
    Restless(u32),
    /// The event has a form that nothing of this stack sends.
    #[error("the event has no known form: {0}")]
    UnknownEvent(&'static str),
    /// Tenants failed, each logged by itself.
    #[error("{0} tenants are unfinished")]
    Unfinished(usize),
}

impl From<ProjectorError> for Diagnostic {
    fn from(error: ProjectorError) -> Self {
        let error_type = match error {
            ProjectorError::Store(_) => "Store",
            ProjectorError::Restless(_) => "Restless",
            ProjectorError::UnknownEvent(_) => "UnknownEvent",
            ProjectorError::Unfinished(_) => "Unfinished",
        };
        Self {
            error_type: error_type.to_owned(),
            error_message: error.to_string(),
        }
    }
}
