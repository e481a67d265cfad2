//! Why what follows a record could not be done; the record comes again.

use taxonomy_store::StoreError;
use taxonomy_valkey::ValkeyError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum FollowError {
    /// DynamoDB, S3 or SNS failed.
    #[error("the store failed")]
    Store(#[from] StoreError),
    /// The second cache tier did not take a version.
    #[error("the version was not pushed")]
    Push(#[from] ValkeyError),
    /// CloudFront did not take an invalidation.
    #[error("the CDN was not invalidated")]
    Invalidation(#[source] Box<dyn std::error::Error + Send + Sync>),
}
