//! A request as API Gateway sends it: payload format 2.0 of an HTTP API, as far as this function reads it.
//!
//! Format: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html>

use std::collections::BTreeMap;

use serde::Deserialize;

/// A request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The headers by name. API Gateway writes names in lower case; others that send this format leave them as they came.
    headers: Option<BTreeMap<String, String>>,
    raw_path: String,
    /// Left out or null where the route has none.
    path_parameters: Option<PathParameters>,
    pub(crate) request_context: RequestContext,
}

/// The part of the path in the place of `{proxy+}`.
#[derive(Debug, Clone, Deserialize)]
struct PathParameters {
    proxy: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestContext {
    route_key: Option<String>,
    /// Names the request in the gateway's log as well.
    pub(crate) request_id: Option<String>,
    pub(crate) http: Http,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Http {
    /// The method, in capitals.
    pub(crate) method: String,
}

impl Event {
    /// The route that API Gateway matched, such as `GET /explore/{proxy+}`.
    pub(crate) fn route(&self) -> Option<&str> {
        self.request_context.route_key.as_deref()
    }

    /// The path below the stage: of the route and of its parameter, because `rawPath` has the stage or the mapping of a domain before it.
    /// A slash at the end is taken from there, since a gateway may match without it what a browser resolves addresses by.
    pub(crate) fn path(&self) -> Option<String> {
        let (_, route) = self.route()?.split_once(' ')?;
        let mut path = match route.strip_suffix("{proxy+}") {
            None => route.to_owned(),
            Some(folder) => folder.to_owned() + self.path_parameters.as_ref()?.proxy.as_deref()?,
        };
        if self.raw_path.ends_with('/') && !path.ends_with('/') {
            path.push('/');
        }
        Some(path)
    }

    /// `Accept-Encoding`.
    pub(crate) fn accept_encoding(&self) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .flatten()
            .find(|(name, _)| name.eq_ignore_ascii_case("accept-encoding"));
        found.map(|(_, value)| &**value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The relative addresses in a page would mean other files below a slash at the end.
    #[test]
    fn a_path_is_that_of_the_route_whatever_stands_before_it_but_a_slash_at_the_end() {
        let asset = "assets/0123456789abcdef/main.js";
        let of_docs = format!("/docs/{asset}");
        for (raw_path, route, proxy, expect) in [
            ("/prod/explore", "GET /explore", None, Some("/explore")),
            ("/prod/explore/", "GET /explore", None, Some("/explore/")),
            ("/prod/x", "HEAD /docs/{proxy+}", Some(asset), Some(&*of_docs)),
            ("/docs/x/", "GET /docs/{proxy+}", Some("x"), Some("/docs/x/")),
            ("/prod/x", "GET /explore/{proxy+}", None, None),
            ("/prod/x", "$default", None, None),
            ("/prod/x", "", Some("explore"), None),
        ] {
            let event = json!({
                "rawPath": raw_path,
                "pathParameters": proxy.map(|proxy| json!({"proxy": proxy})),
                "requestContext": {"routeKey": route, "http": {"method": "GET"}},
            });
            let event: Event = serde_json::from_value(event).unwrap();
            assert_eq!(event.path().as_deref(), expect, "{raw_path} {route}");
        }
    }

    #[test]
    fn a_header_is_found_in_any_spelling() {
        for name in ["accept-encoding", "Accept-Encoding", "ACCEPT-ENCODING"] {
            let event = json!({"rawPath": "/", "headers": {"host": "x", name: "br"}, "requestContext": {"http": {"method": "GET"}}});
            let event: Event = serde_json::from_value(event).unwrap();
            assert_eq!(event.accept_encoding(), Some("br"), "{name}");
            let id = event.request_context.request_id.as_deref();
            assert_eq!((event.route(), event.path(), id), (None, None, None));
        }
    }
}
