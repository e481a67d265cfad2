//! A model of API Gateway in front of the function: from a path as it was sent to the ARN that IAM evaluates and the event that the
//! function gets.
//!
//! AWS documents neither how an HTTP API matches an encoded path nor what it evaluates and hands over then, so the model has every
//! behaviour that was reported and those beside it, in all combinations.

use lookup::routes::ROUTES;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

/// One way to look at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the client sent it.
    Sent,
    /// Percent-decoded once.
    Decoded,
    /// The same up to the first `?`, which was `%3F`.
    CutAtQuery,
    /// The same up to the first `#`, which was `%23`.
    CutAtFragment,
    /// Decoded, and without `.` and `..`.
    Resolved,
}

impl Form {
    const ALL: [Form; 5] = [
        Form::Sent,
        Form::Decoded,
        Form::CutAtQuery,
        Form::CutAtFragment,
        Form::Resolved,
    ];

    fn of(self, sent: &str) -> String {
        let decoded = decode(sent);
        let until = |end: char| decoded.split(end).next().unwrap_or_default().to_owned();
        match self {
            Form::Sent => sent.to_owned(),
            Form::Decoded => decoded,
            Form::CutAtQuery => until('?'),
            Form::CutAtFragment => until('#'),
            Form::Resolved => resolve(&decoded),
        }
    }
}

/// The path handling of a gateway: the forms that it matches routes with, evaluates policies on, and passes on as `rawPath`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gateway {
    pub(crate) matches: Form,
    pub(crate) evaluates: Form,
    pub(crate) hands_over: Form,
}

impl Gateway {
    /// Returns every combination except those that resolve a path after they evaluated another one: these would authorise one request and serve a
    /// different one, and no policy and no function could detect that.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let of = |matches| {
            let evaluated = Form::ALL.into_iter();
            evaluated.flat_map(move |evaluates| {
                Form::ALL.map(|hands_over| Self {
                    matches,
                    evaluates,
                    hands_over,
                })
            })
        };
        [Form::Sent, Form::Decoded].into_iter().flat_map(of)
    }

    /// The resource that IAM looks for in the caller's policies.
    pub(crate) fn arn(self, method: &str, sent: &str) -> String {
        let path = self.evaluates.of(sent);
        format!("arn:aws:execute-api:eu-west-1:123456789012:a1b2c3d4e5/$default/{method}{path}")
    }

    /// The event that the function gets, with the parameters that the gateway found, decoded; none where it answers 404 itself.
    pub(crate) fn event(self, method: &str, sent: &str, authorizer: &Value) -> Option<Value> {
        let (matched, handed_over) = (self.matches.of(sent), self.hands_over.of(sent));
        let mut routes = ROUTES.iter().filter(|route| route.methods().contains(&method));
        routes.find_map(|route| {
            let parameters = parameters(route.path, &matched)?;
            let key = format!("{method} {}", route.path);
            let mut event = event(method, &handed_over, "", &key, authorizer);
            event["pathParameters"] = parameters;
            Some(event)
        })
    }
}

/// Returns the values of the path parameters of `route` in `path`, decoded; none if the path does not match.
fn parameters(route: &str, path: &str) -> Option<Value> {
    let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
    let mut parameters = Map::new();
    for (expected, segment) in route.iter().zip(&path) {
        match expected.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) if !segment.is_empty() => {
                parameters.insert(name.to_owned(), json!(decode(segment)));
            }
            _ if expected == segment => {}
            _ => return None,
        }
    }
    (route.len() == path.len()).then_some(Value::Object(parameters))
}

fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn resolve(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/').skip(1) {
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    format!("/{}", segments.join("/"))
}

/// An event of the gateway; the parameters are those that the path has under the route.
pub(crate) fn event(method: &str, path: &str, query: &str, route_key: &str, authorizer: &Value) -> Value {
    let route = route_key.split_once(' ').map_or("", |(_, route)| route);
    json!({
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": {"host": "example.org", "authorization": "secret"},
        "pathParameters": parameters(route, path),
        "requestContext": {
            "stage": "$default",
            "routeKey": route_key,
            "requestId": "r-1",
            "http": {"method": method, "path": path},
            "authorizer": authorizer,
        },
        "isBase64Encoded": false,
    })
}
