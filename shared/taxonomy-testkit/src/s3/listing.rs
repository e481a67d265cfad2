//! `ListObjectsV2`: pages of keys in the order of their UTF-8 bytes.

use std::fmt::Write as _;

use super::buckets::Buckets;
use super::http::{Request, error, escaped, reply, written_at};
use crate::wire::Reply;

pub(super) fn list_objects(buckets: &Buckets, request: &Request) -> Reply {
    if !buckets.may_list(&request.bucket) {
        return error(request, 403, "AccessDenied");
    }
    let prefix = request.parameter("prefix").unwrap_or_default();
    let limit = request
        .parameter("max-keys")
        .and_then(|keys| keys.parse().ok())
        .unwrap_or(1000)
        .min(1000);
    // The token is the last key of the page before.
    let after = request
        .parameter("continuation-token")
        .or_else(|| request.parameter("start-after"))
        .unwrap_or_default();
    let keys = buckets.keys(&request.bucket);
    let mut keys = keys
        .into_iter()
        .filter(|key| key.starts_with(&prefix) && (after.is_empty() || *key > after));
    let page: Vec<_> = keys.by_ref().take(limit).collect();
    let truncated = keys.next().is_some() && !page.is_empty();

    let mut body = format!(
        "<ListBucketResult><Name>{}</Name><Prefix>{}</Prefix><KeyCount>{}</KeyCount><MaxKeys>{limit}</MaxKeys><IsTruncated>{truncated}</IsTruncated>",
        escaped(&request.bucket),
        escaped(&prefix),
        page.len(),
    );
    if let Some(last) = page.last().filter(|_| truncated) {
        let _ = write!(
            body,
            "<NextContinuationToken>{}</NextContinuationToken>",
            escaped(last)
        );
    }
    for key in &page {
        let object = buckets.current(&request.bucket, key);
        let object = object.expect("the page holds keys of current objects");
        let _ = write!(
            body,
            "<Contents><Key>{}</Key><LastModified>{}</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>",
            escaped(key),
            written_at(object.sequence).0,
            escaped(&object.etag),
            object.size(),
        );
    }
    body.push_str("</ListBucketResult>");
    reply(
        200,
        vec![("content-type", "application/xml".to_owned())],
        body.into_bytes(),
    )
}
