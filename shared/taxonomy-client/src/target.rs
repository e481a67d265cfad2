//! The path and query of a request, escaped.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use taxonomy_keys::{CategoryId, Culture, TenantId, TermId};

use crate::address::Address;
use crate::pages::Cursor;

/// Everything but the unreserved characters of RFC 3986: what a signature's canonical query escapes too, so both sides see one form.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The path and query of a request. Its route decides the names and their order, so one question has one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target(String);

impl Target {
    /// A route of a tenant: `/v1/tenants/{tenant}` and the rest, which is empty or begins with a slash.
    pub(crate) fn of_tenant(api: &Address, tenant: &TenantId, rest: &str) -> Self {
        let tenant = utf8_percent_encode(tenant.as_str(), ESCAPED);
        Self(format!("{}/v1/tenants/{tenant}{rest}", api.path))
    }

    /// A path and a query that another client escaped, escaped as all are here. None for a path with an empty segment, a segment of dots,
    /// a slash that is escaped, or an escape that is none.
    pub(crate) fn escaped(api: &Address, path: &str, query: &str) -> Option<Self> {
        let mut target = Self(api.path.clone());
        for segment in path.strip_prefix('/')?.split('/') {
            let segment = decoded(segment)?;
            if matches!(&*segment, "" | "." | "..") || segment.contains(['/', '\\']) {
                return None;
            }
            target.0.push('/');
            target.0.extend(utf8_percent_encode(&segment, ESCAPED));
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            // A blank, as forms write it.
            let [name, value] = [name, value].map(|text| text.replace('+', " "));
            let name = utf8_percent_encode(&decoded(&name)?, ESCAPED).to_string();
            target = target.parameter(&name, Some(&decoded(&value)?));
        }
        Some(target)
    }

    /// Adds `culture=`, if there is one.
    pub(crate) fn culture(self, culture: Option<&Culture>) -> Self {
        self.parameter("culture", culture.map(Culture::as_str))
    }

    /// Adds `names=all`, where every culture is wanted.
    pub(crate) fn names(self, all: bool) -> Self {
        self.parameter("names", all.then_some("all"))
    }

    /// Adds `category=`, if there is one.
    pub(crate) fn category(self, category: Option<CategoryId>) -> Self {
        self.parameter("category", category.map(|id| id.to_string()).as_deref())
    }

    /// Adds `cursor=`, if there is one.
    pub(crate) fn cursor(self, cursor: Option<&Cursor>) -> Self {
        self.parameter("cursor", cursor.map(Cursor::as_str))
    }

    /// Adds `limit=`, if there is one.
    pub(crate) fn limit(self, limit: Option<u16>) -> Self {
        self.parameter("limit", limit.map(|limit| limit.to_string()).as_deref())
    }

    /// Adds `fields=`, if there is one.
    pub(crate) fn fields(self, fields: Option<&str>) -> Self {
        self.parameter("fields", fields)
    }

    /// Adds `ids=`.
    pub(crate) fn ids(self, ids: &[TermId]) -> Self {
        let ids: Vec<String> = ids.iter().map(TermId::to_string).collect();
        self.parameter("ids", Some(&ids.join(",")))
    }

    /// Adds a parameter, if it has a value.
    pub(crate) fn parameter(mut self, name: &str, value: Option<&str>) -> Self {
        let Some(value) = value else { return self };
        // The path has no question mark, since it is escaped.
        self.0.push(if self.0.contains('?') { '&' } else { '?' });
        self.0.push_str(name);
        self.0.push('=');
        self.0.extend(utf8_percent_encode(value, ESCAPED));
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        self.0.split('?').next().unwrap_or(&self.0)
    }
}

/// The text without its escapes; none where an escape is none, or what it stands for is no text.
fn decoded(text: &str) -> Option<Cow<'_, str>> {
    let digits =
        |escape: &str| escape.len() >= 2 && escape.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    let is_escaped = text.split('%').skip(1).all(digits);
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    (is_escaped && !decoded.contains(char::is_control)).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(path: &str, query: &str) -> Option<String> {
        let api = Address::parse("https://api.example/prod").unwrap();
        Target::escaped(&api, path, query).map(|target| target.0)
    }

    #[test]
    fn another_clients_escapes_become_those_of_this_one() {
        for (path, query, expect) in [
            ("/v1/tenants", "", "/v1/tenants"),
            ("/v1/tenants/a%7Eb", "", "/v1/tenants/a~b"),
            ("/v1/a:b", "q=(a)!*'", "/v1/a%3Ab?q=%28a%29%21%2A%27"),
            (
                "/v1/x",
                "q=a+b%2Bc&culture=fr&&x",
                "/v1/x?q=a%20b%2Bc&culture=fr&x=",
            ),
            ("/v1/x", "q=%E2%82%AC&asOf=0:0", "/v1/x?q=%E2%82%AC&asOf=0%3A0"),
            ("/v1/x", "%71=1=2", "/v1/x?q=1%3D2"),
        ] {
            assert_eq!(escaped(path, query), Some(format!("/prod{expect}")));
        }
    }

    #[test]
    fn a_path_that_leaves_the_api_is_none() {
        // Below `/v1/`.
        let dots = [
            "", "/x", "../x", "./x", "%2e%2E/x", "%2e", "a%2Fb", "a%5cb", "a\\b",
        ];
        let bytes = ["%", "%2", "%zz", "%ff", "%00", "a%0d%0ab"];
        let below = dots.into_iter().chain(bytes).map(|rest| format!("/v1/{rest}"));
        let elsewhere = ["", "v1", "/", "//other.example/v1"].map(str::to_owned);
        for path in elsewhere.into_iter().chain(below) {
            let path = path.as_str();
            assert_eq!(escaped(path, ""), None, "{path}");
        }
        for query in ["q=%", "q=%f", "%zz=1", "q=%ff", "q=%0a"] {
            assert_eq!(escaped("/v1/x", query), None, "{query}");
        }
    }
}
