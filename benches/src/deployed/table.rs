//! A table with a few prepared items, behind HTTP, and the events that read them.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, Response};
use serde_json::Value;
use tokio::sync::Notify;

use super::certificates::Certificates;
use super::server::{self, Answer};
use crate::canned::Responses;
use crate::failure::Failure;

/// A running table.
pub(super) struct Table {
    address: SocketAddr,
    is_tls: bool,
}

impl Table {
    /// Serves the sample without TLS.
    pub(super) async fn serve() -> Result<Self, Failure> {
        Ok(Self {
            address: server::serve(Arc::new(Responses::prepare()?), None).await?,
            is_tls: false,
        })
    }

    /// Serves the sample over TLS.
    pub(super) async fn serve_tls(certificates: &Certificates) -> Result<Self, Failure> {
        let tls = Some(certificates.server()?);
        Ok(Self {
            address: server::serve(Arc::new(Responses::prepare()?), tls).await?,
            is_tls: true,
        })
    }

    pub(super) fn url(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }
}

/// A table that answers nothing, and says when it received its first request.
pub(super) struct Silence {
    address: SocketAddr,
    received: Arc<Received>,
}

#[derive(Default)]
struct Received(Notify);

impl Silence {
    pub(super) async fn serve() -> Result<Self, Failure> {
        let received = Arc::new(Received::default());
        Ok(Self {
            address: server::serve(received.clone(), None).await?,
            received,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits for the first request.
    pub(super) async fn first_request(&self) {
        self.received.0.notified().await;
    }
}

impl Answer for Received {
    async fn answer(&self, _: Request<()>, _: Bytes) -> Response<Full<Bytes>> {
        self.0.notify_one();
        std::future::pending().await
    }
}

impl Answer for Responses {
    async fn answer(&self, request: Request<()>, body: Bytes) -> Response<Full<Bytes>> {
        let operation = request.headers().get("x-amz-target");
        let operation = operation
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let answer = match operation.rsplit('.').next() {
            Some("Query") => self.head.clone(),
            Some("GetItem") => self.other_term(id_of(&body)),
            _ => "{}".to_owned(),
        };
        let response = Response::builder()
            .header("content-type", "application/x-amz-json-1.0")
            .header("server", "Server")
            .header(
                "x-amzn-requestid",
                "VHDE6S0N0000000000000000000000000000000000000000EXAM",
            )
            .body(Full::new(answer.into()));
        response.unwrap_or_default()
    }
}

/// Returns the id in the keys of a term.
fn id_of(body: &Value) -> u64 {
    let keys = ["PK", "SK"].map(|name| body["Key"][name]["S"].as_str().unwrap_or_default());
    let digits = keys.iter().flat_map(|key| key.split('#')).rev();
    digits
        .filter_map(|part| part.parse().ok())
        .next()
        .unwrap_or_default()
}
