//! The address of an API: scheme, host and port, and the path before its routes.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::error::ClientError;

/// A checked address. The host is in lower case, and the port is absent where it is the scheme's own: as in the `Host` header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    is_tls: bool,
    /// The value of the `Host` header.
    pub(crate) authority: String,
    /// The path before the routes, without a slash at its end.
    pub(crate) path: String,
}

impl Address {
    /// Reads `https://host[:port][/path]`, or the same with `http`.
    pub(crate) fn parse(url: &str) -> Result<Self, ClientError> {
        let invalid = || {
            ClientError::Configuration(
                "an address is written https://host, https://host:8443 or https://host/path",
            )
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(invalid)?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(invalid()),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let authority = authority.to_ascii_lowercase();
        let path = path.strip_suffix('/').unwrap_or(path);
        if !is_authority(&authority) || !is_path(path) {
            return Err(invalid());
        }
        let default_port = if is_tls { ":443" } else { ":80" };
        let shown = authority.strip_suffix(default_port);
        Ok(Self {
            is_tls,
            authority: shown.unwrap_or(&authority).to_owned(),
            path: path.to_owned(),
        })
    }

    /// Scheme, host and port.
    pub(crate) fn origin(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// Returns whether what is sent there can be read on the way: without TLS, and not to this machine.
    pub(crate) fn is_exposed(&self) -> bool {
        let host = host_of(&self.authority);
        let is_local = host == "localhost"
            || host.ends_with(".localhost")
            || host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
            || host == "[::1]";
        !self.is_tls && !is_local
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

fn host_of(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => host,
        _ => authority,
    }
}

fn is_authority(authority: &str) -> bool {
    let host = host_of(authority);
    let is_port = match authority[host.len()..].strip_prefix(':') {
        Some(port) => {
            port.bytes().all(|c| c.is_ascii_digit()) && port.parse().is_ok_and(|port: u16| port > 0)
        }
        None => true,
    };
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_host = match inner {
        Some(ip) => ip.parse::<Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|c| c.is_ascii_alphanumeric() || b"-._".contains(&c))
        }
    };
    is_host && is_port
}

/// Nothing that a signature or a proxy would normalise: no escape, no empty segment, no dots.
fn is_path(path: &str) -> bool {
    let unreserved = |c: u8| c.is_ascii_alphanumeric() || b"-._~".contains(&c);
    let is_segment = |segment: &str| {
        !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(unreserved)
    };
    path.is_empty() || path.split('/').skip(1).all(is_segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_a_port_and_a_path() {
        let api = "https://abc.execute-api.eu-west-1.amazonaws.com";
        for (url, expect) in [
            (api, api),
            (&format!("{api}/"), api),
            ("HTTPS://Example.org:443/prod/", "https://example.org/prod"),
            ("http://127.0.0.1:4566", "http://127.0.0.1:4566"),
            ("http://localhost:80", "http://localhost"),
            ("https://localhost:80", "https://localhost:80"),
            ("http://[::1]:8080", "http://[::1]:8080"),
        ] {
            assert_eq!(Address::parse(url).unwrap().to_string(), expect);
        }
    }

    #[test]
    fn nothing_else_is_one() {
        let ports = ["0", "65536", "+1", ""].map(|port| format!("https://example.org:{port}"));
        let rests = ["?x=1", "/a?x=1", "/a#x", "/a//b", "/../b", "/%41"];
        let rests = rests.map(|rest| format!("https://example.org{rest}"));
        let others = ["", "example.org", "ftp://example.org", "https://", "https:///v1"];
        let hosts = [
            "https://user:password@example.org",
            "https://exa mple.org",
            "https://[::1",
        ];
        let texts = others.into_iter().chain(hosts).map(str::to_owned);
        for url in texts.chain(ports).chain(rests) {
            assert!(Address::parse(&url).is_err(), "{url}");
        }
    }

    #[test]
    fn http_to_another_machine_is_exposed() {
        for (url, expect) in [
            ("http://example.org", true),
            ("http://localhost.example.org", true),
            ("http://128.0.0.1", true),
            ("http://abc.execute-api.localhost:4566", false),
            ("http://127.0.0.9:1", false),
            ("http://[::1]:1", false),
            ("https://example.org", false),
        ] {
            assert_eq!(Address::parse(url).unwrap().is_exposed(), expect, "{url}");
        }
    }
}
