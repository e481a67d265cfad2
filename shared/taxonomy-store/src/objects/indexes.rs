//! The index files and search objects of versions as S3 objects: written once, read by ranges (docs/decisions/0018-version-index.md).
//! `taxonomy-index` defines their content.

use std::ops::Range;

use bytes::Bytes;

use crate::error::{StoreError, sent};
use crate::objects::archive::Archive;
use crate::objects::bucket::{Bucket, unread};
use crate::objects::transfer;
use crate::usage;

/// The end of an object.
#[derive(Debug, Clone)]
pub struct Tail {
    /// Its last bytes: all of a small object.
    pub bytes: Bytes,
    /// The size of the whole object.
    pub size: u64,
}

impl Archive {
    /// Reads a whole object.
    ///
    /// # Errors
    /// [`StoreError`] if S3 fails, or the object does not exist.
    pub async fn whole(&self, key: &str) -> Result<Bytes, StoreError> {
        self.bucket.read(key, u64::MAX).await
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

#[cfg(test)]
mod tests {
    use taxonomy_testkit::fixtures::CHANGESETS_BUCKET;

    use super::*;
    use crate::fakes::buckets;
    use crate::objects::object::Object;

    const KEY: &str = "indexes/acme/1/000000000001-a.index";

    #[tokio::test]
    async fn an_object_is_read_by_ranges_and_one_behind_the_end_is_damage() {
        let archive = Archive::new(buckets().client(), CHANGESETS_BUCKET);
        let object = Object::file(KEY.to_owned(), Bytes::from_static(b"0123456789"));
        archive.put(&object).await.unwrap();
        let tail = archive.tail(KEY, 4).await.unwrap();
        assert_eq!((&tail.bytes[..], tail.size), (&b"6789"[..], 10));
        let tail = archive.tail(KEY, 1 << 20).await.unwrap();
        assert_eq!((&tail.bytes[..], tail.size), (&b"0123456789"[..], 10));
        assert_eq!(&archive.range(KEY, 2..5).await.unwrap()[..], b"234");
        assert!(archive.range(KEY, 5..5).await.unwrap().is_empty());
        assert_eq!(&archive.whole(KEY).await.unwrap()[..], b"0123456789");
        let short = archive.range(KEY, 8..12).await.unwrap_err();
        assert!(matches!(short, StoreError::Damaged { .. }), "{short:?}");
        assert!(archive.range(KEY, 10..12).await.is_err());
    }
}
