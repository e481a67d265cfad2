//! The source bucket: one object for each tenant, never trusted about its size.

use std::io::Read;

use aws_sdk_s3::Client;
use aws_sdk_s3::error::SdkError;
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_keys::TenantId;
use taxonomy_model::{Hash, Provenance};

use crate::error::{StoreError, sent};
use crate::objects::bucket::{Bucket, size, unread};
use crate::objects::transfer;
use crate::table::head::SourceStamp;

/// The object metadata by which an uploader recognises its own object.
pub(crate) const UPLOAD_ID: &str = "upload-id";

/// The object metadata by which the next push recognises an upload of the same bytes that the service has not ingested yet.
pub(crate) const SHA256: &str = "sha256";

/// The prefix of the source objects.
const PREFIX: &str = "taxonomies/";

/// The object metadata `x-amz-meta-allow-removals: true`.
pub(crate) const ALLOW_REMOVALS: &str = "allow-removals";

/// The source bucket.
#[derive(Debug, Clone)]
pub struct Sources {
    /// The bucket itself.
    pub bucket: Bucket,
    max_bytes: u64,
}

/// The metadata of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceObject {
    /// The ETag, without quotes.
    pub etag: String,
    /// The version id; empty in a bucket without versions.
    pub version_id: String,
    /// Whether its uploader permits the removal of most of the taxonomy.
    pub allows_removals: bool,
    /// Release, author and reason, from the object's metadata.
    pub provenance: Provenance,
    /// The size as stored, in bytes.
    pub size: u64,
    /// The name by which its uploader recognises it, if it gave one.
    pub(crate) upload_id: Option<String>,
    /// The hash of its bytes from its uploader: a hint that only another upload uses.
    pub claimed_sha256: Option<Hash>,
    encoding: Encoding,
}

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSource {
    /// Its key.
    pub key: String,
    /// Its tenant; `None` for an object that is no source object.
    pub tenant: Option<TenantId>,
    /// The ETag, without quotes.
    pub etag: String,
}

/// A page of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePage {
    /// Ascending by key. S3 may return none although more follow.
    pub objects: Vec<ListedSource>,
    /// The token of the next page; `None` at the end.
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Encoding {
    Identity,
    Gzip,
    Unknown,
}

/// The content of an object.
#[derive(Debug)]
pub struct SourceBody {
    /// Its identity.
    pub stamp: SourceStamp,
    /// The decoded bytes.
    pub bytes: Vec<u8>,
}

