//! One attempt: a request over the connector, and its answer with a bounded body.

use std::time::Duration;

use aws_smithy_runtime_api::client::http::{HttpConnector, SharedHttpConnector};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;

use crate::address::Address;
use crate::error::ClientError;
use crate::target::Target;

/// The maximum number of bytes of an answer. The service answers with at most 6 MB.
pub const MAX_BODY: usize = 8 * 1024 * 1024;

/// A request: every attempt sends the same.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) target: Target,
    pub(crate) body: Vec<u8>,
    pub(crate) if_none_match: Option<String>,
}

/// An answer.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) etag: Option<String>,
    pub(crate) is_storable: bool,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
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
    pub(crate) async fn send(
        &self,
        request: &Request,
        headers: Vec<(&'static str, String)>,
    ) -> Result<Response, ClientError> {
        let http = self.http_request(request, headers)?;
        read(self.connector.call(http).await.map_err(failed)?).await
    }

    /// The request of one attempt.
    pub(crate) fn http_request(
        &self,
        request: &Request,
        headers: Vec<(&'static str, String)>,
    ) -> Result<HttpRequest, ClientError> {
        let unsendable = |_| ClientError::Configuration("the request cannot be sent");
        let body = match request.body.is_empty() {
            true => SdkBody::empty(),
            false => SdkBody::from(request.body.clone()),
        };
        let mut http = HttpRequest::new(body);
        http.set_method(request.method).map_err(unsendable)?;
        let origin = self.connect_to.as_ref().unwrap_or(&self.api).origin();
        let url = format!("{origin}{}", request.target.as_str());
        http.set_uri(url).map_err(unsendable)?;
        let mut all = headers;
        all.push(("accept", "application/json, application/problem+json".to_owned()));
        all.push(("user-agent", self.user_agent.clone()));
        if self.connect_to.is_some() {
            all.push(("host", self.api.authority().to_owned()));
        }
        if !request.body.is_empty() {
            all.push(("content-type", "application/json".to_owned()));
        }
        all.extend(request.if_none_match.clone().map(|tag| ("if-none-match", tag)));
        for (name, value) in all {
            http.headers_mut().try_insert(name, value).map_err(unsendable)?;
        }
        Ok(http)
    }
}

pub(crate) fn failed(error: ConnectorError) -> ClientError {
    let is_transient = error.is_io() || error.is_timeout() || error.as_other().is_some();
    ClientError::Transport {
        source: error.into(),
        is_transient,
    }
}

async fn read(http: HttpResponse) -> Result<Response, ClientError> {
    let headers = http.headers();
    let response = Response {
        status: http.status().as_u16(),
        etag: headers.get("etag").map(str::to_owned),
        is_storable: !headers.get("cache-control").is_some_and(forbids_storing),
        retry_after: headers.get("retry-after").and_then(seconds),
        body: Vec::new(),
    };
    let body = read_body(http.into_body()).await?;
    Ok(Response { body, ..response })
}

pub(crate) async fn read_body(body: SdkBody) -> Result<Vec<u8>, ClientError> {
    let too_large = || ClientError::TooLarge { limit: MAX_BODY };
    let stated = body.content_length().unwrap_or(0);
    let stated = usize::try_from(stated).ok().filter(|stated| *stated <= MAX_BODY);
    let mut read = Vec::with_capacity(stated.ok_or_else(too_large)?);
    let mut pieces = ByteStream::new(body);
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|source| ClientError::Transport {
            source: source.into(),
            is_transient: true,
        })?;
        if read.len() + piece.len() > MAX_BODY {
            return Err(too_large());
        }
        read.extend_from_slice(&piece);
    }
    Ok(read)
}

fn forbids_storing(cache_control: &str) -> bool {
    let mut directives = cache_control.split(',');
    directives.any(|directive| directive.trim().eq_ignore_ascii_case("no-store"))
}

/// `Retry-After` in seconds. A date is ignored: it depends on two clocks.
fn seconds(value: &str) -> Option<Duration> {
    let digits = !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
    // A number that is too large asks for longer than any operation lasts.
    digits.then(|| Duration::from_secs(value.parse().unwrap_or(u64::from(u32::MAX))))
}
