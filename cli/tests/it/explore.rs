//! Tests `taxonomy explore` over a file: the real process, through its socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{assert_ends, sample, taxonomy};

/// The explorer of a file, which ends with the test.
struct Explorer {
    process: Child,
    port: u16,
    /// Path and query of the address that was printed.
    printed: String,
    /// The path of the server.
    base: String,
}

struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Drop for Explorer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn command(file: &Path) -> Command {
    let mut command = taxonomy(Path::new("."), &["explore", file.to_str().unwrap()]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Explorer {
    fn new() -> Self {
        let mut process = command(&sample("job-board-v1.json")).spawn().unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.as_mut().unwrap());
        stdout.read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
        let (port, path) = rest.split_once('/').unwrap();
        Self {
            process,
            port: port.parse().unwrap(),
            base: format!("/{}", path.split('/').next().unwrap()),
            printed: format!("/{path}"),
        }
    }

    fn own(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends a request with exactly these headers.
    fn send(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers: String = headers.collect();
        let request = format!("{method} {target} HTTP/1.1\r\n{headers}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Answer {
            status,
            headers: headers.collect(),
            body: bytes[end + 4..].to_vec(),
        }
    }

    /// Opens the printed address, and hands back the cookie.
    fn open(&self) -> String {
        let answer = self.send("GET", &self.printed, &[("host", &self.own())]);
        assert_eq!(answer.status, 303);
        answer.header("set-cookie").split(';').next().unwrap().to_owned()
    }

    /// Sends a request of the page.
    fn get(&self, cookie: &str, target: &str) -> Answer {
        self.ask("GET", cookie, target, ("sec-fetch-site", "same-origin"))
    }

    /// Sends a request to a path of the server with its session and another header.
    fn ask(&self, method: &str, cookie: &str, target: &str, header: (&str, &str)) -> Answer {
        let own = self.own();
        let headers = [("host", own.as_str()), ("cookie", cookie), header];
        self.send(method, &format!("{}{target}", self.base), &headers)
    }
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[test]
fn a_file_is_answered_as_the_api_answers() {
    let explorer = Explorer::new();
    let cookie = explorer.open();
    let get = |target: &str| explorer.get(&cookie, target).json();
    assert_eq!(get("/explore/config.json")["source"]["kind"], "file");
    assert_eq!(get("/v1/tenants")["items"][0]["id"], "job-board-v1");
    let root = "/v1/tenants/job-board-v1";
    let file: Value = serde_json::from_slice(&std::fs::read(sample("job-board-v1.json")).unwrap()).unwrap();
    let categories = file["categories"].as_array().unwrap();
    assert_eq!(get(root)["totals"]["categories"], categories.len());
    for category in categories {
        let answered = get(&format!("{root}/categories/{}?culture=en-GB", category["id"]));
        assert_eq!(answered["id"], category["id"]);
        for term in category["terms"].as_array().unwrap() {
            let answered = get(&format!("{root}/terms/{}", term["id"]));
            assert_eq!(answered["id"], term["id"]);
            assert_eq!(answered["category"]["id"], category["id"]);
        }
    }
    assert_eq!(get(&format!("{root}/versions"))["items"][0]["version"], 1);
    assert_eq!(get(&format!("{root}/suggest?q=rust"))["items"][0]["id"], 113);
    let list = format!("{root}/categories");
    let tagged = explorer.get(&cookie, &list);
    let tag = ("if-none-match", tagged.header("etag"));
    assert_eq!(explorer.ask("GET", &cookie, &list, tag).status, 304);
    let head = explorer.ask("HEAD", &cookie, &list, ("accept", "*/*"));
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), tagged.body.len().to_string());
    let download = explorer.get(&cookie, &format!("{root}/versions/1/download?format=csv"));
    assert_eq!(download.status, 404);
    assert_eq!(explorer.get(&cookie, "/v1/tenants/other/terms/1").status, 404);
}

#[test]
fn both_pages_and_their_assets_are_served() {
    let explorer = Explorer::new();
    let cookie = explorer.open();
    for page in ["/explore", "/docs"] {
        let answer = explorer.get(&cookie, page);
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-cache"));
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"));
        let text = String::from_utf8(answer.body).unwrap();
        let assets = text.split('"').filter(|text| text.contains("/assets/"));
        for asset in assets {
            let answer = explorer.get(&cookie, &format!("/{asset}"));
            let kept = (answer.status, answer.header("cache-control"));
            assert_eq!(kept, (200, "public, max-age=31536000, immutable"), "{asset}");
        }
    }
    assert_eq!(explorer.get(&cookie, "/").status, 404);
}

/// The unit tests of the guard have every case; here is one of each kind through the socket.
#[test]
fn every_request_that_is_not_the_readers_is_refused() {
    let explorer = Explorer::new();
    let (own, token) = (explorer.own(), explorer.printed.clone());
    let status = |method: &str, target: &str, headers: &[(&str, &str)]| {
        let target = match target == token {
            true => target.to_owned(),
            false => format!("{}{target}", explorer.base),
        };
        explorer.send(method, &target, headers).status
    };
    let host = ("host", own.as_str());
    // Before it is opened: no token, a wrong one, and none that a foreign name could use up.
    assert_eq!(status("GET", "/explore", &[host]), 403);
    assert_eq!(status("GET", "/open/0000", &[host]), 403);
    assert_eq!(status("GET", &token, &[("host", "evil.example")]), 421);
    assert_eq!(status("HEAD", &token, &[host]), 405);
    let cookie = explorer.open();
    assert_eq!(status("GET", &token, &[host]), 403, "the address works once");
    let session = ("cookie", cookie.as_str());
    for target in ["/explore", "/v1/tenants"] {
        for (headers, expect) in [
            (&[host, session][..], 200),
            (&[host], 403),
            (&[("host", "localhost"), session], 421),
            (&[host, session, ("host", "evil.example")], 421),
            (&[host, session, ("sec-fetch-site", "cross-site")], 403),
            (&[host, session, ("origin", "https://evil.example")], 403),
        ] {
            assert_eq!(status("GET", target, headers), expect, "{target} {headers:?}");
        }
        let answer = explorer.ask("POST", &cookie, target, ("accept", "*/*"));
        let refused = (answer.status, answer.header("allow"));
        assert_eq!(refused, (405, "GET, HEAD"), "{target}");
    }
    let long = format!("/explore?{}", "x".repeat(9_000));
    assert_eq!(status("GET", &long, &[host, session]), 414);
    for target in [
        "/v1/../explore",
        "/v1/%2e%2e/x",
        "/v1/tenants/job-board-v1%2Fterms",
        "/v2",
    ] {
        let status = status("GET", target, &[host, session]);
        assert!((400..=404).contains(&status), "{target}");
    }
}

/// The kernel's list of listening sockets, which no other test shares with the server.
#[cfg(target_os = "linux")]
#[test]
fn the_server_listens_on_this_machine_alone() {
    let explorer = Explorer::new();
    let port = format!(":{:04X}", explorer.port);
    let listening = |file: &str| -> Vec<String> {
        let table = std::fs::read_to_string(file).unwrap_or_default();
        let sockets = table.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.nth(1)?, words.nth(1)?))
        });
        let own = sockets.filter(|(local, state)| local.ends_with(&port) && *state == "0A");
        own.map(|(local, _)| local.to_owned()).collect()
    };
    assert_eq!(listening("/proc/net/tcp"), [format!("0100007F{port}")]);
    assert_eq!(listening("/proc/net/tcp6"), [""; 0]);
    let other: SocketAddr = format!("127.0.0.2:{}", explorer.port).parse().unwrap();
    assert!(TcpStream::connect_timeout(&other, Duration::from_secs(5)).is_err());
}

