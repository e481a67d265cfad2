//! An answer as API Gateway takes it.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::pages::PageResponse;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The HTTP status.
    pub status_code: u16,
    /// Headers, names in lower case.
    pub headers: BTreeMap<&'static str, String>,
    /// A text, or other bytes in base64; nothing to `HEAD`.
    pub body: String,
    /// True where `body` is base64.
    pub is_base64_encoded: bool,
}

impl Response {
    /// The answer to `GET`.
    pub(crate) fn with_body(page: &PageResponse<'_>) -> Self {
        let (body, is_base64_encoded) = match std::str::from_utf8(page.body) {
            Ok(text) => (text.to_owned(), false),
            Err(_) => (STANDARD.encode(page.body), true),
        };
        Self {
            status_code: page.status,
            headers: headers(page).collect(),
            body,
            is_base64_encoded,
        }
    }

    /// The answer to `HEAD`: the headers of that to `GET`, with the length of its body.
    pub(crate) fn without_body(page: &PageResponse<'_>) -> Self {
        let length = ("content-length", page.body.len().to_string());
        Self {
            status_code: page.status,
            headers: headers(page).chain([length]).collect(),
            body: String::new(),
            is_base64_encoded: false,
        }
    }

    /// A refusal in words.
    pub(crate) fn refused(status_code: u16, reason: &str) -> Self {
        let headers = [
            ("cache-control", "no-store"),
            ("content-type", "text/plain; charset=utf-8"),
            ("x-content-type-options", "nosniff"),
        ];
        Self {
            status_code,
            headers: headers.map(|(name, value)| (name, value.to_owned())).into(),
            body: format!("{reason}\n"),
            is_base64_encoded: false,
        }
    }
}

fn headers(page: &PageResponse<'_>) -> impl Iterator<Item = (&'static str, String)> {
    let headers = page.headers.iter();
    headers.map(|(name, value)| (*name, (*value).to_owned()))
}
