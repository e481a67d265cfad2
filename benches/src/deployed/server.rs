//! An HTTP server on a free port of this machine, with or without TLS.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

use crate::failure::Failure;

/// Answers one request: its head and its whole body.
pub(super) trait Answer: Send + Sync + 'static {
    fn answer(&self, request: Request<()>, body: Bytes)
    -> impl Future<Output = Response<Full<Bytes>>> + Send;
}

/// Serves until the runtime ends. Returns the address.
pub(super) async fn serve(
    answer: Arc<impl Answer>,
    tls: Option<ServerConfig>,
) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let acceptor = tls.map(|config| TlsAcceptor::from(Arc::new(config)));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(connection(stream, acceptor.clone(), answer.clone()));
        }
    });
    Ok(address)
}

async fn connection(stream: TcpStream, acceptor: Option<TlsAcceptor>, answer: Arc<impl Answer>) {
    // A client that ends its connection is no failure: the counted program is ended at some time.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(|request: Request<Incoming>| {
        let answer = answer.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(http_body_util::Collected::to_bytes);
            let request = Request::from_parts(head, ());
            Ok::<_, Infallible>(answer.answer(request, body.unwrap_or_default()).await)
        }
    });
    let server = http1::Builder::new();
    match acceptor {
        None => drop(server.serve_connection(TokioIo::new(stream), service).await),
        Some(acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                drop(server.serve_connection(TokioIo::new(stream), service).await);
            }
        }
    }
}
