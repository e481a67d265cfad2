//! Why an event could not be worked off. Each kind has a stable name, which alarms may count.

use lambda_runtime::Diagnostic;
use taxonomy_protocol::ProtocolError;
use taxonomy_store::StoreError;

/// Why the event has to come again.
#[derive(Debug, thiserror::Error)]
pub enum ProjectorError {
    /// S3 or DynamoDB failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// A tenant could not be brought to rest.
    #[error("a tenant could not be brought to rest")]
    Protocol(#[from] ProtocolError),
    /// A message was received so often, and no attempt ended.
    #[error("a message was received {0} times, and no attempt ended")]
    KeepsEnding(u64),
    /// There was no time to get any further.
    #[error("nothing was done in the time there was")]
    Stuck,
    /// The tenants cannot all be asked for in one invocation.
    #[error("audits of {0} tenants were asked for, and there are more")]
    TooManyTenants(usize),
    /// The event has a form that nothing of this stack sends.
    #[error("the event has no known form: {0}")]
    UnknownEvent(&'static str),
    /// Tenants failed, each logged by itself.
    #[error("{failed} tenants are unfinished")]
    Unfinished {
        /// How many.
        failed: usize,
        /// The first one's failure.
        #[source]
        first: Box<ProjectorError>,
    },
}

impl From<ProjectorError> for Diagnostic {
    fn from(error: ProjectorError) -> Self {
        let error_type = match error {
            ProjectorError::Store(_) => "Store",
            ProjectorError::Protocol(ProtocolError::Restless(_)) => "Restless",
            ProjectorError::Protocol(ProtocolError::NewerFormat(_)) => "NewerFormat",
            ProjectorError::Protocol(_) => "Protocol",
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
