//! An HTTP server on a free port of the loopback interface.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

/// Answers one request: its head and its whole body.
pub(crate) trait Answer: Send + Sync + 'static {
    fn answer(&self, request: Request<()>, body: Bytes)
    -> impl Future<Output = Response<Full<Bytes>>> + Send;
}

/// Serves until the process ends. Returns the address.
pub(crate) async fn serve(answer: Arc<impl Answer>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, Arc::clone(&answer)));
        }
    });
    Ok(address)
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
