//! A table with a few prepared responses: behind the SDK, so that signing, serialising and parsing are the real ones and neither a network
//! nor an engine is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use aws_types::SdkConfig;
use serde_json::{Map, Value, json};
use taxonomy_keys::{ItemKey, TenantId};
use taxonomy_model::attribute::Attributes;
use taxonomy_model::items::{self, Item};
use taxonomy_model::{Defaults, Limits};
use taxonomy_runtime::{AwsEnv, RetryPolicy, sdk_config};

use crate::Failure;

pub(crate) const TENANT: &str = "acme";
pub(crate) const TABLE: &str = "taxonomy";
/// The deepest term of the sample, with four ancestors.
pub(crate) const TERM: u64 = 113;

const SAMPLE: &str = include_str!("../../samples/job-board-v1.json");
const HASH: &str = "a3f5c9d2e1b4876050617283940a1b2c3d4e5f60718293a4b5c6d7e8f9012345";

/// A term that is like [`TERM`] but for its id, which has as many digits as any other one's.
pub(crate) fn other_term(number: u64) -> u64 {
    1_000_000 + number
}

/// The responses of a table that has the sample.
pub(crate) struct Responses {
    /// The Query of the head.
    pub(crate) head: String,
    /// GetItem of [`TERM`].
    pub(crate) term: String,
    /// BatchGetItem of a hundred terms.
    pub(crate) batch: String,
    /// The ids of those terms.
    pub(crate) ids: Vec<u64>,
}

impl Responses {
    /// Prepares the responses.
    pub(crate) fn prepare() -> Result<Self, Failure> {
        let tenant: TenantId = TENANT.parse()?;
        let defaults = Defaults {
            tenant_culture: None,
            stack_culture: "en-GB".parse()?,
            fallback_chain: Vec::new(),
        };
        let parsed = taxonomy_model::parse(SAMPLE.as_bytes(), &defaults, Limits::default())
            .map_err(|_| "the sample is refused")?;
        let sample = parsed.taxonomy;
        let term = sample.terms().find(|term| term.id().get() == TERM);
        let term = items::of_term(&tenant, term.ok_or("the sample has no such term")?);
        let term = term.first().map(transport);
        let hundred: Vec<_> = sample.terms().take(100).collect();
        let batch: Vec<Value> = hundred
            .iter()
            .filter_map(|term| items::of_term(&tenant, *term).first().map(transport))
            .collect();
        let batch =
            json!({"Responses": {TABLE: batch}, "UnprocessedKeys": {}, "ConsumedCapacity": [used(50.0)]});
        Ok(Self {
            head: json!({"Count": 1, "Items": [head(&tenant)], "ScannedCount": 1, "ConsumedCapacity": used(1.0)}).to_string(),
            term: json!({"Item": term, "ConsumedCapacity": used(0.5)}).to_string(),
            batch: batch.to_string(),
            ids: hundred.iter().map(|term| term.id().get()).collect(),
        })
    }

    /// Returns the response for another term, which is like [`TERM`].
    pub(crate) fn other_term(&self, id: u64) -> String {
        self.term.replace(&format!("\"{TERM}\""), &format!("\"{id}\""))
    }
}

#[derive(Debug)]
struct Table {
    head: Vec<u8>,
    /// [`TERM`], then the other ones in order.
    terms: Vec<Vec<u8>>,
    batch: Vec<u8>,
    requested: AtomicUsize,
}

/// Returns the set-up of the SDK for a table that has the sample, and the ids of a hundred terms in it. Terms are answered in the expected
/// order of requests.
pub(crate) fn sdk(others: usize) -> Result<(SdkConfig, Vec<u64>), Failure> {
    let responses = Responses::prepare()?;
    let other_terms = (0..others as u64).map(|number| responses.other_term(other_term(number)));
    let terms = std::iter::once(responses.term.clone()).chain(other_terms);
    let table = Table {
        terms: terms.map(String::into_bytes).collect(),
        head: responses.head.into_bytes(),
        batch: responses.batch.into_bytes(),
        requested: AtomicUsize::new(0),
    };
    let env = AwsEnv::new(
        "eu-west-1",
        "AKIAIOSFODNN7EXAMPLE",
        "secret",
        Some("t".repeat(800)),
    );
    let http = SharedHttpClient::new(Transport(SharedHttpConnector::new(Connector(Arc::new(table)))));
    let sdk = sdk_config(&env, RetryPolicy::REQUESTS).into_builder();
    Ok((sdk.http_client(http).build(), responses.ids))
}

