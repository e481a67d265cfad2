//! Tests `taxonomy explore` over a file: the real process, through its socket.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

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

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../samples")
        .join(name)
}

fn command(file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_taxonomy"));
    command
        .arg("explore")
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

impl Explorer {
    fn of(file: &Path) -> Self {
        let mut process = command(file).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
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
        let headers: String = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\n{headers}connection: close\r\n\r\n"
        )
        .unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        Answer {
            status,
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
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
        self.send(
            "GET",
            &format!("{}{target}", self.base),
            &[
                ("host", &self.own()),
                ("cookie", cookie),
                ("sec-fetch-site", "same-origin"),
            ],
        )
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
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let cookie = explorer.open();
    let get = |target: &str| explorer.get(&cookie, target).json();
    assert_eq!(get("/explore/config.json")["source"]["kind"], "file");
    assert_eq!(get("/v1/tenants")["items"][0]["id"], "job-board-v1");
    let root = "/v1/tenants/job-board-v1";
    let file: Value = serde_json::from_slice(&std::fs::read(sample("job-board-v1.json")).unwrap()).unwrap();
    assert_eq!(
        get(root)["totals"]["categories"],
        file["categories"].as_array().unwrap().len()
    );
    for category in file["categories"].as_array().unwrap() {
        let answered = get(&format!("{root}/categories/{}?culture=en-GB", category["id"]));
        assert_eq!(answered["id"], category["id"]);
        for term in category["terms"].as_array().unwrap() {
            let answered = get(&format!("{root}/terms/{}", term["id"]));
            assert_eq!(
                (&answered["id"], &answered["category"]["id"]),
                (&term["id"], &category["id"])
            );
        }
    }
    assert_eq!(get(&format!("{root}/versions"))["items"][0]["version"], 1);
    assert_eq!(get(&format!("{root}/suggest?q=rust"))["items"][0]["id"], 113);
    let tagged = explorer.get(&cookie, &format!("{root}/categories"));
    let tag = tagged.header("etag").to_owned();
    let headers = [
        ("host", &*explorer.own()),
        ("cookie", &cookie),
        ("if-none-match", &tag),
    ];
    assert_eq!(
        explorer
            .send("GET", &format!("{}{root}/categories", explorer.base), &headers)
            .status,
        304
    );
    let head = explorer.send(
        "HEAD",
        &format!("{}{root}/categories", explorer.base),
        &headers[..2],
    );
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("content-length"), tagged.body.len().to_string());
    let download = explorer.get(&cookie, &format!("{root}/versions/1/download?format=csv"));
    assert_eq!(download.status, 404);
    assert_eq!(explorer.get(&cookie, "/v1/tenants/other/terms/1").status, 404);
}

#[test]
fn both_pages_and_their_assets_are_served() {
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let cookie = explorer.open();
    for page in ["/explore", "/docs"] {
        let answer = explorer.get(&cookie, page);
        assert_eq!((answer.status, answer.header("cache-control")), (200, "no-cache"));
        assert!(
            answer
                .header("content-security-policy")
                .starts_with("default-src 'none'")
        );
        let text = String::from_utf8(answer.body).unwrap();
        let assets = text.split('"').filter(|text| text.contains("/assets/"));
        for asset in assets {
            let answer = explorer.get(&cookie, &format!("/{asset}"));
            assert_eq!(
                (answer.status, answer.header("cache-control")),
                (200, "public, max-age=31536000, immutable"),
                "{asset}"
            );
        }
    }
    assert_eq!(explorer.get(&cookie, "/").status, 404);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn every_request_that_is_not_the_readers_is_refused() {
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let (own, token) = (explorer.own(), explorer.printed.clone());
    let at = |target: &str| match target == token {
        true => target.to_owned(),
        false => format!("{}{target}", explorer.base),
    };
    let status = |method: &str, target: &str, headers: &[(&str, &str)]| {
        explorer.send(method, &at(target), headers).status
    };
    // Before it is opened: no token, a wrong one, and none that a foreign name could use up.
    assert_eq!(status("GET", "/explore", &[("host", &own)]), 403);
    assert_eq!(status("GET", "/open/0000", &[("host", &own)]), 403);
    assert_eq!(status("GET", &token, &[("host", "evil.example")]), 421);
    assert_eq!(status("HEAD", &token, &[("host", &own)]), 405);
    let cookie = explorer.open();
    assert_eq!(
        status("GET", &token, &[("host", &own)]),
        403,
        "the address works once"
    );
    let with = [("host", own.as_str()), ("cookie", cookie.as_str())];
    assert_eq!(status("GET", "/v1/tenants", &with), 200);
    for target in [
        "/explore",
        "/docs",
        "/explore/config.json",
        "/v1/tenants",
        "/v1/openapi.json",
        "/",
    ] {
        assert_eq!(
            status("GET", target, &with[..1]),
            403,
            "{target} without the session"
        );
        assert_eq!(
            status("GET", target, &[with[0], ("cookie", "taxonomy-1=0")]),
            403,
            "{target} with another one"
        );
        assert_eq!(
            status("GET", target, &[with[1], ("host", "localhost")]),
            421,
            "{target} under another name"
        );
        assert_eq!(
            status(
                "GET",
                target,
                &[with[0], with[1], ("sec-fetch-site", "cross-site")]
            ),
            403,
            "{target} for another site"
        );
        assert_eq!(
            status(
                "GET",
                target,
                &[with[0], with[1], ("origin", "https://evil.example")]
            ),
            403,
            "{target} for another origin"
        );
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            let answer = explorer.send(method, &at(target), &with);
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "GET, HEAD"),
                "{method} {target}"
            );
        }
    }
    assert_eq!(
        status(
            "GET",
            "/v1/tenants",
            &[with[0], with[1], ("host", "evil.example")]
        ),
        421,
        "two hosts are none"
    );
    assert_eq!(
        status("GET", &format!("/explore?{}", "x".repeat(9_000)), &with),
        414
    );
    for target in [
        "/v1/../explore",
        "/v1/%2e%2e/x",
        "/v1/tenants/job-board-v1%2Fterms",
        "/v2",
        "/v1x",
        "/explore/../v1/tenants",
    ] {
        assert!((400..=404).contains(&status("GET", target, &with)), "{target}");
    }
}

