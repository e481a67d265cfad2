//! Objects, versions and conditional writes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use md5::{Digest as _, Md5};

use super::object::{NewObject, Object};
use super::uploads::Uploads;

/// The response for a key that does not exist, or is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    NotFound,
    Forbidden,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Buckets {
    /// Versions by bucket and key, oldest first.
    objects: BTreeMap<String, BTreeMap<String, Vec<Stored>>>,
    denied: Vec<(String, String)>,
    /// Buckets that may be listed only with a prefix.
    hiding: BTreeSet<String>,
    /// The number of next listings that are answered by an empty page.
    empty_pages: BTreeMap<String, usize>,
    /// The largest number of versions in one page of a bucket.
    page_limits: BTreeMap<String, usize>,
    /// The number of next deletions of a batch that are refused.
    failing_deletions: BTreeMap<String, usize>,
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
    pub(super) fn list_empty_pages(&mut self, bucket: &str, pages: usize) {
        self.empty_pages.insert(bucket.to_owned(), pages);
    }

    pub(super) fn limit_pages(&mut self, bucket: &str, versions: usize) {
        self.page_limits.insert(bucket.to_owned(), versions);
    }

    pub(super) fn page_limit(&self, bucket: &str) -> usize {
        self.page_limits.get(bucket).copied().unwrap_or(usize::MAX)
    }

    pub(super) fn fail_deletions(&mut self, bucket: &str, versions: usize) {
        self.failing_deletions.insert(bucket.to_owned(), versions);
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

    pub(super) fn takes_empty_page(&mut self, bucket: &str) -> bool {
        takes_one(&mut self.empty_pages, bucket)
    }

    pub(super) fn put(&mut self, bucket: &str, key: &str, new: NewObject) -> Object {
        self.writes += 1;
        let object = Object {
            etag: new
                .etag
                .unwrap_or_else(|| format!("\"{}\"", hex(&Md5::digest(&new.bytes)))),
            bytes: new.bytes,
            version_id: format!("version-{:06}", self.writes),
            encoding: new.encoding,
            content_type: new.content_type,
            disposition: new.disposition,
            metadata: new.metadata,
            sequence: self.writes,
            claimed_size: None,
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

    pub(super) fn deny(&mut self, bucket: &str, prefix: &str) {
        self.denied.push((bucket.to_owned(), prefix.to_owned()));
    }

    pub(super) fn hide_missing(&mut self, bucket: &str) {
        self.hiding.insert(bucket.to_owned());
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

    /// Returns the response for a key that does not exist.
    pub(super) fn missing(&self, bucket: &str) -> Missing {
        if self.may_list_under(bucket, "") {
            Missing::NotFound
        } else {
            Missing::Forbidden
        }
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
