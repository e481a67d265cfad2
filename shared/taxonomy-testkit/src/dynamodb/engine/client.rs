//! A blocking HTTP/1.1 client: it sends POST requests to one address, keeps connections open, and bounds every wait.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest wait for a response. No response takes this long even on a busy machine, so an engine that exceeds it hangs.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest response, in bytes; larger than any response of DynamoDB.
const MAX_ANSWER_BYTES: u64 = 64 << 20;
/// The largest number of header lines; more than any response has.
const MAX_HEADERS: usize = 100;

/// The status and body of a response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// Connections to one address.
pub(super) struct Client {
    address: SocketAddr,
    idle: Mutex<Vec<Connection>>,
}

type Connection = BufReader<TcpStream>;

impl Client {
    pub(super) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            idle: Mutex::default(),
        }
    }

    /// Sends one request and reads its response. Never sends a request twice: after an error the request may have been applied.
    pub(super) fn post(&self, headers: &[(&str, String)], body: &[u8]) -> io::Result<Answer> {
        let mut connection = match self.take_idle() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        let mut request = format!("POST / HTTP/1.1\r\nHost: {}\r\n", self.address);
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut request = request.into_bytes();
        request.extend_from_slice(body);
        connection.get_mut().write_all(&request)?;
        let (answer, stays_open) = read_answer(&mut connection)?;
        if stays_open {
            self.idle().push(connection);
        }
        Ok(answer)
    }

    fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect_timeout(&self.address, TIMEOUT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        Ok(BufReader::new(stream))
    }

    /// Takes an idle connection that the engine has not closed meanwhile.
    fn take_idle(&self) -> Option<Connection> {
        std::iter::from_fn(|| self.idle().pop()).find(is_open)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a connection is still open: between two requests an open one has nothing to read, a closed one its end.
fn is_open(connection: &Connection) -> bool {
    let stream = connection.get_ref();
    let quiet = || {
        stream.set_nonblocking(true)?;
        let peeked = stream.peek(&mut [0]);
        stream.set_nonblocking(false)?;
        peeked
    };
    quiet().is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

fn read_answer(connection: &mut impl BufRead) -> io::Result<(Answer, bool)> {
    let mut source = connection.take(MAX_ANSWER_BYTES);
    let first = line(&mut source)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status
        .filter(|_| first.starts_with("HTTP/1."))
        .ok_or_else(|| broken("an answer starts with its status"))?;
    let (mut length, mut is_chunked, mut stays_open) = (None, false, true);
    for _ in 0..MAX_HEADERS {
        let header = line(&mut source)?;
        if header.is_empty() {
            let body = match length {
                _ if is_chunked => read_chunks(&mut source)?,
                Some(length) => read_exactly(&mut source, length)?,
                None => return Err(broken("a response without a length")),
            };
            return Ok((Answer { status, body }, stays_open));
        }
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| broken("a header has a colon"))?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                length = Some(value.parse().map_err(|_| broken("a length is a number"))?);
            }
            "transfer-encoding" => is_chunked = value.eq_ignore_ascii_case("chunked"),
            "connection" => stays_open = !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    Err(broken("an answer has fewer headers"))
}

fn read_chunks(source: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let head = line(source)?;
        let size = head.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| broken("a chunk starts with its size"))?;
        if size == 0 {
            // Trailers, up to an empty line.
            while !line(source)?.is_empty() {}
            return Ok(body);
        }
        body.extend(read_exactly(source, size)?);
        if !line(source)?.is_empty() {
            return Err(broken("a chunk ends with a line break"));
        }
    }
}

fn read_exactly(source: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    source.take(length).read_to_end(&mut body)?;
    if body.len() as u64 == length {
        Ok(body)
    } else {
        Err(ErrorKind::UnexpectedEof.into())
    }
}

/// Reads a line and returns it without its end. A stream that ends inside the line is an error.
fn line(source: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    source.read_line(&mut line)?;
    match line.strip_suffix('\n') {
        Some(line) => Ok(line.strip_suffix('\r').unwrap_or(line).to_owned()),
        None => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn broken(rule: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{rule}; this one does not"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn read(answer: &str) -> Result<(u16, String, bool), ErrorKind> {
        let read = read_answer(&mut answer.as_bytes());
        read.map(|(answer, stays_open)| (answer.status, String::from_utf8(answer.body).unwrap(), stays_open))
            .map_err(|error| error.kind())
    }

    #[test]
    fn a_body_has_a_length_or_chunks() {
        let plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}rest";
        assert_eq!(read(plain), Ok((200, "{}".to_owned(), true)));
        let chunked = "HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n3;x=y\r\n{\"a\r\n4\r\n\":1}\r\n0\r\nx: y\r\n\r\n";
        assert_eq!(read(chunked), Ok((400, "{\"a\":1}".to_owned(), false)));
    }

    #[test]
    fn an_answer_that_breaks_off_is_an_error() {
        for answer in [
            "",
            "HTTP/1.1 200",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
        ] {
            assert_eq!(read(answer), Err(ErrorKind::UnexpectedEof), "{answer:?}");
        }
        for answer in [
            "SMTP\r\n",
            "HTTP/1.1 200 OK\r\n\r\n{}",
            "HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
        ] {
            assert_eq!(read(answer), Err(ErrorKind::InvalidData), "{answer:?}");
        }
    }

    #[test]
    fn a_connection_is_used_again_until_the_engine_closes_it() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let client = Client::new(listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            // Two requests on the first connection, one on the second.
            for requests in [2, 1] {
                let (mut stream, _) = listener.accept().unwrap();
                for _ in 0..requests {
                    let mut request = BufReader::new(&stream);
                    while !line(&mut request).unwrap().is_empty() {}
                    read_exactly(&mut request, 2).unwrap();
                    stream
                        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
                        .unwrap();
                }
            }
        });
        for _ in 0..2 {
            assert_eq!(client.post(&[], b"{}").unwrap().status, 200);
        }
        while client.idle().first().is_some_and(is_open) {
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(client.post(&[], b"{}").unwrap().status, 200);
        server.join().unwrap();
    }
}