/// The kernel's list of listening sockets, which no other test shares with the server.
#[cfg(target_os = "linux")]
#[test]
fn the_server_listens_on_this_machine_alone() {
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let port = format!(":{:04X}", explorer.port);
    let listening = |file: &str| -> Vec<String> {
        let table = std::fs::read_to_string(file).unwrap_or_default();
        let sockets = table
            .lines()
            .filter_map(|line| line.split_whitespace().nth(1).zip(line.split_whitespace().nth(3)));
        sockets
            .filter(|(local, state)| local.ends_with(&port) && *state == "0A")
            .map(|(local, _)| local.to_owned())
            .collect()
    };
    assert_eq!(listening("/proc/net/tcp"), [format!("0100007F{port}")]);
    assert_eq!(listening("/proc/net/tcp6"), [""; 0]);
    let other: SocketAddr = format!("127.0.0.2:{}", explorer.port).parse().unwrap();
    assert!(TcpStream::connect_timeout(&other, Duration::from_secs(5)).is_err());
}

#[test]
fn a_file_that_the_service_would_refuse_is_not_shown() {
    let output = command(&sample("invalid/broken-json.json")).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(output.stdout, b"");
    assert!(String::from_utf8_lossy(&output.stderr).contains("broken-json.json"));
    let output = command(Path::new("missing.json")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_port_that_is_taken_is_said() {
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let output = command(&sample("job-board-v1.json"))
        .args(["--port", &explorer.port.to_string()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(&format!("port {} cannot be listened to", explorer.port)),
        "{said}"
    );
}

/// A browser that opens many connections, and one that sends half a request.
#[test]
fn a_connection_that_says_nothing_does_not_stop_others() {
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let mut silent = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(("127.0.0.1", explorer.port)).unwrap();
        stream.write_all(b"GET /explore HTTP/1.1\r\nhost:").unwrap();
        silent.push(stream);
    }
    let cookie = explorer.open();
    assert_eq!(explorer.get(&cookie, "/explore").status, 200);
}

/// As many connections as the server has at once.
#[test]
fn idle_connections_hold_others_up_for_seconds_alone() {
    let explorer = Explorer::of(&sample("job-board-v1.json"));
    let connect = |_| TcpStream::connect(("127.0.0.1", explorer.port)).unwrap();
    let idle: Vec<TcpStream> = (0..64).map(connect).collect();
    let begin = Instant::now();
    explorer.open();
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    drop(idle);
}
