//! Tests of the behaviour of lambda_http for which the lookup reads API Gateway's events itself (docs/decisions/0007-no-lambda-http.md): its
//! handling of requests that any caller may send. If one of these tests fails, the library has changed, and the decision is open again.

use std::panic::catch_unwind;

use ::lambda_http::{Request, RequestExt};
use serde_json::{Value, json};

fn event(path: &str, query: &str) -> String {
    let route: Value = json!({
        "version": "2.0", "routeKey": "GET /v1/tenants/{tenant}", "rawPath": path, "rawQueryString": query,
        "headers": {"host": "api.example.com"}, "isBase64Encoded": false,
        "requestContext": {
            "accountId": "123456789012", "apiId": "a", "domainName": "api.example.com", "domainPrefix": "api",
            "http": {"method": "GET", "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "t"},
            "requestId": "r", "routeKey": "GET /v1/tenants/{tenant}", "stage": "$default", "time": "01/Jan/2026:00:00:00 +0000", "timeEpoch": 0,
        },
    });
    route.to_string()
}

fn read(path: &str, query: &str) -> Request {
    ::lambda_http::request::from_str(&event(path, query)).unwrap()
}

#[test]
fn an_ordinary_request_is_read() {
    let request = read("/v1/tenants/acme", "culture=fr");
    assert_eq!(
        (request.uri().path(), request.raw_http_path()),
        ("/v1/tenants/acme", "/v1/tenants/acme")
    );
}

/// In a process that aborts on panics, this panic ends the function.
#[test]
fn a_query_with_an_angle_bracket_panics() {
    assert!(catch_unwind(|| read("/v1/tenants/acme", "culture=<x>")).is_err());
}

/// A policy that allows `/v1/tenants/acme/*` is evaluated for this path, and the response is that of another tenant.
#[test]
fn dot_segments_are_resolved_after_the_gateway_has_authorised_the_path() {
    assert_eq!(
        read("/v1/tenants/acme/../globex", "").uri().path(),
        "/v1/tenants/globex"
    );
}
