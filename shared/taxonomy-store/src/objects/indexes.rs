//! The index files and search objects of versions as S3 objects: written once, read by ranges (docs/decisions/0018-version-index.md).
//! `taxonomy-index` defines their content.

use std::ops::Range;

use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use bytes::Bytes;

use crate::error::{StoreError, sent};
use crate::objects::archive::Archive;
use crate::objects::bucket::{Bucket, PutOutcome, unread};
use crate::objects::transfer;
use crate::usage;

/// The size of a body that is sent before its key is looked for, in bytes: sending it takes no longer than a request.
const SENT_UNSEEN: usize = 256 << 10;

/// The end of an object.
#[derive(Debug, Clone)]
pub struct Tail {
    /// Its last bytes: all of a small object.
    pub bytes: Bytes,
    /// The size of the whole object.
    pub size: u64,
}

impl Archive {
    /// Stores an index file or a search object unless its key exists: the key contains the digest of the content. A large one is not sent in vain.
    ///
    /// # Errors
    /// [`StoreError`] if a request fails.
    pub async fn put_index(&self, key: &str, body: Bytes) -> Result<PutOutcome, StoreError> {
        if body.len() > SENT_UNSEEN && self.bucket.head(key).await?.is_some() {
            return Ok(PutOutcome::Before);
        }
        self.bucket.put_once(key, body, as_index).await
    }

    /// Stores an index file or a search object in place of what is under its key, if anything is. Returns false if another request changed the object at
    /// the same time.
    ///
    /// # Errors
    /// [`StoreError`] if a request fails.
    pub async fn replace_index(&self, key: &str, body: Bytes) -> Result<bool, StoreError> {
        self.bucket.replace(key, body, as_index).await
    }

    /// Reads a whole object.
    ///
    /// # Errors
    /// [`StoreError`] if S3 fails, or the object does not exist.
    pub async fn whole(&self, key: &str) -> Result<Bytes, StoreError> {
        self.bucket.read(key, u64::MAX).await
    }

    /// Compares an object with its expected bytes while it is received, without keeping it in memory.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the bytes differ, [`StoreError::Request`] if S3 fails or the object does not exist.
    pub async fn compare(&self, key: &str, expected: &[u8]) -> Result<(), StoreError> {
        let (mut body, size) = self.bucket.open(key).await?;
        let other = || self.bucket.damaged(key, "it has other content than the version");
        transfer::in_time(size, async {
            let mut rest = expected;
            while let Some(bytes) = body.try_next().await.map_err(unread)? {
                rest = rest.strip_prefix(bytes.as_ref()).ok_or_else(other)?;
            }
            match rest.is_empty() {
                true => Ok(()),
                false => Err(other()),
            }
        })
        .await
    }

    /// Reads the last `bytes` of an object.
    ///
    /// # Errors
    /// [`StoreError`] if S3 fails, or the object does not exist.
    pub async fn tail(&self, key: &str, bytes: u64) -> Result<Tail, StoreError> {
        let (bytes, range) = self.ranged(key, format!("bytes=-{bytes}"), bytes).await?;
        let size = range.as_deref().and_then(|range| range.rsplit_once('/'));
        let size = size.and_then(|(_, size)| size.parse().ok());
        let size = size.ok_or_else(|| self.bucket.damaged(key, "its size was not answered"))?;
        Ok(Tail { bytes, size })
    }

    /// Reads a range of an object.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the object ends before the range, [`StoreError::Request`] if S3 fails or the object does not exist.
    pub async fn range(&self, key: &str, range: Range<u64>) -> Result<Bytes, StoreError> {
        let length = range.end.saturating_sub(range.start);
        if length == 0 {
            return Ok(Bytes::new());
        }
        let header = format!("bytes={}-{}", range.start, range.end - 1);
        let (bytes, _) = self.ranged(key, header, length).await?;
        if bytes.len() as u64 == length {
            Ok(bytes)
        } else {
            let why = format!("it ends before byte {}", range.end);
            Err(self.bucket.damaged(key, why))
        }
    }

