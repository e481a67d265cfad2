//! Answers in the format of API Gateway.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use taxonomy_runtime::http::Response;

use crate::pages::PageResponse;

/// The answer to `GET`.
pub(crate) fn with_body(page: &PageResponse<'_>) -> Response {
    let (body, is_base64_encoded) = match std::str::from_utf8(page.body) {
        Ok(text) => (text.to_owned(), false),
        Err(_) => (STANDARD.encode(page.body), true),
    };
    let headers = page.headers.iter();
    Response {
        status_code: page.status,
        headers: headers
            .map(|(name, value)| (*name, (*value).to_owned().into()))
            .collect(),
        body,
        is_base64_encoded,
    }
}

/// A refusal in words.
pub(crate) fn refused(status_code: u16, reason: &str) -> Response {
    let headers = [
        ("cache-control", "no-store"),
        ("content-type", "text/plain; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
    ];
    Response {
        status_code,
        headers: headers.map(|(name, value)| (name, value.into())).into(),
        body: format!("{reason}\n"),
        is_base64_encoded: false,
    }
}
