//! Multipart uploads: parts are kept apart until `CompleteMultipartUpload` joins them into an object, all at once.
//!
//! At least as strict as S3: each part but the last has at least 5 MiB, the parts of a completion are in ascending order and were all
//! uploaded, and an upload that is completed or aborted no longer exists. ETags are opaque texts, as those of encrypted parts are.
//!
//! Checksums: each part of an upload that names an algorithm has a checksum of it, and the completion repeats the checksum of each part
//! (API reference, "CompleteMultipartUpload"). A checksum of an algorithm that the upload does not name is refused, in parts and in
//! completions. Checksums are compared with each other and not with the bytes.

use std::collections::BTreeMap;

use super::buckets::Buckets;
use super::http::{Request, error, reply, xml};
use super::object::Object;
use super::uploads::{Part, Upload};
use crate::transport::Reply;
use crate::xml::{element, escaped};

/// The smallest size of a part that another one follows, in bytes (S3 user guide, "Amazon S3 multipart upload limits").
const LEAST: usize = 5 << 20;

/// The largest number of parts in an upload, by the same page.
const MOST: u32 = 10_000;

pub(super) fn create(buckets: &mut Buckets, request: &Request) -> Reply {
    let uploads = &mut buckets.uploads;
    uploads.begun += 1;
    let id = format!("upload-{:06}", uploads.begun);
    let upload = Upload {
        bucket: request.bucket.clone(),
        key: request.key.clone(),
        new: Object::described_by(request.call),
        algorithm: request
            .call
            .header("x-amz-checksum-algorithm")
            .map(str::to_ascii_lowercase),
        parts: BTreeMap::new(),
    };
    uploads.open.insert(id.clone(), upload);
    let (bucket, key) = (escaped(&request.bucket), escaped(&request.key));
    xml(format!(
        "<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{key}</Key><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
    ))
}

pub(super) fn upload_part(buckets: &mut Buckets, request: &Request) -> Reply {
    let number = request
        .parameter("partNumber")
        .and_then(|number| number.parse::<u32>().ok());
    let Some(number) = number.filter(|number| (1..=MOST).contains(number)) else {
        return error(request, 400, "InvalidArgument");
    };
    let stated = request.checksums();
    buckets.uploads.sent += 1;
    let etag = format!("\"{:032x}\"", buckets.uploads.sent);
    let Some(upload) = buckets.uploads.named(request) else {
        return error(request, 404, "NoSuchUpload");
    };
    if !is_named(upload.algorithm.as_deref(), &stated) {
        return error(request, 400, "InvalidRequest");
    }
    let checksum = stated.first().map(|(_, value)| value.clone());
    let mut headers = vec![("etag".to_owned(), etag.clone())];
    headers.extend(stated);
    let part = Part {
        bytes: request.call.body.clone(),
        etag,
        checksum,
    };
    // A part that is uploaded again replaces the earlier one.
    upload.parts.insert(number, part);
    let mut answer = reply(200, Vec::new(), Vec::new());
    answer.headers.extend(headers);
    answer
}

pub(super) fn complete(buckets: &mut Buckets, request: &Request) -> Reply {
    let id = request.parameter("uploadId").unwrap_or_default();
    let is_there = buckets.current(&request.bucket, &request.key).is_some();
    let Some(upload) = buckets.uploads.named(request) else {
        return error(request, 404, "NoSuchUpload");
    };
    if is_there && request.call.header("if-none-match").is_some() {
        return error(request, 412, "PreconditionFailed");
    }
    let wanted = named(&String::from_utf8_lossy(&request.call.body));
    if let Some(code) = complaint(upload, &wanted) {
        return error(request, 400, code);
    }
    let mut bytes = Vec::new();
    for part in &wanted {
        bytes.extend_from_slice(&upload.parts[&part.number].bytes);
    }
    let last = wanted.last().map_or("", |part| part.etag.trim_matches('"'));
    let etag = format!("\"{last}-{}\"", wanted.len());
    let mut new = std::mem::take(&mut upload.new);
    (new.bytes, new.etag) = (bytes, etag.clone());
    buckets.uploads.open.remove(&id);
    let object = buckets.put(&request.bucket, &request.key, new);
    let (bucket, key) = (escaped(&request.bucket), escaped(&request.key));
    let mut answer = xml(format!(
        "<CompleteMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{key}</Key><ETag>{}</ETag></CompleteMultipartUploadResult>",
        escaped(&etag)
    ));
    answer
        .headers
        .push(("x-amz-version-id".to_owned(), object.version_id));
    answer
}

/// Returns the error code of the first fault of a completion.
fn complaint(upload: &Upload, wanted: &[Named]) -> Option<&'static str> {
    if wanted.is_empty() {
        return Some("MalformedXML");
    }
    if !wanted.is_sorted_by(|one, next| one.number < next.number) {
        return Some("InvalidPartOrder");
    }
    let algorithm = upload.algorithm.as_deref().map(|name| format!("checksum{name}"));
    for (position, named) in wanted.iter().enumerate() {
        let Some(part) = upload
            .parts
            .get(&named.number)
            .filter(|part| part.etag == named.etag)
        else {
            return Some("InvalidPart");
        };
        if algorithm.is_some() && named.checksums.is_empty() {
            return Some("InvalidRequest");
        }
        let is_of_the_part = |(name, value): &(String, String)| {
            Some(name) == algorithm.as_ref() && Some(value) == part.checksum.as_ref()
        };
        if !named.checksums.iter().all(is_of_the_part) {
            return Some("InvalidPart");
        }
        if position + 1 < wanted.len() && part.bytes.len() < LEAST {
            return Some("EntityTooSmall");
        }
    }
    None
}

pub(super) fn abort(buckets: &mut Buckets, request: &Request) -> Reply {
    if buckets.uploads.named(request).is_none() {
        return error(request, 404, "NoSuchUpload");
    }
    let id = request.parameter("uploadId").unwrap_or_default();
    buckets.uploads.open.remove(&id);
    reply(204, Vec::new(), Vec::new())
}

/// Returns whether a part has exactly one checksum, of the upload's algorithm, or none if the upload names no algorithm.
fn is_named(algorithm: Option<&str>, stated: &[(String, String)]) -> bool {
    let names: Vec<&str> = stated.iter().map(|(name, _)| name.as_str()).collect();
    let expected = algorithm.map(|algorithm| format!("x-amz-checksum-{algorithm}"));
    names == expected.as_deref().as_slice()
}

/// A part in the body of a completion.
struct Named {
    number: u32,
    etag: String,
    /// The checksums, by the names of their elements in lower case.
    checksums: Vec<(String, String)>,
}

/// Returns the parts in the body of a completion, in its order.
fn named(body: &str) -> Vec<Named> {
    let parts = body.split("<Part>").skip(1);
    let checksums = |part: &str| {
        let algorithms = ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"].into_iter();
        let named = algorithms.map(|algorithm| format!("Checksum{algorithm}"));
        let found = named.filter_map(|name| Some((name.to_ascii_lowercase(), element(part, &name)?)));
        found.collect()
    };
    let named = parts.filter_map(|part| {
        Some(Named {
            number: element(part, "PartNumber")?.parse().ok()?,
            etag: element(part, "ETag")?,
            checksums: checksums(part),
        })
    });
    named.collect()
}
