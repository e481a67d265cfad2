//! Lambda's runtime API for one process of a function: an event goes out over a connection that waits for it, and its answer comes back.
//! Protocol: <https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html>

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hyper::body::Bytes;
use hyper::{Method, Request};
use tokio::net::TcpListener;
use tokio::sync::{Mutex as AsyncMutex, Notify, mpsc, oneshot};
use tokio::time::timeout;

use crate::server::{self, Answer, Whole, response};

/// The answer to an event, and the time from handing the event out until the answer had arrived.
pub(crate) struct Answered {
    pub(crate) body: Bytes,
    pub(crate) took: Duration,
}

/// The runtime API of a process, which handles one event at a time.
pub(crate) struct RuntimeApi {
    pub(crate) address: SocketAddr,
    events: mpsc::Sender<Event>,
    state: Arc<State>,
}

type Reply = oneshot::Sender<Result<Answered, String>>;

struct Event {
    body: Bytes,
    reply: Reply,
}

struct State {
    events: AsyncMutex<mpsc::Receiver<Event>>,
    under_way: Mutex<Option<(Instant, Reply)>>,
    /// Notified when the process requests its first event.
    began: Notify,
    limit: Duration,
}

impl RuntimeApi {
    /// Serves a process whose function has this time-out.
    pub(crate) async fn serve(limit: Duration) -> io::Result<Self> {
        let (events, receiver) = mpsc::channel(1);
        let state = Arc::new(State {
            events: AsyncMutex::new(receiver),
            under_way: Mutex::default(),
            began: Notify::new(),
            limit,
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        server::serve(listener, Arc::clone(&state));
        Ok(Self {
            address,
            events,
            state,
        })
    }

    /// Waits until the process requests its first event.
    pub(crate) async fn began(&self) {
        self.state.began.notified().await;
    }

    /// Hands out an event and waits for its answer, at most for the function's time-out.
    ///
    /// # Errors
    /// Says why there is no answer: the function reported an error, or the time is over.
    pub(crate) async fn invoke(&self, body: Bytes) -> Result<Answered, String> {
        let (reply, answered) = oneshot::channel();
        let handed_over = async {
            let sent = self.events.send(Event { body, reply }).await;
            sent.map_err(|_| "the runtime API has ended".to_owned())?;
            answered
                .await
                .map_err(|_| "the process asks for another event without an answer".to_owned())?
        };
        match timeout(self.state.limit, handed_over).await {
            Ok(answered) => answered,
            Err(_) => Err(format!("no answer in {} s", self.state.limit.as_secs())),
        }
    }
}

impl State {
    fn under_way(&self) -> std::sync::MutexGuard<'_, Option<(Instant, Reply)>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn next(&self) -> Whole {
        self.began.notify_one();
        let Some(event) = self.events.lock().await.recv().await else {
            return std::future::pending().await;
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let id = format!(
            "8476a536-e9f4-11e8-9739-{:012x}",
            now.as_micros() & 0xffff_ffff_ffff
        );
        let headers = [
            ("content-type", "application/json".to_owned()),
            ("lambda-runtime-aws-request-id", id),
            (
                "lambda-runtime-deadline-ms",
                (now + self.limit).as_millis().to_string(),
            ),
            (
                "lambda-runtime-invoked-function-arn",
                "arn:aws:lambda:eu-west-1:123456789012:function:taxonomy".to_owned(),
            ),
            (
                "lambda-runtime-trace-id",
                "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0".to_owned(),
            ),
        ];
        *self.under_way() = Some((Instant::now(), event.reply));
        response(
            200,
            headers.map(|(name, value)| (name.to_owned(), value)),
            event.body,
        )
    }

    fn take(&self, path: &str, body: Bytes) {
        let Some((handed_out, reply)) = self.under_way().take() else {
            return;
        };
        let took = handed_out.elapsed();
        let answered = match path.ends_with("/response") {
            true => Ok(Answered { body, took }),
            false => Err(format!("the function failed: {}", String::from_utf8_lossy(&body))),
        };
        // Nobody may be waiting any more.
        drop(reply.send(answered));
    }
}

impl Answer for State {
    async fn answer(&self, request: Request<()>, body: Bytes) -> Whole {
        let path = request.uri().path();
        if request.method() == Method::GET && path.ends_with("/invocation/next") {
            return self.next().await;
        }
        self.take(path, body);
        response(202, [], Bytes::new())
    }
}
