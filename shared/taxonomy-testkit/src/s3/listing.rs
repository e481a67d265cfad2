//! `ListObjectsV2`: pages of keys in the order of their UTF-8 bytes.

use std::fmt::Write as _;

use super::buckets::Buckets;
use super::http::{Request, error, written_at, xml};
use crate::transport::Reply;
use crate::xml::escaped;

/// The prefix of a continuation token, before the last key of the previous page.
const TOKEN: &str = "behind ";

pub(super) fn list_objects(buckets: &mut Buckets, request: &Request) -> Reply {
    let prefix = request.parameter("prefix").unwrap_or_default();
    if !buckets.may_list_under(&request.bucket, &prefix) {
        return error(request, 403, "AccessDenied");
    }
    let after = match request.parameter("continuation-token") {
        None => request.parameter("start-after").unwrap_or_default(),
        Some(token) => match token.strip_prefix(TOKEN) {
            Some(after) => after.to_owned(),
            None => return error(request, 400, "InvalidArgument"),
        },
    };
    let limit = buckets.next_page_limit(&request.bucket);
    let keys = buckets.keys(&request.bucket);
    let mut keys = keys
        .into_iter()
        .filter(|key| key.starts_with(&prefix) && (after.is_empty() || *key > after));
    let page: Vec<_> = keys.by_ref().take(limit).collect();
    let truncated = limit == 0 || keys.next().is_some();

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
    xml(body + "</ListBucketResult>")
}
