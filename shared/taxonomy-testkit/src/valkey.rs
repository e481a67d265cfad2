//! A Valkey server of a single test: the real program, which the test starts and which ends when the test ends or fails.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, process, thread};

use redis::{Connection, FromRedisValue, RedisResult};

/// The longest wait for a response. No response takes this long even on a busy machine, so a server that exceeds it hangs.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The message of a failure that is none of the server.
const HANDLED: &str = "a server for the test can be handled";
const INSTALLED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/bin/valkey-server");

/// A server process, its port and its folder.
#[derive(Debug)]
pub struct ValkeyServer {
    process: Child,
    port: u16,
    folder: PathBuf,
    arguments: Vec<String>,
}

impl ValkeyServer {
    /// Starts a server on a free port.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with further command-line arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("taxonomy-valkey-{}-{number}", process::id()));
        fs::create_dir_all(&folder).expect(HANDLED);
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        // Another process may take the free port before the server does.
        for _ in 0..10 {
            let port = free_port();
            if let Some(process) = launch(&folder, port, &arguments) {
                return Self {
                    process,
                    port,
                    folder,
                    arguments,
                };
            }
        }
        panic!("the server did not start on any of ten ports");
    }

    /// Returns its port on the loopback address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns its address as a URL.
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Kills it at once.
    pub fn kill(&mut self) {
        self.process.kill().expect(HANDLED);
        self.process.wait().expect(HANDLED);
    }

    /// Starts it again on the same port, without its earlier data.
    pub fn start_again(&mut self) {
        for _ in 0..100 {
            if let Some(process) = launch(&self.folder, self.port, &self.arguments) {
                self.process = process;
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("port {} is not free again", self.port);
    }

    /// Pauses the process: its kernel still accepts connections, but no command is answered.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Resumes the paused process.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.expect(HANDLED).success());
    }

    /// Runs a command over a connection other than that of the client under test.
    pub fn tell<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let mut connection = connect(self.port).expect(HANDLED);
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]).query(&mut connection).expect(HANDLED)
    }
}

impl Drop for ValkeyServer {
    fn drop(&mut self) {
        // The process may be dead already, and this may run during a panic, so nothing here may fail.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns the process once it answers; `None` if it ended instead.
fn launch(folder: &PathBuf, port: u16, arguments: &[String]) -> Option<Child> {
    let program = program();
    let mut process = Command::new(&program)
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
        .args(["--save", "", "--appendonly", "no"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| {
            panic!(
                "no server to test against: {} cannot be run ({error}); `make valkey` installs it, REDIS_SERVER names another",
                program.display()
            )
        });
    let started = Instant::now();
    while started.elapsed() < TIMEOUT {
        if process.try_wait().expect(HANDLED).is_some() {
            return None;
        }
        if answers(port) {
            return Some(process);
        }
        thread::sleep(Duration::from_millis(10));
    }
    let _ = process.kill();
    let _ = process.wait();
    panic!("the server has not answered for {TIMEOUT:?}");
}

fn connect(port: u16) -> RedisResult<Connection> {
    let client = redis::Client::open(format!("redis://127.0.0.1:{port}"))?;
    client.get_connection_with_timeout(TIMEOUT)
}

/// Whether the server answers. A server with a password answers too, with a request to authenticate.
fn answers(port: u16) -> bool {
    let Ok(mut connection) = connect(port) else {
        return false;
    };
    match redis::cmd("PING").query::<String>(&mut connection) {
        Ok(_) => true,
        Err(error) => error.code() == Some("NOAUTH"),
    }
}

fn program() -> PathBuf {
    #[expect(clippy::disallowed_methods, reason = "a test's own setting")]
    let named = std::env::var("REDIS_SERVER").ok();
    let named = named.filter(|path| !path.is_empty());
    named.unwrap_or_else(|| INSTALLED.to_owned()).into()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect(HANDLED);
    listener.local_addr().expect(HANDLED).port()
}
