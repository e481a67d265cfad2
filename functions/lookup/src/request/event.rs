//! Requests of API Gateway: the part of payload format 2.0 of an HTTP API that this function uses.
//!
//! Format: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html>

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use taxonomy_runtime::http::Accepted;

use crate::members::MemberName;
use crate::request::path_parameters::PathParameters;
use crate::response::problem::{Problem, ProblemCode};

/// The longest body of most routes, in bytes. A hundred ids of at most 16 digits fit with white space; anything larger is refused.
const MAX_BODY: usize = 64 * 1024;

/// A request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The path. API Gateway has decoded it, so a `/` in it may have been a `%2F`: see [`mod@crate::request::authorise`].
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
    /// The context that API Gateway adds to the request.
    pub request_context: RequestContext,
    /// The body, if there is one.
    #[serde(default)]
    body: Option<String>,
    /// Whether `body` is base64.
    #[serde(default)]
    is_base64_encoded: bool,
}

/// The headers that this function reads. API Gateway writes names in lower case and joins the values of one name with commas; other senders
/// of the format keep the spelling of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// `Accept-Encoding`.
    pub accept_encoding: Option<String>,
    /// `Accept-Language`.
    pub accept_language: Option<String>,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `If-None-Match`.
    pub if_none_match: Option<String>,
    /// `Taxonomy-Debug`.
    pub taxonomy_debug: Option<String>,
}

impl Headers {
    /// Returns the codings that the request accepts.
    pub(crate) fn accepted(&self) -> Accepted {
        Accepted::from_header(self.accept_encoding.as_deref())
    }

    /// Returns whether the request has `Taxonomy-Debug: 1`, which requests the consumed read units.
    pub(crate) fn asks_for_usage(&self) -> bool {
        self.taxonomy_debug.as_deref() == Some("1")
    }
}

/// The names of these headers, in the order of the fields.
const WANTED: [&str; 5] = [
    "accept-encoding",
    "accept-language",
    "content-type",
    "if-none-match",
    "taxonomy-debug",
];

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WantedHeaders)
    }
}

/// Skips all other headers, which are most of the headers that a client sends.
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
        let mut found: [Values<'de>; WANTED.len()] = Default::default();
        while let Some(MemberName(name)) = all.next_key()? {
            match WANTED.iter().position(|wanted| name.eq_ignore_ascii_case(wanted)) {
                Some(position) => found[position].push((name, all.next_value()?)),
                None => drop(all.next_value::<IgnoredAny>()?),
            }
        }
        let [
            accept_encoding,
            accept_language,
            content_type,
            if_none_match,
            taxonomy_debug,
        ] = found.map(joined);
        Ok(Headers {
            accept_encoding,
            accept_language,
            content_type,
            if_none_match,
            taxonomy_debug,
        })
    }
}

/// The values of a header by the spelling of its name, most often one. Of one spelling the last value applies; those of several spellings are
/// joined in their order.
type Values<'e> = Vec<(Cow<'e, str>, Value)>;

fn joined(mut values: Values<'_>) -> Option<String> {
    // Stable, so that the last one of a spelling stays behind the others.
    values.sort_by(|(one, _), (other, _)| one.cmp(other));
    let of_spelling = values.chunk_by_mut(|(one, _), (other, _)| one == other);
    let mut texts = of_spelling.filter_map(|values| match values.last_mut() {
        Some((_, Value::String(text))) => Some(std::mem::take(text)),
        _ => None,
    });
    let first = texts.next()?;
    Some(texts.fold(first, |all, text| all + "," + &text))
}

/// The context of a request, which API Gateway writes and the client cannot set.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestContext {
    /// The route of the API that was matched and authorised, such as `GET /v1/tenants/{tenant}`.
    #[serde(default)]
    pub route_key: Option<String>,
    /// The id of the request in every log.
    #[serde(default)]
    pub request_id: Option<String>,
    /// The request line.
    pub http: Http,
    /// The result of the authorizer, of any shape: [`mod@crate::request::authorise`] decides which parts apply.
    #[serde(default)]
    pub authorizer: Option<Box<RawValue>>,
}

/// The request line.
#[derive(Debug, Clone, Deserialize)]
pub struct Http {
    /// The method, in capitals.
    pub method: String,
}

