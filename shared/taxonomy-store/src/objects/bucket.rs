//! A bucket: the requests that several kinds of objects share.

use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::operation::head_object::HeadObjectOutput;
use aws_sdk_s3::operation::put_object::builders::PutObjectFluentBuilder;
use aws_sdk_s3::primitives::{ByteStream, ByteStreamError};
use bytes::Bytes;

use crate::backoff;
use crate::error::{Cause, StoreError, sent};
use crate::objects::transfer;
use crate::usage;

/// A bucket.
#[derive(Debug, Clone)]
pub struct Bucket {
    pub(crate) client: Client,
    pub(crate) name: Arc<str>,
}

/// The outcome of storing an object under a key that is written once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOutcome {
    /// This request stored it.
    Now,
    /// An object existed; it may be the same one, stored by a request whose response was lost.
    Before,
    /// An object of other content existed, and this request replaced it.
    Replaced,
}

impl Bucket {
    pub(crate) fn new(client: Client, name: &str) -> Self {
        Self {
            client,
            name: name.into(),
        }
    }

    /// Returns the name of an object in messages: `s3://bucket/key`.
    pub(crate) fn object(&self, key: &str) -> String {
        format!("s3://{}/{key}", self.name)
    }

    /// Returns the error for an object that this service did not write.
    pub(crate) fn damaged(&self, key: &str, source: impl Into<Cause>) -> StoreError {
        StoreError::damaged(self.object(key), source)
    }

    /// Stores an object unless the key exists. Fails with the last conflict where each attempt meets a concurrent upload of the same key.
    pub(crate) async fn put_once(
        &self,
        key: &str,
        body: Bytes,
        with: impl Fn(PutObjectFluentBuilder) -> PutObjectFluentBuilder,
    ) -> Result<PutOutcome, StoreError> {
        let new = |request: PutObjectFluentBuilder| with(request).if_none_match("*");
        Ok(match self.put_if(key, body, new).await? {
            true => PutOutcome::Now,
            false => PutOutcome::Before,
        })
    }

    /// Replaces an object that was altered, or stores one that is gone. Returns false if another request changed the object at the same time.
    pub(crate) async fn replace(
        &self,
        key: &str,
        body: Bytes,
        with: impl Fn(PutObjectFluentBuilder) -> PutObjectFluentBuilder,
    ) -> Result<bool, StoreError> {
        let etag = self.head(key).await?.and_then(|found| found.e_tag);
        let seen = |request: PutObjectFluentBuilder| match &etag {
            Some(etag) => with(request).if_match(etag),
            None => with(request).if_none_match("*"),
        };
        self.put_if(key, body, seen).await
    }

    /// Stores an object on the condition that `with` states. Returns false if it does not hold.
    async fn put_if(
        &self,
        key: &str,
        body: Bytes,
        with: impl Fn(PutObjectFluentBuilder) -> PutObjectFluentBuilder,
    ) -> Result<bool, StoreError> {
        let mut attempt = 0;
        loop {
            let request = self.client.put_object().bucket(&*self.name).key(key);
            let request = request.body(ByteStream::from(body.clone()));
            let config = transfer::config_for(self.client.config(), body.len() as u64);
            let request = with(request).customize().config_override(config);
            match sent("PutObject", request.send()).await {
                Ok(_) => return Ok(true),
                Err(error) if error.is_condition_failed() || error.is_missing() => return Ok(false),
                // A concurrent upload of the same key, whose outcome is unknown.
                Err(error) if error.is_conflict() && attempt + 1 < backoff::TRIES => {
                    backoff::pause(attempt).await;
                }
                Err(error) => return Err(error.of(self, key)),
            }
            attempt += 1;
        }
    }

    /// Returns the metadata of an object; `None` if it does not exist.
    pub(crate) async fn head(&self, key: &str) -> Result<Option<HeadObjectOutput>, StoreError> {
        let request = self.client.head_object().bucket(&*self.name).key(key);
        match sent("HeadObject", request.send()).await {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error.of(self, key)),
        }
    }

    /// Opens an object. Returns its size too.
    pub(crate) async fn open(&self, key: &str) -> Result<(ByteStream, u64), StoreError> {
        let request = self.client.get_object().bucket(&*self.name).key(key);
        let answer = sent("GetObject", request.send()).await;
        let answer = answer.map_err(|error| error.of(self, key))?;
        let size = size(answer.content_length);
        usage::note_object(size);
        Ok((answer.body, size))
    }

    /// Reads a whole object of at most `most` bytes.
    pub(crate) async fn read(&self, key: &str, most: u64) -> Result<Bytes, StoreError> {
        let (body, size) = self.open(key).await?;
        if size > most {
            return Err(self.damaged(key, format!("it has {size} bytes")));
        }
        let read = async { body.collect().await.map_err(unread) };
        let read = transfer::in_time(size, read).await;
        Ok(read.map_err(|error| error.of(self, key))?.into_bytes())
    }
}

/// Returns a size as S3 states it; 0 where it does not.
pub(crate) fn size(content_length: Option<i64>) -> u64 {
    content_length
        .and_then(|size| u64::try_from(size).ok())
        .unwrap_or(0)
}

pub(crate) fn unread(error: ByteStreamError) -> StoreError {
    StoreError::Request {
        operation: "GetObject",
        object: None,
        code: None,
        source: error.into(),
    }
}
