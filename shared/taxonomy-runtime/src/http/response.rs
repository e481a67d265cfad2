//! The response of a function to API Gateway: payload format 2.0 of an HTTP API.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// The headers of a response, by their names in lower case.
pub type ResponseHeaders = BTreeMap<&'static str, Cow<'static, str>>;

/// A response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The HTTP status.
    pub status_code: u16,
    /// Its headers.
    pub headers: ResponseHeaders,
    /// A text, or other bytes in base64; empty for status 304 and for `HEAD`.
    pub body: String,
    /// Whether `body` is base64.
    pub is_base64_encoded: bool,
}

impl Response {
    /// Turns the response to `GET` into that to `HEAD`: its headers, with the length of its body.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        if self.status_code != 304 {
            let padding = self.body.bytes().rev().take_while(|byte| *byte == b'=').count();
            let octets = match self.is_base64_encoded {
                true => self.body.len() / 4 * 3 - padding,
                false => self.body.len(),
            };
            self.headers.insert("content-length", octets.to_string().into());
        }
        Self {
            body: String::new(),
            is_base64_encoded: false,
            ..self
        }
    }
}
