//! Requests with their bodies, and responses.

use std::sync::OnceLock;

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use serde_json::Value;

/// Names and values of headers or trailers.
pub(crate) type Headers = Vec<(String, String)>;

/// A request with its whole body.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) method: String,
    /// Percent-encoded path without host and query.
    pub(crate) path: String,
    /// Percent-encoded query without the question mark.
    pub(crate) query: String,
    headers: Headers,
    pub(crate) body: Vec<u8>,
    json: OnceLock<Value>,
}

impl Call {
    /// Builds a request from its parts; the target is the path and, after a question mark, the query.
    pub(crate) fn new(method: &str, target: &str, headers: Headers, body: Vec<u8>) -> Self {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body,
            json: OnceLock::new(),
        }
    }

    /// Returns the body as JSON, which is parsed once; null for a body of another form.
    pub(crate) fn json(&self) -> &Value {
        self.json
            .get_or_init(|| serde_json::from_slice(&self.body).unwrap_or_default())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers()
            .find(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(crate) fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the operation's name in `X-Amz-Target: Service.Operation`, the header of the JSON protocols.
    pub(crate) fn json_operation(&self) -> &str {
        let target = self.header("x-amz-target").unwrap_or_default();
        target.rsplit('.').next().unwrap_or(target)
    }

    pub(super) async fn read(request: HttpRequest) -> Result<Self, ConnectorError> {
        let method = request.method().to_owned();
        let headers = request.headers().iter();
        let headers = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let uri = request.uri();
        let after_scheme = uri.split_once("://").map_or(uri, |(_, rest)| rest);
        let path_and_query = after_scheme.find('/').map_or("/", |slash| &after_scheme[slash..]);
        let path_and_query = path_and_query.to_owned();
        let body = ByteStream::new(request.into_body()).collect().await;
        let body = body.map_err(|error| ConnectorError::user(error.into()))?;
        let body = body.into_bytes().into();
        Ok(Self::new(&method, &path_and_query, headers, body))
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    /// Builds a response with a request id, as every service of AWS returns one.
    pub(crate) fn new(status: u16, content_type: &str, body: String) -> Self {
        Self {
            status,
            headers: vec![
                ("content-type".to_owned(), content_type.to_owned()),
                ("x-amzn-requestid".to_owned(), "TESTKIT".to_owned()),
            ],
            body: body.into_bytes(),
        }
    }

    /// Builds a response of the JSON protocols.
    pub(crate) fn json(status: u16, body: String) -> Self {
        Self::new(status, "application/x-amz-json-1.0", body)
    }

    /// Returns the error code of a response of the JSON protocols; `None` for a success.
    pub(crate) fn json_error(&self) -> Option<String> {
        if self.is_success() {
            return None;
        }
        let answer: Value = serde_json::from_slice(&self.body).unwrap_or_default();
        let kind = answer["__type"].as_str().unwrap_or("unknown");
        kind.rsplit('#').next().map(str::to_owned)
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    pub(super) fn into_response(self, body: impl FnOnce(Vec<u8>) -> SdkBody) -> HttpResponse {
        let status = self
            .status
            .try_into()
            .expect("the testkit answers with valid status codes");
        let mut response = HttpResponse::new(status, body(self.body));
        for (name, value) in self.headers {
            response.headers_mut().insert(name, value);
        }
        response
    }
}
