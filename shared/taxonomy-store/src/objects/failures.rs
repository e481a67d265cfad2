//! The failures bucket: stream records that failed permanently, each with its cause (docs/decisions/0011-isolation.md).

use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_keys::TenantId;

use crate::backoff;
use crate::error::StoreError;
use crate::objects::transfer;

/// The prefix of parked records, with a folder for each tenant.
const PARKED: &str = "parked/";

/// The prefix under which Lambda stores the records that it gives up.
const GIVEN_UP: &str = "aws/lambda/";

/// The maximum number of bytes of an object: the 6 MB of an event as text in JSON, with its escapes.
const LARGEST: u64 = 16 << 20;

/// A kind of object in the bucket.
#[derive(Debug, Clone, Copy)]
pub enum FailureKind<'a> {
    /// Records of a tenant that the aggregator parked.
    Parked(&'a TenantId),
    /// Parked records of all tenants.
    AllParked,
    /// Records that Lambda gave up.
    GivenUp,
}

/// The failures bucket.
#[derive(Debug, Clone)]
pub struct FailureBucket {
    client: Client,
    bucket: Arc<str>,
}

impl FailureBucket {
    /// Returns the bucket with this name.
    #[must_use]
    pub fn new(client: Client, bucket: &str) -> Self {
        Self {
            client,
            bucket: bucket.into(),
        }
    }

    /// Stores a body unless the key exists. Returns false if it does: the key identifies the failure, so the body is the same.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
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
                // A concurrent request stores the same, and may fail.
                Err(error) if error.is_conflict() => backoff::pause(attempt).await,
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Unprocessed {
            operation: "PutObject",
        })
    }

    /// Returns at most a thousand keys after `after`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn list(&self, kept: FailureKind<'_>, after: Option<&str>) -> Result<Vec<String>, StoreError> {
        let prefix = match kept {
            FailureKind::Parked(tenant) => format!("{PARKED}{tenant}/"),
            FailureKind::AllParked => PARKED.to_owned(),
            FailureKind::GivenUp => GIVEN_UP.to_owned(),
        };
        let request = self.client.list_objects_v2().bucket(&*self.bucket).prefix(prefix);
        let answer = request.set_start_after(after.map(str::to_owned)).send().await;
        let answer = answer.map_err(|error| StoreError::request("ListObjectsV2", error))?;
        let objects = answer.contents.unwrap_or_default();
        Ok(objects.into_iter().filter_map(|object| object.key).collect())
    }

    /// Returns the content of an object.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the object is larger than any that Lambda or this service writes.
    pub async fn get(&self, key: &str) -> Result<String, StoreError> {
        let answer = self
            .client
            .get_object()
            .bucket(&*self.bucket)
            .key(key)
            .send()
            .await;
        let answer = answer.map_err(|error| StoreError::request("GetObject", error))?;
        let size = answer
            .content_length
            .and_then(|size| u64::try_from(size).ok())
            .unwrap_or(0);
        if size > LARGEST {
            return Err(StoreError::damaged(key, format!("it has {size} bytes")));
        }
        let read = async {
            let body = answer.body.collect().await;
            body.map_err(|error| StoreError::Request {
                operation: "GetObject",
                code: None,
                source: error.into(),
            })
        };
        let body = transfer::in_time(size, read).await?;
        String::from_utf8(body.into_bytes().into()).map_err(|error| StoreError::damaged(key, error))
    }
}
