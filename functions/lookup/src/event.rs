//! What API Gateway sends and takes: payload format 2.0 of an HTTP API, as far as this function reads it.
//!
//! Format: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html>

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::path_parameters::PathParameters;
use crate::problem::{Code, Problem};

/// A body is a hundred ids of at most 16 digits; 64 KiB leaves room for white space and stops everything else.
const MAX_BODY: usize = 64 * 1024;

/// A request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The path. API Gateway has decoded it, so a `/` in it may have been a `%2F`: see [`mod@crate::authorise`].
    pub raw_path: String,
    /// The query as it was sent.
    #[serde(default)]
    pub raw_query_string: String,
    /// The headers that this function reads.
    #[serde(default)]
    pub headers: Headers,
    /// The parameters of the path that API Gateway matched, decoded.
    #[serde(default)]
    pub path_parameters: PathParameters,
    /// What API Gateway knows of the request.
    pub request_context: Context,
    /// The body, if there is one.
    #[serde(default)]
    body: Option<String>,
    /// Whether `body` is base64.
    #[serde(default)]
    is_base64_encoded: bool,
}

/// The headers that this function reads. API Gateway writes names in lower case and joins the values of one name with commas; others
/// that send the same format leave names as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// `If-None-Match`.
    pub if_none_match: Option<String>,
}

/// A header's name, copied out of the event only where it is escaped there.
#[derive(Deserialize)]
struct Name<'e>(#[serde(borrow)] Cow<'e, str>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WantedHeaders)
    }
}

/// Skips over the headers that nobody reads: they are most of what a client sends.
struct WantedHeaders;

impl<'de> Visitor<'de> for WantedHeaders {
    type Value = Headers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("headers by name")
    }

    fn visit_unit<E>(self) -> Result<Headers, E> {
        Ok(Headers::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Headers, A::Error> {
        // Of one spelling the last value counts; the values of several are joined in the order of the spellings.
        let mut if_none_match = BTreeMap::new();
        while let Some(Name(name)) = all.next_key()? {
            if name.eq_ignore_ascii_case("if-none-match") {
                if_none_match.insert(name, all.next_value::<Value>()?);
            } else {
                all.next_value::<IgnoredAny>()?;
            }
        }
        let values: Vec<&str> = if_none_match.values().filter_map(Value::as_str).collect();
        Ok(Headers {
            if_none_match: (!values.is_empty()).then(|| values.join(",")),
        })
    }
}

/// What API Gateway knows of a request and the client cannot write.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// Which route of the API was matched and authorised, such as `GET /v1/tenants/{tenant}`.
    #[serde(default)]
    pub route_key: Option<String>,
    /// Names the request in every log.
    #[serde(default)]
    pub request_id: Option<String>,
    /// The request line.
    pub http: Http,
    /// What the authorizer found out, in whatever shape: [`mod@crate::authorise`] decides what counts.
    #[serde(default)]
    pub authorizer: Value,
}

/// The request line.
#[derive(Debug, Clone, Deserialize)]
pub struct Http {
    /// In capitals.
    pub method: String,
}

impl Event {
    /// The body's bytes.
    ///
    /// # Errors
    /// `invalid-body` when it is too long or not the base64 that it claims to be.
    pub fn body(&self) -> Result<Cow<'_, [u8]>, Problem> {
        let invalid = |detail: &'static str| Problem::new(Code::InvalidBody, detail).at("/body");
        let text = self.body.as_deref().unwrap_or_default();
        let longest = if self.is_base64_encoded {
            MAX_BODY.div_ceil(3) * 4
        } else {
            MAX_BODY
        };
        if text.len() > longest {
            return Err(invalid("The body has more than 64 KiB."));
        }
        if !self.is_base64_encoded {
            return Ok(text.as_bytes().into());
        }
        let bytes = STANDARD
            .decode(text)
            .map_err(|_| invalid("The body cannot be decoded."))?;
        Ok(bytes.into())
    }
}

