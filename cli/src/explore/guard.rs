//! The access control of the local server. It admits one browser, the one that opened the printed address, and refuses other programs and
//! pages. Pure.
//!
//! The server listens on 127.0.0.1, which every user and every page on the machine can reach. The printed address contains a token that
//! opens one session, once. The session is a cookie that scripts cannot read and that browsers do not send with requests of other sites.
//! Cookies belong to a host and not to a port, so every path of the server begins with a random prefix, and browsers do not send the
//! cookie to servers at other ports. The check of the `Host` header refuses foreign names that resolve to this machine (DNS rebinding).
//! Only `GET` and `HEAD` are answered, so that no request can change anything.

use std::sync::atomic::{AtomicBool, Ordering};

use taxonomy_client::MAX_TARGET;

/// The path that is followed by the token, below the path of the server.
const OPEN: &str = "/open/";

/// Random bits in hex digits.
pub(crate) struct Secret(String);

impl Secret {
    /// Draws a secret of `BYTES` random bytes.
    ///
    /// # Errors
    /// When the system has no random bits.
    fn drawn<const BYTES: usize>() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Compares in constant time, so that the duration does not reveal the position of the first difference.
    fn is(&self, text: &str) -> bool {
        let differences = self
            .0
            .bytes()
            .zip(text.bytes())
            .fold(0, |found, (own, other)| found | (own ^ other));
        self.0.len() == text.len() && differences == 0
    }
}

/// The parts of a request that the decision reads.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GuardedRequest<'r> {
    pub(crate) method: &'r str,
    /// The path as sent.
    pub(crate) path: &'r str,
    pub(crate) query: &'r str,
    pub(crate) host: Option<&'r str>,
    pub(crate) origin: Option<&'r str>,
    pub(crate) cookie: Option<&'r str>,
    /// The header `Sec-Fetch-Site`, which browsers send and scripts cannot change.
    pub(crate) site: Option<&'r str>,
}

/// The decision on a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The token is correct: redirect to `location` and set the session as `cookie`.
    Open { location: String, cookie: String },
    /// Answer the request for this path, relative to the path of the server.
    Answer(String),
    /// Refuse the request.
    Refuse(Refusal),
}

/// The reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The `Host` is not the address of this server.
    Host,
    /// The method is not `GET` or `HEAD`.
    Method,
    /// Path and query are too long.
    TooLong,
    /// The token is wrong or already used.
    Token,
    /// The request has no valid session.
    Session,
    /// The request comes from a page of another site.
    Site,
}

impl Refusal {
    /// Returns the status of the response.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Host => 421,
            Self::Method => 405,
            Self::TooLong => 414,
            Self::Token | Self::Session | Self::Site => 403,
        }
    }

    /// Returns the body of the response: the reason and the next step.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Host => "This server answers only at 127.0.0.1.",
            Self::Method => "This server answers only GET and HEAD.",
            Self::TooLong => "The address is too long.",
            Self::Token => {
                "This address was opened before, or is not the one that `taxonomy explore` printed. Run the command again."
            }
            Self::Session => "Open the address that `taxonomy explore` printed.",
            Self::Site => {
                "This request came from another site. Open the address that `taxonomy explore` printed."
            }
        }
    }
}

/// The access control of one server.
pub(crate) struct Guard {
    port: u16,
    /// The path of the server: `/` and 64 random bits.
    base: String,
    token: Secret,
    session: Secret,
    is_open: AtomicBool,
}

impl Guard {
    /// Draws the secrets for a server at `port` of 127.0.0.1.
    ///
    /// # Errors
    /// When the system has no random bits.
    pub(crate) fn new(port: u16) -> Result<Self, getrandom::Error> {
        Ok(Self {
            port,
            base: format!("/{}", Secret::drawn::<8>()?.0),
            token: Secret::drawn::<32>()?,
            session: Secret::drawn::<32>()?,
            is_open: AtomicBool::new(false),
        })
    }

    /// Returns the address that opens the session, once, and passes `query` to the explorer.
    pub(crate) fn address(&self, query: &str) -> String {
        let question = if query.is_empty() { "" } else { "?" };
        format!(
            "http://127.0.0.1:{}{}{OPEN}{}{question}{query}",
            self.port, self.base, self.token.0
        )
    }