    /// Reads the bytes of a range, at most `most`. Returns their place too.
    async fn ranged(
        &self,
        key: &str,
        header: String,
        most: u64,
    ) -> Result<(Bytes, Option<String>), StoreError> {
        let Bucket { client, name } = &self.bucket;
        let request = client.get_object().bucket(&**name).key(key).range(header);
        let answer = sent("GetObject", request.send()).await;
        let answer = answer.map_err(|error| error.of(&self.bucket, key))?;
        let size = answer.content_length.and_then(|size| u64::try_from(size).ok());
        if size.is_none_or(|size| size > most) {
            let why = "another range was answered than was asked for";
            return Err(self.bucket.damaged(key, why));
        }
        let read = async { answer.body.collect().await.map_err(unread) };
        let bytes = transfer::in_time(most, read).await?.into_bytes();
        usage::note_object(bytes.len() as u64);
        Ok((bytes, answer.content_range))
    }
}

fn as_index(request: PutObjectFluentBuilder) -> PutObjectFluentBuilder {
    request.content_type("application/octet-stream")
}

#[cfg(test)]
mod tests {
    use taxonomy_testkit::S3Fake;

    use super::*;

    const KEY: &str = "indexes/acme/1/000000000001-a.index";

    async fn archive(body: &'static [u8]) -> Archive {
        let archive = Archive::new(S3Fake::new().client(), "changesets");
        let stored = archive.put_index(KEY, Bytes::from_static(body)).await;
        assert_eq!(stored.unwrap(), PutOutcome::Now);
        archive
    }

    #[tokio::test]
    async fn an_object_is_read_by_ranges() {
        let archive = archive(b"0123456789").await;
        let tail = archive.tail(KEY, 4).await.unwrap();
        assert_eq!((&tail.bytes[..], tail.size), (&b"6789"[..], 10));
        let tail = archive.tail(KEY, 1 << 20).await.unwrap();
        assert_eq!((&tail.bytes[..], tail.size), (&b"0123456789"[..], 10));
        assert_eq!(&archive.range(KEY, 2..5).await.unwrap()[..], b"234");
        assert!(archive.range(KEY, 5..5).await.unwrap().is_empty());
        assert_eq!(&archive.whole(KEY).await.unwrap()[..], b"0123456789");
    }

    #[tokio::test]
    async fn a_range_behind_the_end_is_damage_and_no_short_answer() {
        let archive = archive(b"0123456789").await;
        let short = archive.range(KEY, 8..12).await.unwrap_err();
        assert!(matches!(short, StoreError::Damaged { .. }), "{short:?}");
        assert!(archive.range(KEY, 10..12).await.is_err());
    }

    #[tokio::test]
    async fn an_object_is_compared_to_its_last_byte() {
        let archive = archive(b"0123456789").await;
        archive.compare(KEY, b"0123456789").await.unwrap();
        for other in [
            &b""[..],
            b"012345678",
            b"01234567890",
            b"0123x56789",
            b"012345678x",
        ] {
            let found = archive.compare(KEY, other).await.unwrap_err();
            assert!(
                matches!(found, StoreError::Damaged { .. }),
                "{other:?}: {found:?}"
            );
        }
        let missing = archive.compare("indexes/acme/1/none", b"").await.unwrap_err();
        assert!(missing.is_missing(), "{missing:?}");
    }

    #[tokio::test]
    async fn an_object_is_written_once() {
        let archive = archive(b"0123456789").await;
        let again = archive.put_index(KEY, Bytes::from_static(b"else")).await.unwrap();
        assert_eq!(again, PutOutcome::Before);
        assert_eq!(&archive.whole(KEY).await.unwrap()[..], b"0123456789");
        assert!(
            archive
                .whole("indexes/acme/1/000000000002-a.index")
                .await
                .unwrap_err()
                .is_missing()
        );
    }
}