impl Event {
    /// The bytes of a JSON body of at most 64 KiB.
    ///
    /// # Errors
    /// Those of [`body_of`](Self::body_of).
    pub fn body(&self) -> Result<Cow<'_, [u8]>, Problem> {
        self.body_of(MAX_BODY)
    }

    /// The bytes of a JSON body of at most `most` bytes, whole KiB.
    ///
    /// # Errors
    /// `unsupported-media-type` when `Content-Type` names another type, `body-too-large` over `most`, `invalid-body` when the body is marked as
    /// base64 and is not.
    pub fn body_of(&self, most: usize) -> Result<Cow<'_, [u8]>, Problem> {
        let text = self.body.as_deref().unwrap_or_default();
        // API Gateway may add a type to a request that has no body.
        let content_type = self.headers.content_type.as_deref();
        if !text.is_empty() && !content_type.is_none_or(is_json) {
            return Err(Problem::unsupported_media_type());
        }
        let longest = if self.is_base64_encoded {
            most.div_ceil(3) * 4
        } else {
            most
        };
        if text.len() > longest {
            let detail = format!("A body has at most {} KiB.", most >> 10);
            return Err(Problem::new(ProblemCode::BodyTooLarge, detail).at("/body"));
        }
        if !self.is_base64_encoded {
            return Ok(text.as_bytes().into());
        }
        let bytes = STANDARD
            .decode(text)
            .map_err(|_| Problem::new(ProblemCode::InvalidBody, "The body cannot be decoded.").at("/body"))?;
        Ok(bytes.into())
    }
}

/// Returns whether a media type is JSON: `application/json`, or any type with the suffix `+json` (RFC 6839); parameters are ignored.
fn is_json(content_type: &str) -> bool {
    let media_type = content_type.split(';').next().unwrap_or_default();
    let media_type = media_type.trim_matches([' ', '\t']).to_ascii_lowercase();
    media_type == "application/json" || media_type.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The code of the problem, or the bytes of a body.
    fn body(body: Option<&str>, is_base64_encoded: bool) -> Result<Vec<u8>, ProblemCode> {
        let event = serde_json::json!({
            "rawPath": "/", "body": body, "isBase64Encoded": is_base64_encoded, "requestContext": {"http": {"method": "POST"}},
        });
        let event: Event = serde_json::from_value(event).unwrap();
        let body = event.body().map(|body| body.to_vec());
        body.map_err(|problem| problem.code())
    }

    #[test]
    fn a_body_is_text_or_base64_or_nothing_and_has_at_most_64_kib() {
        let (fits, long) = (" ".repeat(MAX_BODY), " ".repeat(MAX_BODY + 1));
        let [fits_encoded, long_encoded] =
            [MAX_BODY, MAX_BODY + 3].map(|most| STANDARD.encode(" ".repeat(most)));
        for (text, is_base64_encoded, expect) in [
            (None, false, Ok("")),
            (Some("{}"), false, Ok("{}")),
            (Some("e30="), true, Ok("{}")),
            (Some("e30"), true, Err(ProblemCode::InvalidBody)),
            (Some("%%%"), true, Err(ProblemCode::InvalidBody)),
            (Some("{}"), true, Err(ProblemCode::InvalidBody)),
            (Some(&*fits), false, Ok(&*fits)),
            (Some(&*fits_encoded), true, Ok(&*fits)),
            (Some(&*long), false, Err(ProblemCode::BodyTooLarge)),
            (Some(&*long_encoded), true, Err(ProblemCode::BodyTooLarge)),
        ] {
            let found = body(text, is_base64_encoded);
            assert_eq!(found, expect.map(|text| text.as_bytes().to_vec()), "{text:?}");
        }
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
    fn each_header_has_its_field() {
        let headers = WANTED.map(|name| (name.to_ascii_uppercase(), format!("value of {name}")));
        let headers: BTreeMap<String, String> = headers.into();
        let read: Headers = serde_json::from_value(serde_json::json!(headers)).unwrap();
        let value = |name: &str| Some(format!("value of {name}"));
        let expect = Headers {
            accept_encoding: value("accept-encoding"),
            accept_language: value("accept-language"),
            content_type: value("content-type"),
            if_none_match: value("if-none-match"),
            taxonomy_debug: value("taxonomy-debug"),
        };
        assert_eq!(read, expect);
    }

    #[test]
    fn what_is_no_map_is_no_headers_and_other_payload_formats_no_events() {
        for headers in ["[]", "1", "true", r#""host""#, r#"{"host"}"#, r#"{"host":}"#] {
            assert!(serde_json::from_str::<Headers>(headers).is_err(), "{headers}");
        }
        let version_1 =
            r#"{"version":"1.0","resource":"/x","path":"/x","httpMethod":"GET","requestContext":{}}"#;
        assert!(serde_json::from_str::<Event>(version_1).is_err());
    }
}
