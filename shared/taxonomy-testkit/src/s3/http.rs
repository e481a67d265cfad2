//! Parsing of requests and building of responses.

use percent_encoding::percent_decode_str;

use crate::transport::{Call, Headers, Reply};
use crate::xml::escaped;

const XML: &str = "application/xml";

/// A parsed request.
pub(super) struct Request<'a> {
    pub(super) call: &'a Call,
    pub(super) operation: &'static str,
    pub(super) bucket: String,
    pub(super) key: String,
}

impl<'a> Request<'a> {
    pub(super) fn new(call: &'a Call) -> Self {
        let path = call.path.trim_start_matches('/');
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let asks = |name: &str| {
            let mut names = call.query.split('&').map(|pair| pair.split('=').next());
            names.any(|found| found == Some(name))
        };
        let operation = match (call.method.as_str(), key) {
            ("GET", "") if asks("versions") => "ListObjectVersions",
            ("POST", "") if asks("delete") => "DeleteObjects",
            ("POST", _) if asks("uploads") => "CreateMultipartUpload",
            ("PUT", _) if asks("uploadId") => "UploadPart",
            ("POST", _) if asks("uploadId") => "CompleteMultipartUpload",
            ("DELETE", _) if asks("uploadId") => "AbortMultipartUpload",
            ("GET", "") => "ListObjectsV2",
            ("GET", _) => "GetObject",
            ("HEAD", _) => "HeadObject",
            ("PUT", _) => "PutObject",
            ("DELETE", _) => "DeleteObject",
            _ => "Unknown",
        };
        Self {
            call,
            operation,
            bucket: decoded(bucket),
            key: decoded(key),
        }
    }

    /// Returns the checksums in the headers: names in lower case, and values.
    pub(super) fn checksums(&self) -> Headers {
        let headers = self.call.headers();
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        headers
            .filter(|(name, _)| name.starts_with("x-amz-checksum-") && name != "x-amz-checksum-type")
            .collect()
    }

    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self
            .call
            .query
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let value = pairs.into_iter().find(|(key, _)| *key == name)?.1;
        Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
    }
}

/// Builds an error response.
pub(super) fn error(request: &Request, status: u16, code: &str) -> Reply {
    // A response to HEAD has no body, so the status is its only content.
    let body = if request.call.method == "HEAD" {
        String::new()
    } else {
        format!(
            "<Error><Code>{code}</Code><Message>testkit</Message><Key>{}</Key></Error>",
            escaped(&request.key)
        )
    };
    reply(status, vec![("content-type", XML.to_owned())], body.into_bytes())
}

/// Builds a response in XML.
pub(super) fn xml(body: String) -> Reply {
    reply(200, vec![("content-type", XML.to_owned())], body.into_bytes())
}

/// Builds a response.
pub(super) fn reply(status: u16, headers: Vec<(&str, String)>, body: Vec<u8>) -> Reply {
    let mut headers: Vec<_> = headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    headers.push(("x-amz-request-id".to_owned(), "TESTKIT".to_owned()));
    Reply {
        status,
        headers,
        body,
    }
}

/// Returns the time of the n-th write, in the form of bodies and of headers: one second per write since the start of 2026.
pub(super) fn written_at(sequence: u64) -> (String, String) {
    let (hours, minutes, seconds) = (sequence / 3600 % 24, sequence / 60 % 60, sequence % 60);
    let time = format!("{hours:02}:{minutes:02}:{seconds:02}");
    (
        format!("2026-01-01T{time}.000Z"),
        format!("Thu, 01 Jan 2026 {time} GMT"),
    )
}
