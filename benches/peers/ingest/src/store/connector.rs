//! The connector: requests of DynamoDB by their target, requests of S3 by their path.

use std::sync::{Arc, Mutex};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use serde_json::json;

use super::objects::Objects;
use super::usage::Phase;
use super::{State, TABLE};
use crate::failure::Failure;

/// Begins the entity type of an item in a request. A quote in a text is escaped, so no text contains it.
const ENTITY_TYPE: &[u8] = br#""EntityType":{"S":""#;
/// The entity types of a taxonomy's items.
const ITEMS: [&str; 3] = ["Category", "Term", "TermCulture"];

#[derive(Debug, Clone)]
pub(super) struct Connector(pub(super) Arc<Mutex<State>>);

impl HttpClient for Connector {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let target = request.headers().get("x-amz-target").map(str::to_owned);
        match target.as_deref().and_then(|target| target.rsplit('.').next()) {
            Some(operation) => HttpConnectorFuture::ready(self.table(operation, &request).map_err(failed)),
            None => {
                let connector = self.clone();
                HttpConnectorFuture::new(async move { connector.object(request).await.map_err(failed) })
            }
        }
    }
}

impl Connector {
    fn table(&self, operation: &str, request: &HttpRequest) -> Result<HttpResponse, Failure> {
        let body = request.body().bytes().ok_or("a body that is no text")?;
        let mut state = self.0.lock().map_err(|_| "a request panicked")?;
        state.usage.request(operation);
        let item = match operation {
            "PutItem" => {
                entity_type(body).and_then(|kind| ITEMS.into_iter().find(|item| item.as_bytes() == kind))
            }
            _ => None,
        };
        if let Some(kind) = item {
            state.usage.item(kind, body.len());
            let used = json!({"TableName": TABLE, "CapacityUnits": 1.0});
            return response(200, &[], json!({ "ConsumedCapacity": used }).to_string().into());
        }
        if operation == "SendMessage" {
            return response(200, &[], r#"{"MessageId":"1"}"#.into());
        }
        let answer = state.table.answer(operation, &serde_json::from_slice(body)?)?;
        if operation == "TransactWriteItems" {
            state.usage.enter(Phase::Items);
        }
        response(200, &[], answer.to_string().into())
    }

    async fn object(&self, mut request: HttpRequest) -> Result<HttpResponse, Failure> {
        let path = request.uri().split_once("://").map_or("", |(_, rest)| rest);
        let path = path.split('?').next().unwrap_or_default();
        let mut parts = path.splitn(3, '/').skip(1);
        let (bucket, key) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let method = request.method().to_owned();
        let file = {
            let mut state = self.0.lock().map_err(|_| "a request panicked")?;
            state.usage.request(&format!("{method} {}", kind(bucket, key)));
            if method == "PUT" && key.starts_with("snapshots/") {
                state.usage.enter(Phase::Files);
            }
            state.objects.path(bucket, key)
        };
        let found = Objects::head(&file);
        match (method.as_str(), found) {
            ("PUT", Some(_)) if request.headers().get("if-none-match").is_some() => {
                response(412, &[], "<Error><Code>PreconditionFailed</Code></Error>".into())
            }
            ("PUT", _) => {
                let encoding = request.headers().get("content-encoding").unwrap_or_default();
                let is_chunked = encoding.contains("aws-chunked");
                Objects::write(&file, request.take_body(), is_chunked).await?;
                response(200, &[], SdkBody::empty())
            }
            (_, None) => response(404, &[], "<Error><Code>NoSuchKey</Code></Error>".into()),
            (method, Some((size, tag))) => {
                let headers = [
                    ("content-length", size.to_string()),
                    ("etag", format!("\"{tag}\"")),
                ];
                let body = match method {
                    "HEAD" => SdkBody::empty(),
                    "GET" if request.headers().get("range").is_none() => Objects::read(&file)?,
                    _ => return Err(format!("{method} {key} is not answered here").into()),
                };
                response(200, &headers, body)
            }
        }
    }
}

/// Returns the kind of an object, for counts.
fn kind(bucket: &str, key: &str) -> &'static str {
    let kinds = ["snapshots", "changesets", "reports"];
    match kinds.into_iter().find(|kind| key.starts_with(kind)) {
        _ if bucket == super::SOURCE_BUCKET => "source",
        Some(kind) => kind,
        None if key.contains(".search-") => "search objects",
        None => "indexes",
    }
}

/// Returns the entity type of the item in a request.
fn entity_type(body: &[u8]) -> Option<&[u8]> {
    let begin = body
        .windows(ENTITY_TYPE.len())
        .position(|window| window == ENTITY_TYPE)?;
    let after = &body[begin + ENTITY_TYPE.len()..];
    after.split(|byte| *byte == b'"').next()
}

fn response(status: u16, headers: &[(&'static str, String)], body: SdkBody) -> Result<HttpResponse, Failure> {
    let mut response = HttpResponse::new(status.try_into()?, body);
    for (name, value) in headers {
        response.headers_mut().insert(*name, value.clone());
    }
    Ok(response)
}

fn failed(failure: Failure) -> ConnectorError {
    ConnectorError::user(failure)
}
