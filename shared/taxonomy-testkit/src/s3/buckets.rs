//! Objects, versions and conditional writes.

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
    /// How manieth write of this S3 it was, from 1: time-stamps and sequencers derive from it.
    pub sequence: u64,
    /// What `HeadObject`, listings and notifications say of the size, where that is not the truth.
    pub claimed_size: Option<u64>,
    /// Only claims to be there: `GetObject` stops the test.
    pub is_hollow: bool,
}

impl Object {
    /// The size in bytes, as everything but `GetObject` says it.
    pub fn size(&self) -> u64 {
        self.claimed_size.unwrap_or(self.bytes.len() as u64)
    }
}

/// What a write brings.
#[derive(Debug, Default)]
pub(super) struct NewObject {
    pub(super) bytes: Vec<u8>,
    pub(super) encoding: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) claimed_size: Option<u64>,
    pub(super) is_hollow: bool,
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
    /// Listings still to be answered by an empty page.
    empty_pages: BTreeMap<String, usize>,
    writes: u64,
}

impl Buckets {
    pub(super) fn list_empty_pages(&mut self, bucket: &str, pages: usize) {
        self.empty_pages.insert(bucket.to_owned(), pages);
    }

    pub(super) fn takes_empty_page(&mut self, bucket: &str) -> bool {
        match self.empty_pages.get_mut(bucket).filter(|pages| **pages > 0) {
            Some(pages) => {
                *pages -= 1;
                true
            }
            None => false,
        }
    }

    pub(super) fn put(&mut self, bucket: &str, key: &str, new: NewObject) -> Object {
        self.writes += 1;
        let object = Object {
            etag: format!("\"{}\"", hex(&Md5::digest(&new.bytes))),
            bytes: new.bytes,
            version_id: format!("version-{:06}", self.writes),
            encoding: new.encoding,
            content_type: new.content_type,
            metadata: new.metadata,
            sequence: self.writes,
            claimed_size: new.claimed_size,
            is_hollow: new.is_hollow,
        };
        self.versions_of(bucket, key).push(Some(object.clone()));
        object
    }

    pub(super) fn delete(&mut self, bucket: &str, key: &str) {
        self.versions_of(bucket, key).push(None);
    }

    /// Removes one version for good, the object before it is then the current one.
    pub(super) fn delete_version(&mut self, bucket: &str, key: &str, version_id: &str) {
        let is_meant = |version: &Option<Object>| {
            version
                .as_ref()
                .is_some_and(|object| object.version_id == version_id)
        };
        self.versions_of(bucket, key).retain(|version| !is_meant(version));
    }

    /// Says another size of the current object than it has.
    pub(super) fn claim_size(&mut self, bucket: &str, key: &str, size: u64) {
        let current = self.versions_of(bucket, key).last_mut().and_then(Option::as_mut);
        let current = current.unwrap_or_else(|| panic!("there is no object {bucket}/{key} to lie about"));
        current.claimed_size = Some(size);
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

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
