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
