//! Objects, versions, conditional writes and listings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use md5::{Digest as _, Md5};

/// One version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The body as stored.
    pub bytes: Vec<u8>,
    /// Quoted, MD5 of the body, as S3 has it for an object written in one part.
    pub etag: String,
    /// The version's id.
    pub version_id: String,
    /// `Content-Encoding` without `aws-chunked`.
    pub encoding: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// User metadata, names in lower case without `x-amz-meta-`.
    pub metadata: BTreeMap<String, String>,
    /// The length that HeadObject states instead of the true one.
    pub claimed_length: Option<u64>,
    /// How manieth write of this S3 it was, from 1: time-stamps and sequencers derive from it.
    pub sequence: u64,
}

/// What a write brings.
#[derive(Debug, Default)]
pub(super) struct NewObject {
    pub(super) bytes: Vec<u8>,
    pub(super) encoding: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
}

/// What to do about a key that is not there, or may not be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    NotFound,
    Forbidden,
}

#[derive(Debug, Default)]
pub(super) struct Buckets {
    /// Versions by bucket and key, oldest first; `None` is a delete marker.
    objects: BTreeMap<String, BTreeMap<String, Vec<Option<Object>>>>,
    denied: Vec<(String, String)>,
    unlistable: BTreeSet<String>,
    writes: u64,
}

impl Buckets {
    pub(super) fn put(&mut self, bucket: &str, key: &str, new: NewObject) -> Object {
        self.writes += 1;
        let object = Object {
            etag: format!("\"{}\"", hex(&Md5::digest(&new.bytes))),
            bytes: new.bytes,
            version_id: format!("version-{:06}", self.writes),
            encoding: new.encoding,
            content_type: new.content_type,
            metadata: new.metadata,
            claimed_length: None,
            sequence: self.writes,
        };
        self.versions_of(bucket, key).push(Some(object.clone()));
        object
    }

    pub(super) fn claim_length(&mut self, bucket: &str, key: &str, length: u64) {
        if let Some(Some(object)) = self.versions_of(bucket, key).last_mut() {
            object.claimed_length = Some(length);
        }
    }

    pub(super) fn delete(&mut self, bucket: &str, key: &str) {
        self.versions_of(bucket, key).push(None);
    }

    pub(super) fn current(&self, bucket: &str, key: &str) -> Option<&Object> {
        self.objects.get(bucket)?.get(key)?.last()?.as_ref()
    }

    pub(super) fn version(&self, bucket: &str, key: &str, version_id: &str) -> Option<&Object> {
        let versions = self.objects.get(bucket)?.get(key)?;
        versions
            .iter()
            .flatten()
            .find(|object| object.version_id == version_id)
    }

    pub(super) fn versions(&self, bucket: &str, key: &str) -> Vec<Object> {
        let versions = self.objects.get(bucket).and_then(|keys| keys.get(key));
        versions.into_iter().flatten().flatten().cloned().collect()
    }

    pub(super) fn keys(&self, bucket: &str) -> Vec<String> {
        let keys = self.objects.get(bucket).into_iter().flatten();
        keys.filter(|(_, versions)| versions.last().is_some_and(Option::is_some))
            .map(|(key, _)| key.clone())
            .collect()
    }

    pub(super) fn deny(&mut self, bucket: &str, prefix: &str) {
        self.denied.push((bucket.to_owned(), prefix.to_owned()));
    }

    pub(super) fn deny_listing(&mut self, bucket: &str) {
        self.unlistable.insert(bucket.to_owned());
    }

    pub(super) fn is_denied(&self, bucket: &str, key: &str) -> bool {
        self.denied
            .iter()
            .any(|(denied, prefix)| denied == bucket && key.starts_with(prefix.as_str()))
    }

    pub(super) fn may_list(&self, bucket: &str) -> bool {
        !self.unlistable.contains(bucket)
    }

    /// What is said about a key that is not there.
    pub(super) fn missing(&self, bucket: &str) -> Missing {
        if self.may_list(bucket) {
            Missing::NotFound
        } else {
            Missing::Forbidden
        }
    }

    fn versions_of(&mut self, bucket: &str, key: &str) -> &mut Vec<Option<Object>> {
        self.objects
            .entry(bucket.to_owned())
            .or_default()
            .entry(key.to_owned())
            .or_default()
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
