//! Why a cache does not follow a version.

use aws_sdk_cloudfront::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_cloudfront::operation::create_invalidation::CreateInvalidationError;
use taxonomy_valkey::ValkeyError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum FollowError {
    /// The second cache tier did not take a version.
    #[error("the version was not pushed")]
    Push(#[from] ValkeyError),
    /// CloudFront did not take an invalidation.
    #[error("the CDN was not invalidated")]
    Invalidation(#[source] Box<SdkError<CreateInvalidationError>>),
    /// An invalidation cannot even be sent.
    #[error("the invalidation is no request")]
    Request(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl FollowError {
    /// The same request would fail again, and other tenants' would not.
    pub(crate) fn is_permanent(&self) -> bool {
        match self {
            // The key holds a value that this service did not write.
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
