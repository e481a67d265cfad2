//! A version of an object, and the content of a write.

use std::collections::BTreeMap;

use crate::transport::Call;

/// One version of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The body as stored.
    pub bytes: Vec<u8>,
    /// The ETag: the quoted MD5 of the body, as S3 has it for an object written in one part.
    pub etag: String,
    /// The version's id.
    pub version_id: String,
    /// `Content-Encoding` without `aws-chunked`.
    pub encoding: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Content-Disposition`.
    pub disposition: Option<String>,
    /// User metadata, names in lower case without `x-amz-meta-`.
    pub metadata: BTreeMap<String, String>,
    /// The number of this write among all writes of this S3, from 1; time-stamps and sequencers derive from it.
    pub sequence: u64,
    /// The size that `HeadObject`, listings and notifications report, if it differs from the real one.
    pub claimed_size: Option<u64>,
}

impl Object {
    /// Returns the size in bytes that every operation except `GetObject` reports.
    pub fn size(&self) -> u64 {
        self.claimed_size.unwrap_or(self.bytes.len() as u64)
    }
}

/// The content and attributes of a write.
#[derive(Debug, Clone, Default)]
pub(super) struct NewObject {
    pub(super) bytes: Vec<u8>,
    pub(super) encoding: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) disposition: Option<String>,
    /// The ETag, if it is not the MD5 of the bytes.
    pub(super) etag: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
}

impl NewObject {
    /// Reads everything except the bytes from the headers of a request.
    pub(super) fn described_by(call: &Call) -> Self {
        let encodings = call
            .header("content-encoding")
            .unwrap_or_default()
            .split(',')
            .map(str::trim);
        let encodings: Vec<_> = encodings
            .filter(|encoding| !matches!(*encoding, "" | "aws-chunked"))
            .collect();
        let metadata = call.headers().filter_map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            Some((name.strip_prefix("x-amz-meta-")?.to_owned(), value.to_owned()))
        });
        Self {
            encoding: (!encodings.is_empty()).then(|| encodings.join(",")),
            content_type: call.header("content-type").map(str::to_owned),
            disposition: call.header("content-disposition").map(str::to_owned),
            metadata: metadata.collect(),
            ..Self::default()
        }
    }
}
