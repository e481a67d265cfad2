//! The changesets bucket: bodies that are written once and never change (docs/decisions/0002-stored-bodies.md and
//! 0008-changeset-chain.md), and reports.

use std::io::{Read, Write};

use aws_sdk_s3::Client;
use aws_sdk_s3::primitives::ByteStream;
use bytes::Bytes;
use serde::Serialize;
use taxonomy_keys::{TenantId, Version};
use taxonomy_model::changeset::{self, Changeset, Header, HeaderReader};
use taxonomy_model::{Fact, Hash, Taxonomy, snapshot};

use crate::error::{StoreError, sent};
use crate::objects::bucket::{Bucket, unread};
use crate::objects::transfer;

/// The maximum number of bytes that a stored body may decode to: eight times the largest input file, since nothing larger was ever written.
pub(crate) const MAX_BODY: u64 = 4 << 30;

/// The maximum number of bytes of a report: it lists 200 issues, each with a pointer and a message of a few kilobytes.
const MAX_REPORT: u64 = 8 << 20;

/// zstd's default level; higher ones take far longer for little.
const LEVEL: i32 = 3;

/// Snapshots, changesets and reports.
#[derive(Debug, Clone)]
pub struct Archive {
    /// Their bucket.
    pub bucket: Bucket,
}

/// A compressed body.
#[derive(Debug)]
pub struct Packed {
    /// The hash of the body before compression: a snapshot's state hash, a changeset's id.
    pub hash: Hash,
    pub(crate) body: Bytes,
}

impl Packed {
    /// Returns the size as stored, in bytes.
    pub fn bytes(&self) -> u64 {
        self.body.len() as u64
    }

    /// Compresses the snapshot of a version.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if zstd fails.
    pub fn snapshot(taxonomy: &Taxonomy, projection_format: u32) -> Result<Self, StoreError> {
        let (hash, body) = pack("a snapshot being written", |out| {
            snapshot::write_in_format(taxonomy, projection_format, out)
        })?;
        Ok(Self { hash, body })
    }

    /// Compresses a changeset. Returns the number of its facts too.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if zstd fails.
    pub fn changeset(header: &Header, facts: impl Iterator<Item = Fact>) -> Result<(Self, u64), StoreError> {
        let (written, body) = pack("a changeset being written", |out| {
            changeset::write(header, facts, out)
        })?;
        let changeset::WrittenChangeset { id, facts } = written;
        Ok((Self { hash: id, body }, facts))
    }
}

fn pack<T>(
    what: &str,
    write: impl FnOnce(&mut zstd::Encoder<'_, Vec<u8>>) -> std::io::Result<T>,
) -> Result<(T, Bytes), StoreError> {
    let failed = |error| StoreError::damaged(what, error);
    let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL).map_err(failed)?;
    let written = write(&mut encoder).map_err(failed)?;
    Ok((written, encoder.finish().map_err(failed)?.into()))
}

impl Archive {
    /// Returns the archive in `bucket`.
    pub fn new(client: Client, bucket: &str) -> Self {
        let bucket = Bucket::new(client, bucket);
        Self { bucket }
    }

    /// Returns the name of an object in messages: `s3://bucket/key`.
    pub fn object(&self, key: &str) -> String {
        self.bucket.object(key)
    }

    /// Returns the key of a version's changeset.
    pub fn changeset_key(tenant: &TenantId, version: Version, id: &Hash) -> String {
        format!("changesets/{tenant}/{:012}-{id}.json.zst", version.get())
    }

    /// Returns the key of a version's snapshot, unless the version shares that of an older one.
    pub fn snapshot_key(tenant: &TenantId, version: Version, state: &Hash) -> String {
        format!("snapshots/{tenant}/{:012}-{state}.json.zst", version.get())
    }

    /// Reads a snapshot and verifies its state hash.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the hash differs, [`StoreError::Request`] if S3 fails.
    pub async fn snapshot(&self, key: &str, state: &Hash) -> Result<Taxonomy, StoreError> {
        let body = self.whole(key).await?;
        let decoder = zstd::Decoder::new(body.as_ref()).map_err(|error| self.bucket.damaged(key, error))?;
        let (taxonomy, hash) =
            snapshot::read(decoder.take(MAX_BODY)).map_err(|error| self.bucket.damaged(key, error))?;
        if hash != *state {
            return Err(self.bucket.damaged(key, "its content has another hash"));
        }
        Ok(taxonomy)
    }

    /// Reads the changeset of a version and verifies its id, tenant and version.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if one differs, [`StoreError::Request`] if S3 fails.
    pub async fn changeset(
        &self,
        tenant: &TenantId,
        version: Version,
        id: &Hash,
    ) -> Result<Changeset, StoreError> {
        let key = Self::changeset_key(tenant, version, id);
        let bytes = self.decoded(&key, id).await?;
        let Changeset { header, facts } =
            changeset::read(&bytes).map_err(|error| self.unreadable(&key, error))?;
        let header = self.is_of(tenant, version, header, &key)?;
        Ok(Changeset { header, facts })
    }

