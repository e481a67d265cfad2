//! Who may ask the local server: whoever opened the address that the command printed, in that browser, and nobody else. Pure.
//!
//! The server listens on 127.0.0.1, where every user and every page of the machine can reach it. The address has a token that opens a
//! session once; the session is a cookie that scripts cannot read and other sites do not send. The `Host` header stops a foreign name
//! that resolves to this machine, and only `GET` and `HEAD` are answered, so that nothing can be changed.

use std::sync::atomic::{AtomicBool, Ordering};

/// The longest path and query that is looked at.
pub(crate) const MAX_TARGET: usize = 8 * 1024;

/// The path below which the token stands.
const OPEN: &str = "/open/";

/// A secret of 256 random bits, in hex digits.
pub(crate) struct Secret(String);

impl Secret {
    /// Draws a secret.
    ///
    /// # Errors
    /// When the system has no random bits.
    pub(crate) fn drawn() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Compares in a time that does not depend on where the first difference is.
    fn is(&self, text: &str) -> bool {
        let differences = self
            .0
            .bytes()
            .zip(text.bytes())
            .fold(0, |found, (own, other)| found | (own ^ other));
        self.0.len() == text.len() && differences == 0
    }
}

/// What the server decides on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Asked<'r> {
    pub(crate) method: &'r str,
    /// As it was sent.
    pub(crate) path: &'r str,
    pub(crate) query: &'r str,
    pub(crate) host: Option<&'r str>,
    pub(crate) origin: Option<&'r str>,
    pub(crate) cookie: Option<&'r str>,
    /// `Sec-Fetch-Site`, which browsers send and scripts cannot change.
    pub(crate) site: Option<&'r str>,
}

/// The decision on a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The token is right: the reader is sent on, with the session in this cookie.
    Open { location: String, cookie: String },
    /// It is answered.
    Answer,
    /// It is not.
    Refuse(Refusal),
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The `Host` is not this server.
    Host,
    /// The method may change something.
    Method,
    /// Path and query are too long.
    TooLong,
    /// The token is wrong, or opened a session before.
    Token,
    /// There is no session.
    Session,
    /// Another site asks.
    Site,
}

impl Refusal {
    /// The status of the answer.
    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Host => 421,
            Self::Method => 405,
            Self::TooLong => 414,
            Self::Token | Self::Session | Self::Site => 403,
        }
    }

    /// The reason and the next step.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Host => "This server answers under 127.0.0.1 alone.",
            Self::Method => "This server answers GET and HEAD alone.",
            Self::TooLong => "The address is too long.",
            Self::Token => {
                "This address was opened before, or is not the one that `taxonomy explore` printed. Run the command again."
            }
            Self::Session => "Open the address that `taxonomy explore` printed.",
            Self::Site => {
                "Another site asked for this page. Open the address that `taxonomy explore` printed."
            }
        }
    }
}

/// The door of a server.
pub(crate) struct Guard {
    port: u16,
    token: Secret,
    session: Secret,
    is_open: AtomicBool,
}

impl Guard {
    /// The door of the server at a port of 127.0.0.1.
    ///
    /// # Errors
    /// When the system has no random bits.
    pub(crate) fn new(port: u16) -> Result<Self, getrandom::Error> {
        Ok(Self {
            port,
            token: Secret::drawn()?,
            session: Secret::drawn()?,
            is_open: AtomicBool::new(false),
        })
    }

    /// The address that opens a session, once, and shows `query` of the explorer.
    pub(crate) fn address(&self, query: &str) -> String {
        let question = if query.is_empty() { "" } else { "?" };
        format!(
            "http://127.0.0.1:{}{OPEN}{}{question}{query}",
            self.port, self.token.0
        )
    }

    /// Decides on a request.
    pub(crate) fn decide(&self, asked: &Asked<'_>) -> Decision {
        let authority = format!("127.0.0.1:{}", self.port);
        // The port of http is left out.
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
        if let Some(token) = asked.path.strip_prefix(OPEN) {
            return self.open(token, asked);
        }
        if !self.has_session(asked.cookie) {
            return Decision::Refuse(Refusal::Session);
        }
        let is_own_origin = asked
            .origin
            .is_none_or(|origin| origin == format!("http://{authority}"));
        let is_own_site = asked
            .site
            .is_none_or(|site| ["same-origin", "none"].contains(&site));
        match is_own_origin && is_own_site {
            true => Decision::Answer,
            false => Decision::Refuse(Refusal::Site),
        }
    }

    fn open(&self, token: &str, asked: &Asked<'_>) -> Decision {
        // Some programs look at an address by HEAD before they open it.
        if asked.method != "GET" {
            return Decision::Refuse(Refusal::Method);
        }
        if !self.token.is(token) || self.is_open.swap(true, Ordering::SeqCst) {
            return Decision::Refuse(Refusal::Token);
        }
        let question = if asked.query.is_empty() { "" } else { "?" };
        Decision::Open {
            location: format!("/explore{question}{}", asked.query),
            cookie: format!(
                "{}={}; HttpOnly; SameSite=Strict; Path=/",
                self.cookie(),
                self.session.0
            ),
        }
    }

    /// Cookies belong to a host, not to a port: the name tells the sessions of two servers apart.
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

