//! Multipart uploads: parts are kept aside until `CompleteMultipartUpload` makes an object of them, all at once.
//!
//! Stricter or as strict as S3: each part but the last has 5 MiB at least, the parts of a completion ascend and are those that were
//! uploaded, an upload that is completed or aborted is not known any more. Etags are texts of no meaning, as those of encrypted parts are.

use std::collections::BTreeMap;

use super::buckets::{Buckets, NewObject};
use super::http::{Request, error, escaped, reply};
use super::service::body_of;
use crate::wire::Reply;

/// The least bytes of a part that another one follows (S3 user guide, "Amazon S3 multipart upload limits").
const LEAST: usize = 5 << 20;

/// The most parts of an upload, by the same page.
const MOST: u32 = 10_000;

/// An upload that is not completed.
#[derive(Debug)]
pub(super) struct Upload {
    bucket: String,
    key: String,
    new: NewObject,
    parts: BTreeMap<u32, Part>,
}

#[derive(Debug)]
struct Part {
    bytes: Vec<u8>,
    etag: String,
}

/// Uploads by their ids.
#[derive(Debug, Default)]
pub(super) struct Uploads {
    open: BTreeMap<String, Upload>,
    begun: u64,
    /// Parts that were sent.
    sent: u64,
}

impl Uploads {
    /// The keys of uploads of a bucket that are neither completed nor aborted.
    pub(super) fn keys(&self, bucket: &str) -> Vec<String> {
        let of_bucket = self.open.values().filter(|upload| upload.bucket == bucket);
        of_bucket.map(|upload| upload.key.clone()).collect()
    }

    /// The upload that a request names, if it is one of the request's key.
    fn named(&mut self, request: &Request) -> Option<&mut Upload> {
        let upload = self.open.get_mut(&request.parameter("uploadId")?)?;
        ((&upload.bucket, &upload.key) == (&request.bucket, &request.key)).then_some(upload)
    }
}

pub(super) fn create(buckets: &mut Buckets, request: &Request) -> Reply {
    let uploads = &mut buckets.uploads;
    uploads.begun += 1;
    let id = format!("upload-{:06}", uploads.begun);
    let upload = Upload {
        bucket: request.bucket.clone(),
        key: request.key.clone(),
        new: NewObject::described_by(request.call),
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
    let bytes = match body_of(request) {
        Ok(bytes) => bytes,
        Err(refused) => return refused,
    };
    buckets.uploads.sent += 1;
    let etag = format!("\"{:032x}\"", buckets.uploads.sent);
    let Some(upload) = buckets.uploads.named(request) else {
        return error(request, 404, "NoSuchUpload");
    };
    // A part that is uploaded again replaces the one before.
    upload.parts.insert(
        number,
        Part {
            bytes,
            etag: etag.clone(),
        },
    );
    reply(200, vec![("etag", etag)], Vec::new())
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
    for (number, _) in &wanted {
        bytes.extend_from_slice(&upload.parts[number].bytes);
    }
    let last = wanted.last().map_or("", |(_, etag)| etag.trim_matches('"'));
    let etag = format!("\"{last}-{}\"", wanted.len());
    let mut new = std::mem::take(&mut upload.new);
    (new.bytes, new.etag) = (bytes, Some(etag.clone()));
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

/// The code of the first thing that is wrong with a completion.
fn complaint(upload: &Upload, wanted: &[(u32, String)]) -> Option<&'static str> {
    if wanted.is_empty() {
        return Some("MalformedXML");
    }
    if !wanted.is_sorted_by(|(one, _), (next, _)| one < next) {
        return Some("InvalidPartOrder");
    }
    for (position, (number, etag)) in wanted.iter().enumerate() {
        match upload.parts.get(number) {
            Some(part) if part.etag == *etag => {
                if position + 1 < wanted.len() && part.bytes.len() < LEAST {
                    return Some("EntityTooSmall");
                }
            }
            _ => return Some("InvalidPart"),
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

/// Numbers and etags of the parts in the body of a completion, in its order.
fn named(body: &str) -> Vec<(u32, String)> {
    let element = |text: &str, name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        let (value, _) = rest.split_once(&format!("</{name}>"))?;
        Some(value.replace("&quot;", "\""))
    };
    let parts = body.split("<Part>").skip(1);
    parts
        .filter_map(|part| Some((element(part, "PartNumber")?.parse().ok()?, element(part, "ETag")?)))
        .collect()
}

fn xml(body: String) -> Reply {
    let headers = vec![("content-type", "application/xml".to_owned())];
    reply(200, headers, body.into_bytes())
}