    /// Decides on a request.
    pub(crate) fn decide(&self, asked: &GuardedRequest<'_>) -> Decision {
        let authority = format!("127.0.0.1:{}", self.port);
        // Clients omit the default port of HTTP.
        let is_host = asked.host == Some(&authority) || (self.port == 80 && asked.host == Some("127.0.0.1"));
        if !is_host {
            return Decision::Refuse(Refusal::Host);
        }
        if asked.path.len() + asked.query.len() > MAX_TARGET {
            return Decision::Refuse(Refusal::TooLong);
        }
        if !["GET", "HEAD"].contains(&asked.method) {
            return Decision::Refuse(Refusal::Method);
        }
        let path = asked
            .path
            .strip_prefix(&*self.base)
            .filter(|path| path.starts_with('/'));
        if let Some(token) = path.and_then(|path| path.strip_prefix(OPEN)) {
            return self.open(token, asked);
        }
        let Some(path) = path.filter(|_| self.has_session(asked.cookie)) else {
            return Decision::Refuse(Refusal::Session);
        };
        let is_own_origin = asked
            .origin
            .is_none_or(|origin| origin == format!("http://{authority}"));
        let is_own_site = asked
            .site
            .is_none_or(|site| ["same-origin", "none"].contains(&site));
        match is_own_origin && is_own_site {
            true => Decision::Answer(path.to_owned()),
            false => Decision::Refuse(Refusal::Site),
        }
    }

    fn open(&self, token: &str, asked: &GuardedRequest<'_>) -> Decision {
        // Only GET opens the session: some programs send HEAD to an address before they open it, and that must not use up the token.
        if asked.method != "GET" {
            return Decision::Refuse(Refusal::Method);
        }
        if !self.token.is(token) || self.is_open.swap(true, Ordering::SeqCst) {
            return Decision::Refuse(Refusal::Token);
        }
        let question = if asked.query.is_empty() { "" } else { "?" };
        Decision::Open {
            location: format!("{}/explore{question}{}", self.base, asked.query),
            cookie: format!(
                "{}={}; HttpOnly; SameSite=Strict; Path={}",
                self.cookie(),
                self.session.0,
                self.base
            ),
        }
    }

    /// Returns the name of the cookie. It contains the port, so that two servers keep separate sessions.
    fn cookie(&self) -> String {
        format!("taxonomy-{}", self.port)
    }