/// An answer in the same format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The HTTP status.
    pub status_code: u16,
    /// Headers, names in lower case.
    pub headers: BTreeMap<&'static str, String>,
    /// JSON, or nothing with status 304.
    pub body: String,
    /// Never: JSON is text.
    pub is_base64_encoded: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(body: Option<&str>, is_base64_encoded: bool) -> Event {
        let http = Http {
            method: "POST".to_owned(),
        };
        let request_context = Context {
            route_key: None,
            request_id: None,
            http,
            authorizer: Value::Null,
        };
        Event {
            raw_path: "/".to_owned(),
            raw_query_string: String::new(),
            headers: Headers::default(),
            path_parameters: PathParameters::default(),
            request_context,
            body: body.map(str::to_owned),
            is_base64_encoded,
        }
    }

    #[test]
    fn a_body_is_text_or_base64_or_nothing() {
        assert_eq!(*event(None, false).body().unwrap(), *b"");
        assert_eq!(*event(Some("{}"), false).body().unwrap(), *b"{}");
        assert_eq!(*event(Some("e30="), true).body().unwrap(), *b"{}");
        for body in ["e30", "%%%", "{}"] {
            assert_eq!(
                event(Some(body), true).body().unwrap_err().code(),
                Code::InvalidBody,
                "{body}"
            );
        }
    }

    #[test]
    fn a_body_has_at_most_64_kib() {
        let (fits, long) = (" ".repeat(MAX_BODY), " ".repeat(MAX_BODY + 1));
        assert!(event(Some(&fits), false).body().is_ok());
        assert!(event(Some(&STANDARD.encode(&fits)), true).body().is_ok());
        assert_eq!(
            event(Some(&long), false).body().unwrap_err().code(),
            Code::InvalidBody
        );
        let encoded = STANDARD.encode(" ".repeat(MAX_BODY + 3));
        assert_eq!(
            event(Some(&encoded), true).body().unwrap_err().code(),
            Code::InvalidBody
        );
    }

    #[test]
    fn headers_are_found_by_name_whatever_else_there_is() {
        for (headers, expect) in [
            (r#"{"if-none-match":"\"a\"","host":"x"}"#, Some("\"a\"")),
            (
                r#"{"If-None-Match":"\"a\"","if-none-match":"\"b\""}"#,
                Some("\"a\",\"b\""),
            ),
            // Joined by spelling, capitals first, in whatever order they come.
            (
                r#"{"if-none-match":"\"b\"","IF-NONE-MATCH":"\"c\"","If-None-Match":"\"a\""}"#,
                Some("\"c\",\"a\",\"b\""),
            ),
            (
                r#"{"if-none-match":"\"a\"","if-none-match":"\"b\""}"#,
                Some("\"b\""),
            ),
            (r#"{"if-none-match":"\"a\"","if-none-match":null}"#, None),
            (
                r#"{"If-None-Match":["\"a\""],"if-none-match":"\"b\""}"#,
                Some("\"b\""),
            ),
            (r#"{"if-none\u002dmatch":"\"a\""}"#, Some("\"a\"")),
            (r#"{"if-none-match":""}"#, Some("")),
            (r#"{"host":["x"],"if-none-match":1}"#, None),
            (r#"{"host":{"if-none-match":"\"a\""},"x":null}"#, None),
            ("{}", None),
            ("null", None),
        ] {
            let read: Headers = serde_json::from_str(headers).unwrap();
            assert_eq!(read.if_none_match.as_deref(), expect, "{headers}");
            let read: Headers = serde_json::from_reader(headers.as_bytes()).unwrap();
            assert_eq!(read.if_none_match.as_deref(), expect, "{headers}, not borrowed");
        }
    }

    #[test]
    fn what_is_no_map_is_no_headers() {
        for headers in [
            "[]",
            "1",
            "true",
            r#""if-none-match""#,
            r#"{"host"}"#,
            r#"{"host":}"#,
        ] {
            assert!(serde_json::from_str::<Headers>(headers).is_err(), "{headers}");
        }
    }

    #[test]
    fn other_payload_formats_are_no_events() {
        let version_1 =
            r#"{"version":"1.0","resource":"/x","path":"/x","httpMethod":"GET","requestContext":{}}"#;
        assert!(serde_json::from_str::<Event>(version_1).is_err());
    }
}