/// The reason for which an object was not read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It was replaced or deleted meanwhile.
    #[error("the object is no longer the one that was looked at")]
    Replaced,
    /// It is larger than the limit, as stored or decoded.
    #[error("more than {0} bytes")]
    TooLarge(u64),
    /// Its encoding is unknown, or its bytes do not match it.
    #[error("not plain, and not gzip")]
    Encoding,
    /// The request failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sources {
    /// Returns the source objects in `bucket`, each of at most `max_bytes`, stored and decoded.
    pub fn new(client: Client, bucket: &str, max_bytes: u64) -> Self {
        Self {
            bucket: Bucket::new(client, bucket),
            max_bytes,
        }
    }

    /// Returns the key of a tenant's source object.
    pub fn key(tenant: &TenantId) -> String {
        format!("{PREFIX}{tenant}.json")
    }

    /// Returns the tenant of a source object's `key` (decoded); `None` for every other key.
    pub fn tenant(key: &str) -> Option<TenantId> {
        key.strip_prefix(PREFIX)?.strip_suffix(".json")?.parse().ok()
    }

    /// Returns the current source object of a tenant; `None` without one. A caller that may list the tenant's key alone gets "denied" from S3 for
    /// an object that does not exist, so then the listing decides.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails. Without any permission to list, S3 answers "denied" for an object that does not exist.
    pub async fn find(&self, tenant: &TenantId) -> Result<Option<SourceObject>, StoreError> {
        let Bucket { client, name } = &self.bucket;
        let request = client.head_object().bucket(&**name).key(Self::key(tenant));
        let answer = request.send().await;
        // A response to HEAD has no body, so only its status is known.
        let is_denied = answer.as_ref().err().and_then(SdkError::raw_response);
        let is_denied = is_denied.is_some_and(|response| response.status().as_u16() == 403);
        let answer = match answer.map_err(|error| StoreError::request("HeadObject", error)) {
            Ok(answer) => answer,
            Err(error) if error.is_missing() => return Ok(None),
            Err(_) if is_denied && self.is_unlisted(tenant).await => return Ok(None),
            Err(error) => return Err(error),
        };
        let encoding = match answer.content_encoding.as_deref().map(str::trim) {
            None | Some("") => Encoding::Identity,
            Some(coding) if coding.eq_ignore_ascii_case("identity") => Encoding::Identity,
            Some(coding) if coding.eq_ignore_ascii_case("gzip") => Encoding::Gzip,
            Some(_) => Encoding::Unknown,
        };
        let metadata = |name: &str| answer.metadata.as_ref()?.get(name).cloned();
        Ok(Some(SourceObject {
            provenance: Provenance::new(metadata),
            allows_removals: metadata(ALLOW_REMOVALS).is_some_and(|value| value.eq_ignore_ascii_case("true")),
            etag: answer.e_tag.unwrap_or_default().trim_matches('"').to_owned(),
            upload_id: metadata(UPLOAD_ID),
            claimed_sha256: metadata(SHA256).and_then(|text| Hash::try_from(text).ok()),
            version_id: answer.version_id.unwrap_or_default(),
            size: size(answer.content_length),
            encoding,
        }))
    }

    /// Whether a listing of the tenant's key succeeds and does not contain it.
    async fn is_unlisted(&self, tenant: &TenantId) -> bool {
        let key = Self::key(tenant);
        let Bucket { client, name } = &self.bucket;
        let request = client.list_objects_v2().bucket(&**name).prefix(&key);
        // The key itself sorts before every longer one.
        let listed = request.max_keys(1).send().await;
        listed.is_ok_and(|listed| {
            let first = listed.contents.unwrap_or_default().into_iter().next();
            first.is_none_or(|first| first.key.as_deref() != Some(&key))
        })
    }

    /// Returns a page of the objects after the key `after`, ascending, or the page of the token `next`.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails, or the page has no continuation.
    pub async fn list(&self, after: Option<&str>, next: Option<&str>) -> Result<SourcePage, StoreError> {
        let Bucket { client, name } = &self.bucket;
        let request = client.list_objects_v2().bucket(&**name).prefix(PREFIX);
        let request = match next {
            Some(next) => request.continuation_token(next),
            None => request.set_start_after(after.map(str::to_owned)),
        };
        let answer = sent("ListObjectsV2", request.send()).await?;
        let next = match (answer.is_truncated, answer.next_continuation_token) {
            (Some(true), Some(next)) => Some(next),
            (Some(true), None) => {
                let missing = "a truncated page without a continuation token";
                return Err(StoreError::damaged("a list of objects", missing));
            }
            _ => None,
        };
        let listed = |object: aws_sdk_s3::types::Object| {
            let key = object.key.unwrap_or_default();
            ListedSource {
                tenant: Self::tenant(&key),
                etag: object.e_tag.unwrap_or_default().trim_matches('"').to_owned(),
                key,
            }
        };
        let objects = answer.contents.unwrap_or_default();
        Ok(SourcePage {
            objects: objects.into_iter().map(listed).collect(),
            next,
        })
    }

    /// Reads the content of exactly `object`. Refuses a length over the limit before it reads a byte, and a wrong length at
    /// the first byte over the limit.
    ///
    /// # Errors
    /// [`SourceError`]: one of the refusals, or an error of S3.
    pub async fn read(&self, tenant: &TenantId, object: &SourceObject) -> Result<SourceBody, SourceError> {
        if object.size > self.max_bytes {
            return Err(SourceError::TooLarge(self.max_bytes));
        }
        if object.encoding == Encoding::Unknown {
            return Err(SourceError::Encoding);
        }
        let Bucket { client, name } = &self.bucket;
        let request = client.get_object().bucket(&**name).key(Self::key(tenant));
        // The ETag ties the content to the metadata, in buckets with and without versions.
        let request = request.if_match(format!("\"{}\"", object.etag));
        let answer = match sent("GetObject", request.send()).await {
            Ok(answer) => answer,
            Err(error) if error.is_missing() || error.is_condition_failed() => {
                return Err(SourceError::Replaced);
            }
            Err(error) => return Err(error.into()),
        };
        // The same bytes have the same ETag under any metadata, and the metadata matters: encoding, permission to remove.
        if answer.version_id.as_deref().unwrap_or_default() != object.version_id {
            return Err(SourceError::Replaced);
        }
        let stored = transfer::in_time(object.size, self.bounded(answer.body, object.size)).await?;
        let stamp = SourceStamp {
            etag: object.etag.clone(),
            version_id: object.version_id.clone(),
            sha256: Hash::digest(&stored),
            size: stored.len() as u64,
            culture: None,
        };
        let bytes = match object.encoding {
            Encoding::Gzip => self.unzipped(&stored)?,
            _ => stored,
        };
        Ok(SourceBody { stamp, bytes })
    }

    async fn bounded(&self, mut body: ByteStream, expected: u64) -> Result<Vec<u8>, SourceError> {
        let capacity = usize::try_from(expected.min(self.max_bytes)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(capacity);
        while let Some(piece) = body.next().await {
            bytes.extend_from_slice(&piece.map_err(unread)?);
            if bytes.len() as u64 > self.max_bytes {
                return Err(SourceError::TooLarge(self.max_bytes));
            }
        }
        Ok(bytes)
    }

    fn unzipped(&self, stored: &[u8]) -> Result<Vec<u8>, SourceError> {
        let mut bytes = Vec::new();
        let mut decoder = flate2::read::MultiGzDecoder::new(stored).take(self.max_bytes + 1);
        decoder
            .read_to_end(&mut bytes)
            .map_err(|_| SourceError::Encoding)?;
        if bytes.len() as u64 > self.max_bytes {
            return Err(SourceError::TooLarge(self.max_bytes));
        }
        Ok(bytes)
    }
}
