//! S3 inside the test process: objects in memory under one lock, so conditional writes cannot race.
//!
//! | File | Contents |
//! |---|---|
//! | `mod` | [`S3Fake`]: the client, the objects, and the faults that a test sets |
//! | `object` | [`Object`], and the content of a write |
//! | `buckets` | versions, conditional writes |
//! | `service` | SDK requests, answered from the buckets |
//! | `listing` | pages of keys |
//! | `deleting` | pages of versions, and batch deletions |
//! | `http` | parsing of requests and building of responses |
//! | `multipart` | uploads in parts |
//! | `event` | the notifications of writes |

mod buckets;
mod deleting;
mod event;
mod http;
mod listing;
mod multipart;
mod object;
mod ranges;
mod service;
mod uploads;

use std::sync::Mutex;

use aws_sdk_s3::Client;
use aws_sdk_s3::config::{Builder, RequestChecksumCalculation};
use serde_json::Value;

pub use buckets::Buckets;
pub(crate) use buckets::hex;
pub use event::sns_event;
pub use object::Object;

use crate::transport::{Call, Service as _, Transport};
use crate::{Fake, lock, unlimited_retries};

/// An S3 fake. Every bucket exists, is versioned and starts empty. Clones share one state.
pub type S3Fake = Fake<Mutex<Buckets>>;

impl S3Fake {
    /// Copies all objects to an S3 of its own, on a transport that other services share.
    #[must_use]
    pub fn copy_on(&self, transport: &Transport) -> Self {
        Self::with(Mutex::new(lock(&self.state).clone()), transport)
    }

    /// Returns a client with the SDK's standard retries, five attempts.
    pub fn client(&self) -> Client {
        Client::from_conf(self.config().build())
    }

    /// Returns the configuration of [`client`](Self::client), for tests that need other retries, time-outs or checksums.
    pub fn config(&self) -> Builder {
        Builder::from(&self.sdk())
            .retry_partition(unlimited_retries())
            .endpoint_url("http://s3.test")
            .force_path_style(true)
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
    }

    /// Writes an object as an upstream system does; the transport does not record the request.
    pub fn put(&self, bucket: &str, key: &str, bytes: impl Into<Vec<u8>>) -> Object {
        self.put_with(bucket, key, bytes, None, &[])
    }

    /// Writes an object with a `Content-Encoding` and user metadata (names without `x-amz-meta-`).
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
        let new = Object {
            bytes: bytes.into(),
            encoding: encoding.map(str::to_owned),
            metadata: metadata.collect(),
            ..Object::default()
        };
        lock(&self.state).put(bucket, key, new)
    }

    /// Lets `HeadObject`, listings and notifications report this size for the current object, while `GetObject` returns the real bytes.
    pub fn claim_size(&self, bucket: &str, key: &str, size: u64) {
        lock(&self.state).claim_size(bucket, key, size);
    }

    /// Deletes an object: its versions remain, hidden by a delete marker.
    pub fn delete(&self, bucket: &str, key: &str) {
        lock(&self.state).delete(bucket, key);
    }

    /// Returns the current object.
    pub fn object(&self, bucket: &str, key: &str) -> Option<Object> {
        lock(&self.state).current(bucket, key).cloned()
    }

    /// Returns every version that was ever written under a key, oldest first.
    pub fn versions(&self, bucket: &str, key: &str) -> Vec<Object> {
        lock(&self.state).versions(bucket, key)
    }

    /// Returns the keys of all current objects, sorted.
    pub fn keys(&self, bucket: &str) -> Vec<String> {
        lock(&self.state).keys(bucket)
    }

    /// Returns the keys of multipart uploads that are neither completed nor aborted.
    pub fn unfinished_uploads(&self, bucket: &str) -> Vec<String> {
        lock(&self.state).uploads.keys(bucket)
    }

    /// Answers every later request for keys of this bucket with this prefix with 403.
    pub fn deny(&self, bucket: &str, prefix: &str) {
        let denied = (bucket.to_owned(), prefix.to_owned());
        lock(&self.state).denied.push(denied);
    }

    /// Answers 403 instead of 404 for a missing key, as S3 does for a principal that may not list this bucket for that key.
    pub fn hide_missing(&self, bucket: &str) {
        lock(&self.state).hiding.insert(bucket.to_owned());
    }

    /// Answers the next `pages` listings of this bucket with an empty page that announces more, as S3 may do where many objects were
    /// deleted.
    pub fn list_empty_pages(&self, bucket: &str, pages: usize) {
        let mut buckets = lock(&self.state);
        buckets.empty_pages.insert(bucket.to_owned(), pages);
    }

    /// Limits listings of this bucket to so many objects or versions per page, as S3 may do.
    pub fn limit_pages(&self, bucket: &str, most: usize) {
        let mut buckets = lock(&self.state);
        buckets.page_limits.insert(bucket.to_owned(), most);
    }

    /// Refuses the next `versions` deletions of a `DeleteObjects` with `InternalError`, one by one, in a response 200.
    pub fn fail_deletions(&self, bucket: &str, versions: usize) {
        let mut buckets = lock(&self.state);
        buckets.failing_deletions.insert(bucket.to_owned(), versions);
    }

    /// Returns every version and delete marker of a bucket, as `key version`, in the order of a listing but oldest first.
    pub fn everything(&self, bucket: &str) -> Vec<String> {
        let buckets = lock(&self.state);
        let keys = buckets.all_versions(bucket, "");
        keys.flat_map(|(key, versions)| {
            versions
                .iter()
                .map(move |version| format!("{key} {}", version.id()))
        })
        .collect()
    }

    /// Returns the `ObjectCreated:Put` notification of the current object.
    pub fn event(&self, bucket: &str, key: &str) -> Value {
        let object = self.object(bucket, key);
        let object = object.unwrap_or_else(|| panic!("there is no object {bucket}/{key} to notify of"));
        event::object_created(bucket, key, &object)
    }

    /// Answers a request of S3's protocol without the transport: its path begins with the bucket. For a server over HTTP, which another process
    /// reads from. Returns the status, the headers and the body.
    pub fn answer(
        &self,
        method: &str,
        target: &str,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> (u16, Vec<(String, String)>, Vec<u8>) {
        let reply = self.state.apply(&Call::new(method, target, headers, body));
        (reply.status, reply.headers, reply.body)
    }
}
