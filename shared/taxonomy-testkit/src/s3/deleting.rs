//! `ListObjectVersions` and `DeleteObjects`, as the API reference defines them: versions by key and newest first, delete markers among them,
//! and a response 200 that reports each version that was not deleted.

use std::fmt::Write as _;

use super::buckets::{Buckets, Stored};
use super::http::{Request, error, escaped, reply, written_at};
use crate::transport::Reply;

/// The largest number of versions in a page, and of keys in a request (API references of both operations).
const MOST: usize = 1000;

/// A version of a key in a listing.
struct Version {
    key: String,
    id: String,
    is_latest: bool,
    /// The ETag, size and time of an object; `None` for a delete marker.
    object: Option<(String, u64, String)>,
}

pub(super) fn list_versions(buckets: &mut Buckets, request: &Request) -> Reply {
    let prefix = request.parameter("prefix").unwrap_or_default();
    let (after_key, after_version) = (
        request.parameter("key-marker"),
        request.parameter("version-id-marker"),
    );
    if after_version.is_some() && after_key.is_none() {
        return error(request, 400, "InvalidArgument");
    }
    let limit = request
        .parameter("max-keys")
        .and_then(|keys| keys.parse().ok())
        .unwrap_or(MOST)
        .min(MOST);
    // S3 may return fewer versions than the limit, even none.
    let empty = buckets.takes_empty_page(&request.bucket);
    let limit = if empty {
        0
    } else {
        limit.min(buckets.page_limit(&request.bucket))
    };
    let all = versions(buckets, &request.bucket, &prefix);
    let start = match (&after_key, &after_version) {
        (None, _) => 0,
        // If the marker's key is gone meanwhile, the page starts at the next key.
        (Some(key), None) => all.partition_point(|version| version.key <= *key),
        (Some(key), Some(id)) => {
            let found = all
                .iter()
                .position(|version| version.key == *key && version.id == *id);
            found.map_or_else(|| all.partition_point(|version| version.key < *key), |at| at + 1)
        }
    };
    let page: Vec<&Version> = all.iter().skip(start).take(limit).collect();
    let truncated = start + page.len() < all.len() || empty;
    let mut body = format!(
        "<ListVersionsResult><Name>{}</Name><Prefix>{}</Prefix><MaxKeys>{MOST}</MaxKeys><IsTruncated>{truncated}</IsTruncated>",
        escaped(&request.bucket),
        escaped(&prefix),
    );
    if truncated {
        let last = page
            .last()
            .map(|version| (version.key.clone(), version.id.clone()));
        let (key, id) = last.unwrap_or((after_key.unwrap_or_default(), after_version.unwrap_or_default()));
        let _ = write!(body, "<NextKeyMarker>{}</NextKeyMarker>", escaped(&key));
        let _ = write!(
            body,
            "<NextVersionIdMarker>{}</NextVersionIdMarker>",
            escaped(&id)
        );
    }
    for version in page {
        describe(version, &mut body);
    }
    body.push_str("</ListVersionsResult>");
    let headers = vec![("content-type", "application/xml".to_owned())];
    reply(200, headers, body.into_bytes())
}

fn versions(buckets: &Buckets, bucket: &str, prefix: &str) -> Vec<Version> {
    let mut all = Vec::new();
    for (key, stored) in buckets.all_versions(bucket, prefix) {
        for (place, version) in stored.iter().rev().enumerate() {
            let object = match version {
                Stored::Object(object) => {
                    Some((object.etag.clone(), object.size(), written_at(object.sequence).0))
                }
                Stored::Marker(_) => None,
            };
            all.push(Version {
                key: key.clone(),
                id: version.id().to_owned(),
                is_latest: place == 0,
                object,
            });
        }
    }
    all
}

fn describe(version: &Version, body: &mut String) {
    let Version {
        key,
        id,
        is_latest,
        object,
    } = version;
    let (key, id) = (escaped(key), escaped(id));
    let what = if object.is_some() {
        "Version"
    } else {
        "DeleteMarker"
    };
    let _ = write!(
        body,
        "<{what}><Key>{key}</Key><VersionId>{id}</VersionId><IsLatest>{is_latest}</IsLatest>"
    );
    if let Some((etag, size, at)) = object {
        let etag = escaped(etag);
        let _ = write!(
            body,
            "<ETag>{etag}</ETag><Size>{size}</Size><LastModified>{at}</LastModified>"
        );
    }
    let _ = write!(body, "</{what}>");
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
        let refused = if buckets.is_denied(&request.bucket, &key) {
            Some("AccessDenied")
        } else {
            buckets.fails_deletion(&request.bucket).then_some("InternalError")
        };
        let id = version.as_deref().map_or_else(String::new, |id| {
            format!("<VersionId>{}</VersionId>", escaped(id))
        });
        let name = escaped(&key);
        if let Some(code) = refused {
            let _ = write!(
                answer,
                "<Error><Key>{name}</Key>{id}<Code>{code}</Code><Message>testkit</Message></Error>"
            );
            continue;
        }
        match &version {
            Some(version) => buckets.delete_version(&request.bucket, &key, version),
            None => buckets.delete(&request.bucket, &key),
        }
        if !quiet {
            let _ = write!(answer, "<Deleted><Key>{name}</Key>{id}</Deleted>");
        }
    }
    answer.push_str("</DeleteResult>");
    let headers = vec![("content-type", "application/xml".to_owned())];
    reply(200, headers, answer.into_bytes())
}

/// Returns the keys and version ids in the body of a `DeleteObjects`.
pub(super) fn named(body: &str) -> Vec<(String, Option<String>)> {
    let element = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        let (value, _) = rest.split_once(&format!("</{name}>"))?;
        Some(unescaped(value))
    };
    let objects = body.split("<Object>").skip(1);
    objects
        .filter_map(|object| Some((element(object, "Key")?, element(object, "VersionId"))))
        .collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}
