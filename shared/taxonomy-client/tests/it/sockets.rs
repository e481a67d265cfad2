//! The default HTTP client over real sockets.

use std::time::Duration;

use taxonomy_client::{Client, ClientError, RetryPolicy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::api::{Api, acme};

/// Reads one request and answers these bytes, a connection each. Returns the requests.
async fn serve(listener: TcpListener, answers: Vec<String>) -> Vec<String> {
    let mut requests = Vec::new();
    for answer in answers {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            assert_eq!(stream.read(&mut byte).await.unwrap(), 1);
            request.push(byte[0]);
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        requests.push(String::from_utf8(request).unwrap());
    }
    requests
}

fn client(listener: &TcpListener, attempts: u32) -> Client {
    let address = format!("http://{}", listener.local_addr().unwrap());
    let retry = RetryPolicy {
        attempts,
        first_pause: Duration::from_millis(1),
        ..RetryPolicy::default()
    };
    let builder = Client::builder("https://abc.execute-api.localhost");
    builder.connect_to(address).retry(retry).build().unwrap()
}

async fn head_body() -> String {
    let api = Api::new().await;
    api.acme().head().await.unwrap();
    api.last().to_string()
}

#[tokio::test]
async fn broken_connections_are_tried_again_and_the_host_is_the_apis() {
    let body = head_body().await;
    let length = body.len();
    let whole = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    let torn = whole[..whole.len() - 10].to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = client(&listener, 4);
    // Closed without an answer, in the middle of the headers, in the middle of the body, and at last answered.
    let answers = vec![String::new(), "HTTP/1.1 200 OK\r\ncont".to_owned(), torn, whole];
    let acme = acme(&client);
    let both = async { tokio::join!(serve(listener, answers), acme.head()) };
    let (requests, head) = timeout(Duration::from_secs(20), both).await.unwrap();
    assert_eq!(head.unwrap().totals.terms, 4);
    assert_eq!((client.requests().sent, client.requests().retries), (4, 3));
    for request in requests {
        for part in [
            "GET /v1/tenants/acme HTTP/1.1\r\n",
            "\r\nhost: abc.execute-api.localhost\r\n",
            "\r\nuser-agent: taxonomy-client/",
        ] {
            assert!(request.contains(part), "{request}");
        }
    }
}

#[tokio::test]
async fn an_address_where_nothing_listens_is_a_failed_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = client(&listener, 2);
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = acme(&client).head().await.unwrap_err();
    assert_eq!(error.to_string(), format!("the connection to {address} failed"));
    let is_transient = matches!(error, ClientError::Transport { is_transient, .. } if is_transient);
    assert!(is_transient, "{error:?}");
    assert_eq!(client.requests().sent, 2);
}
