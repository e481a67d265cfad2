//! The error of the crate, and the predicates that callers use on it; no other code matches SDK variants.

use std::fmt::Debug;

use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use futures_util::TryFutureExt;
use taxonomy_model::attribute::Malformed;

use crate::objects::bucket::Bucket;

pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A request failed, or its response cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A service refused or did not answer, after the SDK's own retries.
    #[error("{}", failed(operation, object.as_deref()))]
    Request {
        /// The name of the operation in the API.
        operation: &'static str,
        /// The object in S3, as `s3://bucket/key`; `None` for a request that is not of one.
        object: Option<String>,
        /// The error code of the service, where it answered.
        code: Option<String>,
        /// The error of the SDK.
        source: Cause,
    },
    /// An object in S3 does not exist.
    #[error("{object} does not exist")]
    Missing {
        /// The object, as `s3://bucket/key`.
        object: String,
    },
    /// Stored data is not in this service's format.
    #[error("{what} is damaged")]
    Damaged {
        /// The data that was read.
        what: String,
        /// The reason.
        source: Cause,
    },
    /// A later build stored it, in an unknown format.
    #[error("{what} has format {format}, which this build does not know")]
    UnknownFormat {
        /// The data that was read.
        what: String,
        /// Its format.
        format: u32,
    },
    /// The service kept answering only a part of a request.
    #[error("{operation} left requests unprocessed")]
    Unprocessed {
        /// The name of the operation in the API.
        operation: &'static str,
    },
}

impl StoreError {
    pub(crate) fn request<E, R>(operation: &'static str, error: SdkError<E, R>) -> Self
    where
        E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: Debug + Send + Sync + 'static,
    {
        let code = error
            .as_service_error()
            .and_then(ProvideErrorMetadata::code)
            .map(str::to_owned);
        Self::Request {
            operation,
            object: None,
            code,
            source: error.into(),
        }
    }

    /// Names the object of a request that failed. S3's own message for a missing one does not.
    pub(crate) fn of(self, bucket: &Bucket, key: &str) -> Self {
        match self {
            error if error.is_missing() => Self::Missing {
                object: bucket.object(key),
            },
            // Every object that is read by ranges has a byte in each of them.
            error if error.has_code(&["InvalidRange"]) => bucket.damaged(key, "it ends before the range"),
            Self::Request {
                operation,
                code,
                source,
                ..
            } => Self::Request {
                operation,
                object: Some(bucket.object(key)),
                code,
                source,
            },
            error => error,
        }
    }

    /// Returns the error for data that this service did not write.
    pub fn damaged(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Damaged {
            what: what.into(),
            source: source.into(),
        }
    }

    /// Says of a conflict that outlasted every attempt that the request is unprocessed.
    pub(crate) fn unprocessed(self) -> Self {
        match self {
            Self::Request { operation, .. } if self.is_conflict() => Self::Unprocessed { operation },
            error => error,
        }
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        matches!(self, Self::Request { code: Some(code), .. } if codes.contains(&code.as_str()))
    }

    /// Whether a condition did not hold. After a lost response the cause can be this very write.
    pub fn is_condition_failed(&self) -> bool {
        self.has_code(&["ConditionalCheckFailedException", "PreconditionFailed"])
    }

    /// Whether a concurrent request for the same object is in progress.
    pub fn is_conflict(&self) -> bool {
        self.has_code(&["ConditionalRequestConflict", "OperationAborted"])
    }

    /// Whether a transaction was cancelled: by a condition, or by a concurrent one on the same items.
    pub fn is_transaction_cancelled(&self) -> bool {
        self.has_code(&[
            "TransactionCanceledException",
            "TransactionConflictException",
            "TransactionInProgressException",
        ])
    }

    /// Whether a concurrent transaction on the same item prevented the write.
    pub fn is_transaction_conflict(&self) -> bool {
        self.has_code(&["TransactionConflictException"])
    }

    /// Whether the service throttles.
    pub fn is_throttled(&self) -> bool {
        self.has_code(&[
            "ProvisionedThroughputExceededException",
            "ThrottlingException",
            "RequestLimitExceeded",
            "SlowDown",
        ])
    }

    /// Whether the same request would fail again: stored data is damaged or missing, or the service calls the request itself invalid.
    /// Every other error is transient, a missing permission too, since the deployment causes it and not the request.
    pub fn is_permanent(&self) -> bool {
        self.is_lost()
            || self.has_code(&[
                "ValidationException",
                "ItemCollectionSizeLimitExceededException",
                "InvalidParameter",
                "InvalidParameterValue",
            ])
    }

    /// Whether S3 does not know the multipart upload: it is completed or aborted.
    pub(crate) fn is_missing_upload(&self) -> bool {
        self.has_code(&["NoSuchUpload"])
    }

    /// Whether a later build stored the data.
    pub fn is_unknown_format(&self) -> bool {
        matches!(self, Self::UnknownFormat { .. })
    }

    /// Whether the object does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. }) || self.has_code(&["NoSuchKey", "NotFound", "NoSuchVersion"])
    }

    /// Whether stored data is missing or damaged, so that it has to be restored.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Damaged { .. }) || self.is_missing()
    }
}

impl From<Malformed> for StoreError {
    fn from(malformed: Malformed) -> Self {
        Self::damaged("an item", malformed)
    }
}

impl From<BuildError> for StoreError {
    fn from(incomplete: BuildError) -> Self {
        Self::damaged("a request", incomplete)
    }
}

fn failed(operation: &str, object: Option<&str>) -> String {
    match object {
        Some(object) => format!("{operation} of {object} failed"),
        None => format!("{operation} failed"),
    }
}

/// Returns the response to a request, whose error names the operation.
///
/// The request is on the heap: else every future above would hold its state, and be copied with it even where a cache answers.
pub(crate) fn sent<T, E, R>(
    operation: &'static str,
    request: impl Future<Output = Result<T, SdkError<E, R>>>,
) -> impl Future<Output = Result<T, StoreError>>
where
    E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
    R: Debug + Send + Sync + 'static,
{
    Box::pin(request).map_err(move |error| StoreError::request(operation, error))
}

/// Returns false for a request that failed for an expected reason.
pub(crate) fn unless<T>(
    is_expected: impl FnOnce(&StoreError) -> bool,
    response: Result<T, StoreError>,
) -> Result<bool, StoreError> {
    match response {
        Ok(_) => Ok(true),
        Err(error) if is_expected(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Tells what is lost from what failed.
pub trait UnlessLost<T> {
    /// Returns the value or, inside, the error of stored data that is missing or damaged.
    ///
    /// # Errors
    /// Every other error.
    fn unless_lost(self) -> Result<Result<T, StoreError>, StoreError>;
}

impl<T> UnlessLost<T> for Result<T, StoreError> {
    fn unless_lost(self) -> Result<Result<T, StoreError>, StoreError> {
        match self {
            Err(error) if !error.is_lost() => Err(error),
            read => Ok(read),
        }
    }
}
