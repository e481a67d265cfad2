//! Parsing the address of the server, `redis://` or `rediss://`.

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// Whether the connection is encrypted and the certificate of the server is verified.
    pub(crate) encrypted: bool,
    pub(crate) user: Option<String>,
    /// A name or an IP address, an IPv6 one without its brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

const DEFAULT_PORT: u16 = 6379;

/// Parses `rediss://[user@]host[:port]`, or `redis://` for a connection without encryption. Refuses every other part that such addresses
/// can have, passwords above all, since addresses appear in logs.
pub(crate) fn parse(url: &str) -> Result<Address, &'static str> {
    let (scheme, rest) = url
        .split_once("://")
        .ok_or("it begins with rediss:// or redis://")?;
    let encrypted = match scheme {
        "rediss" => true,
        "redis" => false,
        _ => return Err("it begins with rediss:// or redis://"),
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.contains(['/', '?', '#']) {
        return Err("it ends with the host or the port");
    }
    let (user, place) = match rest.rsplit_once('@') {
        Some((user, _)) if user.contains(':') => return Err("a password is not part of it"),
        Some((user, place)) => (Some(user.to_owned()).filter(|user| !user.is_empty()), place),
        None => (None, rest),
    };
    let (host, port) = host_and_port(place)?;
    Ok(Address {
        encrypted,
        user,
        host: host.to_owned(),
        port,
    })
}

fn host_and_port(place: &str) -> Result<(&str, u16), &'static str> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => rest.split_once(']').ok_or("a bracket is left open")?,
        None => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    if host.is_empty() {
        return Err("it names a host");
    }
    let port = match port.strip_prefix(':') {
        Some(port) => number(port).ok_or("its port is a number from 1 to 65535")?,
        None if port.is_empty() => DEFAULT_PORT,
        None => return Err("it ends with the host or the port"),
    };
    Ok((host, port))
}

fn number(port: &str) -> Option<u16> {
    // Without leading zeros, as the template requires; `parse` would accept a sign.
    let is_plain = port.starts_with(|c| ('1'..='9').contains(&c));
    port.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_perhaps_more() {
        let check = |url: &str, expect: (bool, Option<&str>, &str, u16)| {
            let Address {
                encrypted,
                user,
                host,
                port,
            } = parse(url).unwrap();
            assert_eq!((encrypted, user.as_deref(), host.as_str(), port), expect, "{url}");
        };
        check("rediss://cache.example:6380", (true, None, "cache.example", 6380));
        check("rediss://cache.example", (true, None, "cache.example", 6379));
        check("redis://127.0.0.1:7000/", (false, None, "127.0.0.1", 7000));
        check("rediss://[fd00::1]:7000", (true, None, "fd00::1", 7000));
        check("rediss://[::1]", (true, None, "::1", 6379));
        check(
            "rediss://taxonomy@cache.example",
            (true, Some("taxonomy"), "cache.example", 6379),
        );
    }

    #[test]
    fn anything_else_is_refused() {
        let check = |url: &str, expect: &str| assert_eq!(parse(url), Err(expect), "{url}");
        check("cache.example:6379", "it begins with rediss:// or redis://");
        check("https://cache.example", "it begins with rediss:// or redis://");
        check("rediss://user:word@cache.example", "a password is not part of it");
        check("rediss://:word@cache.example", "a password is not part of it");
        check("rediss://cache.example/3", "it ends with the host or the port");
        check("rediss://cache.example?db=3", "it ends with the host or the port");
        check("rediss://[::1]x", "it ends with the host or the port");
        check("rediss://[::1", "a bracket is left open");
        check("rediss://", "it names a host");
        check("rediss://:6379", "it names a host");
        for port in ["", "0", "+6379", "06379", "65536", "6379x"] {
            let url = format!("rediss://cache.example:{port}");
            check(&url, "its port is a number from 1 to 65535");
        }
    }
}
