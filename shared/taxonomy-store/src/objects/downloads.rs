//! Downloads as objects: written once, whole or not at all, and read by a signed URL (docs/decisions/0020-downloads.md).

use std::time::{Duration, UNIX_EPOCH};

use aws_sdk_s3::config::RequestChecksumCalculation;
use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{ChecksumAlgorithm, CompletedMultipartUpload, CompletedPart};
use bytes::Bytes;

use crate::error::{StoreError, sent, unless};
use crate::objects::archive::Archive;
use crate::objects::bucket::{Bucket, PutOutcome, size};
use crate::objects::download::Download;
use crate::objects::transfer;
use crate::usage;

/// The object metadata with the time of a failure, in epoch milliseconds.
const FAILED_AT: &str = "failed-at";

/// The checksum of the parts of an upload. A completion may contain only checksums of the algorithm that the upload was created with.
const CHECKSUM: ChecksumAlgorithm = ChecksumAlgorithm::Crc32;

/// The upload of a download, part by part. The object is readable only after its completion.
#[derive(Debug)]
pub struct DownloadUpload<'a> {
    archive: &'a Archive,
    download: &'a Download,
    key: String,
    /// The multipart upload; `None` until the first part.
    id: Option<String>,
    parts: Vec<CompletedPart>,
    bytes: u64,
}

impl Archive {
    /// Returns the size of a download in bytes, `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn download_size(&self, download: &Download) -> Result<Option<u64>, StoreError> {
        usage::note_object(0);
        let object = self.bucket.head(&download.key()).await?;
        Ok(object.map(|object| size(object.content_length)))
    }

    /// Returns the time of the last failure, in epoch milliseconds; `None` without one.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn download_failed_at(&self, download: &Download) -> Result<Option<u64>, StoreError> {
        usage::note_object(0);
        let object = self.bucket.head(&download.failure_key()).await?;
        let metadata = object.and_then(|object| object.metadata).unwrap_or_default();
        Ok(metadata.get(FAILED_AT).and_then(|at| at.parse().ok()))
    }

    /// Records a failure. A later record replaces it.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn note_failed_download(&self, download: &Download, at_ms: u64) -> Result<(), StoreError> {
        let Bucket { client, name } = &self.bucket;
        let request = client
            .put_object()
            .bucket(&**name)
            .key(download.failure_key())
            .metadata(FAILED_AT, at_ms.to_string())
            .body(ByteStream::from_static(b""));
        sent("PutObject", request.send()).await.map(drop)
    }

    /// Returns a URL that reads the download without credentials from `now_ms` (epoch milliseconds) on, for `lifetime`. Signing needs no request.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] for a lifetime of more than a week; [`StoreError::Request`] without credentials.
    pub async fn download_url(
        &self,
        download: &Download,
        now_ms: u64,
        lifetime: Duration,
    ) -> Result<String, StoreError> {
        let signing = PresigningConfig::builder()
            .start_time(UNIX_EPOCH + Duration::from_millis(now_ms))
            .expires_in(lifetime)
            .build()
            .map_err(|error| StoreError::damaged("a lifetime", error))?;
        let Bucket { client, name } = &self.bucket;
        let request = client.get_object().bucket(&**name).key(download.key());
        let signed = sent("GetObject", request.presigned(signing)).await?;
        Ok(signed.uri().to_owned())
    }

    /// Begins an upload. The first request is that of the first part.
    pub fn upload_download<'a>(&'a self, download: &'a Download) -> DownloadUpload<'a> {
        DownloadUpload {
            archive: self,
            download,
            key: download.key(),
            id: None,
            parts: Vec::new(),
            bytes: 0,
        }
    }
}

