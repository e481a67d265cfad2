//! `ListObjectVersions` and `DeleteObjects`, as the API reference defines them: versions by key and newest first, delete markers among them,
//! and a response 200 that reports each version that was not deleted.

use std::fmt::Write as _;

use super::buckets::{Buckets, MOST, Stored};
use super::http::{Request, error, xml};
use crate::transport::Reply;
use crate::xml::{element, escaped};

pub(super) fn list_versions(buckets: &mut Buckets, request: &Request) -> Reply {
    let prefix = request.parameter("prefix").unwrap_or_default();
    let (after_key, after_version) = (
        request.parameter("key-marker"),
        request.parameter("version-id-marker"),
    );
    if after_version.is_some() && after_key.is_none() {
        return error(request, 400, "InvalidArgument");
    }
    let limit = buckets.next_page_limit(&request.bucket);
    let all: Vec<Listed> = listed(buckets, &request.bucket, &prefix).collect();
    let start = match (&after_key, &after_version) {
        (None, _) => 0,
        // If the marker's key is gone meanwhile, the page starts at the next key.
        (Some(key), None) => all.partition_point(|(found, ..)| *found <= key.as_str()),
        (Some(key), Some(id)) => {
            let mut places = all.iter();
            let found = places.position(|(found, version, _)| *found == key && version.id() == id);
            found.map_or_else(
                || all.partition_point(|(found, ..)| *found < key.as_str()),
                |at| at + 1,
            )
        }
    };
    let page: Vec<&Listed> = all.iter().skip(start).take(limit).collect();
    let truncated = start + page.len() < all.len() || limit == 0;
    let mut body = format!(
        "<ListVersionsResult><Name>{}</Name><Prefix>{}</Prefix><MaxKeys>{MOST}</MaxKeys><IsTruncated>{truncated}</IsTruncated>",
        escaped(&request.bucket),
        escaped(&prefix),
    );
    if truncated {
        let last = page.last().map(|(key, version, _)| (*key, version.id()));
        let (after_key, after_version) = (after_key.unwrap_or_default(), after_version.unwrap_or_default());
        let (key, id) = last.unwrap_or((&after_key, &after_version));
        let (key, id) = (escaped(key), escaped(id));
        let _ = write!(body, "<NextKeyMarker>{key}</NextKeyMarker>");
        let _ = write!(body, "<NextVersionIdMarker>{id}</NextVersionIdMarker>");
    }
    for (key, version, is_latest) in page {
        let what = match version {
            Stored::Object(_) => "Version",
            Stored::Marker(_) => "DeleteMarker",
        };
        let (key, id) = (escaped(key), escaped(version.id()));
        let _ = write!(
            body,
            "<{what}><Key>{key}</Key><VersionId>{id}</VersionId><IsLatest>{is_latest}</IsLatest></{what}>"
        );
    }
    xml(body + "</ListVersionsResult>")
}

/// A version in a listing: its key, and whether it is the latest one.
type Listed<'a> = (&'a str, &'a Stored, bool);

fn listed<'a>(buckets: &'a Buckets, bucket: &str, prefix: &str) -> impl Iterator<Item = Listed<'a>> {
    let keys = buckets.all_versions(bucket, prefix);
    keys.flat_map(|(key, stored)| {
        let newest_first = stored.iter().rev().enumerate();
        newest_first.map(move |(place, version)| (key.as_str(), version, place == 0))
    })
}

/// Deletes the named versions; without a version id, hides the object behind a delete marker. A version that does not exist counts as
/// deleted.
pub(super) fn delete_objects(buckets: &mut Buckets, request: &Request) -> Reply {
    let call = request.call;
    let has_checksum = call.headers().any(|(name, _)| {
        let name = name.to_ascii_lowercase();
        name == "content-md5" || name.starts_with("x-amz-checksum-")
    });
    if !has_checksum {
        return error(request, 400, "InvalidRequest");
    }
    let body = String::from_utf8_lossy(&call.body).into_owned();
    let wanted = named(&body);
    if wanted.is_empty() || wanted.len() > MOST {
        return error(request, 400, "MalformedXML");
    }
    let quiet = body.contains("<Quiet>true</Quiet>");
    let mut answer = "<DeleteResult>".to_owned();
    for (key, version) in wanted {
        let refused = match buckets.is_denied(&request.bucket, &key) {
            true => Some("AccessDenied"),
            false => buckets.fails_deletion(&request.bucket).then_some("InternalError"),
        };
        let id = version
            .as_deref()
            .map(|id| format!("<VersionId>{}</VersionId>", escaped(id)));
        let named = format!("<Key>{}</Key>{}", escaped(&key), id.unwrap_or_default());
        match (refused, version) {
            (Some(code), _) => {
                let _ = write!(
                    answer,
                    "<Error>{named}<Code>{code}</Code><Message>testkit</Message></Error>"
                );
                continue;
            }
            (None, Some(version)) => buckets.delete_version(&request.bucket, &key, &version),
            (None, None) => buckets.delete(&request.bucket, &key),
        }
        if !quiet {
            let _ = write!(answer, "<Deleted>{named}</Deleted>");
        }
    }
    xml(answer + "</DeleteResult>")
}

/// Returns the keys and version ids in the body of a `DeleteObjects`.
pub(super) fn named(body: &str) -> Vec<(String, Option<String>)> {
    let objects = body.split("<Object>").skip(1);
    objects
        .filter_map(|object| Some((element(object, "Key")?, element(object, "VersionId"))))
        .collect()
}
