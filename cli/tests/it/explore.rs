//! Tests `taxonomy explore` over a file: the real process, through its socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use taxonomy_client::MAX_TARGET;

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

/// What a request is refused with: the status, and how the text begins.
type Refusal = (u16, &'static str);

const HOST: Refusal = (421, "This server answers only at 127.0.0.1.");
const METHOD: Refusal = (405, "This server answers only GET and HEAD.");
const TOO_LONG: Refusal = (414, "The address is too long.");
const TOKEN: Refusal = (403, "This address was opened before,");
const SESSION: Refusal = (403, "Open the address");
const SITE: Refusal = (403, "This request came from another site.");

impl Explorer {
    #[track_caller]
    fn refuses(&self, method: &str, target: &str, headers: &[(&str, &str)], (status, text): Refusal) {
        let answer = self.send(method, target, headers);
        let said = String::from_utf8_lossy(&answer.body);
        let asked = format!("{method} {target} {headers:?}: {said}");
        assert_eq!(answer.status, status, "{asked}");
        assert!(method == "HEAD" || said.starts_with(text), "{asked}");
        assert_eq!(answer.header("allow") == "GET, HEAD", status == 405, "{asked}");
    }
}

#[test]
fn the_printed_address_opens_one_session_below_a_path_of_its_own() {
    let explorer = Explorer::new();
    let (own, printed) = (explorer.own(), explorer.printed.as_str());
    let (token, query) = printed.split_once('?').unwrap();
    assert_eq!(query, "tenant=job-board-v1");
    let host = ("host", own.as_str());
    // Neither a wrong one nor a foreign name nor a look beforehand uses the right one up.
    let short = &token[..token.len() - 1];
    for wrong in [short, &format!("{short}x"), &format!("{token}0")] {
        explorer.refuses("GET", wrong, &[host], TOKEN);
    }
    explorer.refuses("GET", token, &[("host", "evil.example")], HOST);
    explorer.refuses("HEAD", token, &[host], METHOD);
    let opened = explorer.send("GET", &format!("{token}?tenant=acme&term=1"), &[host]);
    assert_eq!(opened.status, 303);
    let location = format!("{}/explore?tenant=acme&term=1", explorer.base);
    assert_eq!(opened.header("location"), location);
    assert_eq!(explorer.base.len(), 1 + 16);
    let (pair, rest) = opened.header("set-cookie").split_once("; ").unwrap();
    assert_eq!(rest, format!("HttpOnly; SameSite=Strict; Path={}", explorer.base));
    let session = pair.strip_prefix(&format!("taxonomy-{}=", explorer.port));
    assert_eq!(session.unwrap().len(), 64);
    explorer.refuses("GET", token, &[host], TOKEN);
    for cookie in [pair, &format!("a=b; {pair}; c")] {
        assert_eq!(explorer.get(cookie, "/v1/tenants").status, 200);
    }
}

#[test]
fn every_request_without_the_session_or_to_another_name_is_refused() {
    let (explorer, other) = (Explorer::new(), Explorer::new());
    let (own, cookie) = (explorer.own(), explorer.open());
    let (host, session) = (("host", own.as_str()), ("cookie", cookie.as_str()));
    let page = format!("{}/explore", explorer.base);
    let refused = |headers: &[(&str, &str)], refusal| explorer.refuses("GET", &page, headers, refusal);
    // Cookies belong to a host and not to a port.
    let names = [&explorer, &other].map(|server| format!("taxonomy-{}=", server.port));
    let elsewhere = cookie.replacen(&names[0], &names[1], 1);
    let another = other.open().replacen(&names[1], &names[0], 1);
    let wrong = format!("{}{}", names[0], "0".repeat(64));
    let short = &cookie[..cookie.len() - 1];
    for cookie in ["", &names[0], &wrong, &elsewhere, short, &another] {
        refused(&[host, ("cookie", cookie)], SESSION);
    }
    refused(&[host], SESSION);
    let [api, beside] = ["/v1/tenants", "0/explore"].map(|rest| format!("{}{rest}", explorer.base));
    explorer.refuses("GET", &api, &[host], SESSION);
    let foreign = "/0123456789abcdef/explore";
    for path in ["/explore", "/v1/tenants", "/", foreign, &explorer.base, &beside] {
        explorer.refuses("GET", path, &[host, session], SESSION);
    }
    // A name that resolves to this machine is not this server.
    let ports = ["evil.example", "localhost"].map(|name| own.replace("127.0.0.1", name));
    let (near, begun) = (other.own(), format!("{own}.evil.example"));
    let foreign = ["evil.example", "127.0.0.1", ""];
    for host in foreign.into_iter().chain([&*ports[0], &ports[1], &near, &begun]) {
        refused(&[("host", host), session], HOST);
    }
    refused(&[session], HOST);
    refused(&[host, session, ("host", "evil.example")], HOST);
}

#[test]
fn every_request_of_another_page_is_refused_and_every_one_that_would_change_something() {
    let (explorer, other) = (Explorer::new(), Explorer::new());
    let (own, cookie) = (explorer.own(), explorer.open());
    let (host, session) = (("host", own.as_str()), ("cookie", cookie.as_str()));
    let page = format!("{}/explore", explorer.base);
    let refused = |header, refusal| explorer.refuses("GET", &page, &[host, session, header], refusal);
    for site in ["cross-site", "same-site", ""] {
        refused(("sec-fetch-site", site), SITE);
    }
    let local = own.replace("127.0.0.1", "localhost");
    let origins = [&own, &other.own(), &local].map(|own| format!("http://{own}"));
    for origin in ["null", "https://evil.example", &origins[1], &origins[2]] {
        refused(("origin", origin), SITE);
    }
    // A request of its own page, in a browser without `Sec-Fetch-Site`.
    let answer = explorer.ask("GET", &cookie, "/explore", ("origin", &origins[0]));
    assert_eq!(answer.status, 200);
    for method in "POST PUT PATCH DELETE OPTIONS TRACE CONNECT get QUERY".split(' ') {
        explorer.refuses(method, &page, &[host, session], METHOD);
    }
    let long = format!("{page}?{}", "x".repeat(MAX_TARGET));
    explorer.refuses("GET", &long, &[host, session], TOO_LONG);
    let slash = "/v1/tenants/job-board-v1%2Fterms";
    for target in ["/v1/../explore", "/v1/%2e%2e/x", slash, "/v2"] {
        let status = explorer.get(&cookie, target).status;
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