impl DownloadUpload<'_> {
    /// Uploads a part that is not the last: at least 5 MiB, as S3 requires.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn part(&mut self, part: Bytes) -> Result<(), StoreError> {
        let id = match &self.id {
            Some(id) => id.clone(),
            None => self.begin().await?,
        };
        let number = i32::try_from(self.parts.len() + 1).unwrap_or(i32::MAX);
        let (size, Bucket { client, name }) = (part.len() as u64, &self.archive.bucket);
        let request = client
            .upload_part()
            .bucket(&**name)
            .key(&self.key)
            .upload_id(id)
            .part_number(number)
            .checksum_algorithm(CHECKSUM)
            .body(ByteStream::from(part));
        // A client that adds checksums only where S3 requires them would leave out this one.
        let config = transfer::config_for(client.config(), size)
            .request_checksum_calculation(RequestChecksumCalculation::WhenSupported);
        let request = request.customize().config_override(config);
        let answer = sent("UploadPart", request.send()).await?;
        self.parts.push(
            CompletedPart::builder()
                .part_number(number)
                .set_e_tag(answer.e_tag)
                .set_checksum_crc32(answer.checksum_crc32)
                .build(),
        );
        self.bytes += size;
        Ok(())
    }

    /// Uploads the last bytes and completes the object, unless it exists already.
    ///
    /// # Errors
    /// [`StoreError`] if S3 fails; the outcome is then unknown.
    pub async fn complete(&mut self, last: Bytes) -> Result<PutOutcome, StoreError> {
        if self.id.is_none() {
            self.bytes = last.len() as u64;
            return self.put(last).await;
        }
        if !last.is_empty() {
            self.part(last).await?;
        }
        match self.assemble().await {
            Ok(()) => Ok(PutOutcome::Now),
            // Another process was first, or the response to an attempt of this one was lost.
            Err(error) => match self.archive.download_size(self.download).await {
                Ok(Some(_)) => Ok(PutOutcome::Before),
                _ => Err(error),
            },
        }
    }

    /// Returns the number of uploaded bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Aborts a multipart upload, so that its parts are deleted. An unknown upload counts as aborted.
    ///
    /// # Errors
    /// [`StoreError`] if S3 fails; a lifecycle rule of the bucket then aborts the upload.
    pub async fn abort(self) -> Result<(), StoreError> {
        let Some(id) = self.id else {
            return Ok(());
        };
        let Bucket { client, name } = &self.archive.bucket;
        let request = client.abort_multipart_upload().bucket(&**name);
        let request = request.key(&self.key).upload_id(id);
        let aborted = sent("AbortMultipartUpload", request.send()).await;
        unless(StoreError::is_missing_upload, aborted).map(drop)
    }

    async fn begin(&mut self) -> Result<String, StoreError> {
        let Bucket { client, name } = &self.archive.bucket;
        let request = client
            .create_multipart_upload()
            .bucket(&**name)
            .key(&self.key)
            .checksum_algorithm(CHECKSUM)
            .content_type(self.download.form.format().media_type())
            .content_disposition(self.disposition());
        let answer = sent("CreateMultipartUpload", request.send()).await?;
        let none = || StoreError::damaged(&*self.key, "an upload without an id");
        let id = answer.upload_id.ok_or_else(none)?;
        self.id = Some(id.clone());
        Ok(id)
    }

    async fn assemble(&self) -> Result<(), StoreError> {
        let Bucket { client, name } = &self.archive.bucket;
        let parts = CompletedMultipartUpload::builder().set_parts(Some(self.parts.clone()));
        let request = client
            .complete_multipart_upload()
            .bucket(&**name)
            .key(&self.key)
            .set_upload_id(self.id.clone())
            .if_none_match("*")
            .multipart_upload(parts.build());
        // S3 may take as long as for a copy of the bytes.
        let config = transfer::config_for(client.config(), self.bytes);
        let request = request.customize().config_override(config);
        sent("CompleteMultipartUpload", request.send()).await.map(drop)
    }

    async fn put(&self, body: Bytes) -> Result<PutOutcome, StoreError> {
        let put = |request: PutObjectFluentBuilder| {
            request
                .content_type(self.download.form.format().media_type())
                .content_disposition(self.disposition())
        };
        let stored = self.archive.bucket.put_once(&self.key, body, put).await;
        stored.map_err(StoreError::unprocessed)
    }

    fn disposition(&self) -> String {
        format!("attachment; filename=\"{}\"", self.download.file_name())
    }
}

#[cfg(test)]
#[path = "downloads/tests.rs"]
mod tests;
