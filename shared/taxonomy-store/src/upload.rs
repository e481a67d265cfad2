//! An upload as an upstream makes it: on condition that no other came between, and known again when its answer was lost.

use std::time::Duration;

use aws_sdk_s3::Config;
use aws_sdk_s3::config::timeout::TimeoutConfig;
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_keys::TenantId;
use taxonomy_model::{Hash, Provenance};

use crate::backoff;
use crate::error::StoreError;
use crate::source::{ALLOW_REMOVALS, Object, Sources};

/// The object metadata by which an uploader knows its own object again.
pub(crate) const UPLOAD_ID: &str = "upload-id";

/// The object metadata by which the next push knows an upload of the same bytes that the service has not looked at.
pub(crate) const SHA256: &str = "sha256";

/// The slowest line that an upload is waited for on, in bytes a second.
const SLOWEST: u64 = 128 << 10;

/// The time of an attempt besides its bytes.
const USUAL: Duration = Duration::from_secs(30);

/// The most attempts of an upload.
const ATTEMPTS: u32 = 3;

/// A file to be uploaded.
#[derive(Debug, Clone)]
pub struct Upload {
    /// The bytes as they are to be stored.
    pub bytes: Vec<u8>,
    /// Whether they are gzip.
    pub is_gzip: bool,
    /// Release, author and reason, which S3 takes as ASCII.
    pub provenance: Provenance,
    /// Whether it may remove more than the tenant's limit.
    pub allows_removals: bool,
}

/// The reasons for which an upload was not made.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The object is another one than it was.
    #[error("another upload came between")]
    Replaced,
    /// S3 did not take it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sources {
    /// Uploads a tenant's file in the place of `onto` (none: where there is none), and returns the object's version id.
    ///
    /// A request whose answer was lost fails its condition when it is repeated. The object's metadata then says whose it is.
    ///
    /// # Errors
    /// [`UploadError::Replaced`] when the object is another one by now; nothing is uploaded then. [`UploadError::Store`] when S3 fails:
    /// whether the file was uploaded is not known then.
    pub async fn upload(
        &self,
        tenant: &TenantId,
        upload: &Upload,
        onto: Option<&Object>,
    ) -> Result<String, UploadError> {
        let id = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        for attempt in 0..backoff::TRIES {
            match self.put(tenant, upload, onto, &id).await {
                Ok(version_id) => return Ok(version_id),
                // Another upload is under way; the next attempt finds it, or the object as it was.
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
        onto: Option<&Object>,
        id: &str,
    ) -> Result<String, StoreError> {
        let Provenance {
            release,
            author,
            reason,
        } = &upload.provenance;
        let mut request = self
            .client
            .put_object()
            .bucket(&*self.bucket)
            .key(Self::key(tenant))
            .content_type("application/json")
            .set_content_encoding(upload.is_gzip.then(|| "gzip".to_owned()))
            .metadata(UPLOAD_ID, id)
            .metadata(SHA256, Hash::of(&upload.bytes).as_str());
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
        let answer = request.customize().config_override(config).send().await;
        let answer = answer.map_err(|error| StoreError::request("PutObject", error))?;
        Ok(answer.version_id.unwrap_or_default())
    }
}

/// The time-outs of an upload over a slow line.
fn patient(bytes: u64) -> aws_sdk_s3::config::Builder {
    let attempt = USUAL + Duration::from_secs(bytes / SLOWEST);
    let timeouts = TimeoutConfig::builder()
        .operation_attempt_timeout(attempt)
        .operation_timeout(attempt * ATTEMPTS);
    Config::builder().timeout_config(timeouts.build())
}
