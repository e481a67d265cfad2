//! `ListObjectsV2`: pages of keys in the order of their UTF-8 bytes.

use std::fmt::Write as _;

use super::buckets::Buckets;
use super::http::{Request, error, escaped, reply, written_at};
use crate::transport::Reply;

/// The prefix of a continuation token, before the last key of the previous page.
const TOKEN: &str = "behind ";

pub(super) fn list_objects(buckets: &mut Buckets, request: &Request) -> Reply {
    let prefix = request.parameter("prefix").unwrap_or_default();
    if !buckets.may_list_under(&request.bucket, &prefix) {
        return error(request, 403, "AccessDenied");
    }
    let limit = request
        .parameter("max-keys")
        .and_then(|keys| keys.parse().ok())
        .unwrap_or(1000)
        .min(1000);
    let after = match request.parameter("continuation-token") {
        None => request.parameter("start-after").unwrap_or_default(),
        Some(token) => match token.strip_prefix(TOKEN) {
            Some(after) => after.to_owned(),
            None => return error(request, 400, "InvalidArgument"),
        },
    };
    let empty = buckets.takes_empty_page(&request.bucket);
    let limit = if empty { 0 } else { limit };
    let keys = buckets.keys(&request.bucket);
    let mut keys = keys
        .into_iter()
        .filter(|key| key.starts_with(&prefix) && (after.is_empty() || *key > after));
    let page: Vec<_> = keys.by_ref().take(limit).collect();
    let truncated = empty || (keys.next().is_some() && !page.is_empty());

    let mut body = format!(
        "<ListBucketResult><Name>{}</Name><Prefix>{}</Prefix><KeyCount>{}</KeyCount><MaxKeys>{limit}</MaxKeys><IsTruncated>{truncated}</IsTruncated>",
        escaped(&request.bucket),
        escaped(&prefix),
        page.len(),
    );
    if truncated {
        let last = escaped(page.last().unwrap_or(&after));
        let _ = write!(
            body,
            "<NextContinuationToken>{TOKEN}{last}</NextContinuationToken>"
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
