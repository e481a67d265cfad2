//! A version of an object, and the content of a write.

use std::collections::BTreeMap;

use crate::transport::Call;

/// One version of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Object {
    /// The body as stored.
    pub bytes: Vec<u8>,
    /// The ETag: the quoted MD5 of the body, as S3 has it for an object written in one part.
    pub etag: String,
    /// The version's id.
    pub version_id: String,
    /// `Content-Encoding`.
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

    /// Reads everything except the bytes from the headers of a request.
    pub(super) fn described_by(call: &Call) -> Self {
        let metadata = call.headers().filter_map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            Some((name.strip_prefix("x-amz-meta-")?.to_owned(), value.to_owned()))
        });
        Self {
            encoding: call.header("content-encoding").map(str::to_owned),
            content_type: call.header("content-type").map(str::to_owned),
            disposition: call.header("content-disposition").map(str::to_owned),
            metadata: metadata.collect(),
            ..Self::default()
        }
    }
}