fn used(units: f64) -> Value {
    json!({"TableName": TABLE, "CapacityUnits": units})
}

/// The head of the sample, version 1 and projected long ago.
fn head(tenant: &TenantId) -> Value {
    let head = json!({
        "EntityType": "Head",
        "V": 1,
        "ChangesetId": HASH,
        "StateHash": HASH,
        "SnapshotKey": format!("snapshots/{TENANT}/000000000001-{HASH}.json.zst"),
        "IndexKey": format!("indexes/{TENANT}/1/000000000001-{HASH}-0123456789abcdef.index"),
        "CommittedAt": 1_735_689_600_000_u64,
        "Format": 1,
        "DefaultCulture": "en-GB",
        "Cultures": ["de-DE", "en-GB", "fr-FR"],
        "Categories": 5,
        "Terms": 120,
        "Source": {
            "ETag": "0123456789abcdef0123456789abcdef",
            "VersionId": "3HL4kqtJvjVBH40Nrjfkd",
            "Sha256": HASH,
            "Size": 80_000,
        },
        "Projected": 1,
        "ProjectedAt": 1_735_689_600_000_u64,
    });
    let head = head.as_object().map(plain).unwrap_or_default();
    let key = ItemKey::Head {
        tenant: tenant.clone(),
    }
    .key();
    with_key(&key.pk, &key.sk, head)
}

/// An item as it goes over the wire.
fn transport(item: &Item) -> Value {
    let key = item.key.key();
    let mut attributes = plain(&item.attributes);
    attributes.insert("EntityType".to_owned(), json!({"S": item.key.entity_type()}));
    attributes.insert("V".to_owned(), json!({"N": "1"}));
    with_key(&key.pk, &key.sk, attributes)
}

fn with_key(pk: &str, sk: &str, mut attributes: Map<String, Value>) -> Value {
    attributes.insert("PK".to_owned(), json!({"S": pk}));
    attributes.insert("SK".to_owned(), json!({"S": sk}));
    attributes.into()
}

fn plain(attributes: &Attributes) -> Map<String, Value> {
    let attributes = attributes.iter();
    attributes
        .map(|(name, value)| (name.to_string(), typed(value)))
        .collect()
}

fn typed(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({"S": text}),
        Value::Number(number) => json!({"N": number.to_string()}),
        Value::Bool(up) => json!({"BOOL": up}),
        Value::Array(values) => json!({"L": values.iter().map(typed).collect::<Vec<_>>()}),
        Value::Object(map) => json!({"M": plain(map)}),
        Value::Null => json!({"NULL": true}),
    }
}

impl Table {
    fn answer(&self, request: &HttpRequest) -> Result<&[u8], ConnectorError> {
        let operation = request.headers().get("x-amz-target").unwrap_or_default();
        match operation.rsplit('.').next() {
            Some("Query") => Ok(&self.head),
            Some("BatchGetItem") => Ok(&self.batch),
            Some("GetItem") => {
                let number = self.requested.fetch_add(1, Ordering::Relaxed);
                self.terms
                    .get(number)
                    .map(Vec::as_slice)
                    .ok_or_else(|| ConnectorError::user("more requests than prepared responses".into()))
            }
            _ => Err(ConnectorError::user("an unexpected request".into())),
        }
    }
}

#[derive(Debug)]
struct Connector(Arc<Table>);

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::ready(self.0.answer(&request).and_then(|body| {
            let status = 200.try_into();
            let status = status.map_err(|_| ConnectorError::user("no status".into()))?;
            let mut response = HttpResponse::new(status, SdkBody::from(body));
            for (name, value) in [
                ("content-type", "application/x-amz-json-1.0"),
                ("server", "Server"),
                (
                    "x-amzn-requestid",
                    "VHDE6S0N0000000000000000000000000000000000000000EXAM",
                ),
            ] {
                response.headers_mut().insert(name, value);
            }
            Ok(response)
        }))
    }
}

#[derive(Debug)]
struct Transport(SharedHttpConnector);

impl HttpClient for Transport {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        self.0.clone()
    }
}
