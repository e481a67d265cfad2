//! A blocking HTTP client: each request has a connection of its own, which the engine closes behind its response, as HTTP/1.0 has it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The longest wait for a response. No response takes this long even on a busy machine, so an engine that exceeds it hangs.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest response, in bytes; larger than any response of DynamoDB.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// The status and body of a response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: String,
}

/// Sends one request and reads its response. Never sends a request twice: after an error the request may have been applied.
pub(super) fn post(address: SocketAddr, headers: &[(&str, String)], body: &[u8]) -> io::Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let mut request = format!("POST / HTTP/1.0\r\nHost: {address}\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    stream.write_all(&[request.as_bytes(), body].concat())?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer)?;
    parse(&answer).ok_or_else(|| io::Error::new(ErrorKind::InvalidData, answer))
}

/// Returns a response; `None` if it is cut short or is none of HTTP.
fn parse(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let (first, headers) = head.split_once("\r\n")?;
    let mut headers = headers.lines().filter_map(|header| header.split_once(": "));
    let length = headers.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let answer = Answer {
        status: first.split(' ').nth(1)?.parse().ok()?,
        body: body.to_owned(),
    };
    // A long body has no length: it ends with the connection, and what is cut short is no JSON.
    let is_whole = length.is_none_or(|(_, length)| length.parse() == Ok(body.len()));
    is_whole.then_some(answer)
}
