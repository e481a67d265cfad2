//! Objects, versions and conditional writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use md5::{Digest as _, Md5};

use super::object::Object;
use super::uploads::Uploads;

/// The largest number of objects or versions in a page, and of keys in a deletion (API references of the three operations).
pub(super) const MOST: usize = 1000;

/// The buckets, and the faults that a test has set.
#[derive(Debug, Clone, Default)]
pub struct Buckets {
    /// Versions by bucket and key, oldest first.
    objects: BTreeMap<String, BTreeMap<String, Vec<Stored>>>,
    pub(super) denied: Vec<(String, String)>,
    /// Buckets that may be listed only with a prefix.
    pub(super) hiding: BTreeSet<String>,
    /// The number of next listings that are answered by an empty page.
    pub(super) empty_pages: BTreeMap<String, usize>,
    /// The largest number of objects or versions in one page of a bucket.
    pub(super) page_limits: BTreeMap<String, usize>,
    /// The number of next deletions of a batch that are refused.
    pub(super) failing_deletions: BTreeMap<String, usize>,
    /// Multipart uploads that are not completed.
    pub(super) uploads: Uploads,
    writes: u64,
    markers: u64,
}

/// A version of a key.
#[derive(Debug, Clone)]
pub(super) enum Stored {
    Object(Object),
    /// A delete marker, with its version id.
    Marker(String),
}

impl Stored {
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Object(object) => &object.version_id,
            Self::Marker(id) => id,
        }
    }

    fn object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::Marker(_) => None,
        }
    }
}

impl Buckets {
    /// Returns the largest number of objects or versions in the next page, which S3 leaves empty as it likes.
    pub(super) fn next_page_limit(&mut self, bucket: &str) -> usize {
        match takes_one(&mut self.empty_pages, bucket) {
            true => 0,
            false => self.page_limits.get(bucket).copied().unwrap_or(MOST),
        }
    }

    pub(super) fn fails_deletion(&mut self, bucket: &str) -> bool {
        takes_one(&mut self.failing_deletions, bucket)
    }

    /// Returns the keys that start with a prefix, each with its versions, oldest first.
    pub(super) fn all_versions(
        &self,
        bucket: &str,
        prefix: &str,
    ) -> impl Iterator<Item = (&String, &Vec<Stored>)> {
        let keys = self.objects.get(bucket).into_iter().flatten();
        keys.filter(move |(key, _)| key.starts_with(prefix))
    }

    /// Stores a new version with its content and attributes; without an ETag, it gets the MD5 of its bytes.
    pub(super) fn put(&mut self, bucket: &str, key: &str, new: Object) -> Object {
        self.writes += 1;
        let etag = Some(new.etag).filter(|etag| !etag.is_empty());
        let object = Object {
            etag: etag.unwrap_or_else(|| format!("\"{}\"", hex(&Md5::digest(&new.bytes)))),
            version_id: format!("version-{:06}", self.writes),
            sequence: self.writes,
            ..new
        };
        self.versions_of(bucket, key).push(Stored::Object(object.clone()));
        object
    }

    pub(super) fn delete(&mut self, bucket: &str, key: &str) {
        self.markers += 1;
        let id = format!("marker-{:06}", self.markers);
        self.versions_of(bucket, key).push(Stored::Marker(id));
    }

    /// Removes one version for good; the version before it becomes the current one.
    pub(super) fn delete_version(&mut self, bucket: &str, key: &str, version_id: &str) {
        let versions = self.versions_of(bucket, key);
        versions.retain(|version| version.id() != version_id);
        if versions.is_empty()
            && let Some(keys) = self.objects.get_mut(bucket)
        {
            keys.remove(key);
        }
    }

    /// Sets a false size for the current object.
    pub(super) fn claim_size(&mut self, bucket: &str, key: &str, size: u64) {
        match self.versions_of(bucket, key).last_mut() {
            Some(Stored::Object(current)) => current.claimed_size = Some(size),
            _ => panic!("there is no object {bucket}/{key} to lie about"),
        }
    }

    pub(super) fn current(&self, bucket: &str, key: &str) -> Option<&Object> {
        self.objects.get(bucket)?.get(key)?.last()?.object()
    }

    pub(super) fn version(&self, bucket: &str, key: &str, version_id: &str) -> Option<&Object> {
        let versions = self.objects.get(bucket)?.get(key)?;
        versions
            .iter()
            .filter_map(Stored::object)
            .find(|object| object.version_id == version_id)
    }

    pub(super) fn versions(&self, bucket: &str, key: &str) -> Vec<Object> {
        let versions = self.objects.get(bucket).and_then(|keys| keys.get(key));
        let objects = versions.into_iter().flatten().filter_map(Stored::object);
        objects.cloned().collect()
    }

    pub(super) fn keys(&self, bucket: &str) -> Vec<String> {
        let keys = self.objects.get(bucket).into_iter().flatten();
        let is_there = |versions: &[Stored]| versions.last().is_some_and(|last| last.object().is_some());
        keys.filter(|(_, versions)| is_there(versions))
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Whether a listing with this prefix is allowed.
    pub(super) fn may_list_under(&self, bucket: &str, prefix: &str) -> bool {
        !self.hiding.contains(bucket) || !prefix.is_empty()
    }

    pub(super) fn is_denied(&self, bucket: &str, key: &str) -> bool {
        self.denied
            .iter()
            .any(|(denied, prefix)| denied == bucket && key.starts_with(prefix.as_str()))
    }

    fn versions_of(&mut self, bucket: &str, key: &str) -> &mut Vec<Stored> {
        self.objects
            .entry(bucket.to_owned())
            .or_default()
            .entry(key.to_owned())
            .or_default()
    }
}

fn takes_one(left: &mut BTreeMap<String, usize>, bucket: &str) -> bool {
    match left.get_mut(bucket).filter(|left| **left > 0) {
        Some(left) => {
            *left -= 1;
            true
        }
        None => false,
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
