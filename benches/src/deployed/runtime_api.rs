//! An emulation of Lambda's runtime API: hands out events and takes answers.
//! Protocol: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request, Response};
use tokio::sync::Notify;

use super::server::{self, Answer};
use crate::failure::Failure;

/// Far in the future, in milliseconds.
const DEADLINE: &str = "99999999999999";

/// A running emulation.
pub(super) struct RuntimeApi {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    events: Vec<Vec<u8>>,
    handed_out: AtomicUsize,
    answers: Mutex<Vec<Bytes>>,
    failure: Mutex<Option<String>>,
    /// Notified when an event is requested and there is none, and at a failure.
    ended: Notify,
    /// Holds the first event back.
    gate: Option<Gate>,
}

#[derive(Default)]
struct Gate {
    /// Notified when the first event is requested.
    requested: Notify,
    /// Notified when the first event may go.
    opened: Notify,
}

impl RuntimeApi {
    /// Hands out these events, one after the other.
    pub(super) async fn serve(events: Vec<Vec<u8>>) -> Result<Self, Failure> {
        Self::serve_by(events, None).await
    }

    /// Hands out these events, the first one when [`open`](Self::open) is called.
    pub(super) async fn serve_gated(events: Vec<Vec<u8>>) -> Result<Self, Failure> {
        Self::serve_by(events, Some(Gate::default())).await
    }

    async fn serve_by(events: Vec<Vec<u8>>, gate: Option<Gate>) -> Result<Self, Failure> {
        let state = Arc::new(State {
            events,
            handed_out: AtomicUsize::new(0),
            answers: Mutex::default(),
            failure: Mutex::default(),
            ended: Notify::new(),
            gate,
        });
        Ok(Self {
            address: server::serve(state.clone(), None).await?,
            state,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until the program requests its first event.
    pub(super) async fn requested(&self) {
        if let Some(gate) = &self.state.gate {
            gate.requested.notified().await;
        }
    }

    /// Hands out the first event.
    pub(super) fn open(&self) {
        if let Some(gate) = &self.state.gate {
            gate.opened.notify_one();
        }
    }

    /// Waits until every event is answered and the program requests another one.
    ///
    /// # Errors
    /// If the program reports an error, or an answer has another status than 200.
    pub(super) async fn ended(&self) -> Result<(), Failure> {
        self.state.ended.notified().await;
        let failure = self.state.failure.lock().map_err(|_| "a thread failed")?.clone();
        let answers = self.state.answers.lock().map_err(|_| "a thread failed")?;
        match failure {
            Some(failure) => Err(failure.into()),
            None if answers.len() == self.state.events.len() => answers.iter().try_for_each(expect_success),
            None => Err("an event was not answered".into()),
        }
    }
}

/// A program that answers HTTP requests says a status; any other answer is taken as it is.
fn expect_success(answer: &Bytes) -> Result<(), Failure> {
    let answer: serde_json::Value = serde_json::from_slice(answer)?;
    match answer.get("statusCode").and_then(serde_json::Value::as_u64) {
        None | Some(200) => Ok(()),
        Some(_) => Err(format!("an answer is {answer}").into()),
    }
}

impl Answer for State {
    async fn answer(&self, request: Request<()>, body: Bytes) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        if request.method() == Method::GET && path.ends_with("/invocation/next") {
            let number = self.handed_out.fetch_add(1, Ordering::Relaxed);
            if let Some(gate) = self.gate.as_ref().filter(|_| number == 0) {
                gate.requested.notify_one();
                gate.opened.notified().await;
            }
            return match self.events.get(number) {
                Some(event) => invocation(number, event),
                None => {
                    self.ended.notify_one();
                    std::future::pending().await
                }
            };
        }
        if path.ends_with("/response") {
            if let Ok(mut answers) = self.answers.lock() {
                answers.push(body);
            }
        } else {
            if let Ok(mut failure) = self.failure.lock() {
                *failure = Some(format!("{path}: {}", String::from_utf8_lossy(&body)));
            }
            self.ended.notify_one();
        }
        let mut accepted = Response::new(Full::default());
        *accepted.status_mut() = hyper::StatusCode::ACCEPTED;
        accepted
    }
}

fn invocation(number: usize, event: &[u8]) -> Response<Full<Bytes>> {
    let response = Response::builder()
        .header("content-type", "application/json")
        .header(
            "lambda-runtime-aws-request-id",
            format!("8476a536-e9f4-11e8-9739-{number:012}"),
        )
        .header("lambda-runtime-deadline-ms", DEADLINE)
        .header(
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:taxonomy-lookup",
        )
        .header(
            "lambda-runtime-trace-id",
            "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0",
        )
        .body(Full::new(Bytes::copy_from_slice(event)));
    response.unwrap_or_default()
}
