//! The client: a request from beginning to end, with its retries and its cached answer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use aws_smithy_async::time::SharedTimeSource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use taxonomy_keys::TenantId;
use tokio::time::{Instant, sleep, timeout_at};

use crate::auth::CredentialsCache;
use crate::cache::EtagCache;
use crate::error::ClientError;
use crate::error_response::stated;
use crate::requests::{Counters, Requests};
use crate::retry::{Failure, RetryPolicy};
use crate::target::Target;
use crate::transport::{Request, Response, Transport};

/// A client of one API with one identity. Clones share connections, cache and counts.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) transport: Transport,
    pub(crate) identity: CredentialsCache,
    pub(crate) retry: RetryPolicy,
    pub(crate) cache: EtagCache,
    pub(crate) counters: Counters,
    pub(crate) time: SharedTimeSource,
}

impl Client {
    pub(crate) fn new(inner: Inner) -> Self {
        Self(Arc::new(inner))
    }

    /// Returns the counts so far.
    #[must_use]
    pub fn requests(&self) -> Requests {
        self.0.counters.snapshot()
    }

    /// The bytes that cached answers take.
    #[must_use]
    pub fn cached_bytes(&self) -> u64 {
        self.0.cache.bytes()
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(crate) fn has_cache(&self) -> bool {
        self.0.cache.is_on()
    }

    pub(crate) fn target(&self, tenant: &TenantId) -> Target {
        Target::tenant(&self.0.transport.api, tenant)
    }

    /// Sends a GET, conditional if a response to it is cached.
    pub(crate) async fn get<T: DeserializeOwned>(&self, target: Target) -> Result<T, ClientError> {
        let inner = &*self.0;
        let kept = inner.cache.get(&target);
        let request = Request {
            method: "GET",
            target,
            body: Vec::new(),
            if_none_match: kept.as_ref().map(|kept| kept.etag.clone()),
        };
        let response = inner.ask(&request).await?;
        match (response.status, kept) {
            (304, Some(kept)) => {
                inner.counters.not_modified();
                decode(&request.target, &kept.body)
            }
            (200, _) => {
                let answer = decode(&request.target, &response.body)?;
                inner.cache.keep(&request.target, response);
                Ok(answer)
            }
            (status, _) => Err(ClientError::UnknownAnswer { status }),
        }
    }

    /// Sends a POST. The routes that accept one only read.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        target: Target,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body);
        let request = Request {
            method: "POST",
            target,
            body: body.map_err(|_| ClientError::Configuration("the body cannot be written"))?,
            if_none_match: None,
        };
        let response = self.0.ask(&request).await?;
        match response.status {
            200 => decode(&request.target, &response.body),
            status => Err(ClientError::UnknownAnswer { status }),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            transport,
            identity,
            retry,
            ..
        } = &*self.0;
        f.debug_struct("Client")
            .field("api", &transport.api.to_string())
            .field("auth", identity.auth())
            .field("retry", retry)
            .field("requests", &self.requests())
            .finish_non_exhaustive()
    }
}

impl Inner {
    /// Attempts until one brings an answer, or none is left. An answer is a 200 or a 304.
    async fn ask(&self, request: &Request) -> Result<Response, ClientError> {
        let deadline = Instant::now() + self.retry.operation;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let failure = match self.attempt(request, deadline).await {
                Ok(response) => return Ok(response),
                Err(failure) => failure,
            };
            let Some(pause) = self.retry.pause(attempts, &failure, deadline) else {
                return Err(failure.error);
            };
            sleep(pause).await;
            self.counters.retried();
        }
    }

    async fn attempt(&self, request: &Request, deadline: Instant) -> Result<Response, Failure> {
        let operation = self.retry.operation;
        let proof = self.identity.proof(self.time.now());
        let proof = before(deadline, operation, proof).await?;
        let url = self.transport.url(&request.target);
        // The clock is read again: loading credentials may take long.
        let headers = proof.headers(request.method, &url, &request.body, self.time.now())?;
        self.counters.sent();
        let end = Instant::now() + self.retry.attempt;
        let (end, within) = if end < deadline {
            (end, self.retry.attempt)
        } else {
            (deadline, operation)
        };
        let response = before(end, within, self.transport.send(request, headers)).await?;
        self.counters.received(response.body.len());
        if let 200 | 304 = response.status {
            return Ok(response);
        }
        if let 401 | 403 = response.status {
            self.identity.forget().await;
        }
        Err(Failure {
            error: stated(response.status, &response.body),
            retry_after: response.retry_after,
        })
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
