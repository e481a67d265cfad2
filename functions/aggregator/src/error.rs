//! Errors of updating a cache.

use aws_sdk_cloudfront::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_cloudfront::operation::create_invalidation::CreateInvalidationError;
use taxonomy_valkey::ValkeyError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum FollowError {
    /// The second cache tier refused a version.
    #[error("the version was not pushed")]
    Push(#[from] ValkeyError),
    /// CloudFront refused an invalidation.
    #[error("the CDN was not invalidated")]
    Invalidation(#[source] Box<SdkError<CreateInvalidationError>>),
    /// An invalidation could not be built.
    #[error("the invalidation is no request")]
    Request(#[from] BuildError),
}

impl FollowError {
    /// Whether the same request would fail again, and those of other tenants would not.
    pub(crate) fn is_permanent(&self) -> bool {
        match self {
            // The key has a value that this service did not write.
            Self::Push(ValkeyError::Refused { code }) => code == "WRONGTYPE",
            Self::Push(_) => false,
            Self::Invalidation(error) => matches!(
                error.as_service_error().and_then(ProvideErrorMetadata::code),
                Some("InvalidArgument" | "BatchTooLarge" | "InconsistentQuantities" | "MissingBody")
            ),
            Self::Request(_) => true,
        }
    }
}
