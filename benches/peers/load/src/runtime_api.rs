//! An emulation of Lambda's runtime API for one process of a function, which adds little: it hands out an event over a connection that
//! waits for it, and takes the answer. Protocol: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot};
use tokio::time::timeout;

use crate::server::{self, Answer};

/// The answer to an event, the time at which it was handed out, and the time until its answer had arrived.
pub(crate) struct Answered {
    pub(crate) body: Bytes,
    pub(crate) handed_out: Instant,
    pub(crate) took: Duration,
}

/// The runtime API of one process, which handles one event at a time.
pub(crate) struct RuntimeApi {
    address: SocketAddr,
    events: mpsc::Sender<Event>,
    limit: Duration,
}

/// Takes the answer to an event to its worker.
type Reply = oneshot::Sender<Result<Answered, String>>;

struct Event {
    body: Bytes,
    answer: Reply,
}

struct State {
    events: AsyncMutex<mpsc::Receiver<Event>>,
    under_way: Mutex<Option<(Instant, Reply)>>,
    limit: Duration,
}

impl RuntimeApi {
    /// Serves a process whose function has this time-out.
    pub(crate) async fn serve(limit: Duration) -> io::Result<Self> {
        let (events, receiver) = mpsc::channel(1);
        let state = State {
            events: AsyncMutex::new(receiver),
            under_way: Mutex::default(),
            limit,
        };
        let address = server::serve(Arc::new(state)).await?;
        Ok(Self {
            address,
            events,
            limit,
        })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Hands out an event and waits for its answer, at most for the function's time-out.
    ///
    /// # Errors
    /// Says why there is no answer: the function reported an error, or the time is over.
    pub(crate) async fn invoke(&self, body: Bytes) -> Result<Answered, String> {
        let (answer, answered) = oneshot::channel();
        let handed_over = async {
            let sent = self.events.send(Event { body, answer }).await;
            sent.map_err(|_| "the runtime API has ended".to_owned())?;
            answered
                .await
                .map_err(|_| "the process requested another event without an answer".to_owned())?
        };
        match timeout(self.limit, handed_over).await {
            Ok(answered) => answered,
            Err(_) => Err(format!("no answer in {} s", self.limit.as_secs())),
        }
    }
}

impl State {
    fn under_way(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Reply)>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the deadline of an event is a time of the day"
    )]
    async fn next(&self) -> Response<Full<Bytes>> {
        let event = self.events.lock().await.recv().await;
        let Some(event) = event else {
            return std::future::pending().await;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let deadline = (now + self.limit).as_millis();
        let response = Response::builder()
            .header("content-type", "application/json")
            .header(
                "lambda-runtime-aws-request-id",
                format!(
                    "8476a536-e9f4-11e8-9739-{:012x}",
                    now.as_micros() & 0xffff_ffff_ffff
                ),
            )
            .header("lambda-runtime-deadline-ms", deadline.to_string())
            .header(
                "lambda-runtime-invoked-function-arn",
                "arn:aws:lambda:eu-west-1:123456789012:function:taxonomy-load",
            )
            .header(
                "lambda-runtime-trace-id",
                "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0",
            )
            .body(Full::new(event.body));
        *self.under_way() = Some((Instant::now(), event.answer));
        response.unwrap_or_default()
    }

    fn take(&self, path: &str, body: Bytes) {
        let Some((handed_out, answer)) = self.under_way().take() else {
            return;
        };
        let took = handed_out.elapsed();
        // The worker may have stopped waiting.
        let _ = answer.send(match path.ends_with("/response") {
            true => Ok(Answered {
                body,
                handed_out,
                took,
            }),
            false => Err(format!("the function failed: {}", String::from_utf8_lossy(&body))),
        });
    }
}

impl Answer for State {
    async fn answer(&self, request: Request<()>, body: Bytes) -> Response<Full<Bytes>> {
        let path = request.uri().path();
        if request.method() == Method::GET && path.ends_with("/invocation/next") {
            return self.next().await;
        }
        self.take(path, body);
        let mut accepted = Response::new(Full::default());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        accepted
    }
}
