//! One error for everything outside, and the questions callers ask of it; nobody else matches SDK variants.

use std::fmt::Debug;

use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use taxonomy_model::attribute::Malformed;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A request failed, or what came back cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A service refused or did not answer, after the SDK's own retries.
    #[error("{operation} failed")]
    Request {
        /// The operation, as the service calls it.
        operation: &'static str,
        /// The service's word for it, where it answered.
        code: Option<String>,
        /// What the SDK reports.
        source: Cause,
    },
    /// Something stored is not as this service stores it.
    #[error("{what} is damaged")]
    Damaged {
        /// What was read.
        what: String,
        /// What is wrong with it.
        source: Cause,
    },
    /// A later build stored it, in a format that this one does not know.
    #[error("{what} has format {format}, which this build does not know")]
    UnknownFormat {
        /// What was read.
        what: String,
        /// Its format.
        format: u32,
    },
    /// The service kept answering only a part of what was asked.
    #[error("{operation} left requests unprocessed")]
    Unprocessed {
        /// The operation, as the service calls it.
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
            code,
            source: error.into(),
        }
    }

    pub(crate) fn damaged(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Damaged {
            what: what.into(),
            source: source.into(),
        }
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        matches!(self, Self::Request { code: Some(code), .. } if codes.contains(&code.as_str()))
    }

    /// A condition did not hold. After a lost answer this can be one's own write, seen again.
    #[must_use]
    pub fn is_condition_failed(&self) -> bool {
        self.has_code(&["ConditionalCheckFailedException", "PreconditionFailed"])
    }

    /// Another request for the same object is under way.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.has_code(&["ConditionalRequestConflict", "OperationAborted"])
    }

    /// A transaction was cancelled: by a condition, or by another one that touched the same items.
    #[must_use]
    pub fn is_transaction_cancelled(&self) -> bool {
        self.has_code(&[
            "TransactionCanceledException",
            "TransactionConflictException",
            "TransactionInProgressException",
        ])
    }

    /// A transaction that touches the same item was under way; nothing was done.
    #[must_use]
    pub fn is_transaction_conflict(&self) -> bool {
        self.has_code(&["TransactionConflictException"])
    }

    /// The service asks for less.
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.has_code(&[
            "ProvisionedThroughputExceededException",
            "ThrottlingException",
            "RequestLimitExceeded",
            "SlowDown",
        ])
    }

    /// The same request would fail again: something stored is damaged or missing, or the service calls the request itself invalid.
    /// Everything else is transient, a refused permission too, since that is a deployment's fault and not the request's.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        matches!(self, Self::Damaged { .. })
            || self.is_missing()
            || self.has_code(&[
                "ValidationException",
                "ItemCollectionSizeLimitExceededException",
                "InvalidParameter",
                "InvalidParameterValue",
            ])
    }

    /// S3 does not know the multipart upload: it is completed or aborted.
    pub(crate) fn is_missing_upload(&self) -> bool {
        self.has_code(&["NoSuchUpload"])
    }

    /// A later build stored what was read.
    #[must_use]
    pub fn is_unknown_format(&self) -> bool {
        matches!(self, Self::UnknownFormat { .. })
    }

    /// The object is not there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.has_code(&["NoSuchKey", "NotFound", "NoSuchVersion"])
    }
}

impl From<Malformed> for StoreError {
    fn from(malformed: Malformed) -> Self {
        Self::damaged("an item", malformed)
    }
}