    /// Reads the header of the changeset of a version with the checks of [`Archive::changeset`], in memory in proportion to its counts.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it does not match its id, [`StoreError::Request`] if S3 fails.
    pub async fn header(&self, tenant: &TenantId, version: Version, id: &Hash) -> Result<Header, StoreError> {
        let header = self.header_of_at_most(tenant, version, id, usize::MAX).await?;
        header.ok_or_else(|| StoreError::damaged("a header", "it does not end"))
    }

    /// As [`Archive::header`], but returns `None` as soon as the header exceeds `most` bytes.
    ///
    /// # Errors
    /// As [`Archive::header`].
    pub async fn header_of_at_most(
        &self,
        tenant: &TenantId,
        version: Version,
        id: &Hash,
        most: usize,
    ) -> Result<Option<Header>, StoreError> {
        let key = Self::changeset_key(tenant, version, id);
        let (mut body, size) = self.bucket.open(&key).await?;
        let failed = |error: std::io::Error| self.bucket.damaged(&key, error);
        let reader = HeaderReader::of_at_most(most);
        let mut decoder = zstd::stream::write::Decoder::new(reader).map_err(failed)?;
        transfer::in_time(size, async {
            while let Some(bytes) = body.try_next().await.map_err(unread)? {
                decoder.write_all(&bytes).map_err(failed)?;
                if decoder.get_ref().failed() {
                    break;
                }
            }
            Ok::<_, StoreError>(())
        })
        .await?;
        decoder.flush().map_err(failed)?;
        let (hash, header) = match decoder.into_inner().finish() {
            Ok(read) => read,
            Err(changeset::ReadError::TooLong(_)) => return Ok(None),
            Err(error) => return Err(self.unreadable(&key, error)),
        };
        if hash != *id {
            return Err(self.bucket.damaged(&key, "its content has another hash"));
        }
        self.is_of(tenant, version, header, &key).map(Some)
    }

    /// Verifies tenant and version: a body may be undamaged and still be another tenant's, or another version's.
    fn is_of(
        &self,
        tenant: &TenantId,
        version: Version,
        header: Header,
        key: &str,
    ) -> Result<Header, StoreError> {
        let (of, at) = (&header.tenant, header.version);
        match (of, at) == (tenant, version) {
            true => Ok(header),
            false => Err(self.bucket.damaged(key, format!("it is version {at} of {of}"))),
        }
    }

    fn unreadable(&self, key: &str, error: changeset::ReadError) -> StoreError {
        match error {
            changeset::ReadError::Format(format) => StoreError::UnknownFormat {
                what: self.bucket.object(key),
                format,
            },
            error => self.bucket.damaged(key, error),
        }
    }

    async fn decoded(&self, key: &str, hash: &Hash) -> Result<Vec<u8>, StoreError> {
        let body = self.whole(key).await?;
        let mut bytes = Vec::new();
        let decoder = zstd::Decoder::new(body.as_ref()).map_err(|error| self.bucket.damaged(key, error))?;
        decoder
            .take(MAX_BODY)
            .read_to_end(&mut bytes)
            .map_err(|error| self.bucket.damaged(key, error))?;
        if Hash::digest(&bytes) != *hash {
            return Err(self.bucket.damaged(key, "its content has another hash"));
        }
        Ok(bytes)
    }

    /// Reads a published report.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it is larger than any report, [`StoreError::Request`] if S3 fails.
    pub async fn report(&self, key: &str) -> Result<Vec<u8>, StoreError> {
        Ok(self.bucket.read(key, MAX_REPORT).await?.into())
    }

    /// Returns the key of the report of an uploaded object by its `ETag`, or of a request by its id.
    pub fn report_key(&self, tenant: &TenantId, name: &str) -> String {
        let is_kept = |c: &char| c.is_ascii_hexdigit() || *c == '-';
        let name: String = name.chars().filter(is_kept).collect();
        format!("reports/{tenant}/{name}.json")
    }

    /// Stores the report of an uploaded object or of a request, and returns its key.
    ///
    /// # Errors
    /// [`StoreError`] if the request fails.
    pub async fn put_report(
        &self,
        tenant: &TenantId,
        name: &str,
        report: &impl Serialize,
    ) -> Result<String, StoreError> {
        let key = self.report_key(tenant, name);
        let body = serde_json::to_vec(report).map_err(|error| StoreError::damaged("a report", error))?;
        let Bucket { client, name } = &self.bucket;
        let request = client
            .put_object()
            .bucket(&**name)
            .key(&key)
            .content_type("application/json")
            .body(ByteStream::from(body));
        sent("PutObject", request.send()).await?;
        Ok(key)
    }
}
