//! An upload as an upstream makes it: on condition that no other upload came between, and recognisable after a lost response.

use std::time::Duration;

use aws_sdk_s3::Config;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_keys::TenantId;
use taxonomy_model::{Hash, Provenance};

use crate::backoff;
use crate::error::{StoreError, sent};
use crate::objects::bucket::Bucket;
use crate::objects::source::{ALLOW_REMOVALS, SHA256, SourceObject, Sources, UPLOAD_ID};

/// The slowest accepted line, in bytes a second.
const SLOWEST: u64 = 128 << 10;

/// The time of an attempt besides its bytes.
const USUAL: Duration = Duration::from_secs(30);

/// The maximum number of attempts of an upload.
const ATTEMPTS: u32 = 3;

/// A file to upload.
#[derive(Debug, Clone)]
pub struct Upload {
    /// The bytes as they will be stored.
    pub bytes: Vec<u8>,
    /// Whether they are gzip.
    pub is_gzip: bool,
    /// Release, author and reason, which S3 accepts as ASCII.
    pub provenance: Provenance,
    /// Whether it may exceed the removal limit of the tenant.
    pub allows_removals: bool,
}

/// The reason for which an upload failed.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The object was replaced.
    #[error("another upload came between")]
    Replaced,
    /// The request failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sources {
    /// Uploads a tenant's file in place of `onto` (`None`: where there is none), and returns the object's version id.
    ///
    /// A repeated request whose response was lost fails its condition. The object's metadata then identifies the uploader.
    ///
    /// # Errors
    /// [`UploadError::Replaced`] if the object was replaced; then nothing is uploaded. [`UploadError::Store`] if S3 fails; then the outcome is
    /// unknown.
    pub async fn upload(
        &self,
        tenant: &TenantId,
        upload: &Upload,
        onto: Option<&SourceObject>,
    ) -> Result<String, UploadError> {
        let id = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        for attempt in 0..backoff::TRIES {
            match self.put(tenant, upload, onto, &id).await {
                Ok(version_id) => return Ok(version_id),
                // A concurrent upload is in progress; the next attempt finds it, or the object as before.
                Err(error) if error.is_conflict() => backoff::pause(attempt).await,
                Err(error) if error.is_condition_failed() || error.is_missing() => {
                    let now = self.find(tenant).await?;
                    let own = now.filter(|object| object.upload_id.as_ref() == Some(&id));
                    return own.map(|object| object.version_id).ok_or(UploadError::Replaced);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(UploadError::Store(StoreError::Unprocessed {
            operation: "PutObject",
        }))
    }

    async fn put(
        &self,
        tenant: &TenantId,
        upload: &Upload,
        onto: Option<&SourceObject>,
        id: &str,
    ) -> Result<String, StoreError> {
        let Provenance {
            release,
            author,
            reason,
        } = &upload.provenance;
        let Bucket { client, name } = &self.bucket;
        let mut request = client
            .put_object()
            .bucket(&**name)
            .key(Self::key(tenant))
            .content_type("application/json")
            .set_content_encoding(upload.is_gzip.then(|| "gzip".to_owned()))
            .metadata(UPLOAD_ID, id)
            .metadata(SHA256, Hash::digest(&upload.bytes).as_str());
        for (name, text) in [("release", release), ("author", author), ("reason", reason)] {
            if let Some(text) = text {
                request = request.metadata(name, text);
            }
        }
        if upload.allows_removals {
            request = request.metadata(ALLOW_REMOVALS, "true");
        }
        let request = match onto {
            Some(object) => request.if_match(format!("\"{}\"", object.etag)),
            None => request.if_none_match("*"),
        };
        let request = request.body(ByteStream::from(upload.bytes.clone()));
        let config = patient(upload.bytes.len() as u64);
        let request = request.customize().config_override(config);
        let answer = sent("PutObject", request.send()).await?;
        Ok(answer.version_id.unwrap_or_default())
    }
}

/// Returns the time-outs of an upload over a slow line.
fn patient(bytes: u64) -> aws_sdk_s3::config::Builder {
    let attempt = USUAL + Duration::from_secs(bytes / SLOWEST);
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(attempt)
        .operation_timeout(attempt * ATTEMPTS);
    Config::builder().timeout_config(timeouts.build())
}