#[test]
fn a_file_that_the_service_would_refuse_and_a_port_that_is_taken_are_said() {
    let broken = command(&sample("invalid/broken-json.json")).output().unwrap();
    assert_ends(&broken, 5, "broken-json.json");
    assert_eq!(broken.stdout, b"");
    let missing = command(Path::new("missing.json")).output().unwrap();
    assert_ends(&missing, 1, "missing.json");
    let port = Explorer::new();
    let number = port.port.to_string();
    let mut taken = command(&sample("job-board-v1.json"));
    let taken = taken.args(["--port", &number]).output().unwrap();
    assert_ends(&taken, 1, &format!("port {number} cannot be listened to"));
}

/// A browser that opens many connections and sends half a request on some, up to as many as the server has at once.
#[test]
fn connections_that_say_nothing_stop_no_others_and_hold_them_up_for_seconds_alone() {
    let explorer = Explorer::new();
    let connect = |_| TcpStream::connect(("127.0.0.1", explorer.port)).unwrap();
    let mut silent: Vec<TcpStream> = (0..20).map(connect).collect();
    for stream in &mut silent {
        stream.write_all(b"GET /explore HTTP/1.1\r\nhost:").unwrap();
    }
    let cookie = explorer.open();
    assert_eq!(explorer.get(&cookie, "/explore").status, 200);
    silent.extend((0..64).map(connect));
    let begin = Instant::now();
    assert_eq!(explorer.get(&cookie, "/explore").status, 200);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
}
