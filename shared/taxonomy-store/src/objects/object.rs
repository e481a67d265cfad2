//! The objects of versions: each is stored once, and compared with what it should be.

use std::io::Read as _;

use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use bytes::Bytes;
use taxonomy_model::Hash;
use taxonomy_model::changeset::Header;

use crate::error::{StoreError, UnlessLost as _};
use crate::objects::archive::{Archive, MAX_BODY, Packed};
use crate::objects::bucket::{PutOutcome, unread};
use crate::objects::transfer;

/// The size of a file that is sent before its key is looked for, in bytes: sending it takes no longer than a request.
const SENT_UNSEEN: usize = 256 << 10;

/// What is wrong with a file that is not as it should be.
const OTHER: &str = "it has other content than the version";

/// An object of a version, as it should be. Its key contains a hash of its content.
#[derive(Debug, Clone)]
pub struct Object {
    /// Its key.
    pub key: String,
    /// Its bytes.
    pub body: Bytes,
    content: Content,
    metadata: Vec<(&'static str, String)>,
}

/// How a stored object is known to be the same, although another build may have compressed it to other bytes.
#[derive(Debug, Clone)]
enum Content {
    /// By the hash of its body before compression.
    Compressed(Hash),
    /// By its bytes.
    Bytes,
    /// By its bytes, or else by this function of key and bytes.
    Packed(fn(&str, &[u8]) -> bool),
}

impl Object {
    /// Returns the snapshot of a version.
    pub fn snapshot(key: String, packed: Packed) -> Self {
        Self {
            key,
            body: packed.body,
            content: Content::Compressed(packed.hash),
            metadata: Vec::new(),
        }
    }

    /// Returns the changeset of a version.
    pub fn changeset(header: &Header, packed: Packed) -> Self {
        let key = Archive::changeset_key(&header.tenant, header.version, &packed.hash);
        let mut metadata = vec![
            ("aggregate-id", header.tenant.to_string()),
            ("aggregate-version", header.version.to_string()),
            ("changeset-id", packed.hash.to_string()),
        ];
        let parent = header.parent.as_ref();
        metadata.extend(parent.map(|parent| ("parent-changeset-id", parent.to_string())));
        Self {
            metadata,
            ..Self::snapshot(key, packed)
        }
    }

    /// Returns a file that is the same in its bytes alone.
    pub fn file(key: String, body: Bytes) -> Self {
        Self {
            key,
            body,
            content: Content::Bytes,
            metadata: Vec::new(),
        }
    }

    /// Returns a file of packed parts; `is_of_key` says whether bytes have the content that a key names.
    pub fn packed_file(key: String, body: Bytes, is_of_key: fn(&str, &[u8]) -> bool) -> Self {
        Self {
            content: Content::Packed(is_of_key),
            ..Self::file(key, body)
        }
    }
}

impl Archive {
    /// Stores an object unless it exists. One that was altered is replaced, on condition that it is as it was seen.
    ///
    /// # Errors
    /// [`StoreError`] if a request fails, or others alter the object at the same time.
    pub async fn put(&self, object: &Object) -> Result<PutOutcome, StoreError> {
        let Object {
            key,
            body,
            content,
            metadata,
        } = object;
        let (kind, is_file) = match content {
            Content::Compressed(_) => ("application/zstd", false),
            Content::Bytes | Content::Packed(_) => ("application/octet-stream", true),
        };
        let with = |request: PutObjectFluentBuilder| {
            let named = metadata.iter();
            named.fold(request.content_type(kind), |request, (name, value)| {
                request.metadata(*name, value)
            })
        };
        let is_large = is_file && body.len() > SENT_UNSEEN;
        let is_there = is_large && self.bucket.head(key).await?.is_some();
        if !is_there && self.bucket.put_once(key, body.clone(), with).await? == PutOutcome::Now {
            return Ok(PutOutcome::Now);
        }
        if self.compare(object).await.unless_lost()?.is_ok() {
            return Ok(PutOutcome::Before);
        }
        match self.bucket.replace(key, body.clone(), with).await? {
            true => Ok(PutOutcome::Replaced),
            // Another process stored it, or altered it again.
            false => self.compare(object).await.map(|()| PutOutcome::Before),
        }
    }

    /// Compares what is stored with an object.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it differs, [`StoreError::Missing`], [`StoreError::Request`] if S3 fails.
    pub async fn compare(&self, object: &Object) -> Result<(), StoreError> {
        let key = &object.key;
        match &object.content {
            Content::Compressed(hash) => self.compare_hash(key, hash).await,
            Content::Bytes => self.compare_bytes(key, &object.body).await,
            Content::Packed(is_of_key) => {
                let stored = self.whole(key).await?;
                match stored == object.body || is_of_key(key, &stored) {
                    true => Ok(()),
                    false => Err(self.bucket.damaged(key, OTHER)),
                }
            }
        }
    }

