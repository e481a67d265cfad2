//! A store of this program behind HTTP, in a process of its own with one thread, and a client that waits for each response.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};

use crate::local::Local;
use crate::measure::Client;
use crate::question::{Answer, Failure, Question, Way};

/// Serves a store until the process ends, after its address is printed.
pub fn serve(store: Rc<dyn Local>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, accept(store))
}

async fn accept(store: Rc<dyn Local>) -> Result<(), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let store = Rc::clone(&store);
        let service = service_fn(move |request: Request<Incoming>| {
            let store = Rc::clone(&store);
            async move {
                let found = store.respond(request.uri().path()).await;
                let status = if found.is_ok() { 200_u16 } else { 500 };
                let body = found.unwrap_or_else(|failure| failure.to_string());
                let response = Response::builder().status(status);
                let response = response.body(Full::new(Bytes::from(body)));
                Ok::<_, Infallible>(response.unwrap_or_default())
            }
        });
        spawn_local(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// A process that serves a store. It ends with this value.
pub struct Served {
    child: Child,
    pub address: String,
}

impl Served {
    /// Starts this program again.
    pub fn start(store: &str, file: &str) -> Result<Self, Failure> {
        let program = std::env::current_exe()?;
        let mut child = Command::new(program)
            .args(["serve", store, file])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut address = String::new();
        let output = child.stdout.take().ok_or("no output")?;
        // The log of the functions comes before it.
        for line in BufReader::new(output).lines() {
            address = line?;
            if address.starts_with("127.0.0.1:") {
                break;
            }
        }
        Ok(Self { child, address })
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It has ended already, or it ends now.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A connection to a store.
pub struct Http {
    stream: BufReader<TcpStream>,
}

impl Http {
    pub fn connect(address: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    fn get(&mut self, target: &str) -> Result<String, Failure> {
        let request = format!("GET {target} HTTP/1.1\r\nhost: store\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        self.stream.read_line(&mut status)?;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            match line.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse()?
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        let body = String::from_utf8(body)?;
        if status.contains(" 200 ") {
            Ok(body)
        } else {
            Err(format!("{target}: {status} {body}").into())
        }
    }
}

impl Client for Http {
    fn answer(&mut self, way: &Way, question: &Question) -> Result<Answer, Failure> {
        (way.names)(&self.get(&format!("{}/{}", way.path, question.ids()))?)
    }
}
