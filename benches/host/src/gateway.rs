//! Everything on one port: the HTTP API as API Gateway hands it to a function, the stores as the SDKs know them, and the host's own paths.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Bytes;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::functions::{Description, Function, Invoked};
use crate::server::{Answer, Whole, response};
use crate::stores::Stores;

/// The stores and the functions.
pub(crate) struct Gateway {
    stores: Stores,
    functions: BTreeMap<String, Arc<Function>>,
}

impl Gateway {
    /// Creates empty stores and the described functions, and takes a port for them.
    pub(crate) async fn bind(
        described: BTreeMap<String, Description>,
    ) -> Result<(Self, TcpListener), Box<dyn Error>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let functions = described.into_iter().map(|(name, described)| {
            let function = Function::new(&name, described, address);
            (name, Arc::new(function))
        });
        let (stores, functions) = (Stores::new(), functions.collect());
        Ok((Self { stores, functions }, listener))
    }

    fn own(&self, path: &str) -> Whole {
        let found = match path.split_once('/') {
            None if path == "processes" => self
                .functions
                .iter()
                .flat_map(|(name, function)| function.usage(name))
                .collect(),
            None if path == "requests" => self.stores.requests.take(),
            Some(("stop", name)) => self
                .functions
                .get(name)
                .map(|function| function.stop())
                .is_some()
                .into(),
            Some(("throttle", every)) => self.stores.throttle(every.parse().unwrap_or_default()).into(),
            _ => return response(404, [], Bytes::new()),
        };
        response(200, [], found.to_string())
    }

    async fn api(&self, request: &Request<()>, body: &Bytes) -> Whole {
        let name = request
            .headers()
            .get("host-function")
            .and_then(|name| name.to_str().ok());
        let Some(function) = self.functions.get(name.unwrap_or("lookup")) else {
            return response(404, [], "no such function");
        };
        match function.invoke(event(request, body).to_string().into()).await {
            Ok(invoked) => answer(&invoked),
            Err(reason) => response(502, [], reason),
        }
    }

    fn upload(&self, event: String) {
        if let Some(projector) = self.functions.get("projector").cloned() {
            tokio::spawn(async move {
                if let Err(reason) = projector.invoke(event.into()).await {
                    eprintln!("the projector: {reason}");
                }
            });
        }
    }
}

impl Answer for Gateway {
    async fn answer(&self, request: Request<()>, body: Bytes) -> Whole {
        let path = request.uri().path();
        if let Some(path) = path.strip_prefix("/host/") {
            return self.own(path);
        }
        if path.starts_with("/v1/") {
            return self.api(&request, &body).await;
        }
        let answered = self.stores.answer(&request, &body);
        if answered.status().is_success()
            && let Some(event) = Stores::uploaded(&request, &self.stores)
        {
            self.upload(event);
        }
        answered
    }
}

/// The response of a function in payload format 2.0, and the times of the host.
fn answer(invoked: &Invoked) -> Whole {
    let Ok(answer) = serde_json::from_slice::<Value>(&invoked.answered.body) else {
        return response(502, [], "the answer is no JSON");
    };
    let status = answer["statusCode"]
        .as_u64()
        .and_then(|status| u16::try_from(status).ok());
    let headers = answer["headers"].as_object().into_iter().flatten();
    let headers = headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let times = [
        ("host-waited", Some(invoked.waited)),
        ("host-began", invoked.began),
        ("host-took", Some(invoked.answered.took)),
    ];
    let times = times
        .into_iter()
        .filter_map(|(name, time)| Some((name.to_owned(), time?.as_micros().to_string())));
    let body = answer["body"].as_str().unwrap_or_default().to_owned();
    response(status.unwrap_or(502), headers.chain(times), body)
}

/// The event of a request below `/v1/tenants/{tenant}`, as API Gateway sends it.
fn event(request: &Request<()>, body: &Bytes) -> Value {
    let (path, method) = (request.uri().path(), request.method().as_str());
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let text = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let root = "/v1/tenants/{tenant}";
    let (route, parameters) = match parts[..] {
        [_, _, tenant] => (root.to_owned(), json!({"tenant": text(tenant)})),
        [_, _, tenant, first] => (format!("{root}/{first}"), json!({"tenant": text(tenant)})),
        [_, _, tenant, first, id] => (
            format!("{root}/{first}/{{id}}"),
            json!({"tenant": text(tenant), "id": text(id)}),
        ),
        [_, _, tenant, first, id, last] => (
            format!("{root}/{first}/{{id}}/{last}"),
            json!({"tenant": text(tenant), "id": text(id)}),
        ),
        _ => (path.to_owned(), json!({})),
    };
    let route = format!("{method} {route}");
    let headers = request
        .headers()
        .iter()
        .filter_map(|(name, value)| Some((name.to_string(), json!(value.to_str().ok()?))));
    let body = (!body.is_empty()).then(|| String::from_utf8_lossy(body).into_owned());
    json!({
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": request.uri().query().unwrap_or_default(),
        "headers": headers.collect::<serde_json::Map<_, _>>(),
        "pathParameters": parameters,
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "abcdefghij",
            "authorizer": {"iam": {"accountId": "123456789012", "callerId": "AROA:1", "userArn": "arn:aws:sts::123456789012:assumed-role/benches/1"}},
            "domainName": "abcdefghij.execute-api.eu-west-1.amazonaws.com",
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "benches"},
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": route,
            "stage": "$default",
            "time": "01/Jan/2026:00:00:00 +0000",
            "timeEpoch": 1_767_225_600_000_u64,
        },
        "body": body,
        "isBase64Encoded": false,
    })
}