    fn opened() -> (Guard, String) {
        let guard = Guard::new(4000).unwrap();
        let path = guard.address("").split_once("4000").unwrap().1.to_owned();
        let asked = Asked {
            path: &path,
            ..own("")
        };
        let Decision::Open { cookie, .. } = guard.decide(&asked) else {
            panic!("{path}");
        };
        let pair = cookie.split(';').next().unwrap().to_owned();
        (guard, pair)
    }

    /// A request of the page to its server.
    fn own(cookie: &str) -> Asked<'_> {
        Asked {
            method: "GET",
            path: "/explore",
            host: Some("127.0.0.1:4000"),
            cookie: Some(cookie),
            site: Some("same-origin"),
            ..Asked::default()
        }
    }

    #[test]
    fn the_printed_address_opens_one_session() {
        let guard = Guard::new(4000).unwrap();
        let address = guard.address("tenant=acme&term=1");
        let (path, query) = address
            .strip_prefix("http://127.0.0.1:4000")
            .unwrap()
            .split_once('?')
            .unwrap();
        let asked = Asked {
            path,
            query,
            cookie: None,
            site: Some("none"),
            ..own("")
        };
        let Decision::Open { location, cookie } = guard.decide(&asked) else {
            panic!("{address}");
        };
        assert_eq!(location, "/explore?tenant=acme&term=1");
        let (pair, rest) = cookie.split_once("; ").unwrap();
        assert_eq!(rest, "HttpOnly; SameSite=Strict; Path=/");
        assert_eq!(pair.len(), "taxonomy-4000=".len() + 64);
        assert_eq!(guard.decide(&asked), Decision::Refuse(Refusal::Token), "once");
        assert_eq!(guard.decide(&own(pair)), Decision::Answer);
        let beside = format!("a=b; {pair}; c");
        assert_eq!(guard.decide(&own(&beside)), Decision::Answer);
    }

    #[test]
    fn a_wrong_token_is_refused_and_does_not_use_the_right_one_up() {
        let guard = Guard::new(4000).unwrap();
        let right = guard.address("").split_once("4000").unwrap().1.to_owned();
        let short = &right[..right.len() - 1];
        let other = format!("{short}x");
        let longer = format!("{right}0");
        for path in ["/open/", short, &other, &longer] {
            assert_eq!(
                guard.decide(&Asked { path, ..own("") }),
                Decision::Refuse(Refusal::Token),
                "{path}"
            );
        }
        let by_head = Asked {
            path: &right,
            method: "HEAD",
            ..own("")
        };
        assert_eq!(guard.decide(&by_head), Decision::Refuse(Refusal::Method));
        assert!(matches!(
            guard.decide(&Asked {
                path: &right,
                ..own("")
            }),
            Decision::Open { .. }
        ));
    }

    #[test]
    fn nothing_is_answered_without_the_session() {
        let (guard, pair) = opened();
        let wrong = format!("taxonomy-4000={}", "0".repeat(64));
        let elsewhere = pair.replace("4000", "4001");
        for cookie in [
            None,
            Some(""),
            Some("taxonomy-4000="),
            Some(&*wrong),
            Some(&*elsewhere),
            Some(&pair[..pair.len() - 1]),
        ] {
            let asked = Asked { cookie, ..own("") };
            assert_eq!(
                guard.decide(&asked),
                Decision::Refuse(Refusal::Session),
                "{cookie:?}"
            );
        }
        let (other, _) = opened();
        assert_eq!(
            other.decide(&own(&pair)),
            Decision::Refuse(Refusal::Session),
            "another server's"
        );
    }

    #[test]
    fn a_name_that_resolves_to_this_machine_is_not_this_server() {
        let (guard, pair) = opened();
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
            let asked = Asked { host, ..own(&pair) };
            assert_eq!(guard.decide(&asked), Decision::Refuse(Refusal::Host), "{host:?}");
        }
    }

    #[test]
    fn another_site_is_refused_though_the_browser_has_the_session() {
        let (guard, pair) = opened();
        for site in ["cross-site", "same-site", ""] {
            let asked = Asked {
                site: Some(site),
                ..own(&pair)
            };
            assert_eq!(guard.decide(&asked), Decision::Refuse(Refusal::Site), "{site}");
        }
        for origin in [
            "null",
            "https://evil.example",
            "http://127.0.0.1:4001",
            "http://localhost:4000",
        ] {
            let asked = Asked {
                origin: Some(origin),
                ..own(&pair)
            };
            assert_eq!(guard.decide(&asked), Decision::Refuse(Refusal::Site), "{origin}");
        }
        let asked = Asked {
            origin: Some("http://127.0.0.1:4000"),
            site: None,
            ..own(&pair)
        };
        assert_eq!(
            guard.decide(&asked),
            Decision::Answer,
            "its own page, in a browser without the header"
        );
    }

    #[test]
    fn only_what_reads_is_answered_and_no_endless_address() {
        let (guard, pair) = opened();
        for method in [
            "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "QUERY",
        ] {
            let asked = Asked { method, ..own(&pair) };
            assert_eq!(
                guard.decide(&asked),
                Decision::Refuse(Refusal::Method),
                "{method}"
            );
        }
        let long = "x".repeat(MAX_TARGET);
        let asked = Asked {
            query: &long,
            ..own(&pair)
        };
        assert_eq!(guard.decide(&asked), Decision::Refuse(Refusal::TooLong));
        assert_eq!(
            guard.decide(&Asked {
                method: "HEAD",
                ..own(&pair)
            }),
            Decision::Answer
        );
    }
}