    async fn compare_hash(&self, key: &str, hash: &Hash) -> Result<(), StoreError> {
        let body = self.whole(key).await?;
        let damaged = |error| self.bucket.damaged(key, error);
        let decoder = zstd::Decoder::new(body.as_ref()).map_err(damaged)?;
        match Hash::read(decoder.take(MAX_BODY)).map_err(damaged)? == *hash {
            true => Ok(()),
            false => Err(self.bucket.damaged(key, "its content has another hash")),
        }
    }

    async fn compare_bytes(&self, key: &str, expected: &[u8]) -> Result<(), StoreError> {
        let (mut body, size) = self.bucket.open(key).await?;
        let other = || self.bucket.damaged(key, OTHER);
        transfer::in_time(size, async {
            let mut rest = expected;
            while let Some(bytes) = body.try_next().await.map_err(unread)? {
                rest = rest.strip_prefix(&*bytes).ok_or_else(other)?;
            }
            if rest.is_empty() { Ok(()) } else { Err(other()) }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use aws_sdk_s3::Client;
    use aws_sdk_s3::config::timeout::TimeoutConfig;
    use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;
    use taxonomy_testkit::{Fault, S3Fake, When};
    use tokio::time::Instant;

    use super::*;
    use crate::fakes::buckets;

    const KEY: &str = "indexes/acme/1/000000000001-a.index";

    fn file(key: &str, body: &'static [u8]) -> Object {
        Object::file(key.to_owned(), Bytes::from_static(body))
    }

    async fn stored(body: &'static [u8]) -> Archive {
        let archive = Archive::new(buckets().client(), CHANGESETS_BUCKET);
        assert_eq!(archive.put(&file(KEY, body)).await.unwrap(), PutOutcome::Now);
        archive
    }

    #[tokio::test]
    async fn an_object_is_compared_to_its_last_byte_and_an_altered_one_replaced() {
        let archive = stored(b"0123456789").await;
        archive.compare(&file(KEY, b"0123456789")).await.unwrap();
        let shorter = [&b""[..], b"012345678", b"01234567890"];
        for other in shorter.into_iter().chain([&b"0123x56789"[..], b"012345678x"]) {
            let found = archive.compare(&file(KEY, other)).await.unwrap_err();
            let is_damage = matches!(found, StoreError::Damaged { .. });
            assert!(is_damage, "{other:?}: {found:?}");
        }
        let missing = archive.compare(&file("indexes/acme/1/none", b"")).await;
        assert!(missing.unwrap_err().is_missing());
        let archive = stored(b"0123456789").await;
        let again = archive.put(&file(KEY, b"0123456789")).await.unwrap();
        assert_eq!(again, PutOutcome::Before);
        let altered = archive.put(&file(KEY, b"else")).await.unwrap();
        assert_eq!(altered, PutOutcome::Replaced);
        assert_eq!(&archive.whole(KEY).await.unwrap()[..], b"else");
    }

    /// Builds a client with the time-outs of functions that process events.
    fn archive(s3: &S3Fake) -> Archive {
        let timeouts = TimeoutConfig::builder()
            .operation_attempt_timeout(Duration::from_secs(3))
            .operation_timeout(Duration::from_secs(10));
        let config = s3.config().timeout_config(timeouts.build());
        Archive::new(Client::from_conf(config.build()), CHANGESETS_BUCKET)
    }

    /// Stores a body within the time that its size allows, and returns the duration.
    async fn put(bytes: usize, slow: Duration) -> (Result<PutOutcome, StoreError>, Duration) {
        let s3 = buckets();
        let puts = When::always().operation("PutObject");
        s3.transport().inject(puts, Fault::SlowBeforeApply(slow));
        let object = Object::file(KEY.to_owned(), vec![0; bytes].into());
        let begin = Instant::now();
        let outcome = archive(&s3).put(&object).await;
        let took = begin.elapsed();
        assert_eq!(outcome.is_ok(), s3.object(CHANGESETS_BUCKET, KEY).is_some());
        (outcome, took)
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_body_has_the_time_that_it_needs_and_one_that_hangs_that_of_two_attempts() {
        for (bytes, slow, is_stored, seconds) in [
            // By the first attempt.
            (20 << 20, 11, true, 11),
            (20 << 20, 600, false, 30),
            (1000, 600, false, 10),
        ] {
            let (stored, took) = put(bytes, Duration::from_secs(slow)).await;
            assert_eq!(stored.is_ok(), is_stored, "{bytes}: {stored:?}");
            assert_eq!(took.as_secs(), seconds, "{bytes}");
        }
    }
}
