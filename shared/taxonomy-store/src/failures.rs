//! The failures bucket: stream records that failed for a permanent reason, each with its cause (docs/decisions/0011-isolation.md).

use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;

use crate::backoff;
use crate::error::StoreError;

/// The failures bucket.
#[derive(Debug, Clone)]
pub struct Failures {
    client: Client,
    bucket: Arc<str>,
}

impl Failures {
    /// The bucket with this name.
    #[must_use]
    pub fn new(client: Client, bucket: &str) -> Self {
        Self {
            client,
            bucket: bucket.into(),
        }
    }

    /// Stores a body unless the key is taken. Returns false where it was: the key says what failed, so it stands there already.
    ///
    /// # Errors
    /// [`StoreError`] when S3 does not take it.
    pub async fn put_once(&self, key: &str, body: Vec<u8>) -> Result<bool, StoreError> {
        for attempt in 0..backoff::TRIES {
            let request = self.client.put_object().bucket(&*self.bucket).key(key);
            let request = request
                .if_none_match("*")
                .content_type("application/json")
                .body(ByteStream::from(body.clone()));
            let sent = request.send().await;
            match sent.map_err(|error| StoreError::request("PutObject", error)) {
                Ok(_) => return Ok(true),
                Err(error) if error.is_condition_failed() => return Ok(false),
                // Another process puts the same at this moment, and may fail.
                Err(error) if error.is_conflict() => backoff::pause(attempt).await,
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Unprocessed {
            operation: "PutObject",
        })
    }
}