    fn has_session(&self, cookies: Option<&str>) -> bool {
        let mut pairs = cookies
            .unwrap_or_default()
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie() && self.session.is(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server with an opened session.
    struct Opened {
        guard: Guard,
        cookie: String,
        page: String,
    }

    /// Returns a request of a page to the server at port 4000.
    fn request<'r>(path: &'r str, cookie: &'r str) -> GuardedRequest<'r> {
        GuardedRequest {
            method: "GET",
            path,
            host: Some("127.0.0.1:4000"),
            cookie: Some(cookie),
            site: Some("same-origin"),
            ..GuardedRequest::default()
        }
    }

    /// Returns path and query of the printed address.
    fn printed(guard: &Guard, query: &str) -> (String, String) {
        let address = guard.address(query);
        let target = address.strip_prefix("http://127.0.0.1:4000").unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        (path.to_owned(), query.to_owned())
    }

    impl Opened {
        fn new() -> Self {
            let guard = Guard::new(4000).unwrap();
            let Decision::Open { cookie, location } = guard.decide(&request(&printed(&guard, "").0, ""))
            else {
                panic!("{}", guard.address(""));
            };
            Self {
                guard,
                cookie: cookie.split(';').next().unwrap().to_owned(),
                page: location,
            }
        }

        fn own(&self) -> GuardedRequest<'_> {
            request(&self.page, &self.cookie)
        }

        fn refuses(&self, asked: GuardedRequest<'_>, refusal: Refusal) {
            assert_eq!(self.guard.decide(&asked), Decision::Refuse(refusal), "{asked:?}");
        }

        fn answers(&self, asked: GuardedRequest<'_>) {
            let answer = Decision::Answer("/explore".to_owned());
            assert_eq!(self.guard.decide(&asked), answer, "{asked:?}");
        }
    }

    #[test]
    fn the_printed_address_opens_one_session_below_a_path_of_its_own() {
        let guard = Guard::new(4000).unwrap();
        let (path, query) = printed(&guard, "tenant=acme&term=1");
        let asked = GuardedRequest {
            query: &query,
            cookie: None,
            site: Some("none"),
            ..request(&path, "")
        };
        let Decision::Open { location, cookie } = guard.decide(&asked) else {
            panic!("{path}");
        };
        let base = location.strip_suffix("/explore?tenant=acme&term=1").unwrap();
        assert_eq!(base.len(), 1 + 16);
        let (pair, rest) = cookie.split_once("; ").unwrap();
        assert_eq!(rest, format!("HttpOnly; SameSite=Strict; Path={base}"));
        assert_eq!(pair.len(), "taxonomy-4000=".len() + 64);
        assert_eq!(guard.decide(&asked), Decision::Refuse(Refusal::Token), "once");
        let page = format!("{base}/v1/tenants");
        let answer = Decision::Answer("/v1/tenants".to_owned());
        assert_eq!(guard.decide(&request(&page, pair)), answer);
        let beside = format!("a=b; {pair}; c");
        assert_eq!(guard.decide(&request(&page, &beside)), answer);
    }

    #[test]
    fn a_wrong_token_is_refused_and_does_not_use_the_right_one_up() {
        let guard = Guard::new(4000).unwrap();
        let (right, _) = printed(&guard, "");
        let short = &right[..right.len() - 1];
        for path in [short, &format!("{short}x"), &format!("{right}0")] {
            let decided = guard.decide(&request(path, ""));
            assert_eq!(decided, Decision::Refuse(Refusal::Token), "{path}");
        }
        let by_head = GuardedRequest {
            method: "HEAD",
            ..request(&right, "")
        };
        assert_eq!(guard.decide(&by_head), Decision::Refuse(Refusal::Method));
        let right = guard.decide(&request(&right, ""));
        assert!(matches!(right, Decision::Open { .. }));
    }

    #[test]
    fn nothing_is_answered_without_the_session() {
        let opened = Opened::new();
        let wrong = format!("taxonomy-4000={}", "0".repeat(64));
        let elsewhere = opened.cookie.replace("4000", "4001");
        let short = &opened.cookie[..opened.cookie.len() - 1];
        let other = Opened::new();
        let cookies = ["", "taxonomy-4000=", &*wrong, &*elsewhere, short, &*other.cookie];
        for cookie in cookies.map(Some).into_iter().chain([None]) {
            let own = opened.own();
            opened.refuses(GuardedRequest { cookie, ..own }, Refusal::Session);
        }
        let base = opened.page.strip_suffix("/explore").unwrap();
        let beside = format!("{base}0/explore");
        let foreign = "/0123456789abcdef/explore";
        for path in ["/explore", "/v1/tenants", "/", "", foreign, base, &beside] {
            opened.refuses(GuardedRequest { path, ..opened.own() }, Refusal::Session);
        }
    }

    #[test]
    fn a_name_that_resolves_to_this_machine_is_not_this_server() {
        let opened = Opened::new();
        for host in [
            None,
            Some("evil.example"),
            Some("evil.example:4000"),
            Some("localhost:4000"),
            Some("127.0.0.1"),
            Some("127.0.0.1:4001"),
            Some("127.0.0.1:4000.evil.example"),
            Some(""),
        ] {
            opened.refuses(GuardedRequest { host, ..opened.own() }, Refusal::Host);
        }
    }

    #[test]
    fn another_site_is_refused_though_the_browser_has_the_session() {
        let opened = Opened::new();
        for site in ["cross-site", "same-site", ""] {
            let site = Some(site);
            opened.refuses(GuardedRequest { site, ..opened.own() }, Refusal::Site);
        }
        let near = ["http://127.0.0.1:4001", "http://localhost:4000"];
        for origin in ["null", "https://evil.example"].into_iter().chain(near) {
            let (origin, own) = (Some(origin), opened.own());
            opened.refuses(GuardedRequest { origin, ..own }, Refusal::Site);
        }
        // A request of its own page, in a browser without `Sec-Fetch-Site`.
        opened.answers(GuardedRequest {
            origin: Some("http://127.0.0.1:4000"),
            site: None,
            ..opened.own()
        });
    }

    #[test]
    fn only_what_reads_is_answered_and_no_endless_address() {
        let opened = Opened::new();
        let methods = "POST PUT PATCH DELETE OPTIONS TRACE CONNECT get QUERY";
        for method in methods.split(' ') {
            let own = opened.own();
            opened.refuses(GuardedRequest { method, ..own }, Refusal::Method);
        }
        let (query, own) = (&*"x".repeat(MAX_TARGET), opened.own());
        opened.refuses(GuardedRequest { query, ..own }, Refusal::TooLong);
        opened.answers(GuardedRequest {
            method: "HEAD",
            ..opened.own()
        });
    }
}
