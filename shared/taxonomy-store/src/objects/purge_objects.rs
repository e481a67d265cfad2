//! Deletes objects with all their versions and delete markers. Only the command line has this, behind the feature `purge`.

use aws_sdk_s3::types::{Delete, ObjectIdentifier};

use crate::backoff;
use crate::error::{StoreError, sent};
use crate::objects::bucket::Bucket;

/// ListObjectVersions returns at most 1,000 versions, and DeleteObjects takes at most 1,000 (API reference).
const MAX_PAGES: usize = 100_000;

/// A page of versions, and where the next begins.
struct Page {
    versions: Vec<ObjectIdentifier>,
    next: Option<(Option<String>, Option<String>)>,
}

impl Bucket {
    /// The same client at another bucket.
    pub fn other(&self, name: &str) -> Self {
        Self::new(self.client.clone(), name)
    }

    /// Counts versions and delete markers of the keys that start with `prefix` and that `is_meant` accepts.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn count(&self, prefix: &str, is_meant: impl Fn(&str) -> bool) -> Result<u64, StoreError> {
        let (mut count, mut next) = (0, None);
        for _ in 0..MAX_PAGES {
            let page = self.page(prefix, next.take(), &is_meant).await?;
            count += page.versions.len() as u64;
            next = page.next;
            if next.is_none() {
                return Ok(count);
            }
        }
        Err(unprocessed("ListObjectVersions"))
    }

    /// Deletes all versions and delete markers of the keys that start with `prefix` and that `is_meant` accepts, and calls `done` with
    /// the number of each request's. After a deletion the listing begins anew, since a marker may name a version that is gone; it ends
    /// when a whole listing finds none.
    ///
    /// # Errors
    /// [`StoreError`] when S3 fails, keeps refusing some of the versions or keeps listing them; what was deleted by then stays deleted.
    pub async fn delete(
        &self,
        prefix: &str,
        is_meant: impl Fn(&str) -> bool,
        mut done: impl FnMut(u64),
    ) -> Result<(), StoreError> {
        let (mut next, mut deleted, mut repeated) = (None, Vec::new(), 0);
        for _ in 0..MAX_PAGES {
            let page = self.page(prefix, next.take(), &is_meant).await?;
            if page.versions.is_empty() {
                next = page.next;
                if next.is_none() {
                    return Ok(());
                }
                continue;
            }
            repeated = if page.versions == deleted { repeated + 1 } else { 0 };
            if repeated == backoff::TRIES {
                break;
            }
            self.delete_versions(page.versions.clone()).await?;
            if repeated == 0 {
                done(page.versions.len() as u64);
            }
            deleted = page.versions;
        }
        Err(unprocessed("DeleteObjects"))
    }

    async fn page(
        &self,
        prefix: &str,
        from: Option<(Option<String>, Option<String>)>,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<Page, StoreError> {
        let (key, version) = from.unwrap_or_default();
        let request = self
            .client
            .list_object_versions()
            .bucket(&*self.name)
            .prefix(prefix)
            .set_key_marker(key)
            .set_version_id_marker(version);
        let answer = sent("ListObjectVersions", request.send()).await?;
        let versions = answer.versions.unwrap_or_default().into_iter();
        let markers = answer.delete_markers.unwrap_or_default().into_iter();
        let found = versions
            .map(|version| (version.key, version.version_id))
            .chain(markers.map(|marker| (marker.key, marker.version_id)));
        let mut meant = Vec::new();
        for (key, version) in found {
            let Some(key) = key.filter(|key| key.starts_with(prefix) && is_meant(key)) else {
                continue;
            };
            let identifier = ObjectIdentifier::builder().key(key).set_version_id(version);
            meant.push(identifier.build()?);
        }
        let next = match (answer.is_truncated, answer.next_key_marker) {
            (Some(true), Some(key)) => Some((Some(key), answer.next_version_id_marker)),
            (Some(true), None) => {
                let missing = "a truncated page without a marker";
                return Err(StoreError::damaged("a list of versions", missing));
            }
            _ => None,
        };
        Ok(Page {
            versions: meant,
            next,
        })
    }

    /// Deletes at most a page of versions. S3 answers 200 and reports per version what it did not delete: that is sent again, a few times.
    async fn delete_versions(&self, mut versions: Vec<ObjectIdentifier>) -> Result<(), StoreError> {
        let mut refused = None;
        for attempt in 0..backoff::TRIES {
            let delete = Delete::builder().quiet(true).set_objects(Some(versions.clone()));
            #[expect(clippy::disallowed_methods, reason = "this is the purge of an operator")]
            let request = self.client.delete_objects();
            let request = request.bucket(&*self.name).delete(delete.build()?);
            let answer = sent("DeleteObjects", request.send()).await?;
            let errors = answer.errors.unwrap_or_default();
            if errors.is_empty() {
                return Ok(());
            }
            versions.retain(|version| {
                let is_same = |error: &aws_sdk_s3::types::Error| {
                    error.key.as_deref() == Some(version.key())
                        && error
                            .version_id
                            .as_deref()
                            .is_none_or(|id| Some(id) == version.version_id())
                };
                errors.iter().any(is_same)
            });
            refused = errors.into_iter().next();
            if refused
                .as_ref()
                .is_some_and(|error| error.code() == Some("AccessDenied"))
            {
                break;
            }
            backoff::pause(attempt).await;
        }
        Err(not_deleted(&versions, refused))
    }
}

/// Names the first version that S3 did not delete, and why.
fn not_deleted(versions: &[ObjectIdentifier], refused: Option<aws_sdk_s3::types::Error>) -> StoreError {
    let text = |text: Option<String>| text.unwrap_or_default();
    let (key, code, message) = refused.map_or_else(Default::default, |error| {
        (text(error.key), text(error.code), text(error.message))
    });
    StoreError::Request {
        operation: "DeleteObjects",
        object: None,
        source: format!(
            "{} versions stay, such as {key}: {code} {message}",
            versions.len()
        )
        .into(),
        code: Some(code),
    }
}

fn unprocessed(operation: &'static str) -> StoreError {
    StoreError::Unprocessed { operation }
}
