//! An HTTP server on the loopback interface.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

/// Answers one request: its head and its whole body.
pub(crate) trait Answer: Send + Sync + 'static {
    fn answer(&self, request: Request<()>, body: Bytes) -> impl Future<Output = Whole> + Send;
}

/// A response with its whole body.
pub(crate) type Whole = Response<Full<Bytes>>;

/// Serves until the process ends.
pub(crate) fn serve(listener: TcpListener, answer: Arc<impl Answer>) {
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, Arc::clone(&answer)));
        }
    });
}

/// Returns a response; headers that HTTP does not know are left out.
pub(crate) fn response(
    status: u16,
    headers: impl IntoIterator<Item = (String, String)>,
    body: impl Into<Bytes>,
) -> Whole {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let parsed = headers.into_iter().filter_map(|(name, value)| {
        Some((
            HeaderName::try_from(name).ok()?,
            HeaderValue::try_from(value).ok()?,
        ))
    });
    *response.headers_mut() = parsed.collect::<HeaderMap>();
    response
}

async fn connection(stream: TcpStream, answer: Arc<impl Answer>) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(|request: Request<Incoming>| {
        let answer = Arc::clone(&answer);
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(http_body_util::Collected::to_bytes);
            let request = Request::from_parts(head, ());
            Ok::<_, Infallible>(answer.answer(request, body.unwrap_or_default()).await)
        }
    });
    // A client that ends its connection is no failure of the server.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}
