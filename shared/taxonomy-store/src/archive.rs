//! The changesets bucket: snapshots, which never change, and reports (docs/decisions/0002-stored-bodies.md).

use std::io::Read;
use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::snapshot::{self, Hash};
use taxonomy_model::{Report, Taxonomy};

use crate::backoff;
use crate::error::StoreError;

/// The most that a stored snapshot may decode to: eight times the largest input file, since nothing larger was ever written.
const MAX_SNAPSHOT: u64 = 1 << 30;

/// zstd's default level; higher ones take far longer for little.
const LEVEL: i32 = 3;

/// Snapshots and reports.
#[derive(Debug, Clone)]
pub struct Archive {
    client: Client,
    bucket: Arc<str>,
}

/// A taxonomy in its stored form.
#[derive(Debug)]
pub struct Packed {
    /// The state hash.
    pub state: Hash,
    body: Vec<u8>,
}

impl Packed {
    /// Packs a taxonomy.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if zstd fails, which it has no reason to.
    pub fn new(taxonomy: &Taxonomy) -> Result<Self, StoreError> {
        let failed = |error| StoreError::damaged("a snapshot being written", error);
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL).map_err(failed)?;
        let state = snapshot::write(taxonomy, &mut encoder).map_err(failed)?;
        Ok(Self {
            state,
            body: encoder.finish().map_err(failed)?,
        })
    }
}

impl Archive {
    /// The archive in `bucket`.
    #[must_use]
    pub fn new(client: Client, bucket: &str) -> Self {
        Self {
            client,
            bucket: bucket.into(),
        }
    }

    /// Stores a snapshot unless it is there, and returns its key. The key holds the hash of the content, so whoever was
    /// first wrote the same.
    ///
    /// # Errors
    /// [`StoreError`] when S3 fails, or holds something else under the key.
    pub async fn put_snapshot(
        &self,
        tenant: &TenantId,
        version: Version,
        packed: &Packed,
    ) -> Result<String, StoreError> {
        let key = format!(
            "snapshots/{tenant}/{:012}-{}.json.zst",
            version.get(),
            packed.state
        );
        for attempt in 0..backoff::TRIES {
            let request = self
                .client
                .put_object()
                .bucket(&*self.bucket)
                .key(&key)
                .if_none_match("*");
            let request = request
                .content_type("application/zstd")
                .body(ByteStream::from(packed.body.clone()));
            match request
                .send()
                .await
                .map_err(|error| StoreError::request("PutObject", error))
            {
                Ok(_) => return Ok(key),
                Err(error) if error.is_condition_failed() => {
                    self.decoded_snapshot(&key, &packed.state).await?;
                    return Ok(key);
                }
                // Another upload of the same key is under way; whether it succeeds is not known yet.
                Err(error) if error.is_conflict() && attempt + 1 < backoff::TRIES => {
                    backoff::pause(attempt).await;
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::Unprocessed {
            operation: "PutObject",
        })
    }

    /// Reads a snapshot and checks that it is the one with this state hash.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when it is not, [`StoreError::Request`] when S3 fails.
    pub async fn snapshot(&self, key: &str, state: &Hash) -> Result<Taxonomy, StoreError> {
        let bytes = self.decoded_snapshot(key, state).await?;
        snapshot::read(&bytes).map_err(|error| StoreError::damaged(key, error))
    }

    async fn decoded_snapshot(&self, key: &str, state: &Hash) -> Result<Vec<u8>, StoreError> {
        let answer = self
            .client
            .get_object()
            .bucket(&*self.bucket)
            .key(key)
            .send()
            .await;
        let answer = answer.map_err(|error| StoreError::request("GetObject", error))?;
        let body = answer
            .body
            .collect()
            .await
            .map_err(|error| StoreError::Request {
                operation: "GetObject",
                code: None,
                source: error.into(),
            })?
            .into_bytes();
        let mut bytes = Vec::new();
        let decoder = zstd::Decoder::new(body.as_ref()).map_err(|error| StoreError::damaged(key, error))?;
        decoder
            .take(MAX_SNAPSHOT)
            .read_to_end(&mut bytes)
            .map_err(|error| StoreError::damaged(key, error))?;
        if Hash::of(&bytes) != *state {
            return Err(StoreError::damaged(key, "its content has another hash"));
        }
        Ok(bytes)
    }

    /// Stores what was found in an uploaded object, and returns the report's key. Storing it twice changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when S3 fails.
    pub async fn put_report(
        &self,
        tenant: &TenantId,
        etag: &str,
        report: &Report,
    ) -> Result<String, StoreError> {
        let name: String = etag
            .chars()
            .filter(|c| c.is_ascii_hexdigit() || *c == '-')
            .collect();
        let key = format!("reports/{tenant}/{name}.json");
        let body = serde_json::to_vec(report).map_err(|error| StoreError::damaged("a report", error))?;
        let request = self
            .client
            .put_object()
            .bucket(&*self.bucket)
            .key(&key)
            .content_type("application/json");
        request
            .body(ByteStream::from(body))
            .send()
            .await
            .map_err(|error| StoreError::request("PutObject", error))?;
        Ok(key)
    }
}
