//! Requests of the SDK, answered from the buckets.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};

use super::buckets::{Buckets, Missing, NewObject};
use super::chunked;
use super::http::{Request, error, escaped, reply, written_at};
use crate::wire::{self, Call, Measure, Refusal, Reply, Subject};

#[derive(Debug)]
pub(super) struct Service {
    buckets: Arc<Mutex<Buckets>>,
}

impl Service {
    pub(super) fn new(buckets: Arc<Mutex<Buckets>>) -> Self {
        Self { buckets }
    }

    fn lock(&self) -> MutexGuard<'_, Buckets> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl wire::Service for Service {
    fn name(&self) -> &'static str {
        "S3"
    }

    fn subject(&self, call: &Call) -> Subject {
        let request = Request::new(call);
        let about = request.parameter("prefix").unwrap_or_else(|| request.key.clone());
        Subject {
            operation: request.operation.to_owned(),
            target: format!("{}/{about}", request.bucket),
        }
    }

    fn apply(&self, call: &Call) -> Reply {
        let request = Request::new(call);
        let mut buckets = self.lock();
        if buckets.is_denied(&request.bucket, &request.key) {
            return error(&request, 403, "AccessDenied");
        }
        match request.operation {
            "PutObject" => put_object(&mut buckets, &request),
            "GetObject" | "HeadObject" => get_object(&buckets, &request),
            "ListObjectsV2" => list_objects(&buckets, &request),
            _ => error(&request, 501, "NotImplemented"),
        }
    }

    fn refuse(&self, call: &Call, refusal: Refusal) -> Reply {
        let (status, code) = match refusal {
            Refusal::ServerError => (500, "InternalError"),
            Refusal::Throttle => (503, "SlowDown"),
            Refusal::Conflict => (409, "ConditionalRequestConflict"),
        };
        error(&Request::new(call), status, code)
    }

    fn measure(&self, call: &Call, reply: &Reply) -> Measure {
        let body = String::from_utf8_lossy(&reply.body);
        if !reply.is_success() {
            let code = body
                .split_once("<Code>")
                .and_then(|(_, rest)| rest.split_once("</Code>"));
            let code = code.map_or_else(|| reply.status.to_string(), |(code, _)| code.to_owned());
            return Measure {
                error: Some(code),
                ..Measure::default()
            };
        }
        let items = match Request::new(call).operation {
            "ListObjectsV2" => body.matches("<Contents>").count(),
            _ => 1,
        };
        Measure {
            items,
            ..Measure::default()
        }
    }
}

fn put_object(buckets: &mut Buckets, request: &Request) -> Reply {
    let call = request.call;
    let current = buckets.current(&request.bucket, &request.key);
    let refused = call.header("if-none-match").is_some() && current.is_some();
    let moved = |wanted| current.is_none_or(|object| object.etag != wanted);
    if refused || call.header("if-match").is_some_and(moved) {
        return error(request, 412, "PreconditionFailed");
    }
    let is_chunked = call.header("x-amz-decoded-content-length").is_some()
        || call
            .header("content-encoding")
            .is_some_and(|encoding| encoding.contains("aws-chunked"));
    let (bytes, trailers) = match is_chunked.then(|| chunked::decode(&call.body)) {
        None => (call.body.clone(), Vec::new()),
        Some(Some(decoded)) => decoded,
        Some(None) => return error(request, 400, "IncompleteBody"),
    };
    let trailers = trailers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    let mut checksums = call
        .headers()
        .chain(trailers)
        .filter(|(name, _)| *name == "x-amz-checksum-sha256");
    let digest = aws_smithy_types::base64::encode(Sha256::digest(&bytes));
    if checksums.any(|(_, stated)| stated != digest) {
        return error(request, 400, "BadDigest");
    }
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
    let new = NewObject {
        bytes,
        encoding: (!encodings.is_empty()).then(|| encodings.join(",")),
        content_type: call.header("content-type").map(str::to_owned),
        metadata: metadata.collect(),
    };
    let object = buckets.put(&request.bucket, &request.key, new);
    reply(
        200,
        vec![("etag", object.etag), ("x-amz-version-id", object.version_id)],
        Vec::new(),
    )
}

fn get_object(buckets: &Buckets, request: &Request) -> Reply {
    let version = request.parameter("versionId");
    let found = match &version {
        Some(version) => buckets.version(&request.bucket, &request.key, version),
        None => buckets.current(&request.bucket, &request.key),
    };
    let Some(object) = found else {
        return match (buckets.missing(&request.bucket), version) {
            (Missing::Forbidden, _) => error(request, 403, "AccessDenied"),
            (Missing::NotFound, Some(_)) => error(request, 404, "NoSuchVersion"),
            (Missing::NotFound, None) => error(request, 404, "NoSuchKey"),
        };
    };
    if request
        .call
        .header("if-match")
        .is_some_and(|wanted| wanted != object.etag)
    {
        return error(request, 412, "PreconditionFailed");
    }
    if request
        .call
        .header("if-none-match")
        .is_some_and(|known| known == object.etag)
    {
        return reply(304, vec![("etag", object.etag.clone())], Vec::new());
    }
    let length = match object.claimed_length {
        Some(claimed) if request.operation == "HeadObject" => claimed,
        _ => object.bytes.len() as u64,
    };
    let mut headers = vec![
        ("etag", object.etag.clone()),
        ("x-amz-version-id", object.version_id.clone()),
        ("last-modified", written_at(object.sequence).1),
        ("content-length", length.to_string()),
        (
            "content-type",
            object
                .content_type
                .clone()
                .unwrap_or_else(|| "binary/octet-stream".to_owned()),
        ),
    ];
    headers.extend(
        object
            .encoding
            .clone()
            .map(|encoding| ("content-encoding", encoding)),
    );
    let mut reply = reply(200, headers, Vec::new());
    reply.headers.extend(
        object
            .metadata
            .iter()
            .map(|(name, value)| (format!("x-amz-meta-{name}"), value.clone())),
    );
    if request.operation == "GetObject" {
        reply.body.clone_from(&object.bytes);
    }
    reply
}

fn list_objects(buckets: &Buckets, request: &Request) -> Reply {
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
            object.bytes.len(),
        );
    }
    body.push_str("</ListBucketResult>");
    reply(
        200,
        vec![("content-type", "application/xml".to_owned())],
        body.into_bytes(),
    )
}
