//! The client: a request from beginning to end, with its retries and its cached answer.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_smithy_async::time::SharedTimeSource;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};

use crate::auth::{Auth, Authenticator};
use crate::cache::EtagCache;
use crate::error::ClientError;
use crate::error_response::{stated, unknown};
use crate::pages::{Page, PageRequest};
use crate::remembered::Remembered;
use crate::requests::Requests;
use crate::retry::RetryPolicy;
use crate::target::Target;
use crate::transport::{RawResponse, Request, Transport};

/// A client of one API with one identity. Clones share connections, cache and counts.
#[derive(Clone)]
pub struct Client(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) transport: Transport,
    pub(crate) auth: Auth,
    pub(crate) authenticator: Remembered<Authenticator>,
    pub(crate) retry: RetryPolicy,
    pub(crate) cache: EtagCache,
    pub(crate) counts: Mutex<Requests>,
    pub(crate) time: SharedTimeSource,
}

impl Client {
    /// Returns the counts so far.
    pub fn requests(&self) -> Requests {
        *self.0.counts()
    }

    /// The bytes that cached answers take.
    pub fn cached_bytes(&self) -> u64 {
        self.0.cache.bytes()
    }

    /// Sends a GET, conditional if a response to it is cached.
    pub(crate) async fn get<T: DeserializeOwned>(&self, target: Target) -> Result<T, ClientError> {
        let inner = &*self.0;
        let kept = inner.cache.get(&target);
        let request = Request {
            method: "GET",
            target,
            headers: kept
                .iter()
                .map(|kept| ("if-none-match", kept.etag.clone()))
                .collect(),
            body: Vec::new(),
        };
        let response = inner.ask(&request).await?;
        match (response.status, kept) {
            (304, Some(kept)) => {
                inner.counts().not_modified += 1;
                decode(&request.target, &kept.body)
            }
            (200, _) => {
                let answer = decode(&request.target, &response.body)?;
                inner.cache.keep(&request.target, response);
                Ok(answer)
            }
            (status, _) => Err(unknown(&inner.transport.api, status)),
        }
    }

    /// Sends a GET for one page of a list.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        list: Target,
        page: &PageRequest,
    ) -> Result<Page<T>, ClientError> {
        self.get(list.cursor(page.cursor.as_ref()).limit(page.limit))
            .await
    }

    /// Sends a POST. The routes that accept one only read.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        target: Target,
        body: &Value,
    ) -> Result<T, ClientError> {
        let request = Request {
            method: "POST",
            target,
            headers: Vec::new(),
            body: body.to_string().into_bytes(),
        };
        let response = self.0.ask(&request).await?;
        match response.status {
            200 => decode(&request.target, &response.body),
            status => Err(unknown(&self.0.transport.api, status)),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        f.debug_struct("Client")
            .field("api", &inner.transport.api.to_string())
            .field("auth", &inner.auth)
            .field("retry", &inner.retry)
            .field("requests", &self.requests())
            .finish_non_exhaustive()
    }
}

impl Inner {
    fn counts(&self) -> MutexGuard<'_, Requests> {
        // Adding cannot panic halfway.
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Attempts until one brings an answer, or none is left. An answer is a 200 or a 304.
    async fn ask(&self, request: &Request) -> Result<RawResponse, ClientError> {
        let operation = self.retry.operation;
        let deadline = Instant::now() + operation;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let (error, retry_after) = match self.attempt(request, deadline, operation).await {
                Ok(response) if matches!(response.status, 200 | 304) => return Ok(response),
                Ok(response) => {
                    let error = stated(&self.transport.api, response.status, &response.body);
                    (error, response.retry_after())
                }
                Err(error) => (error, None),
            };
            let asked = retry_after.unwrap_or_default();
            let Some(pause) = self.retry.pause(attempts, &error, asked, deadline) else {
                return Err(error);
            };
            sleep(pause).await;
            self.counts().retries += 1;
        }
    }

    /// Sends a request once, before the deadline, which is `operation` from its beginning. An answer of any status is no error.
    pub(crate) async fn attempt(
        &self,
        request: &Request,
        deadline: Instant,
        operation: Duration,
    ) -> Result<RawResponse, ClientError> {
        let authenticator = self.authenticator.get(self.time.now(), self.auth.load());
        let authenticator = before(deadline, operation, authenticator).await?;
        let url = self.transport.url(&request.target);
        // The clock is read again: loading credentials may take long.
        let proof = authenticator.headers(request.method, &url, &request.body, self.time.now())?;
        self.counts().sent += 1;
        let within = self.retry.attempt;
        let sending = before(
            Instant::now() + within,
            within,
            self.transport.send(request, proof),
        );
        let response = before(deadline, operation, sending).await?;
        self.counts().body_bytes += response.body.len() as u64;
        if let 401 | 403 = response.status {
            self.authenticator.forget().await;
        }
        Ok(response)
    }
}

async fn before<T>(
    end: Instant,
    within: Duration,
    work: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, ClientError> {
    match timeout_at(end, work).await {
        Ok(done) => done,
        Err(_) => Err(ClientError::Timeout { within }),
    }
}

/// The error has no text of the parser: it quotes the answer.
fn decode<T: DeserializeOwned>(target: &Target, body: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(|error| ClientError::Malformed {
        path: target.path().to_owned(),
        place: format!("line {}, column {}", error.line(), error.column()),
    })
}
