//! Multipart uploads that are not completed.

use std::collections::BTreeMap;

use super::http::Request;
use super::object::Object;

/// An upload that is not completed.
#[derive(Debug, Clone)]
pub(super) struct Upload {
    pub(super) bucket: String,
    pub(super) key: String,
    pub(super) new: Object,
    /// The checksum algorithm that the upload names, in lower case.
    pub(super) algorithm: Option<String>,
    pub(super) parts: BTreeMap<u32, Part>,
}

#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) bytes: Vec<u8>,
    pub(super) etag: String,
    /// The checksum that the part was sent with, of the upload's algorithm.
    pub(super) checksum: Option<String>,
}

/// Uploads by their ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Uploads {
    pub(super) open: BTreeMap<String, Upload>,
    pub(super) begun: u64,
    /// The number of parts that were sent.
    pub(super) sent: u64,
}

impl Uploads {
    /// Returns the keys of a bucket's uploads that are neither completed nor aborted.
    pub(super) fn keys(&self, bucket: &str) -> Vec<String> {
        let of_bucket = self.open.values().filter(|upload| upload.bucket == bucket);
        of_bucket.map(|upload| upload.key.clone()).collect()
    }

    /// Returns the upload that a request names, if it belongs to the request's key.
    pub(super) fn named(&mut self, request: &Request) -> Option<&mut Upload> {
        let upload = self.open.get_mut(&request.parameter("uploadId")?)?;
        ((&upload.bucket, &upload.key) == (&request.bucket, &request.key)).then_some(upload)
    }
}
