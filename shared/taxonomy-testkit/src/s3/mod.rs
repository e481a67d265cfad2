//! S3 inside the test process: objects in memory under one lock, so conditional writes cannot race.
//!
//! | File | What is in it |
//! |---|---|
//! | `mod` | [`S3Fake`]: client, and what a test puts, sees and breaks |
//! | `buckets` | [`Object`], versions, conditional writes |
//! | `service` | requests of the SDK answered from the buckets |
//! | `listing` | pages of keys |
//! | `deleting` | pages of versions, and deletions of many |
//! | `http` | requests taken apart, answers put together |
//! | `multipart` | uploads in parts |
//! | `chunked` | bodies in the encoding `aws-chunked` |
//! | `event` | the notifications that a write causes |

mod buckets;
mod chunked;
mod deleting;
mod event;
mod http;
mod listing;
mod multipart;
mod ranges;
mod service;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_sdk_s3::config::{
    BehaviorVersion, Credentials, Region, RequestChecksumCalculation, retry::RetryConfig,
};
use aws_sdk_s3::{Client, Config};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use serde_json::Value;

pub use buckets::Object;
pub(crate) use buckets::hex;
pub use event::sns_event;

use crate::exchange::Exchanges;
use crate::wire::Wire;
use buckets::{Buckets, NewObject};

/// An S3 of one's own. Every bucket exists, is versioned and starts empty. Clones are the same S3.
#[derive(Debug, Clone, Default)]
pub struct S3Fake {
    buckets: Arc<Mutex<Buckets>>,
    wire: Wire,
}

impl S3Fake {
    /// An empty S3 with a wire of its own.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same on a wire shared with other services.
    pub fn on(wire: &Wire) -> Self {
        Self {
            buckets: Arc::default(),
            wire: wire.clone(),
        }
    }

    /// The same S3 in the hands of somebody: what its clients send says so. See [`Wire::actor`].
    #[must_use]
    pub fn acting_as(&self, actor: &str) -> Self {
        Self {
            wire: self.wire.actor(actor),
            ..self.clone()
        }
    }

    /// A client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// What [`client`](Self::client) is built from, for tests that want other retries, time-outs or checksums.
    pub fn config(&self) -> aws_sdk_s3::config::Builder {
        Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu-west-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "testkit"))
            .retry_config(RetryConfig::standard().with_max_attempts(5))
            .endpoint_url("http://s3.test")
            .force_path_style(true)
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .http_client(self.http_client())
    }

    /// The transport alone, to put under a production `SdkConfig` with path-style addresses.
    pub fn http_client(&self) -> SharedHttpClient {
        self.wire
            .http_client(service::Service::new(Arc::clone(&self.buckets)))
    }

    /// The wire: faults go in here.
    pub fn wire(&self) -> &Wire {
        &self.wire
    }

    /// What went over the wire.
    pub fn exchanges(&self) -> Exchanges {
        self.wire.exchanges()
    }

    /// Writes an object as an upstream system would, past the wire.
    pub fn put(&self, bucket: &str, key: &str, bytes: impl Into<Vec<u8>>) -> Object {
        self.put_with(bucket, key, bytes, None, &[])
    }

    /// The same with a `Content-Encoding` and user metadata (names without `x-amz-meta-`).
    pub fn put_with(
        &self,
        bucket: &str,
        key: &str,
        bytes: impl Into<Vec<u8>>,
        encoding: Option<&str>,
        metadata: &[(&str, &str)],
    ) -> Object {
        let metadata = metadata
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), (*value).to_owned()));
        let new = NewObject {
            bytes: bytes.into(),
            encoding: encoding.map(str::to_owned),
            metadata: metadata.collect(),
            ..NewObject::default()
        };
        self.lock().put(bucket, key, new)
    }

    /// Writes an object that says it has so many bytes and has none: for readers that must look at the size first. `GetObject`
    /// of it panics.
    pub fn put_hollow(&self, bucket: &str, key: &str, size: u64) -> Object {
        let new = NewObject {
            claimed_size: Some(size),
            is_hollow: true,
            ..NewObject::default()
        };
        self.lock().put(bucket, key, new)
    }

    /// Lets `HeadObject`, listings and notifications say this size of the current object, while `GetObject` delivers what is there.
    pub fn claim_size(&self, bucket: &str, key: &str, size: u64) {
        self.lock().claim_size(bucket, key, size);
    }

    /// Deletes an object: its versions stay, a delete marker hides them.
    pub fn delete(&self, bucket: &str, key: &str) {
        self.lock().delete(bucket, key);
    }

    /// The current object.
    pub fn object(&self, bucket: &str, key: &str) -> Option<Object> {
        self.lock().current(bucket, key).cloned()
    }

    /// Every version that was ever written under a key, oldest first.
    pub fn versions(&self, bucket: &str, key: &str) -> Vec<Object> {
        self.lock().versions(bucket, key)
    }

    /// The keys of all current objects, sorted.
    pub fn keys(&self, bucket: &str) -> Vec<String> {
        self.lock().keys(bucket)
    }

    /// The keys of multipart uploads that are neither completed nor aborted.
    pub fn unfinished_uploads(&self, bucket: &str) -> Vec<String> {
        self.lock().uploads.keys(bucket)
    }

    /// Answers every later request for keys of this bucket that start so with 403.
    pub fn deny(&self, bucket: &str, prefix: &str) {
        self.lock().deny(bucket, prefix);
    }

    /// Takes the right to list away: what is not there is then 403 instead of 404, as on AWS.
    pub fn deny_listing(&self, bucket: &str) {
        self.lock().deny_listing(bucket);
    }

    /// Leaves the right to list with a prefix alone: what is not there is then 403 instead of 404, since that question has no prefix.
    pub fn hide_missing(&self, bucket: &str) {
        self.lock().hide_missing(bucket);
    }

    /// Answers the next `pages` listings of this bucket with an empty page that says there are more, as S3 may where many objects were
    /// deleted.
    pub fn list_empty_pages(&self, bucket: &str, pages: usize) {
        self.lock().list_empty_pages(bucket, pages);
    }

    /// Lets listings of versions of this bucket return at most so many, as S3 may.
    pub fn limit_pages(&self, bucket: &str, versions: usize) {
        self.lock().limit_pages(bucket, versions);
    }

    /// Refuses the next `versions` deletions of a `DeleteObjects` with `InternalError`, one by one, in an answer 200.
    pub fn fail_deletions(&self, bucket: &str, versions: usize) {
        self.lock().fail_deletions(bucket, versions);
    }

    /// Every version and delete marker of a bucket, as `key version`, in the order of a listing but oldest first.
    pub fn everything(&self, bucket: &str) -> Vec<String> {
        let buckets = self.lock();
        let keys = buckets.all_versions(bucket, "");
        keys.flat_map(|(key, versions)| {
            versions
                .iter()
                .map(move |version| format!("{key} {}", version.id()))
        })
        .collect()
    }

    /// The `ObjectCreated:Put` notification of the current object.
    pub fn event(&self, bucket: &str, key: &str) -> Value {
        let object = self.object(bucket, key);
        let object = object.unwrap_or_else(|| panic!("there is no object {bucket}/{key} to notify of"));
        event::object_created(bucket, key, &object)
    }

    fn lock(&self) -> MutexGuard<'_, Buckets> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
