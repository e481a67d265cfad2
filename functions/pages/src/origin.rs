//! The origins that the explorer may send requests to beside its own: those of the OpenID provider.

use std::fmt;

/// The origin of an `https:` URL, or of an `http:` URL of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// The text is not such a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "it is an https: URL of printable ASCII without user and password, or an http: URL of localhost or 127.0.0.1"
)]
pub struct InvalidUrl;

impl Origin {
    /// Returns the origin of a URL.
    ///
    /// # Errors
    /// [`InvalidUrl`] for anything other than an absolute `https:` URL, or an `http:` URL of this machine.
    pub fn from_url(url: &str) -> Result<Self, InvalidUrl> {
        let (scheme, rest) = url.split_once("://").ok_or(InvalidUrl)?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (host, port) = authority.split_once(':').unwrap_or((authority, "443"));
        // The text becomes a part of a header, so it must not end its directive.
        let is_printable = url.bytes().all(|byte| byte.is_ascii_graphic());
        let is_host = !host.is_empty()
            && host
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let is_port =
            port.parse::<u16>().is_ok_and(|port| port > 0) && port.bytes().all(|byte| byte.is_ascii_digit());
        let is_safe = match scheme {
            "https" => true,
            "http" => ["localhost", "127.0.0.1"].contains(&host),
            _ => false,
        };
        match is_printable && is_host && is_port && is_safe {
            true => Ok(Self(format!("{scheme}://{authority}"))),
            false => Err(InvalidUrl),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        for (url, origin) in [
            ("https://id.example", "https://id.example"),
            ("https://id.example/tenant/v2.0?x=1#y", "https://id.example"),
            ("https://id.example:8443/", "https://id.example:8443"),
            ("http://127.0.0.1:9000/issuer", "http://127.0.0.1:9000"),
            ("http://localhost:9000", "http://localhost:9000"),
        ] {
            assert_eq!(Origin::from_url(url).unwrap().to_string(), origin);
        }
    }

    #[test]
    fn what_could_end_a_directive_or_leave_the_wire_open_is_refused() {
        for url in [
            "",
            "id.example",
            "//id.example",
            "https://",
            "https:///path",
            "http://id.example",
            "http://localhost.example",
            "ftp://id.example",
            "https://id.example; script-src *",
            "https://id.example;x",
            "https://*",
            "https://*.example",
            "https://user@id.example",
            "https://user:pass@id.example",
            "https://id.example:",
            "https://id.example:0",
            "https://id.example:99999",
            "https://id.example:+1",
            "https://id.example\r\nx: y",
            "https://ïd.example",
            "https://[::1]",
            "https://id.example\\@evil.example",
            "javascript://id.example",
            "https://id.example,evil",
        ] {
            assert_eq!(Origin::from_url(url), Err(InvalidUrl), "{url:?}");
        }
    }
}
