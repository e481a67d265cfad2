//! The body of a request.

use sha2::{Digest as _, Sha256};

use super::chunked;
use super::http::{Request, error};
use crate::transport::{Headers, Reply};

/// Returns the bytes of a body, decoded from whichever encoding it was sent in.
pub(super) fn body_of(request: &Request) -> Result<Vec<u8>, Reply> {
    body_and_checksums_of(request).map(|(bytes, _)| bytes)
}

/// Returns the bytes of a body, and the checksums in its headers or trailers: names in lower case, and values.
pub(super) fn body_and_checksums_of(request: &Request) -> Result<(Vec<u8>, Headers), Reply> {
    let call = request.call;
    let is_chunked = call.header("x-amz-decoded-content-length").is_some()
        || call
            .header("content-encoding")
            .is_some_and(|encoding| encoding.contains("aws-chunked"));
    let (bytes, trailers) = match is_chunked.then(|| chunked::decode(&call.body)) {
        None => (call.body.clone(), Vec::new()),
        Some(Some(decoded)) => decoded,
        Some(None) => return Err(error(request, 400, "IncompleteBody")),
    };
    let headers = call
        .headers()
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let is_checksum = |name: &str| name.starts_with("x-amz-checksum-") && name != "x-amz-checksum-type";
    let checksums: Headers = headers
        .chain(trailers)
        .filter(|(name, _)| is_checksum(name))
        .collect();
    let digest = || aws_smithy_types::base64::encode(Sha256::digest(&bytes));
    let mut sha256 = checksums
        .iter()
        .filter(|(name, _)| name == "x-amz-checksum-sha256");
    if sha256.any(|(_, stated)| *stated != digest()) {
        return Err(error(request, 400, "BadDigest"));
    }
    Ok((bytes, checksums))
}
