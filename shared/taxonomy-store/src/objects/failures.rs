//! The failures bucket: stream records that failed permanently, each with its cause (docs/decisions/0011-isolation.md).

use aws_sdk_s3::Client;
use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use taxonomy_keys::TenantId;

use crate::error::{StoreError, sent};
use crate::objects::bucket::{Bucket, PutOutcome};

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
    bucket: Bucket,
}

impl FailureBucket {
    /// Returns the bucket with this name.
    pub fn new(client: Client, bucket: &str) -> Self {
        let bucket = Bucket::new(client, bucket);
        Self { bucket }
    }

    /// Stores a body unless the key exists. Returns false if it does: the key identifies the failure, so the body is the same.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn put_once(&self, key: &str, body: Vec<u8>) -> Result<bool, StoreError> {
        let put = |request: PutObjectFluentBuilder| request.content_type("application/json");
        let stored = self.bucket.put_once(key, body.into(), put).await;
        Ok(stored.map_err(StoreError::unprocessed)? == PutOutcome::Now)
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
        let Bucket { client, name } = &self.bucket;
        let request = client.list_objects_v2().bucket(&**name).prefix(prefix);
        let request = request.set_start_after(after.map(str::to_owned));
        let answer = sent("ListObjectsV2", request.send()).await?;
        let objects = answer.contents.unwrap_or_default();
        Ok(objects.into_iter().filter_map(|object| object.key).collect())
    }

    /// Returns the content of an object.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the object is larger than any that Lambda or this service writes.
    pub async fn get(&self, key: &str) -> Result<String, StoreError> {
        let body = self.bucket.read(key, LARGEST).await?;
        String::from_utf8(body.into()).map_err(|error| StoreError::damaged(key, error))
    }
}
