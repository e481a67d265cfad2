//! One attempt: a request over the connector, and its answer with a bounded body.

use std::time::Duration;

use aws_smithy_runtime_api::client::http::{HttpConnector, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;

use crate::address::Address;
use crate::error::{BoxError, ClientError};
use crate::target::Target;

/// The maximum number of bytes of an answer. The service answers with at most 6 MB.
pub const MAX_BODY: usize = 8 * 1024 * 1024;

/// Names and values of headers that a request adds.
pub(crate) type Headers = Vec<(&'static str, String)>;

/// A request: every attempt sends the same.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) target: Target,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

/// An answer, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body in the content coding that the headers name, at most [`MAX_BODY`] bytes.
    pub body: Vec<u8>,
}

impl RawResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether `Cache-Control` lets the answer be kept.
    pub(crate) fn is_storable(&self) -> bool {
        let mut directives = self.header("cache-control").unwrap_or_default().split(',');
        !directives.any(|directive| directive.trim().eq_ignore_ascii_case("no-store"))
    }

    /// `Retry-After` in seconds. A date is ignored: it depends on two clocks.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let value = self.header("retry-after")?;
        let digits = !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
        // A number that is too large asks for longer than any operation lasts.
        digits.then(|| Duration::from_secs(value.parse().unwrap_or(u64::from(u32::MAX))))
    }
}

/// The way to the API.
#[derive(Debug)]
pub(crate) struct Transport {
    pub(crate) connector: SharedHttpConnector,
    pub(crate) api: Address,
    pub(crate) connect_to: Option<Address>,
    pub(crate) user_agent: String,
}

impl Transport {
    /// The URL that names the API, for the signature.
    pub(crate) fn url(&self, target: &Target) -> String {
        format!("{}{}", self.api.origin(), target.as_str())
    }

    /// Sends the request once, with these headers in addition to its own.
    pub(crate) async fn send(&self, request: &Request, proof: Headers) -> Result<RawResponse, ClientError> {
        let http = self.http_request(request, proof)?;
        let failed = |error: ConnectorError| {
            let is_transient = error.is_io() || error.is_timeout() || error.as_other().is_some();
            self.failed(error.into(), is_transient)
        };
        let http = self.connector.call(http).await.map_err(failed)?;
        let headers = http.headers().iter();
        Ok(RawResponse {
            status: http.status().as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: self.read_body(http.into_body()).await?,
        })
    }

    /// Scheme, host and port that requests are sent to.
    fn origin(&self) -> String {
        self.connect_to.as_ref().unwrap_or(&self.api).origin()
    }

    fn failed(&self, source: BoxError, is_transient: bool) -> ClientError {
        ClientError::Transport {
            address: self.origin(),
            source,
            is_transient,
        }
    }

    /// The request of one attempt.
    fn http_request(&self, request: &Request, proof: Headers) -> Result<HttpRequest, ClientError> {
        let unsendable = |_| ClientError::Configuration("the request cannot be sent");
        let body = match request.body.is_empty() {
            true => SdkBody::empty(),
            false => SdkBody::from(request.body.clone()),
        };
        let mut http = HttpRequest::new(body);
        http.set_method(request.method).map_err(unsendable)?;
        let url = format!("{}{}", self.origin(), request.target.as_str());
        http.set_uri(url).map_err(unsendable)?;
        let mut all = [proof, request.headers.clone()].concat();
        all.push(("accept", "application/json, application/problem+json".to_owned()));
        all.push(("user-agent", self.user_agent.clone()));
        if self.connect_to.is_some() {
            all.push(("host", self.api.authority.clone()));
        }
        if !request.body.is_empty() {
            all.push(("content-type", "application/json".to_owned()));
        }
        for (name, value) in all {
            http.headers_mut().try_insert(name, value).map_err(unsendable)?;
        }
        Ok(http)
    }

    async fn read_body(&self, body: SdkBody) -> Result<Vec<u8>, ClientError> {
        let too_large = || ClientError::TooLarge { limit: MAX_BODY };
        let stated = body.content_length().unwrap_or(0);
        let stated = usize::try_from(stated).ok().filter(|stated| *stated <= MAX_BODY);
        let mut read = Vec::with_capacity(stated.ok_or_else(too_large)?);
        let mut pieces = ByteStream::new(body);
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|source| self.failed(source.into(), true))?;
            if read.len() + piece.len() > MAX_BODY {
                return Err(too_large());
            }
            read.extend_from_slice(&piece);
        }
        Ok(read)
    }
}
