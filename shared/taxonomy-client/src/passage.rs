//! A GET that is handed on as it came, and its answer as it is: for a proxy that signs.

use aws_smithy_runtime_api::client::http::HttpConnector as _;
use tokio::time::{Instant, timeout_at};

use crate::client::Client;
use crate::error::ClientError;
use crate::target::Target;
use crate::transport::{Request, failed, read_body};

/// The maximum number of bytes of path and query together: API Gateway takes 10,240 of a request line and headers.
pub const MAX_TARGET: usize = 8 * 1024;

/// An answer, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body in the content coding that the headers name, at most [`MAX_BODY`](crate::MAX_BODY) bytes.
    pub body: Vec<u8>,
}

impl Client {
    /// Sends one GET with this client's authentication. `path` begins with a slash and is appended to the path of the API's
    /// address; path and query are escaped, and are sent in the one form in which both sides of a signature see them. `headers` are sent
    /// in addition.
    ///
    /// # Errors
    /// [`ClientError::Configuration`] for a path with an empty segment, a segment of dots or an escape that is none, and for more than
    /// [`MAX_TARGET`] bytes; else those of a request that has no answer. An answer of any status is no error.
    pub async fn pass(
        &self,
        path: &str,
        query: &str,
        headers: Vec<(&'static str, String)>,
    ) -> Result<RawResponse, ClientError> {
        let inner = self.inner();
        let target = Target::escaped(&inner.transport.api, path, query);
        let target = target.filter(|target| target.as_str().len() <= MAX_TARGET);
        let target = target.ok_or(ClientError::Configuration(
            "the path or the query cannot be handed on",
        ))?;
        let request = Request {
            method: "GET",
            target,
            body: Vec::new(),
            if_none_match: None,
        };
        let within = inner.retry.attempt;
        let work = async {
            let proof = inner.identity.proof(inner.time.now()).await?;
            let url = inner.transport.url(&request.target);
            let mut all = proof.headers(request.method, &url, &[], inner.time.now())?;
            all.extend(headers);
            let http = inner.transport.http_request(&request, all)?;
            inner.counters.sent();
            let http = inner.transport.connector.call(http).await.map_err(failed)?;
            let (status, headers) = (http.status().as_u16(), http.headers());
            let headers = headers
                .iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let body = read_body(http.into_body()).await?;
            inner.counters.received(body.len());
            Ok(RawResponse {
                status,
                headers,
                body,
            })
        };
        let answer = timeout_at(Instant::now() + within, work).await;
        let answer = answer.unwrap_or(Err(ClientError::Timeout { within }))?;
        if let 401 | 403 = answer.status {
            inner.identity.forget().await;
        }
        Ok(answer)
    }
}
