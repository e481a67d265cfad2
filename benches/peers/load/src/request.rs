//! A request of a consumer, as an event of API Gateway's payload format 2.0.

use serde_json::{Value, json};

use crate::stores::TENANT;

/// The subject of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subject {
    Term {
        id: u64,
        culture: Option<String>,
    },
    Batch {
        ids: Vec<u64>,
    },
    Children {
        id: u64,
    },
    Categories,
    /// The term whose whole name is the query, if the query is a name.
    Suggest {
        query: String,
        named: Option<u64>,
    },
    Changes {
        after: u64,
    },
    Head,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The name under which it is counted.
    pub(crate) kind: &'static str,
    pub(crate) subject: Subject,
    /// The version that must answer, of a request for the past.
    pub(crate) pinned: Option<u64>,
    /// The version of the answer whose tag the request carries.
    pub(crate) known: Option<u64>,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) body: Option<Value>,
    pub(crate) tag: Option<String>,
}

impl Request {
    /// Builds a GET below the tenant.
    pub(crate) fn get(kind: &'static str, subject: Subject, path: String, query: String) -> Self {
        Self {
            kind,
            subject,
            pinned: None,
            known: None,
            path,
            query,
            body: None,
            tag: None,
        }
    }

    /// Adds a parameter.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        if !self.query.is_empty() {
            self.query.push('&');
        }
        self.query.push_str(&format!("{name}={value}"));
        self
    }

    /// Describes the request in a report.
    pub(crate) fn describe(&self) -> String {
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        format!("{} /{}?{} {body}", self.kind, self.path, self.query)
    }

    /// Returns the event as API Gateway sends it.
    pub(crate) fn event(&self) -> Vec<u8> {
        let (method, root) = (
            if self.body.is_some() { "POST" } else { "GET" },
            "/v1/tenants/{tenant}",
        );
        let parts: Vec<&str> = self.path.split('/').collect();
        let (route, parameters) = match parts[..] {
            [first, id] => (
                format!("{root}/{first}/{{id}}"),
                json!({"tenant": TENANT, "id": id}),
            ),
            [first, id, last] => (
                format!("{root}/{first}/{{id}}/{last}"),
                json!({"tenant": TENANT, "id": id}),
            ),
            [""] => (root.to_owned(), json!({"tenant": TENANT})),
            _ => (format!("{root}/{}", self.path), json!({"tenant": TENANT})),
        };
        let slash = if self.path.is_empty() { "" } else { "/" };
        let path = format!("/v1/tenants/{TENANT}{slash}{}", self.path);
        let mut event = json!({
            "version": "2.0",
            "routeKey": format!("{method} {route}"),
            "rawPath": path,
            "rawQueryString": self.query,
            "headers": {
                "accept": "application/json",
                "authorization": "AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-west-1/execute-api/aws4_request",
                "host": "abcdefghij.execute-api.eu-west-1.amazonaws.com",
                "user-agent": "load",
                "x-forwarded-for": "192.0.2.1",
                "x-forwarded-proto": "https",
            },
            "pathParameters": parameters,
            "requestContext": {
                "accountId": "123456789012",
                "apiId": "abcdefghij",
                "authorizer": {"iam": {"accountId": "123456789012", "callerId": "AROA:1", "userArn": "arn:aws:sts::123456789012:assumed-role/load/1"}},
                "domainName": "abcdefghij.execute-api.eu-west-1.amazonaws.com",
                "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "load"},
                "requestId": "JKJaXmPLvHcESHA=",
                "routeKey": format!("{method} {route}"),
                "stage": "$default",
                "time": "01/Jan/2026:00:00:00 +0000",
                "timeEpoch": 1_767_225_600_000_u64,
            },
            "isBase64Encoded": false,
        });
        if let Some(tag) = &self.tag {
            event["headers"]["if-none-match"] = json!(tag);
        }
        if let Some(body) = &self.body {
            event["headers"]["content-type"] = json!("application/json");
            event["body"] = json!(body.to_string());
        }
        event.to_string().into_bytes()
    }
}

/// Percent-encodes a value of a query.
pub(crate) fn escaped(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    });
    encoded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_encoded() {
        assert_eq!(escaped("a b&é-1"), "a%20b%26%C3%A9-1");
    }

    #[test]
    fn an_event_names_route_path_and_parameters() {
        let request = Request::get(
            "children",
            Subject::Children { id: 7 },
            "terms/7/children".to_owned(),
            "limit=100".to_owned(),
        );
        let event: Value = serde_json::from_slice(&request.event()).unwrap();
        assert_eq!(event["routeKey"], "GET /v1/tenants/{tenant}/terms/{id}/children");
        assert_eq!(event["rawPath"], "/v1/tenants/load/terms/7/children");
        assert_eq!(event["pathParameters"], json!({"tenant": "load", "id": "7"}));
        let head = Request::get("head", Subject::Head, String::new(), String::new());
        let event: Value = serde_json::from_slice(&head.event()).unwrap();
        assert_eq!(event["rawPath"], "/v1/tenants/load");
    }
}
