//! A GET that is handed on as it came, and its answer as it is: for a proxy that signs.

use tokio::time::Instant;

use crate::client::Client;
use crate::error::ClientError;
use crate::target::Target;
use crate::transport::{RawResponse, Request};

/// The maximum number of bytes of path and query together: API Gateway takes 10,240 of a request line and headers.
pub const MAX_TARGET: usize = 8 * 1024;

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
        let inner = &*self.0;
        let target = Target::escaped(&inner.transport.api, path, query);
        let target = target.filter(|target| target.as_str().len() <= MAX_TARGET);
        let target = target.ok_or(ClientError::Configuration(
            "the path or the query cannot be handed on",
        ))?;
        let request = Request {
            method: "GET",
            target,
            headers,
            body: Vec::new(),
        };
        let within = inner.retry.attempt;
        inner.attempt(&request, Instant::now() + within, within).await
    }
}
