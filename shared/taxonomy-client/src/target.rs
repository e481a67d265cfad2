//! The path and query of a request, escaped.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use taxonomy_keys::{Culture, TenantId, TermId};

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
pub(crate) struct Target {
    text: String,
    has_query: bool,
}

impl Target {
    /// The tenant itself: `/v1/tenants/{tenant}`.
    pub(crate) fn tenant(api: &Address, tenant: &TenantId) -> Self {
        let tenant = utf8_percent_encode(tenant.as_str(), ESCAPED);
        Self {
            text: format!("{}/v1/tenants/{tenant}", api.path()),
            has_query: false,
        }
    }

    /// Goes on with a part of the route, which begins with a slash.
    pub(crate) fn below(mut self, rest: &str) -> Self {
        self.text.push_str(rest);
        self
    }

    /// Adds `culture=`, if there is one.
    pub(crate) fn culture(self, culture: Option<&Culture>) -> Self {
        self.parameter("culture", culture.map(Culture::as_str))
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

    fn parameter(mut self, name: &str, value: Option<&str>) -> Self {
        let Some(value) = value else { return self };
        self.text.push(if self.has_query { '&' } else { '?' });
        self.text.push_str(name);
        self.text.push('=');
        self.text.extend(utf8_percent_encode(value, ESCAPED));
        self.has_query = true;
        self
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The path alone.
    pub(crate) fn path(&self) -> &str {
        self.text.split('?').next().unwrap_or(&self.text)
    }
}
